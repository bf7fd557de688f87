// `DeliveryStore` on PostgreSQL. Leases and due times use the database's `clock_timestamp()`, never a worker's clock.
import { PgClient } from "@effect/sql-pg"
import type { BlockReason, IntentAnswer } from "@tentpole/core/sending/Delivery"
import { type Claim, DeliveryStore, type Swept, type TurnEnd } from "@tentpole/core/sending/DeliveryStore"
import * as RateLimit from "@tentpole/core/sending/SendRateLimit"
import type { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction, Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { Array, Effect, Layer } from "effect"
import { byDialect, dueWorkspaces, hasMessages, openWorkspaces } from "../citus/Dialect.ts"
import { texts } from "../kernel/Arrays.ts"
import { fixAudience } from "./DeliveryAudience.ts"
import { hintMessages, messageArrivals } from "../messages/MessageArrivals.ts"
import { endMessageTurn, expire, messageTurns } from "../messages/MessageLine.ts"
import { claim } from "./DeliveryClaim.ts"
import { changeFromQueued, countChange, countedColumns } from "./DeliveryCounters.ts"
import { settle } from "./DeliverySettle.ts"
import type { WrittenDelivery } from "../flows/FlowMessages.ts"
import { type Ended, endedColumns, writeEnded, unsent } from "./UnsentEvents.ts"
import { makeDue } from "../kernel/DueWork.ts"
import { fencedWrites, keyedWrites, OpenTransaction, orDefect, Reads, transactionTime } from "../kernel/Postgres.ts"
import { renewStatistics } from "../kernel/Statistics.ts"

type Sql = PgClient.PgClient

/** Leases that one sweep ends at most. The next sweep follows within seconds. */
const swept_max = 5000

/** The deliveries that still have these tokens, locked: `with … locked as (…)` to update from. */
const lockClaims = (sql: Sql, workspace: WorkspaceId, claims: ReadonlyArray<Claim>) => sql`
  locked as materialized (
    select q.delivery_id as id
    from unnest(${texts(claims.map((claim) => claim.id))}::uuid[], ${texts(claims.map((claim) => String(claim.token)))}::bigint[])
      as g (id, token)
    join delivery_queue q on q.workspace_id = ${workspace} and q.delivery_id = g.id and q.token = g.token
    order by g.id
    for update of q
  )`

interface Answers {
  readonly ids: ReadonlyArray<DeliveryId> | null
  readonly answers: ReadonlyArray<IntentAnswer> | null
}

const grant = Effect.fnUntraced(function* (
  sql: Sql,
  { transact }: Transactor["Service"],
  workspace: WorkspaceId,
  claims: ReadonlyArray<Claim>,
  lease_ms: number,
) {
  if ((yield* OpenTransaction) !== undefined) {
    return yield* Effect.die("an intent is committed before it is used: do not request it inside a transaction")
  }
  const asked = claims.toSorted((left, right) => (left.blastId < right.blastId ? -1 : 1))
  const [row] = yield* orDefect(sql<Answers>`
    select ids, answers from grant_intents(${workspace}, ${texts(asked.map((each) => each.id))}::uuid[],
      ${texts(asked.map((each) => String(each.token)))}::bigint[], ${texts(asked.map((each) => each.blastId))}::uuid[],
      make_interval(secs => ${lease_ms / 1000}))`)
  const answers = new Map(Array.zip(row?.ids ?? [], row?.answers ?? []))
  const refused = claims.flatMap((claim): ReadonlyArray<Refused> => {
    const answer = answers.get(claim.id)
    return answer === undefined || answer === "granted" || answer === "paused" ? [] : [{ ...claim, reason: answer }]
  })
  if (refused.length === 0) return answers
  const ended = yield* transact(fencedWrites(sql)(workspace, block(sql, workspace, refused)))
  for (const { id } of refused) if (!ended.has(id)) answers.delete(id)
  return answers
})

interface Refused extends Claim {
  readonly reason: BlockReason
}

/** Ends deliveries that may not be sent. A crash before it loses nothing: the next claim gets the same answer. Returns those ended. */
const block = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, refused: ReadonlyArray<Refused>) {
  const ordered = refused.toSorted((left, right) => (left.id < right.id ? -1 : 1))
  const now = yield* transactionTime(sql)
  const written = yield* sql<Ended<WrittenDelivery & { readonly delivery_id: DeliveryId }>>`
    with ended as (
      delete from delivery_queue q
      using unnest(${texts(ordered.map(({ id }) => id))}::uuid[],
        ${texts(ordered.map(({ token }) => String(token)))}::bigint[],
        ${texts(ordered.map(({ reason }) => reason))}::text[]) as g (id, token, reason)
      where q.workspace_id = ${workspace} and q.delivery_id = g.id and q.token = g.token and q.state = 'claimed'
      returning q.delivery_id, g.reason
    ),
    blocked as (
      update delivery d set state = 'blocked', reason = ended.reason, blocked_at = ${now}
      from ended where d.workspace_id = ${workspace} and d.delivery_id = ended.delivery_id
      returning ${sql.literal(endedColumns)}, ${sql.literal(countedColumns())}
    ),
    ${yield* countChange(sql, workspace, changeFromQueued("blocked"))}
    select ${unsent(sql, workspace, sql`blocked`, now)}`
  const rows = yield* writeEnded(sql, workspace, written)
  return new Set(rows.map((row) => row.delivery_id))
})

/** Deliveries of blasts and flows, and single messages, may wait again. */
const makeAllDue = (sql: Sql, workspace: WorkspaceId) =>
  Effect.andThen(makeDue(sql, "deliveries", workspace), hintMessages(sql, workspace))

const renew = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  claims: ReadonlyArray<Claim>,
  lease_ms: number,
) {
  const rows = yield* sql`
    with ${lockClaims(sql, workspace, claims)}
    update delivery_queue q set lease_until = ${yield* transactionTime(sql)} + make_interval(secs => ${lease_ms / 1000})
    from locked
    where q.workspace_id = ${workspace} and q.delivery_id = locked.id
    returning 1`
  return rows.length
})

const release = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, claims: ReadonlyArray<Claim>) {
  const rows = yield* sql`
    with ${lockClaims(sql, workspace, claims)}
    update delivery_queue q set state = 'queued', token = null, lease_until = null, handed_over_at = null
    from locked
    where q.workspace_id = ${workspace} and q.delivery_id = locked.id
    returning 1`
  if (rows.length > 0) yield* makeAllDue(sql, workspace)
  return rows.length
})

const sweep = (sql: Sql, workspace: WorkspaceId) =>
  Effect.gen(function* () {
    const now = yield* transactionTime(sql)
    const written = yield* sql<Ended & { readonly queued: number }>`
      with lapsed as materialized (
        select delivery_id, state from delivery_queue
        where workspace_id = ${workspace} and token > 0 and lease_until < ${now}
        order by lease_until
        limit ${swept_max}
        for update skip locked
      ),
      requeued as (
        update delivery_queue q set state = 'queued', token = null, lease_until = null
        where q.workspace_id = ${workspace}
          and q.delivery_id = any(array(select delivery_id from lapsed where state = 'claimed'))
        returning 1
      ),
      ended as (
        delete from delivery_queue q
        where q.workspace_id = ${workspace}
          and q.delivery_id = any(array(select delivery_id from lapsed where state = 'handed_over'))
        returning q.delivery_id, q.token, q.handed_over_at
      ),
      unconfirmed as (
        update delivery d set state = 'unconfirmed', reason = 'unconfirmed', failed_at = ${now}, token = ended.token,
          handed_over_at = ended.handed_over_at
        from ended where d.workspace_id = ${workspace} and d.delivery_id = ended.delivery_id
        returning ${sql.literal(endedColumns)}, ${sql.literal(countedColumns())}
      ),
      ${yield* countChange(sql, workspace, changeFromQueued("unconfirmed"))}
      select (select count(*)::int from requeued) as queued, ${unsent(sql, workspace, sql`unconfirmed`, now)}`
    const queued = written[0]?.queued ?? 0
    const unconfirmed = yield* writeEnded(sql, workspace, written)
    if (queued + unconfirmed.length > 0) yield* makeAllDue(sql, workspace)
    return { queued, unconfirmed: unconfirmed.length, expired: yield* expire(sql, workspace) } satisfies Swept
  })

/** A workspace with nothing to send now is checked again after this time at the latest. */
const recheck_s = 10

interface QueueState {
  /** Seconds until a delivery of a sending blast is due or a recipient domain queue is ready. */
  readonly next_s: number | null
  readonly open: boolean
  readonly unfinished: boolean
  readonly now_ms: number
  readonly per_second: number | null
  /** The permits of the workspace's rate bucket; null when it has no bucket. */
  readonly permits: number | null
  readonly at_ms: number | null
}

/** Locks the workspace's `due_work` row first: a transaction that makes the workspace due runs before or after, never between. */
const rescheduleWorkspace = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId) {
  const locked = yield* sql`select 1 from due_work where kind = 'deliveries' and workspace_id = ${workspace} for update`
  const [state] = yield* sql<QueueState>`
    select
      extract(epoch from least(
        (select min(next.due_at) from blast b
         cross join lateral (
           select q.due_at from delivery_queue q
           where q.workspace_id = ${workspace} and q.blast_id = b.blast_id and q.lane = '' and q.token is null
           order by q.due_at limit 1) as next
         where b.workspace_id = ${workspace} and b.status = 'sending' and not b.paused and not b.restored
           and b.purpose <> 'messages'),
        (select min(ready_at) from delivery_lane
         where workspace_id = ${workspace} and lane <> '' and ready_at < 'infinity')) - clock_timestamp())::float8 as next_s,
      -- the first one by the index, so that the rows of other workspaces are not scanned
      (select true from delivery_queue where workspace_id = ${workspace} order by delivery_id limit 1) is not null as open,
      exists (select from blast
        where workspace_id = ${workspace} and status = 'sending' and audience_fixed_at is not null) as unfinished,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms, w.sending_per_second as per_second,
      l.permits, (extract(epoch from l.filled_at) * 1000)::float8 as at_ms
    from workspace w left join delivery_lane l on l.workspace_id = ${workspace} and l.lane = ''
    where w.workspace_id = ${workspace}`
  const isEmpty = state?.open !== true
  // There is no row to update. A concurrent transaction may insert one, and this call must not change it.
  if (locked.length === 0) return { dry: isEmpty } satisfies TurnEnd
  if (isEmpty && state?.unfinished !== true) {
    yield* sql`delete from due_work where kind = 'deliveries' and workspace_id = ${workspace}`
  } else {
    const wait_s = Math.min(
      recheck_s,
      Math.max(0, state?.next_s ?? recheck_s, state === undefined ? 0 : permit_s(state)),
    )
    yield* sql`
      update due_work set due_at = ${yield* transactionTime(sql)} + make_interval(secs => ${wait_s})
      where kind = 'deliveries' and workspace_id = ${workspace}`
  }
  return { dry: isEmpty } satisfies TurnEnd
})

/** Seconds until the workspace's bucket has a permit. */
const permit_s = ({ at_ms, now_ms, per_second, permits }: QueueState): number =>
  per_second === null || permits === null || at_ms === null
    ? 0
    : (RateLimit.nextPermit_ms({ permits, at_ms, waited: true }, per_second) - now_ms) / 1000

interface WorkspaceRow {
  readonly workspace_id: WorkspaceId
}

const toWorkspaceIds = (rows: ReadonlyArray<WorkspaceRow>) => rows.map((row) => row.workspace_id)

export const layer = Layer.effect(
  DeliveryStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const transactor = yield* Transactor
    const { unfenced } = yield* Reads
    const write = fencedWrites(sql)
    const scope = yield* Effect.scope

    return DeliveryStore.of({
      fixAudience: (workspace, blast, contacts_max) =>
        Effect.tap(write(workspace, fixAudience(sql, workspace, blast, contacts_max)), () =>
          // The next slice does not wait for it.
          sql.afterCommit(Effect.forkIn(renewStatistics(sql), scope)),
        ),
      dueWorkspaces: (limit, except = []) =>
        unfenced((reader) =>
          byDialect(reader, {
            plain: reader<WorkspaceRow>`
              select workspace_id from due_work where kind = 'deliveries' and due_at <= clock_timestamp()
                and workspace_id <> all(${texts(except)}::uuid[])
              order by due_at limit ${limit}`,
            citus: dueWorkspaces(reader, limit, except),
          }),
        ).pipe(Effect.map(toWorkspaceIds)),
      openWorkspaces: (limit) =>
        unfenced((reader) =>
          byDialect(reader, {
            plain: reader<WorkspaceRow>`
              select workspace_id from due_work where kind = 'deliveries' or kind = 'messages' and due_at < 'infinity'
              group by workspace_id order by min(due_at) limit ${limit}`,
            citus: openWorkspaces(reader, limit),
          }),
        ).pipe(Effect.map(toWorkspaceIds)),
      claim: (workspace, options) => write(workspace, claim(sql, workspace, options, "deliveries")),
      messageTurns: (limit, turn_ms) => Effect.andThen(Transaction, orDefect(messageTurns(sql, limit, turn_ms))),
      claimMessages: (workspace, options) => write(workspace, claim(sql, workspace, options, "messages")),
      endMessageTurn: (turn, more) => write(turn.workspace, endMessageTurn(sql, turn, more)),
      hasMessages: unfenced((reader) =>
        byDialect(reader, {
          plain: reader<{ readonly found: boolean }>`
            select exists (select from due_work where kind = 'messages') as found`,
          citus: hasMessages(reader),
        }),
      ).pipe(Effect.map(([row]) => row?.found === true)),
      messageArrival: yield* messageArrivals,
      renew: (workspace, claims, lease_ms) => write(workspace, renew(sql, workspace, claims, lease_ms)),
      grant: (workspace, claims, lease_ms) => grant(sql, transactor, workspace, claims, lease_ms),
      settle: (workspace, settlements) => keyedWrites(sql)(workspace, settle(sql, workspace, settlements)),
      release: (workspace, claims) => write(workspace, release(sql, workspace, claims)),
      sweep: (workspace) => write(workspace, sweep(sql, workspace)),
      endTurn: (workspace) => write(workspace, rescheduleWorkspace(sql, workspace)),
    })
  }),
)
