// `tentpole suppression …`: addresses that are never mailed.
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { toSuppressionWire } from "../../admin/AdminWire.ts"
import { named, overPorts, show, slicesOf, workspaceFlag } from "../Run.ts"

const email = Argument.String("email")

const list = Command.make("list", { workspace: workspaceFlag }, ({ workspace }) =>
  overPorts(
    Effect.gen(function* () {
      const { suppressions } = yield* Administration
      const { id } = yield* named(workspace)
      yield* show((yield* slicesOf((by) => suppressions(id, by))).map(toSuppressionWire))
    }),
  ),
).pipe(Command.withDescription("Shows the addresses that a workspace never mails, and why"))

const create = Command.make(
  "create",
  {
    workspace: workspaceFlag,
    reason: Flag.Literals("reason", ["manual", "complaint", "bounce", "unsubscribe"]).pipe(
      Flag.withDescription("Why it is not to be mailed"),
      Flag.withDefault("manual" as const),
    ),
    email,
  },
  (said) =>
    overPorts(
      Effect.gen(function* () {
        const { suppress } = yield* Administration
        const { id } = yield* named(said.workspace)
        yield* show(toSuppressionWire(yield* suppress(id, { email: said.email, reason: said.reason })))
      }),
    ),
).pipe(Command.withDescription("Suppresses an address"))

const remove = Command.make("remove", { workspace: workspaceFlag, email }, (said) =>
  overPorts(
    Effect.gen(function* () {
      const { unsuppress } = yield* Administration
      const { id } = yield* named(said.workspace)
      yield* unsuppress(id, said.email)
      yield* show({ email: said.email, removed: true })
    }),
  ),
).pipe(Command.withDescription("Takes a suppression back; what the contact says of itself stays"))

export const suppression = Command.make("suppression").pipe(
  Command.withDescription("Suppressed addresses: list, create, remove"),
  Command.withSubcommands([list, create, remove]),
)
