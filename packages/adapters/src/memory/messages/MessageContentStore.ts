// The content of single messages in memory.
import { MessageContentStore } from "@tentpole/core/sending/messages/MessageContentStore"
import { Effect } from "effect"
import { deliveries } from "../sending/DeliveryTables.ts"
import { storeLayer } from "../kernel/MemoryDatabase.ts"
import { claimedMessage, messageOf, messages } from "./MessageTables.ts"

export const layer = storeLayer(MessageContentStore, (db) =>
  MessageContentStore.of({
    get: (workspace, id) =>
      Effect.map(db.get(messages, workspace, id, "message"), (row) => claimedMessage(row, row.message.expiresAt)),
    approvalOf: (workspace, id) =>
      Effect.map(db.get(deliveries, workspace, id, "message"), ({ approvalId }) => approvalId),
    files: (workspace, id) =>
      Effect.map(messageOf(db, workspace, id), (row) =>
        (row?.content?.files ?? []).map((bytes) => new Uint8Array(bytes)),
      ),
  }),
)
