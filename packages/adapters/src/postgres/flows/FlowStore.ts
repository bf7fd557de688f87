// Flows on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import type { FlowChange } from "@tentpole/core/flows/definition/machine"
import { type FlowQuery, type FlowSort, FlowStore } from "@tentpole/core/flows/definition/FlowStore"
import { namedByFlow } from "@tentpole/core/flows/definition/FlowReferences"
import type { FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { fold } from "@tentpole/core/kernel/Text"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { texts } from "../kernel/Arrays.ts"
import { applyEmail } from "../emails/EmailStore.ts"
import { holdFlow } from "./FlowLocks.ts"
import { lockForActivation, lockNamed, trialFacts } from "./FlowFacts.ts"
import {
  columnsOf,
  flowColumns,
  type FlowRow,
  type FlowViewRow,
  tallyColumns,
  tallyJoin,
  toFlow,
  toView,
} from "./FlowRows.ts"
import { flowsUsingEmail } from "./FlowUses.ts"
import { forgetGenerationsOf } from "../documents/Generations.ts"
import { fenced, takingLong } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient

const gone = new NotFound({ resource: "flow" })

const sorts: { readonly [Sort in FlowSort]: string } = {
  updated_at: "f.updated_at",
  created_at: "f.created_at",
  name: "f.name_folded",
}

/** Flows as they are shown. `rest` is what follows the FROM clause; flows are `f` in it. */
const views = (sql: Sql, rest: Statement.Fragment) =>
  Effect.map(
    sql<FlowViewRow>`
      select ${sql.literal(flowColumns)}, ${sql.literal(tallyColumns)} from flow f ${sql.literal(tallyJoin)}
      ${rest}`,
    (rows) => rows.map(toView),
  )

const page = Effect.fnUntraced(function* (sql: Sql, ws: WorkspaceId, query: FlowQuery) {
  const named = query.search === "" ? sql.literal("") : sql` and strpos(f.name_folded, ${fold(query.search)}) > 0`
  const chosen = sql`where f.workspace_id = ${ws} and f.status = any(${texts(query.statuses)}::text[])${named}`
  const [counted] = yield* sql<{ readonly total: number }>`select count(*)::int as total from flow f ${chosen}`
  const order = sql.literal(`order by ${sorts[query.sortBy]} ${query.sortOrder}, f.flow_id`)
  const items = yield* views(sql, sql`${chosen} ${order} limit ${query.limit} offset ${(query.page - 1) * query.limit}`)
  return { items, total: counted?.total ?? 0 }
})

const stepCounts = (sql: Sql, ws: WorkspaceId, id: FlowId) =>
  Effect.map(
    sql<{ readonly step_id: string; readonly members: number }>`
      select step_id, sum(members)::int as members from flow_step_tally
      where workspace_id = ${ws} and flow_id = ${id}
      group by step_id`,
    (rows) => new Map(rows.map(({ step_id, members }) => [step_id, members])),
  )

/** Not `for update`: what refers to the flow, its members and their counters, does not have to wait. */
const lock = Effect.fnUntraced(function* (sql: Sql, ws: WorkspaceId, id: FlowId) {
  yield* holdFlow(sql, id)
  const [row] = yield* sql<FlowRow>`
    select ${sql.literal(flowColumns)} from flow f
    where f.workspace_id = ${ws} and f.flow_id = ${id} for no key update`
  return row === undefined ? yield* gone : toFlow(row)
})

const write = (sql: Sql, ws: WorkspaceId, { before, after }: FlowChange) => {
  if (before === null && after !== null) {
    return sql`insert into flow ${sql.insert({
      workspace_id: ws,
      flow_id: after.id,
      ...columnsOf(sql, after),
      created_at: DateTime.formatIso(after.createdAt),
    })} returning 1`
  }
  if (before === null) return Effect.succeed([])
  const decidedOn = sql`workspace_id = ${ws} and flow_id = ${before.id}
    and status = ${before.lifecycle.status} and revision = ${before.revision}`
  return after === null
    ? sql`delete from flow where ${decidedOn} returning 1`
    : sql`update flow set ${sql.update(columnsOf(sql, after))} where ${decidedOn} returning 1`
}

const apply = Effect.fnUntraced(function* (
  sql: Sql,
  writer: ChangeWriter["Service"],
  ws: WorkspaceId,
  change: FlowChange,
) {
  const { before, after, email } = change
  // An email that is made for a step is not written by the AI, and takes no credits.
  if (email !== null) yield* Effect.orDie(applyEmail(sql, ws, email))
  if (before !== null && after === null) {
    yield* takingLong(sql)
    yield* removeEmails(sql, ws, before.id)
  }
  const written = yield* write(sql, ws, change)
  if (written.length !== 1) return yield* Effect.die("the flow is not what the change was decided on: lock it first")
  yield* writer.writeEffects(ws, [change])
})

const emails_batch_max = 2_000

/** Deletes what its steps have made, batch by batch: each member may have an email of their own. */
const removeEmails = (sql: Sql, ws: WorkspaceId, id: FlowId) =>
  Effect.repeat(removeSomeEmails(sql, ws, id), { while: (count) => count === emails_batch_max })

/**
 * Locks, then looks who sends by them: whoever was waited for may have begun to. What is sent by something else stays, and is
 * nobody's any more.
 */
const removeSomeEmails = Effect.fnUntraced(function* (sql: Sql, ws: WorkspaceId, id: FlowId) {
  const held = yield* sql<{ readonly email_id: string }>`
    with made as materialized (
      select email_id from flow_email where workspace_id = ${ws} and flow_id = ${id}
      order by email_id limit ${emails_batch_max})
    select e.email_id from email e
    where e.workspace_id = ${ws} and e.email_id = any(array(select email_id from made))
    order by e.email_id for update`
  if (held.length === 0) return 0
  const ids = texts(held.map(({ email_id }) => email_id))
  yield* sql`delete from flow_email where workspace_id = ${ws} and email_id = any(${ids}::uuid[])`
  const removed = yield* sql<{ readonly email_id: string }>`
    delete from email e where e.workspace_id = ${ws} and e.email_id = any(${ids}::uuid[])
      and not exists (select from blast b
        where b.workspace_id = ${ws} and b.email_id = e.email_id and b.status in ('scheduled', 'sending'))
      and not exists (select from flow f where ${flowsUsingEmail(sql, ws, sql.literal("e.email_id"))})
    returning e.email_id`
  const forgotten = removed.map(({ email_id }) => email_id)
  // Credits are given back, and there are always enough of those.
  yield* Effect.catchTag(forgetGenerationsOf(sql, ws, forgotten), "InsufficientCredits", Effect.die)
  return held.length
})

export const layer = Layer.effect(
  FlowStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const writer = yield* ChangeWriter
    const within = fenced(sql)
    return FlowStore.of({
      get: (ws, id) =>
        within(ws, views(sql, sql`where f.workspace_id = ${ws} and f.flow_id = ${id}`)).pipe(
          Effect.flatMap(([view]) => (view === undefined ? Effect.fail(gone) : Effect.succeed(view))),
        ),
      list: (ws, query) => within(ws, page(sql, ws, query)),
      stepCounts: (ws, id) => within(ws, stepCounts(sql, ws, id)),
      simulationFacts: (ws, asked) => within(ws, trialFacts(sql, ws, asked)),
      lock: (ws, id) => Effect.andThen(Transaction, within(ws, lock(sql, ws, id))),
      lockNamed: (ws, named) => Effect.andThen(Transaction, within(ws, lockNamed(sql, ws, named))),
      lockForActivation: Effect.fnUntraced(function* (ws, id) {
        yield* Transaction
        const flow = yield* within(ws, lock(sql, ws, id))
        const named = namedByFlow(flow.structure)
        return { flow, facts: yield* within(ws, lockForActivation(sql, ws, named)) }
      }),
      apply: (ws, change) => Effect.andThen(Transaction, within(ws, apply(sql, writer, ws, change))),
      link: (ws, { flowId, stepId, emailId }) =>
        Effect.andThen(
          Transaction,
          within(
            ws,
            sql`insert into flow_email (workspace_id, email_id, flow_id, step_id)
              values (${ws}, ${emailId}, ${flowId}, ${stepId})`,
          ),
        ).pipe(Effect.asVoid),
    })
  }),
)
