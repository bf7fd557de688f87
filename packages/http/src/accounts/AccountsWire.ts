// Wire schemas of accounts: sign-ins, sessions and users.
import { password_length_max } from "@tentpole/core/accounts/Password"
import { agent_length_max, type Session } from "@tentpole/core/accounts/Session"
import type { Credentials } from "@tentpole/core/accounts/signIn/Credentials"
import type { Membership, SignInMethods, User } from "@tentpole/core/accounts/User"
import { SessionId, UserId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { InstantWire, iso, namesSomething, Text, toCamelCase } from "../Wire.ts"
import { LinkFields, roleWire, userName } from "./LinkWire.ts"
import { AssertionWire, RegistrationWire } from "./PasskeysWire.ts"

/** Longer texts are refused as passwords; the limit only bounds the body. */
const password = Text(10 * password_length_max, 1)

export const MethodsWire = Schema.Struct({
  password: Schema.Boolean.annotate({
    description: "false: the identity provider is the only way to sign in, besides the links of commands",
  }),
  oidc_host: Schema.NullOr(Schema.String).annotate({
    description:
      "The host of the identity provider, else null. `GET /auth/v1/oidc/start` leads a browser there and back; its parameter `return_path` is a screen of the console, such as `/w/acme/home`",
  }),
  passkey_host: Schema.NullOr(Schema.String).annotate({
    description:
      "The host that passkeys are for. null: the console's address can't have passkeys, because it is an IP address, or not over HTTPS",
  }),
}).annotate({ identifier: "SignInMethods" })

export const toMethodsWire = ({ oidcHost, passkeyHost, password }: SignInMethods): typeof MethodsWire.Type => ({
  password,
  oidc_host: oidcHost,
  passkey_host: passkeyHost,
})

const ByLink = Schema.Struct({
  link: LinkFields,
  password: Schema.optionalKey(password).annotate({
    description: "The password of the new user, of the invited user who exists, or the new one of a recovery",
  }),
  passkey: Schema.optionalKey(Schema.Union([RegistrationWire, AssertionWire])).annotate({
    description: "A new passkey of the user, or an existing one of the invited user who exists",
  }),
}).annotate({ identifier: "SignInByLink" })

const ByPassword = Schema.Struct({ email: Text(320, 1), password }).annotate({ identifier: "SignInByPassword" })

const ByPasskey = Schema.Struct({ passkey: AssertionWire }).annotate({ identifier: "SignInByPasskey" })

export const SignIn = Schema.Union([ByLink, ByPassword, ByPasskey]).annotate({ identifier: "SignIn" })

export const toCredentials = (signIn: typeof SignIn.Type): Credentials => {
  if ("email" in signIn) return signIn
  if (!("link" in signIn)) return { passkey: toCamelCase(signIn.passkey) }
  const { passkey, ...others } = signIn
  return passkey === undefined ? others : { ...others, passkey: toCamelCase(passkey) }
}

const UserWire = Schema.Struct({
  user_id: UserId,
  name: Schema.String,
  email: Schema.String,
  operator: Schema.Boolean.annotate({ description: "Whether the user operates the installation" }),
  has_password: Schema.Boolean.annotate({ description: "false: the user signs in by passkeys and links only" }),
}).annotate({ identifier: "User" })

export const SessionWire = Schema.Struct({
  user: UserWire,
  memberships: Schema.Array(
    Schema.Struct({ workspace_id: WorkspaceId, slug: Schema.String, name: Schema.String, role: roleWire }),
  ),
  expires_at: InstantWire.annotate({ description: "When the session ends at the latest" }),
}).annotate({ identifier: "Session" })

const toUserWire = ({ email, id, name, operator, passwordHash }: User): typeof UserWire.Type => ({
  user_id: id,
  name,
  email,
  operator,
  has_password: passwordHash !== null,
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
  name: Schema.optionalKey(userName),
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
