// The commands `tentpole contact …`, export and erasure of the personal data of a contact, and `tentpole suppression …`,
// addresses that get no messages.
import { ContactId } from "@tentpole/core/kernel/Ids"
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { Privacy } from "@tentpole/core/operations/privacy/Privacy"
import { DateTime, Effect } from "effect"
import { Argument, Flag } from "effect/cli"
import { toContactExportWire, toSuppressionWire } from "../../admin/AdminWire.ts"
import { commandGroup, listCommand, workspaceCommand } from "../Run.ts"

const config = { contact: Argument.String("contact-id").pipe(Argument.withSchema(ContactId)) }

export const contact = commandGroup("contact", "Personal data of a contact: export, erase", [
  workspaceCommand("export", "Shows all stored data of a contact", config, (workspace, input) =>
    Effect.zipWith(
      Privacy.use((privacy) => privacy.rowsOf(workspace, input.contact)),
      DateTime.now,
      (rows, at) => toContactExportWire(input.contact, rows, at),
    ),
  ),
  workspaceCommand(
    "erase",
    "Deletes a contact and removes its personal data from all tables and files. This cannot be undone",
    config,
    (workspace, input) =>
      Effect.as(
        Privacy.use((privacy) => privacy.erase(workspace, input.contact)),
        { contact_id: input.contact, erased: true },
      ),
  ),
])

const email = Argument.String("email")

const list = listCommand(
  "Shows the suppressed addresses and their reasons",
  ({ suppressions }) => suppressions,
  toSuppressionWire,
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
