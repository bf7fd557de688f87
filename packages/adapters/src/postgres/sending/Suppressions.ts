// Suppressions on PostgreSQL, and the newest messages to an address, which decide whether soft bounces suppress it.
import type { PgClient } from "@effect/sql-pg"
import type { PastMessage } from "@tentpole/core/bounces/Report"
import {
  bouncesRepeatedly,
  soft_bounces_max,
  type Suppression,
  suppressionReasons,
} from "@tentpole/core/sending/Suppression"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"

type Sql = PgClient.PgClient

/** Suppresses addresses. An existing weaker suppression is replaced. */
export const suppress = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  them: ReadonlyArray<Suppression>,
) {
  if (them.length === 0) return
  yield* sql`
    insert into suppression as s (workspace_id, email_normalized, reason, created_at)
    select distinct on (g.email) ${workspace}::uuid, g.email, g.reason, g.at
    from unnest(${texts(them.map((each) => each.email))}::text[],
      ${texts(them.map((each) => each.reason))}::text[],
      ${texts(them.map((each) => DateTime.formatIso(each.createdAt)))}::timestamptz[]) as g (email, reason, at)
    order by g.email, ${strength(sql, "g.reason")} desc
    on conflict (workspace_id, email_normalized) do update set reason = excluded.reason, created_at = excluded.created_at
      where ${strength(sql, "excluded.reason")} > ${strength(sql, "s.reason")}`
})

/** The same order as core's `isStronger`. */
const strength = (sql: Sql, reason: string) =>
  sql.literal(`array_position(array[${suppressionReasons.map((each) => `'${each}'`).join(", ")}], ${reason})`)

/**
 * For each delivery, the newest messages of its contact to its address; without contact, the single messages to its address that have
 * none. Uses the indexes of deliveries by contact, and of single messages by address.
 */
export const newestTo = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, ids: ReadonlyArray<DeliveryId>) {
  const rows = yield* sql<PastMessage & { readonly of: DeliveryId }>`
    select d.delivery_id as of, n.delivery_id as id, n.bounce_kind as "bounceKind"
    from delivery d
    cross join lateral (
      (select each.delivery_id, each.bounce_kind, each.created_at from delivery each
      where each.workspace_id = ${workspace} and each.contact_id = d.contact_id
        and each.email_normalized = d.email_normalized
        and (each.delivery_id = d.delivery_id or each.state = 'sent' or each.bounce_kind is not null)
      order by each.created_at desc, each.delivery_id desc
      limit ${soft_bounces_max})
      union all
      (select each.delivery_id, each.bounce_kind, each.created_at from delivery each
      where d.contact_id is null and each.workspace_id = ${workspace} and each.message is not null and each.contact_id is null
        and each.email_normalized = d.email_normalized
        and (each.delivery_id = d.delivery_id or each.state = 'sent' or each.bounce_kind is not null)
      order by each.delivery_id desc
      limit ${soft_bounces_max})
    ) as n
    where d.workspace_id = ${workspace} and d.delivery_id = any(${texts(ids)}::uuid[])
    order by n.created_at desc, n.delivery_id desc`
  return Map.groupBy(rows, ({ of }) => of)
})

/** Suppresses the addresses that have reached the maximum number of soft bounces. */
export const suppressWornOut = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  soft: ReadonlyArray<{ readonly id: DeliveryId; readonly at: DateTime.Utc }>,
) {
  const newest = yield* newestTo(
    sql,
    workspace,
    soft.map(({ id }) => id),
  )
  const wornOut = soft.filter(({ id }) => bouncesRepeatedly((newest.get(id) ?? []).map(({ bounceKind }) => bounceKind)))
  if (wornOut.length === 0) return
  const addresses = yield* sql<{ readonly delivery_id: string; readonly email_normalized: string }>`
    select delivery_id, email_normalized from delivery
    where workspace_id = ${workspace} and delivery_id = any(${texts(wornOut.map(({ id }) => id))}::uuid[])
      and email_normalized is not null`
  yield* suppress(
    sql,
    workspace,
    addresses.flatMap(({ delivery_id, email_normalized }) =>
      wornOut
        .filter(({ id }) => id === delivery_id)
        .map(({ at }): Suppression => ({ email: email_normalized, reason: "bounce", createdAt: at })),
    ),
  )
})
