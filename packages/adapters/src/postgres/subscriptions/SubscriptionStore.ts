// `SubscriptionStore` on PostgreSQL: subscription requests, and the turns of workspaces whose requests expire.
import type { PgClient } from "@effect/sql-pg"
import { type ContactId, SubscriptionRequestId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import type { SubscriptionChange } from "@tentpole/core/subscriptions/machine"
import { hour_ms } from "@tentpole/core/subscriptions/MailLimits"
import type { SubscriptionRequest } from "@tentpole/core/subscriptions/SubscriptionRequest"
import { type RequestQuery, SubscriptionStore } from "@tentpole/core/subscriptions/SubscriptionStore"
import { DateTime, Effect } from "effect"
import { lockName } from "../kernel/AdvisoryLocks.ts"
import { endTurn, takeTurns } from "../kernel/DueWork.ts"
import { requireRow } from "../kernel/Instants.ts"
import { orDefect } from "../kernel/Postgres.ts"
import { newestRows, slicedByAge } from "../kernel/Slices.ts"
import { storeLayer } from "../StoreLayer.ts"
import { columnsOf, requestColumns, type RequestRow, toRequest } from "./RequestRows.ts"

type Sql = PgClient.PgClient

const required = requireRow("subscription request")

const list = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, query: RequestQuery) {
  const { contactId, status, topicId } = query
  const conditions = [
    ...(status === null ? [] : [sql`r.status = ${status}`]),
    ...(contactId === null ? [] : [sql`r.contact_id = ${contactId}`]),
    ...(topicId === null
      ? []
      : [sql`(${topicId}::uuid = any(r.topic_ids) or ${topicId}::uuid = any(r.granted_topic_ids))`]),
  ]
  const rows = yield* newestRows<RequestRow>(sql, query, {
    columns: requestColumns,
    from: "subscription_request r",
    where: sql.and([sql`r.workspace_id = ${workspace}`, ...conditions]),
    at: "r.created_at",
    id: "r.subscription_request_id",
  })
  return slicedByAge(rows.map(toRequest), query.limit)
})

const insert = (sql: Sql, workspace: WorkspaceId, after: SubscriptionRequest) => {
  const ids = { workspace_id: workspace, subscription_request_id: after.id }
  return sql`insert into subscription_request ${sql.insert({ ...ids, ...columnsOf(sql, after) })}`
}

const update = (sql: Sql, workspace: WorkspaceId, after: SubscriptionRequest) => sql`
  update subscription_request set ${sql.update(columnsOf(sql, after), ["created_at"])}
  where workspace_id = ${workspace} and subscription_request_id = ${after.id}`

/** A workspace without a row gets one. It is looked at often enough that later requests need not write to it. */
const makeKnown = (sql: Sql, workspace: WorkspaceId) => sql`
  insert into due_work (kind, workspace_id, due_at)
  values ('subscriptions', ${workspace}, clock_timestamp())
  on conflict do nothing`

const write = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, { requests }: SubscriptionChange) {
  for (const { after, before } of requests) {
    yield* before === null ? insert(sql, workspace, after) : update(sql, workspace, after)
    if (before === null && after.status === "pending") yield* makeKnown(sql, workspace)
  }
})

const traces = (sql: Sql, workspace: WorkspaceId, contact: ContactId, request: SubscriptionRequestId) => {
  const mine = sql`workspace_id = ${workspace} and contact_id = ${contact}`
  return sql<{ readonly found: boolean }>`
    select exists (select from list_member where ${mine})
      or exists (select from flow_membership where ${mine})
      or exists (select from topic_choice where ${mine} and status <> 'pending')
      or exists (select from subscription_request where ${mine} and subscription_request_id <> ${request}
        and status in ('pending', 'confirmed'))
      or exists (select from delivery where ${mine} and delivery_id <> all(array(
        select message_id from consent_record where ${mine} and action = 'confirmation_sent' and message_id is not null)))
      or exists (select from activity a where ${mine}
        and a.type not in ('contact_created', 'subscription_requested', 'form_submission') and a.type not like 'email%')
      or exists (select from activity a where ${mine} and a.type = 'form_submission'
        and a.metadata ->> 'submission_id' <> all(array(
          select evidence ->> 'submissionId' from subscription_request where ${mine} and evidence ->> 'submissionId' is not null)))
      as found`
}

/** At the time of the next expiry, at least hourly; a workspace in which nothing waits, twice a day. */
const nextTurn = (sql: Sql, next: Date | null, now: DateTime.Utc) => {
  const latest = DateTime.add(now, { milliseconds: next === null ? 12 * hour_ms : hour_ms })
  const earliest = DateTime.add(now, { seconds: 1 })
  const at = next === null ? latest : DateTime.min(latest, DateTime.max(earliest, DateTime.makeUnsafe(next)))
  return sql`${DateTime.formatIso(at)}::timestamptz`
}

export const layer = storeLayer(SubscriptionStore, ({ quick, sql, within, write: fenced, writer }) => ({
  get: (workspace, id) =>
    within(
      workspace,
      sql<RequestRow>`
        select ${sql.literal(requestColumns)} from subscription_request r
        where r.workspace_id = ${workspace} and r.subscription_request_id = ${id}`.pipe(
        Effect.flatMap(required),
        Effect.map(toRequest),
      ),
    ),
  list: (workspace, query) => quick.read(workspace, (client) => list(client, workspace, query)),
  findPending: (workspace, contact) =>
    within(
      workspace,
      Effect.map(
        sql<RequestRow>`
          select ${sql.literal(requestColumns)} from subscription_request r
          where r.workspace_id = ${workspace} and r.contact_id = ${contact} and r.status = 'pending'
          order by r.created_at desc limit 1`,
        ([row]) => (row === undefined ? null : toRequest(row)),
      ),
    ),
  mailsTo: (workspace, emailNormalized, since) =>
    within(
      workspace,
      Effect.map(
        sql<{ readonly at: Date }>`
          select m.at from subscription_request r cross join lateral unnest(r.mailed_at) as m (at)
          where r.workspace_id = ${workspace} and r.email_normalized = ${emailNormalized}
            and m.at > ${DateTime.formatIso(since)}`,
        (rows) => rows.map(({ at }) => DateTime.makeUnsafe(at)),
      ),
    ),
  lockCount: (workspace) => fenced(workspace, lockName(sql, "confirmations", workspace)),
  nthUnconfirmed: (workspace, nth, since) =>
    within(
      workspace,
      Effect.map(
        sql<{ readonly at: Date }>`
          select r.created_at as at from subscription_request r
          where r.workspace_id = ${workspace} and r.created_at > ${DateTime.formatIso(since)} and r.status <> 'confirmed'
          order by r.created_at desc offset ${nth - 1} limit 1`,
        ([row]) => (row === undefined ? null : DateTime.makeUnsafe(row.at)),
      ),
    ),
  apply: (workspace, change) =>
    fenced(workspace, Effect.andThen(write(sql, workspace, change), writer.writeEffects(workspace, [change]))),
  hasOtherTrace: (workspace, contact, request) =>
    fenced(
      workspace,
      Effect.map(traces(sql, workspace, contact, request), ([row]) => row?.found ?? true),
    ),
  takeTurns: (options) => Effect.andThen(Transaction, orDefect(takeTurns(sql, ["subscriptions"], options))),
  due: (workspace, now, limit) =>
    within(
      workspace,
      Effect.map(
        sql<{ readonly id: string }>`
          select r.subscription_request_id as id from subscription_request r
          where r.workspace_id = ${workspace} and r.status = 'pending' and r.expires_at <= ${DateTime.formatIso(now)}
          order by r.expires_at limit ${limit}`,
        (rows) => rows.map(({ id }) => SubscriptionRequestId.make(id)),
      ),
    ),
  endTurn: ({ token, workspace }) =>
    fenced(
      workspace,
      Effect.gen(function* () {
        const [row] = yield* sql<{ readonly next: Date | null }>`
          select min(r.expires_at) as next from subscription_request r
          where r.workspace_id = ${workspace} and r.status = 'pending'`
        const next = nextTurn(sql, row?.next ?? null, yield* DateTime.now)
        yield* endTurn(sql, { kind: "subscriptions", workspace, token }, next)
      }),
    ),
}))
