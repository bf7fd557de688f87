// `DeliveryStore` on PostgreSQL. Leases and due times use the database's `clock_timestamp()`, never a worker's clock.
import { PgClient } from "@effect/sql-pg"
import type { IntentAnswer } from "@tentpole/core/sending/Delivery"
import { type Claim, DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import { DeliveryId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { fixAudience } from "./DeliveryAudience.ts"
import { claim } from "./DeliveryClaim.ts"
import { rescheduleWorkspace } from "./DeliveryIdle.ts"
import { settle } from "./DeliverySettle.ts"
import { makeDue } from "../kernel/DueWork.ts"
import { fenced, OpenTransaction, orDefect } from "../kernel/Postgres.ts"
import { renewStatistics } from "../kernel/Statistics.ts"

/** Leases that one sweep ends at most. The next sweep follows within seconds. */
const swept_max = 5000

/**
 * The deliveries that still have these tokens, locked: `with … locked as (…)` to update from. They are found by id in any
 * state: the index of leases is full of recent leases, and no plan may scan it for a few rows.
 */
const lockClaims = (sql: PgClient.PgClient, workspace: WorkspaceId, claims: ReadonlyArray<Claim>) => sql`
  locked as materialized (
    select d.delivery_id as id, d.state
    from unnest(${texts(claims.map((claim) => claim.id))}::uuid[], ${texts(claims.map((claim) => String(claim.token)))}::bigint[])
      as g (id, token)
    join delivery d on d.workspace_id = ${workspace} and d.delivery_id = g.id and d.token = g.token
    order by g.id
    for update of d
  )`

const grant = (sql: PgClient.PgClient, workspace: WorkspaceId, claims: ReadonlyArray<Claim>, lease_ms: number) =>
  Effect.flatMap(OpenTransaction, (open) =>
    open === undefined
      ? orDefect(sql<{ readonly granted_id: string; readonly answer: IntentAnswer }>`
          select granted_id, answer from grant_intents(${workspace}, ${texts(claims.map((each) => each.id))}::uuid[],
            ${texts(claims.map((each) => String(each.token)))}::bigint[], ${texts(claims.map((each) => each.blastId))}::uuid[],
            make_interval(secs => ${lease_ms / 1000}))`).pipe(
          Effect.map((rows) => new Map(rows.map((row) => [DeliveryId.make(row.granted_id), row.answer]))),
        )
      : Effect.die("an intent is committed before it is used: do not request it inside a transaction"),
  )

const sweep = (sql: PgClient.PgClient, workspace: WorkspaceId) =>
  Effect.gen(function* () {
    const rows = yield* sql<{ readonly state: string }>`
      with lapsed as materialized (
        select delivery_id from delivery
        where workspace_id = ${workspace} and phase = 'leased' and lease_until < clock_timestamp()
        order by lease_until
        limit ${swept_max}
        for update skip locked
      )
      update delivery d set
        state = case d.state when 'claimed' then 'queued' else 'unconfirmed' end,
        reason = case d.state when 'claimed' then null else 'unconfirmed' end,
        token = case d.state when 'claimed' then null else d.token end,
        lease_until = case d.state when 'claimed' then null else d.lease_until end
      where d.workspace_id = ${workspace} and d.delivery_id = any(array(select delivery_id from lapsed))
      returning d.state`
    const queued = rows.filter((row) => row.state === "queued").length
    if (rows.length > 0) yield* makeDue(sql, "deliveries", workspace)
    return { queued, unconfirmed: rows.length - queued }
  })

const toWorkspaceIds = (rows: ReadonlyArray<{ readonly workspace_id: string }>) =>
  rows.map((row) => WorkspaceId.make(row.workspace_id))

export const layer = Layer.effect(
  DeliveryStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const within = fenced(sql)

    return DeliveryStore.of({
      fixAudience: (workspace, blast, contacts_max) =>
        Transaction.pipe(
          Effect.andThen(within(workspace, fixAudience(sql, workspace, blast, contacts_max))),
          Effect.tap(() => sql.afterCommit(renewStatistics(sql))),
        ),
      dueWorkspaces: (limit, except = []) =>
        orDefect(sql<{ readonly workspace_id: string }>`
          select workspace_id from due_work where kind = 'deliveries' and due_at <= clock_timestamp()
            and workspace_id <> all(${texts(except)}::uuid[])
          order by due_at limit ${limit}`).pipe(Effect.map(toWorkspaceIds)),
      openWorkspaces: (limit) =>
        orDefect(sql<{ readonly workspace_id: string }>`
          select workspace_id from due_work where kind = 'deliveries' order by due_at limit ${limit}`).pipe(
          Effect.map(toWorkspaceIds),
        ),
      claim: (workspace, options) => Effect.andThen(Transaction, within(workspace, claim(sql, workspace, options))),
      renew: (workspace, claims, lease_ms) =>
        Effect.andThen(
          Transaction,
          within(
            workspace,
            sql`
              with ${lockClaims(sql, workspace, claims)}
              update delivery d set lease_until = clock_timestamp() + make_interval(secs => ${lease_ms / 1000})
              from locked
              where d.workspace_id = ${workspace} and d.delivery_id = locked.id and locked.state in ('claimed', 'handed_over')
              returning 1`,
          ),
        ).pipe(Effect.map((rows) => rows.length)),
      grant: (workspace, claims, lease_ms) => grant(sql, workspace, claims, lease_ms),
      settle: (workspace, settlements) =>
        Effect.andThen(Transaction, within(workspace, settle(sql, workspace, settlements))),
      release: (workspace, claims) =>
        Effect.andThen(
          Transaction,
          within(
            workspace,
            Effect.gen(function* () {
              const rows = yield* sql`
                with ${lockClaims(sql, workspace, claims)}
                update delivery d set state = 'queued', token = null, lease_until = null, handed_over_at = null
                from locked
                where d.workspace_id = ${workspace} and d.delivery_id = locked.id and locked.state in ('claimed', 'handed_over')
                returning 1`
              if (rows.length > 0) yield* makeDue(sql, "deliveries", workspace)
              return rows.length
            }),
          ),
        ),
      sweep: (workspace) => Effect.andThen(Transaction, within(workspace, sweep(sql, workspace))),
      endTurn: (workspace) => Effect.andThen(Transaction, within(workspace, rescheduleWorkspace(sql, workspace))),
    })
  }),
)
