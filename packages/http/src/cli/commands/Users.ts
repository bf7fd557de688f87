// The commands `tentpole user …`: the links with which people begin to sign in to the console, or sign in again.
import { Accounts } from "@tentpole/core/accounts/Accounts"
import { Members } from "@tentpole/core/accounts/Members"
import { linkUrl } from "@tentpole/core/accounts/SignInLink"
import { roles } from "@tentpole/core/workspaces/Role"
import { readConfiguration } from "@tentpole/adapters/Launch"
import { Effect, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { command, workspaceCommand } from "../OverPorts.ts"
import { commandGroup } from "../Output.ts"

class UsersExist extends Schema.TaggedError<UsersExist>()("UsersExist", {}) {
  override get message(): string {
    return "There are users already. Name one with --email to create a link for them, or use `tentpole user invite`."
  }
}

/** The address of a link. It works once. */
const shown = (token: string) =>
  Effect.map(readConfiguration, ({ publicConsoleUrl }) => ({ link: linkUrl(publicConsoleUrl, token) }))

const link = command(
  "link",
  "Creates a link to sign in, for an hour: of the first user, or of the user with this email",
  { email: Flag.String("email").pipe(Flag.withDescription("Email of a user who can't sign in"), Flag.optional) },
  ({ email }) =>
    Effect.gen(function* () {
      const { firstLink, recoveryLink } = yield* Accounts
      if (Option.isSome(email)) return yield* shown(yield* recoveryLink(email.value))
      return yield* shown((yield* firstLink) ?? (yield* new UsersExist()))
    }),
)

const invite = workspaceCommand(
  "invite",
  "Creates a link that makes a person a member of the workspace, for seven days",
  {
    email: Flag.String("email").pipe(Flag.withDescription("Email of the person")),
    role: Flag.Literals("role", roles).pipe(
      Flag.withDescription("What the person can do: viewer, editor, sender or owner"),
      Flag.withDefault("viewer" as const),
    ),
  },
  (workspace, invited) =>
    Members.use(({ invite: create }) => create(workspace, invited)).pipe(Effect.flatMap(({ token }) => shown(token))),
)

export const user = commandGroup("user", "People of the console: link, invite", [link, invite])
