// What differs between PostgreSQL and Citus, which distributes the rows of workspaces over nodes: only turns of due work, which ask
// all workspaces. Statements of one workspace are the same. `migrations/citus/functions.sql` has the functions that differ.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { DueKind, WorkKind } from "@tentpole/core/kernel/changes/DueWork"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { texts } from "../kernel/Arrays.ts"

type Sql = PgClient.PgClient

const known = new WeakMap<Sql, boolean>()

/** Whether the database is distributed. It is asked once for each pool. */
export const isDistributed = (sql: Sql): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.suspend(() => {
    const before = known.get(sql)
    if (before !== undefined) return Effect.succeed(before)
    return Effect.map(sql`select 1 from pg_extension where extname = 'citus'`, (rows) => {
      known.set(sql, rows.length > 0)
      return rows.length > 0
    })
  })

/** Runs the statements of the database that it is. */
export const byDialect = <A, E, R>(
  sql: Sql,
  { citus, plain }: { readonly plain: Effect.Effect<A, E, R>; readonly citus: Effect.Effect<A, E, R> },
) => Effect.flatMap(isDistributed(sql), (distributed) => (distributed ? citus : plain))

/** Reads rows of all workspaces from a table without row-level security. `query` gets the name of the table. */
const readAll = <Row extends object>(
  sql: Sql,
  table: "due_hint" | "due_work",
  query: (table: string) => string,
): Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError> =>
  // The savepoint keeps the transaction when a node does not answer.
  Effect.catch(sql.withTransaction(sql.unsafe<Row>(query(table))), () =>
    Effect.map(
      sql<{ readonly rows: ReadonlyArray<Row> }>`
        select result::json as rows
        from run_command_on_shards(${table}::regclass,
          ${`select coalesce(json_agg(found), '[]') from (${query("%s")}) as found`})
        where success`,
      (shards) => shards.flatMap(({ rows }) => rows),
    ),
  )

/** A list of texts in a statement without parameters. */
const quoted = (values: ReadonlyArray<string>): string =>
  values.map((value) => `'${value.replaceAll("'", "''")}'`).join(", ")

/** Hints that one call reads. */
const hints_max = 10_000

interface Candidate {
  readonly kind: DueKind
  readonly workspace: WorkspaceId
}

/**
 * Moves hints of these kinds to `due_work`: finds workspaces on all nodes, then locks and moves those of each. A hint whose workspace
 * another transaction has locked waits for the next call.
 */
export const readHints = Effect.fnUntraced(function* (sql: Sql, kinds: ReadonlyArray<DueKind>) {
  const found = yield* readAll<Candidate>(
    sql,
    "due_hint",
    (table) => `
      select kind, workspace_id as workspace from (
        select kind, workspace_id from ${table} where kind in (${quoted(kinds)}) limit ${hints_max}) as hints
      group by kind, workspace_id order by workspace_id, kind`,
  )
  for (const { kind, workspace } of found) {
    const locked = yield* sql`
      select 1 from due_work where workspace_id = ${workspace} and kind = ${kind} for no key update skip locked`
    const isGone =
      locked.length === 0 &&
      (yield* sql`select 1 from due_work where workspace_id = ${workspace} and kind = ${kind}`).length === 0
    if (locked.length === 0 && !isGone) continue
    const read = yield* sql<{ readonly due_at: Date }>`
      with hint as materialized (
        select position from due_hint where workspace_id = ${workspace} and kind = ${kind} for update skip locked)
      delete from due_hint where workspace_id = ${workspace} and position = any(array(select position from hint))
      returning due_at`
    if (isGone || read.length === 0) continue
    yield* sql`
      update due_work set token = token + 1,
        due_at = least(due_at, (select min(at) from unnest(${texts(read.map(({ due_at }) => due_at.toISOString()))}::timestamptz[]) as at))
      where workspace_id = ${workspace} and kind = ${kind}`
  }
})

/** Claims workspaces that are due: finds them on all nodes, then locks each. */
export const takeDue = Effect.fnUntraced(function* <Kind extends DueKind>(
  sql: Sql,
  kinds: ReadonlyArray<Kind>,
  limit: number,
  turn_ms: number,
) {
  const [clock] = yield* sql<{ readonly now: string; readonly until: string }>`
    select clock_timestamp()::text as now, (clock_timestamp() + make_interval(secs => ${turn_ms / 1000}))::text as until`
  const { now, until } = clock ?? { now: "-infinity", until: "-infinity" }
  const found = yield* readAll<Candidate & { readonly kind: Kind; readonly due_s: number }>(
    sql,
    "due_work",
    (table) => `
      select kind, workspace_id as workspace, extract(epoch from due_at)::float8 as due_s from ${table}
      where kind in (${quoted(kinds)}) and due_at <= '${now}'
      order by due_at
      limit ${limit}`,
  )
  const turns = []
  for (const { kind, workspace } of found.toSorted((left, right) => left.due_s - right.due_s).slice(0, limit)) {
    turns.push(
      ...(yield* sql<{ readonly kind: Kind; readonly workspace: WorkspaceId; readonly token: string }>`
        with locked as materialized (
          select due_at from due_work
          where kind = ${kind} and workspace_id = ${workspace} and due_at <= ${now}::timestamptz for update skip locked)
        update due_work set due_at = ${until}::timestamptz, token = token + 1
        where kind = ${kind} and workspace_id = ${workspace} and exists (select 1 from locked)
        returning kind, workspace_id as workspace, token::text as token`),
    )
  }
  return turns
})

/** The kinds that may have work now. */
export const among = Effect.fnUntraced(function* (sql: Sql, kinds: ReadonlyArray<WorkKind>) {
  type Row = { readonly kind: WorkKind }
  const which = `kind in (${quoted(kinds)})`
  const hinted = yield* readAll<Row>(sql, "due_hint", (table) => `select distinct kind from ${table} where ${which}`)
  const due = yield* readAll<Row>(
    sql,
    "due_work",
    (table) => `select distinct kind from ${table} where ${which} and due_at <= now()`,
  )
  const jobs = kinds.includes("jobs") ? yield* sql<Row>`select 'jobs' as kind where jobs.may_claim_job()` : []
  return [...hinted, ...due, ...jobs]
})

interface DueRow {
  readonly workspace_id: WorkspaceId
  readonly due_s: number
}

const earliest = (rows: ReadonlyArray<DueRow>, limit: number) =>
  rows.toSorted((left, right) => left.due_s - right.due_s).slice(0, limit)

/** Workspaces with deliveries that are due, the longest waiting first. */
export const dueWorkspaces = (sql: Sql, limit: number, except: ReadonlyArray<string>) => {
  const others = except.length === 0 ? "" : `and workspace_id not in (${quoted(except)})`
  return Effect.map(
    readAll<DueRow>(
      sql,
      "due_work",
      (table) => `
        select workspace_id, extract(epoch from due_at)::float8 as due_s from ${table}
        where kind = 'deliveries' and due_at <= now() ${others} order by due_at limit ${limit}`,
    ),
    (rows) => earliest(rows, limit),
  )
}

/** Workspaces that have something to send, now or later. */
export const openWorkspaces = (sql: Sql, limit: number) =>
  Effect.map(
    readAll<DueRow>(
      sql,
      "due_work",
      (table) => `
        select workspace_id, extract(epoch from min(due_at))::float8 as due_s from ${table}
        where kind = 'deliveries' or kind = 'messages' and due_at < 'infinity'
        group by workspace_id order by min(due_at) limit ${limit}`,
    ),
    (rows) => earliest(rows, limit),
  )

export const hasMessages = (sql: Sql) =>
  Effect.map(
    readAll<object>(sql, "due_work", (table) => `select 1 as one from ${table} where kind = 'messages' limit 1`),
    (rows) => [{ found: rows.length > 0 }],
  )
