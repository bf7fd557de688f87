// Wire schemas of accounts: links, sign-ins, sessions and users.
import type { LinkView } from "@tentpole/core/accounts/Accounts"
import { password_length_max } from "@tentpole/core/accounts/Password"
import { agent_length_max, type Session } from "@tentpole/core/accounts/Session"
import { linkPurposes } from "@tentpole/core/accounts/SignInLink"
import { type Membership, type User, user_name_length_max } from "@tentpole/core/accounts/User"
import { SessionId, UserId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { roles } from "@tentpole/core/workspaces/Role"
import { Schema } from "effect"
import { InstantWire, iso, namesSomething, oneOf, Text } from "../Wire.ts"

const token = Text(200, 1).annotate({ description: "The part of the link after `#link=`" })
const name = Text(user_name_length_max, 1)
/** Longer texts are refused as passwords; the limit only bounds the body. */
const password = Text(10 * password_length_max, 1)

export const NamedLink = Schema.Struct({ token }).annotate({ identifier: "NamedLink" })

const role = oneOf(...roles)

export const LinkWire = Schema.Struct({
  purpose: oneOf(...linkPurposes),
  email: Schema.NullOr(Schema.String).annotate({ description: "Who the link is for. null for the first user" }),
  workspace: Schema.NullOr(Schema.Struct({ workspace_id: WorkspaceId, name: Schema.String })).annotate({
    description: "The workspace of an invitation, else null",
  }),
  role: Schema.NullOr(role).annotate({ description: "The role of an invitation, else null" }),
  has_account: Schema.Boolean.annotate({
    description: "Whether the address has a user already, who signs in with the existing password",
  }),
}).annotate({ identifier: "SignInLink" })

export const toLinkWire = ({ hasAccount, link, workspace }: LinkView): typeof LinkWire.Type => ({
  purpose: link.purpose,
  email: link.purpose === "first" ? null : link.email,
  workspace: workspace === null ? null : { workspace_id: workspace.id, name: workspace.name },
  role: link.purpose === "invitation" ? link.role : null,
  has_account: hasAccount,
})

const ByLink = Schema.Struct({
  link: Schema.Struct({
    token,
    name: Schema.optionalKey(name).annotate({ description: "Name of the new user" }),
    email: Schema.optionalKey(Text(320, 1)).annotate({ description: "Address of the first user" }),
  }),
  password: Schema.optionalKey(password).annotate({
    description: "The password of the new user, of the invited user who exists, or the new one of a recovery",
  }),
}).annotate({ identifier: "SignInByLink" })

const ByPassword = Schema.Struct({ email: Text(320, 1), password }).annotate({ identifier: "SignInByPassword" })

export const SignIn = Schema.Union([ByLink, ByPassword]).annotate({ identifier: "SignIn" })

const UserWire = Schema.Struct({
  user_id: UserId,
  name: Schema.String,
  email: Schema.String,
  operator: Schema.Boolean.annotate({ description: "Whether the user operates the installation" }),
}).annotate({ identifier: "User" })

export const SessionWire = Schema.Struct({
  user: UserWire,
  memberships: Schema.Array(
    Schema.Struct({ workspace_id: WorkspaceId, slug: Schema.String, name: Schema.String, role }),
  ),
  expires_at: InstantWire.annotate({ description: "When the session ends at the latest" }),
}).annotate({ identifier: "Session" })

const toUserWire = ({ email, id, name, operator }: User): typeof UserWire.Type => ({
  user_id: id,
  name,
  email,
  operator,
})

export const toSessionWire = ({
  memberships,
  session,
  user,
}: {
  readonly session: Session
  readonly user: User
  readonly memberships: ReadonlyArray<Membership>
}): typeof SessionWire.Type => ({
  user: toUserWire(user),
  memberships: memberships.map(({ workspaceId, ...rest }) => ({ workspace_id: workspaceId, ...rest })),
  expires_at: iso(session.expiresAt),
})

export const SessionsWire = Schema.Struct({
  sessions: Schema.Array(
    Schema.Struct({
      session_id: SessionId,
      created_at: InstantWire,
      seen_at: InstantWire.annotate({ description: "The last request, accurate to a minute" }),
      agent: Schema.String.annotate({
        description: `The browser's \`User-Agent\`, at most ${agent_length_max} characters`,
      }),
      current: Schema.Boolean.annotate({ description: "Whether this request belongs to it" }),
    }),
  ),
}).annotate({ identifier: "Sessions" })

export const toSessionsWire =
  (current: Session) =>
  (sessions: ReadonlyArray<Session>): typeof SessionsWire.Type => ({
    sessions: sessions.map(({ agent, createdAt, id, seenAt }) => ({
      session_id: id,
      created_at: iso(createdAt),
      seen_at: iso(seenAt),
      agent,
      current: id === current.id,
    })),
  })

const userFields = {
  name: Schema.optionalKey(name),
  password: Schema.optionalKey(password).annotate({ description: "The new password" }),
}

export const UpdateUser = Schema.Struct({
  ...userFields,
  current_password: Schema.optionalKey(password).annotate({
    description: "Required for a new password, if the user has one",
  }),
})
  .check(namesSomething(userFields))
  .annotate({ identifier: "UpdateUser" })
