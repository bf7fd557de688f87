// Deliveries as they are claimed, for tests of what becomes of them in a worker's memory.
import { blankContact } from "@tentpole/core/contacts/Contact"
import { ApprovalId, BlastId, ContactId, DeliveryId, WorkspaceId } from "@tentpole/core/Ids"
import type { Item } from "@tentpole/worker/SenderHands"
import { DateTime } from "effect"

const idOf = (kind: number, number: number) => `0190a0de-000${kind}-4000-8000-${String(number).padStart(12, "0")}`
export const workspaceOf = (number: number) => WorkspaceId.make(idOf(0, number))

export const itemsOf = (number: number, count: number, text = ""): ReadonlyArray<Item> =>
  Array.from({ length: count }, (_, index) => ({
    workspace: workspaceOf(number),
    claimed_at_ms: 0,
    claimed: {
      id: DeliveryId.make(idOf(number + 1, index)),
      token: 1,
      attempts: 0,
      paced: false,
      blastId: BlastId.make(idOf(0, number)),
      tokens: null,
      approvalId: ApprovalId.make(idOf(0, number)),
      operational: false,
      address: "ann@example.test",
      contact: {
        ...blankContact(ContactId.make(idOf(0, index)), DateTime.makeUnsafe(0)),
        customFields: text === "" ? {} : { text },
      },
    },
  }))
