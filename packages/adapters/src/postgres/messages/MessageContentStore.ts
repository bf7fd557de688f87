// `MessageContentStore` on PostgreSQL: the content of single messages, as long as it is stored.
import { MessageContentStore } from "@tentpole/core/sending/messages/MessageContentStore"
import type { ApprovalId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { requireRow } from "../kernel/Instants.ts"
import { storeLayer } from "../StoreLayer.ts"
import { loadMessages } from "./MessageLine.ts"

export const layer = storeLayer(MessageContentStore, ({ sql, within }) => ({
  get: (workspace, id) =>
    within(
      workspace,
      Effect.flatMap(loadMessages(sql, workspace, [id]), (found) => requireRow("message")([...found.values()])),
    ),
  approvalOf: (workspace, id) =>
    within(
      workspace,
      sql<{ readonly approval_id: ApprovalId }>`
        select approval_id from delivery where workspace_id = ${workspace} and delivery_id = ${id}`.pipe(
        Effect.flatMap(requireRow("message")),
        Effect.map(({ approval_id }) => approval_id),
      ),
    ),
  files: (workspace, id) =>
    within(
      workspace,
      Effect.map(
        sql<{ readonly bytes: Uint8Array<ArrayBuffer> }>`
          select bytes from email_message_file
          where workspace_id = ${workspace} and delivery_id = ${id} order by place`,
        (rows) => rows.map(({ bytes }) => bytes),
      ),
    ),
}))
