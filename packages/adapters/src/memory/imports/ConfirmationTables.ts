// The memory table of contacts of imports that wait for their confirmation mail.
import type { MergePair } from "@tentpole/core/contacts/Merge"
import type { WaitingConfirmation, WaitingKey } from "@tentpole/core/imports/confirmations/WaitingConfirmation"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type DateTime, Effect } from "effect"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"

interface WaitingRow extends WaitingConfirmation {
  readonly dueAt: DateTime.Utc
}

export const waitingConfirmations = table<WaitingRow>("import_confirmation")

export const waitingKey = ({ contactId, runId }: WaitingKey): string => `${runId}/${contactId}`

/** Adds a row, or its topics to the one that is there. */
export const putWaiting = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, row: WaitingRow) {
  const before = yield* db.find(waitingConfirmations, workspace, waitingKey(row))
  const topicIds = [...(before?.topicIds ?? []), ...row.topicIds]
  yield* db.put(waitingConfirmations, workspace, waitingKey(row), { ...row, ...before, topicIds })
})

/** The target of a merge waits for what the source waited for. */
export const moveWaiting = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { source, target }: MergePair<ContactId>,
) {
  for (const row of yield* db.all(waitingConfirmations, workspace)) {
    if (row.contactId !== source) continue
    yield* db.remove(waitingConfirmations, workspace, waitingKey(row))
    yield* putWaiting(db, workspace, { ...row, contactId: target })
  }
})
