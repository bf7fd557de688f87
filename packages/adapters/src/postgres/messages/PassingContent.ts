// The content of single messages that goes with their final state.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { isAnyOf, texts } from "../kernel/Arrays.ts"

/** Deletes the content of ended messages that is not to be retained. Call it in the transaction that ends them. */
export const deletePassingContent = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  ended: ReadonlyArray<string>,
) {
  if (ended.length === 0) return
  const gone = yield* sql<{ readonly delivery_id: string }>`
    delete from email_message_content
    where workspace_id = ${workspace} and ${isAnyOf(sql, "delivery_id", "uuid", ended)} and not retained
    returning delivery_id`
  if (gone.length === 0) return
  yield* sql`
    delete from email_message_file
    where workspace_id = ${workspace} and delivery_id = any(${texts(gone.map((row) => row.delivery_id))}::uuid[])`
})
