// The commands `tentpole contact …`: export and erasure of the personal data of a contact.
import { ContactId } from "@tentpole/core/kernel/Ids"
import { Privacy } from "@tentpole/core/operations/privacy/Privacy"
import { DateTime, Effect } from "effect"
import { Argument } from "effect/cli"
import { toContactExportWire } from "../../admin/ContactExportWire.ts"
import { commandGroup, workspaceCommand } from "../Run.ts"

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
