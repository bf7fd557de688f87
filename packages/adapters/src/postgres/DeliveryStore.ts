// The sending pipeline on PostgreSQL. Leases and due times are `clock_timestamp()`: no worker's clock stands in a WHERE.
import { PgClient } from "@effect/sql-pg"
import type { IntentAnswer } from "@tentpole/core/deliveries/Delivery"
import { type Claim, type ClaimedDelivery, DeliveryStore, type Rest } from "@tentpole/core/deliveries/DeliveryStore"
import { ApprovalId, BlastId, type ContactId, DeliveryId, WorkspaceId } from "@tentpole/core/Ids"
import { Transaction } from "@tentpole/core/Transactor"
import { Effect, Layer } from "effect"
import { texts } from "./Arrays.ts"
import { contactsById } from "./ContactStore.ts"
import { fixAudience } from "./DeliveryAudience.ts"
import { settle } from "./DeliverySettle.ts"
import { makeDue } from "./DueWork.ts"
import { fenced, OpenTransaction, orDefect } from "./Postgres.ts"
import { renewStatistics } from "./Statistics.ts"

interface ClaimedRow {
  readonly delivery_id: string
  readonly blast_id: string
  readonly contact_id: ContactId
  readonly approval_id: string
  readonly operational: boolean
  readonly email: string
  readonly attempts: number
}

/** A sweep ends this many leases at once; the next one follows in seconds. */
const swept_max = 5000

/** A workspace with nothing to send just now is looked at again after this time, whatever happens. */
const look_again_s = 10

/**
 * What these tokens still hold, locked: `with … held as (…)` to update from. Found by id, whatever the state: the index of
 * leases is full of what was leased a moment ago, and no plan may walk it for a handful of rows.
 */
const heldBy = (sql: PgClient.PgClient, workspace: WorkspaceId, claims: ReadonlyArray<Claim>) => sql`
  held as materialized (
    select d.delivery_id as id, d.state
    from unnest(${texts(claims.map((claim) => claim.id))}::uuid[], ${texts(claims.map((claim) => String(claim.token)))}::bigint[])
      as g (id, token)
    join delivery d on d.workspace_id = ${workspace} and d.delivery_id = g.id and d.token = g.token
    order by g.id
    for update of d
  )`

/**
 * Every sending blast gives an equal share, each from its own end of the index. The rows are locked in a materialised
 * part: joined in any other way, a plan may run the sub-select more than once and exceed its limit.
 */
const takeDue = (sql: PgClient.PgClient, workspace: WorkspaceId, token: number, limit: number, lease_ms: number) =>
  sql<ClaimedRow>`
    with sending as materialized (
      select blast_id, count(*) over () as blasts from blast
      where workspace_id = ${workspace} and status = 'sending' and not paused
    ),
    next as materialized (
      select due.delivery_id
      from sending b
      cross join lateral (
        select d.delivery_id from delivery d
        where d.workspace_id = ${workspace} and d.blast_id = b.blast_id and d.state = 'queued'
          and d.due_at <= clock_timestamp()
        order by d.due_at, d.delivery_id
        limit greatest(1, ${limit} / b.blasts)
        for update skip locked
      ) as due
      limit ${limit}
    )
    update delivery d set state = 'claimed', token = ${token}::bigint,
      lease_until = clock_timestamp() + make_interval(secs => ${lease_ms / 1000})
    from next where d.workspace_id = ${workspace} and d.delivery_id = next.delivery_id
    returning d.delivery_id, d.blast_id, d.contact_id, d.approval_id, d.operational, d.email, d.attempts`

const claim = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  { limit, lease_ms }: { readonly limit: number; readonly lease_ms: number },
) {
  const [next] = yield* sql<{ readonly token: bigint }>`select nextval('delivery_token') as token`
  const token = Number(next?.token)
  const rows = yield* takeDue(sql, workspace, token, limit, lease_ms)
  yield* sql`
    update due_work set due_at = clock_timestamp() where kind = 'deliveries' and workspace_id = ${workspace}`
  if (rows.length === 0) return []
  const contacts = yield* contactsById(
    sql,
    workspace,
    rows.map((row) => row.contact_id),
  )
  return rows.map((row): ClaimedDelivery => ({
    id: DeliveryId.make(row.delivery_id),
    token,
    attempts: row.attempts,
    blastId: BlastId.make(row.blast_id),
    approvalId: ApprovalId.make(row.approval_id),
    operational: row.operational,
    address: row.email,
    contact: contacts.get(row.contact_id) ?? null,
  }))
})

const grant = (sql: PgClient.PgClient, workspace: WorkspaceId, claims: ReadonlyArray<Claim>, lease_ms: number) =>
  Effect.flatMap(OpenTransaction, (open) =>
    open === undefined
      ? orDefect(sql<{ readonly granted_id: string; readonly answer: IntentAnswer }>`
          select granted_id, answer from grant_intents(${workspace}, ${texts(claims.map((each) => each.id))}::uuid[],
            ${texts(claims.map((each) => String(each.token)))}::bigint[], ${texts(claims.map((each) => each.blastId))}::uuid[],
            make_interval(secs => ${lease_ms / 1000}))`).pipe(
          Effect.map((rows) => new Map(rows.map((row) => [DeliveryId.make(row.granted_id), row.answer]))),
        )
      : Effect.die("an intent is committed before it is used: don't ask for it inside a transaction"),
  )

const sweep = (sql: PgClient.PgClient, workspace: WorkspaceId) =>
  Effect.gen(function* () {
    const rows = yield* sql<{ readonly state: string }>`
      with lapsed as materialized (
        select delivery_id from delivery
        where workspace_id = ${workspace} and state in ('claimed', 'handed_over') and lease_until < clock_timestamp()
        order by lease_until
        limit ${swept_max}
        for update skip locked
      )
      update delivery d set
        state = case d.state when 'claimed' then 'queued' else 'unconfirmed' end,
        reason = case d.state when 'claimed' then null else 'unconfirmed' end,
        token = case d.state when 'claimed' then null else d.token end,
        lease_until = case d.state when 'claimed' then null else d.lease_until end
      from lapsed where d.workspace_id = ${workspace} and d.delivery_id = lapsed.delivery_id
      returning d.state`
    const queued = rows.filter((row) => row.state === "queued").length
    if (rows.length > 0) yield* makeDue(sql, "deliveries", workspace)
    return { queued, unconfirmed: rows.length - queued }
  })

/** The row of the workspace is locked first: whoever makes it due at the same moment comes before or after, never between. */
const rest = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId) {
  yield* sql`select 1 from due_work where kind = 'deliveries' and workspace_id = ${workspace} for update`
  const [left] = yield* sql<{ readonly next_s: number | null; readonly open: boolean; readonly unfinished: boolean }>`
    select
      (select extract(epoch from min(next.due_at) - clock_timestamp())::float8
       from blast b
       cross join lateral (
         select d.due_at from delivery d
         where d.workspace_id = ${workspace} and d.blast_id = b.blast_id and d.state = 'queued'
         order by d.due_at limit 1) as next
       where b.workspace_id = ${workspace} and b.status = 'sending' and not b.paused) as next_s,
      exists (select from delivery
        where workspace_id = ${workspace} and state in ('claimed', 'handed_over'))
      or exists (select from delivery where workspace_id = ${workspace} and state = 'queued') as open,
      exists (select from blast
        where workspace_id = ${workspace} and status = 'sending' and audience_fixed_at is not null) as unfinished`
  const dry = left?.open !== true
  if (dry && left?.unfinished !== true) {
    yield* sql`delete from due_work where kind = 'deliveries' and workspace_id = ${workspace}`
  } else {
    const wait_s = Math.min(look_again_s, Math.max(0, left?.next_s ?? look_again_s))
    yield* sql`
      update due_work set due_at = clock_timestamp() + make_interval(secs => ${wait_s})
      where kind = 'deliveries' and workspace_id = ${workspace}`
  }
  const answer: Rest = { dry }
  return answer
})

const ids = (rows: ReadonlyArray<{ readonly workspace_id: string }>) =>
  rows.map((row) => WorkspaceId.make(row.workspace_id))

export const layer = Layer.effect(
  DeliveryStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const within = fenced(sql)

    return DeliveryStore.of({
      fixAudience: (workspace, blast) =>
        Transaction.pipe(
          Effect.andThen(within(workspace, fixAudience(sql, workspace, blast))),
          Effect.tap(() => sql.afterCommit(renewStatistics(sql))),
        ),
      dueWorkspaces: (limit) =>
        orDefect(sql<{ readonly workspace_id: string }>`
          select workspace_id from due_work where kind = 'deliveries' and due_at <= clock_timestamp()
          order by due_at limit ${limit}`).pipe(Effect.map(ids)),
      openWorkspaces: (limit) =>
        orDefect(sql<{ readonly workspace_id: string }>`
          select workspace_id from due_work where kind = 'deliveries' order by due_at limit ${limit}`).pipe(
          Effect.map(ids),
        ),
      claim: (workspace, options) => Effect.andThen(Transaction, within(workspace, claim(sql, workspace, options))),
      renew: (workspace, claims, lease_ms) =>
        Effect.andThen(
          Transaction,
          within(
            workspace,
            sql`
              with ${heldBy(sql, workspace, claims)}
              update delivery d set lease_until = clock_timestamp() + make_interval(secs => ${lease_ms / 1000})
              from held
              where d.workspace_id = ${workspace} and d.delivery_id = held.id and held.state in ('claimed', 'handed_over')
              returning 1`,
          ),
        ).pipe(Effect.map((rows) => rows.length)),
      grant: (workspace, claims, lease_ms) => grant(sql, workspace, claims, lease_ms),
      settle: (workspace, settlements) =>
        Effect.andThen(Transaction, within(workspace, settle(sql, workspace, settlements))),
      giveBack: (workspace, claims) =>
        Effect.andThen(
          Transaction,
          within(
            workspace,
            Effect.gen(function* () {
              const rows = yield* sql`
                with ${heldBy(sql, workspace, claims)}
                update delivery d set state = 'queued', token = null, lease_until = null, handed_over_at = null
                from held
                where d.workspace_id = ${workspace} and d.delivery_id = held.id and held.state in ('claimed', 'handed_over')
                returning 1`
              if (rows.length > 0) yield* makeDue(sql, "deliveries", workspace)
              return rows.length
            }),
          ),
        ),
      sweep: (workspace) => Effect.andThen(Transaction, within(workspace, sweep(sql, workspace))),
      rest: (workspace) => Effect.andThen(Transaction, within(workspace, rest(sql, workspace))),
    })
  }),
)
