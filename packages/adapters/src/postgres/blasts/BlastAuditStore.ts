// `BlastAuditStore` on PostgreSQL: all facts of a blast's audit in one statement and snapshot, also while the blast is sending.
// Findings stay on the server; only their counts and samples are returned.
import type { PgClient } from "@effect/sql-pg"
import {
  auditFindings,
  BlastAuditStore,
  type BlastEvidence,
  samples_max,
} from "@tentpole/core/blasts/inspection/BlastAuditStore"
import { delivery_days_min } from "@tentpole/core/ports/Maintenance"
import { tallyCounters } from "@tentpole/core/sending/Delivery"
import type { BlastId, DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { DateTime, Effect, Layer } from "effect"
import { LongReads } from "../kernel/Postgres.ts"
import { deliveryTables } from "../sending/DeliveryRows.ts"

interface EvidenceRow extends Omit<BlastEvidence, "unconfirmed"> {
  readonly unconfirmed: ReadonlyArray<{ readonly id: DeliveryId; readonly handedOverAt: string | null }>
}

const toEvidence = (row: EvidenceRow): BlastEvidence => ({
  ...row,
  unconfirmed: row.unconfirmed.map(({ id, handedOverAt }) => ({
    id,
    handedOverAt: handedOverAt === null ? null : DateTime.makeUnsafe(handedOverAt),
  })),
})

/** The counters of the rows `d` of `delivery_tally`. */
const counters = tallyCounters.map((name) => `'${name}', coalesce(sum(${name}), 0)`).join(", ")

/** The same counters, computed from the deliveries `d`. */
const recounted = `'queued', count(*) filter (where d.state = 'queued'),
  'deferred', count(*) filter (where d.state = 'queued' and d.attempts > 0),
  'sent', count(*) filter (where d.state = 'sent'),
  'failed', count(*) filter (where d.state in ('failed', 'unconfirmed')),
  'blocked', count(*) filter (where d.state = 'blocked'), 'delivered', count(d.delivered_at),
  'opened', count(d.opened_at), 'clicked', count(d.clicked_at), 'bounced', count(d.bounced_at),
  'complained', count(d.complained_at), 'unsubscribed', count(d.unsubscribed_at)`

const evidenceOf = (sql: PgClient.PgClient, workspace: WorkspaceId, blast: BlastId) => {
  const mine = sql`d.workspace_id = ${workspace} and d.blast_id = ${blast}`
  const found = sql.literal(
    auditFindings
      .map(
        (name) => `'${name}', jsonb_build_object('count', (select count(*) from ${name}), 'samples', to_jsonb(array(
          select delivery_id from ${name} order by delivery_id limit ${samples_max})))`,
      )
      .join(", "),
  )
  return sql<EvidenceRow>`
    with contact_again as materialized (
      select delivery_id from (
        select d.delivery_id, row_number() over (partition by d.contact_id order by d.delivery_id) as nth
        from delivery d where ${mine}) as numbered
      where nth > 1
    ),
    address_again as materialized (
      select delivery_id from (
        select d.delivery_id, row_number() over (partition by d.email_normalized order by d.delivery_id) as nth
        from delivery d where ${mine} and d.state <> 'blocked' and d.email_normalized is not null) as numbered
      where nth > 1
    ),
    sent_without_intent as materialized (
      select d.delivery_id from delivery d where ${mine} and d.state = 'sent' and d.handed_over_at is null
    ),
    sent_without_evidence as materialized (
      select d.delivery_id from delivery d
      where ${mine} and d.state = 'sent' and d.smtp_reply is null and d.bounce_kind is null
        and coalesce(d.delivered_at, d.opened_at, d.clicked_at, d.machine_opened_at, d.machine_clicked_at, d.bounced_at,
          d.unsubscribed_at, d.complained_at) is null
    ),
    open as materialized (
      select d.delivery_id from delivery d where ${mine} and d.state = 'queued'
    ),
    -- grouped, not joined: the planner cannot estimate the number of events of a blast, and may choose a nested loop
    events_wrong as materialized (
      select delivery_id
      from (
        select d.delivery_id, d.state = 'sent' as sent, 0 as event from delivery d where ${mine}
        union all
        select (e.data ->> 'recipient_id')::uuid, false, 1 from outbox_event e
        where e.workspace_id = ${workspace} and e.type = 'email_sent' and e.data ->> 'blast_id' = ${blast}::text
      ) as entries
      group by delivery_id
      having sum(event) > 1 or (sum(event) > 0 and not bool_or(sent))
    )
    select b.status,
      coalesce(b.launched_at < now() - make_interval(days => ${delivery_days_min}), false) as "mayBeDeleted",
      case when b.audience_fixed_at is not null or b.audience_through is not null then b.recipient_count end as "recipientCount",
      (select coalesce(jsonb_agg(jsonb_build_object('state', state, 'reason', reason, 'count', count)
          order by state collate "C", reason collate "C"), '[]')
        from (select coalesce(q.state, d.state) as state, d.reason, count(*) as count
          from ${deliveryTables(sql, workspace)} where ${mine} group by 1, d.reason) as s
      ) as recipients,
      (select jsonb_build_object(${sql.literal(counters)}) from delivery_tally d where ${mine}) as tally,
      (select jsonb_build_object(${sql.literal(recounted)}) from delivery d where ${mine}) as recount,
      (select coalesce(jsonb_agg(jsonb_build_object('id', delivery_id, 'handedOverAt', handed_over_at) order by delivery_id), '[]')
        from (select d.delivery_id, d.handed_over_at from delivery d where ${mine} and d.state = 'unconfirmed'
          order by d.delivery_id limit ${samples_max}) as u) as unconfirmed,
      jsonb_build_object(${found}) as found
    from blast b where b.workspace_id = ${workspace} and b.blast_id = ${blast} and b.purpose = 'blast'`
}

export const layer = Layer.effect(
  BlastAuditStore,
  Effect.gen(function* () {
    const { read } = yield* LongReads
    return BlastAuditStore.of({
      evidence: Effect.fnUntraced(function* (workspace, blast) {
        const [row] = yield* read(workspace, (sql) => evidenceOf(sql, workspace, blast))
        return row === undefined ? yield* new NotFound({ resource: "email blast" }) : toEvidence(row)
      }),
    })
  }),
)
