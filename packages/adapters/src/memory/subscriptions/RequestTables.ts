// The memory table of subscription requests.
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { SubscriptionRequest } from "@tentpole/core/subscriptions/SubscriptionRequest"
import { Effect } from "effect"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"

export const requests = table<SubscriptionRequest>("subscription_request")

/** The target of a merge takes over the requests of the source. */
export const moveRequests = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { source, target }: { readonly source: ContactId; readonly target: ContactId },
) {
  for (const row of yield* db.all(requests, workspace)) {
    if (row.contactId === source)
      yield* db.put(requests, workspace, row.id, { ...row, contactId: target, madeContact: false })
  }
})
