// Erasure of a contact from webhooks.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import type { texts } from "../kernel/Arrays.ts"
import { raiseStatementTimeout } from "../kernel/Postgres.ts"
import { idAt, skew_ms } from "./DeliveryRows.ts"

type Sql = PgClient.PgClient

/**
 * Deletes events of the contact, and others that name it. A waiting delivery that has no event left is skipped; a batch goes on
 * without the events. A claim ends: what a receiver answers to a request that is open is not written. The log of deliveries and
 * attempts stays, without answers that name the contact. `contacts`: its id, and those of the contacts that were merged into it.
 * `pattern` matches identifiers of the contact in lower-case text. Call it after the events of the outbox are deleted.
 */
export const eraseFromWebhooks = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  contacts: ReturnType<typeof texts>,
  pattern: string,
) {
  const began = yield* DateTime.now
  const isErased = sql`(coalesce(p.contact_id = any(${contacts}::uuid[]), false) or lower(p.json) ~ ${pattern})`
  // All events of the workspace are read, as none is indexed by what it says.
  yield* raiseStatementTimeout(sql)
  yield* eraseEvents(sql, workspace, isErased, sql`true`)
  yield* sql`
    update webhook_attempt set snippet = null where workspace_id = ${workspace} and lower(snippet) ~ ${pattern}`
  // A fan-out has events in memory. One that began before ends here, and one that begins later finds no events in the outbox.
  yield* sql`select from webhook_lease where workspace_id = ${workspace} for update`
  const isRecent = sql`p.delivery_id >= ${idAt(began, -skew_ms)}::uuid and p.endpoint_id = any(array(
    select w.endpoint_id from webhook_endpoint w where w.workspace_id = ${workspace}))`
  yield* eraseEvents(sql, workspace, isErased, isRecent)
})

const eraseEvents = (sql: Sql, workspace: WorkspaceId, isErased: Statement.Fragment, which: Statement.Fragment) => sql`
  with erased as (
    delete from webhook_payload p
    where p.workspace_id = ${workspace} and ${which} and ${isErased}
    returning p.endpoint_id, p.delivery_id
  )
  update webhook_delivery d set claim = null, status = case when e.goes_on then 'pending' else 'skipped' end,
    reason = case when e.goes_on then d.reason else 'erased' end,
    next_attempt_at = case when e.goes_on then d.next_attempt_at end
  from (
    select a.endpoint_id, a.delivery_id, exists (
      select from webhook_payload p
      where p.workspace_id = ${workspace} and p.endpoint_id = a.endpoint_id and p.delivery_id = a.delivery_id
        and not ${isErased}) as goes_on
    from (select distinct endpoint_id, delivery_id from erased) as a
  ) as e
  where d.workspace_id = ${workspace} and d.endpoint_id = e.endpoint_id and d.delivery_id = e.delivery_id
    and d.status = 'pending'`
