// The commands `tentpole suppression …`: addresses that get no messages.
import { encodeCursor } from "@tentpole/core/kernel/Page"
import { suppressionReasons } from "@tentpole/core/sending/Suppression"
import { Suppressions } from "@tentpole/core/sending/Suppressions"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { toSuppressionWire } from "../../api/sending/SuppressionsApi.ts"
import { connected } from "../Remote.ts"
import { workspaceCommand } from "../OverPorts.ts"
import { allOf, commandGroup, jsonFlag } from "../Output.ts"
import { textOf } from "../Table.ts"
import { fileArgument, imported, prepared, rejectedFlag, reported } from "./contacts/ContactImport.ts"

const email = Argument.String("email")

const list = workspaceCommand(
  "list",
  "Shows the suppressed addresses and their reasons",
  {},
  (workspace) =>
    Suppressions.use((suppressions) =>
      allOf((by) =>
        Effect.map(suppressions.list(workspace, by), ({ items, next }) => ({
          items: items.map(toSuppressionWire),
          next: next === null ? null : encodeCursor(next),
        })),
      ),
    ),
  (items) => textOf(items, ["email", "reason", "created_at"]),
)

const create = workspaceCommand(
  "create",
  "Suppresses an address",
  {
    reason: Flag.Literals("reason", suppressionReasons).pipe(
      Flag.withDescription("Reason of the suppression"),
      Flag.withDefault("manual" as const),
    ),
    email,
  },
  (workspace, input) => Suppressions.use(({ suppress }) => Effect.map(suppress(workspace, input), toSuppressionWire)),
)

const remove = workspaceCommand(
  "remove",
  "Removes a suppression. The contact's own state does not change",
  { email },
  (workspace, input) =>
    Suppressions.use(({ unsuppress }) =>
      Effect.as(unsuppress(workspace, input.email), { email: input.email, removed: true }),
    ),
)

/** The reasons, and what other tools call their files. */
const fileReasons = {
  unsubscribe: "unsubscribe",
  unsubscribed: "unsubscribe",
  bounce: "bounce",
  bounced: "bounce",
  cleaned: "bounce",
  complaint: "complaint",
  manual: "manual",
} as const

const importFile = Command.make(
  "import",
  {
    file: fileArgument,
    reason: Flag.Literals("reason", Object.keys(fileReasons) as ReadonlyArray<keyof typeof fileReasons>).pipe(
      Flag.withDescription("Reason of the rows whose columns say none"),
      Flag.optional,
    ),
    rejected: rejectedFlag,
    json: jsonFlag,
  },
  ({ file, json, reason, rejected }) =>
    Effect.gen(function* () {
      const client = yield* connected
      const { preview, session_id } = yield* prepared(client, file)
      const run = yield* imported(client, session_id, {
        as: "suppressions",
        mappings: preview.proposed_mappings,
        ...Option.match(reason, { onNone: () => ({}), onSome: (word) => ({ reason: fileReasons[word] }) }),
      })
      yield* reported(client, run, { file, json, rejected })
    }),
).pipe(Command.withDescription("Suppresses the addresses of a CSV file, such as another tool's unsubscribed contacts"))

export const suppression = commandGroup("suppression", "Suppressed addresses: list, create, remove, import", [
  list,
  create,
  remove,
  importFile,
])
