// The commands `tentpole suppression …`: addresses that get no messages.
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import { toSuppressionWire } from "../../admin/AdminWire.ts"
import { commandGroup, listCommand, workspaceCommand } from "../Run.ts"

const email = Argument.String("email")

const list = listCommand(
  "Shows the suppressed addresses and their reasons",
  ({ suppressions }) => suppressions,
  toSuppressionWire,
  ["email", "reason", "created_at"],
)

const create = workspaceCommand(
  "create",
  "Suppresses an address",
  {
    reason: Flag.Literals("reason", ["manual", "complaint", "bounce", "unsubscribe"]).pipe(
      Flag.withDescription("Reason of the suppression"),
      Flag.withDefault("manual" as const),
    ),
    email,
  },
  (workspace, input) => Administration.use(({ suppress }) => Effect.map(suppress(workspace, input), toSuppressionWire)),
)

const remove = workspaceCommand(
  "remove",
  "Removes a suppression. The contact's own state does not change",
  { email },
  (workspace, input) =>
    Administration.use(({ unsuppress }) =>
      Effect.as(unsuppress(workspace, input.email), { email: input.email, removed: true }),
    ),
)

export const suppression = commandGroup("suppression", "Suppressed addresses: list, create, remove", [
  list,
  create,
  remove,
])
