// Export and erasure of the personal data of a contact.
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Privacy } from "@tentpole/core/operations/privacy/Privacy"
import { DateTime, Effect } from "effect"
import { toContactExportWire } from "../../../admin/AdminWire.ts"

export const exportOf = (workspace: WorkspaceId, contact: ContactId) =>
  Effect.zipWith(
    Privacy.use((privacy) => privacy.rowsOf(workspace, contact)),
    DateTime.now,
    (rows, at) => toContactExportWire(contact, rows, at),
  )

export const erase = (workspace: WorkspaceId, contact: ContactId) =>
  Effect.as(
    Privacy.use((privacy) => privacy.erase(workspace, contact)),
    { contact_id: contact, erased: true },
  )
