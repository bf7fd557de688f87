// The distribution of the migrated schema over the nodes of Citus: `tentpole migrate --distribute`. Each step commits by itself, and a
// step that is done is skipped: the command can be repeated, also after a failure.
import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import type { Statement } from "effect/sql"
import { asOwner, migrate, MigrationFailed, replaceFunctions } from "./Migrate.ts"
import { type Placement, placementOf, type TableFacts } from "./Placement.ts"

type Sql = PgClient.PgClient

const refuse = (reason: string) => new MigrationFailed({ reason, cause: null })

const requireCitus = Effect.fnUntraced(function* (sql: Sql) {
  const citus = yield* sql`select 1 from pg_extension where extname = 'citus'`
  if (citus.length === 0) {
    return yield* refuse(
      "The database has no Citus: put citus into shared_preload_libraries on all nodes, and run `create extension citus` in this database on each of them",
    )
  }
  const nodes = yield* sql<{ readonly groupid: number }>`
    select groupid from pg_dist_node where noderole = 'primary' and isactive and (groupid = 0 or shouldhaveshards)`
  if (nodes.length < 2 || !nodes.some(({ groupid }) => groupid === 0)) {
    return yield* refuse(
      "No worker has joined the cluster: run `select citus_set_coordinator_host('<host>')`, and `select citus_add_node('<host>', 5432)` for each worker, as an administrator on the coordinator",
    )
  }
})

/** Nodes reach each other as the role of a statement, so that row-level security applies there too. */
const requireLogin = Effect.fnUntraced(function* (sql: Sql) {
  const found = yield* sql`select 1 from pg_roles where rolname = 'tentpole_service' and rolcanlogin`
  if (found.length === 0) {
    return yield* refuse(
      "The role tentpole_service may not log in, and nodes reach each other as this role: run `alter role tentpole_service login` as an administrator on the coordinator, and let it in from the other nodes",
    )
  }
})

/** The service must not run: its statements would wait, and its sessions have plans for tables that are not distributed. */
const requireQuiet = Effect.fnUntraced(function* (sql: Sql) {
  const [found] = yield* sql<{ readonly sessions: number; readonly writers: number }>`
    select
      (select count(*)::int from pg_stat_activity a
        where a.datname = current_database() and a.pid <> pg_backend_pid() and a.usesysid is not null
          and coalesce(a.application_name, '') <> 'tentpole migrate' and coalesce(a.application_name, '') not like 'citus%'
          and pg_has_role(a.usesysid, 'tentpole_service', 'member')
          and not (select rolsuper from pg_roles where oid = a.usesysid)) as sessions,
      (select count(distinct l.pid)::int from pg_locks l
        where l.database = (select oid from pg_database where datname = current_database()) and l.pid <> pg_backend_pid()
          and l.locktype = 'relation' and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock')
          and l.relation in (select oid from pg_class where relnamespace = 'public'::regnamespace)) as writers`
  if (found !== undefined && found.sessions + found.writers > 0) {
    return yield* refuse(
      `The tables are in use (${found.sessions} sessions of the service, ${found.writers} that write): stop all processes of Tentpole, and run the command again`,
    )
  }
})

/** The table of the foreign keys that were taken off, also by a run that failed. */
export const takenOff = "foreign_key_taken_off"

/** `others` selects further tables that a table refers to. */
export const tablesOf = (sql: Sql, others: Statement.Fragment) => sql<TableFacts>`
  select c.oid::regclass::text as name,
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id') as "hasWorkspace",
    not exists (select from pg_index i where i.indrelid = c.oid and i.indisunique and not exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and a.attnum = any(i.indkey)))
      as "isKeyed",
    has_table_privilege('tentpole_service', c.oid, 'select')
      and not has_table_privilege('tentpole_service', c.oid, 'insert, update, delete') as "isFixed",
    array(
      select k.confrelid::regclass::text from pg_constraint k
      where k.contype = 'f' and k.conrelid = c.oid and k.confrelid <> c.oid and k.conparentid = 0 ${others})
      as "refersTo"
  from pg_class c
  where c.relnamespace in ('public'::regnamespace, 'jobs'::regnamespace) and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> ${takenOff}
  order by 1`

const referredBefore = (sql: Sql) => sql`
  union select t.refers_to from ${sql(takenOff)} t where t.relation = c.oid::regclass::text and t.refers_to <> t.relation`

/** The tables that have a place in the cluster. */
const placed = (sql: Sql) =>
  Effect.map(
    sql<{ readonly name: string }>`select logicalrelid::regclass::text as name from pg_dist_partition`,
    (rows) => new Set(rows.map(({ name }) => name)),
  )

const distributed = (sql: Sql) =>
  Effect.map(
    sql<{ readonly name: string }>`
      select logicalrelid::regclass::text as name from pg_dist_partition where partmethod = 'h'`,
    (rows) => new Set(rows.map(({ name }) => name)),
  )

/** Citus refuses a foreign key to a table that is not distributed yet, in both directions. */
const takeOffForeignKeys = Effect.fnUntraced(function* (sql: Sql, tables: ReadonlyArray<string>) {
  const found = yield* sql<{ readonly relation: string; readonly name: string }>`
    insert into ${sql(takenOff)} (relation, name, refers_to, definition)
    select k.conrelid::regclass::text, k.conname, k.confrelid::regclass::text, pg_get_constraintdef(k.oid)
    from pg_constraint k
    where k.contype = 'f' and k.conparentid = 0 and k.conrelid::regclass::text in ${sql.in(tables)}
    returning relation, name`
  for (const { name, relation } of found) {
    yield* sql`alter table ${sql.literal(relation)} drop constraint ${sql(name)}`
  }
})

const putBackForeignKeys = Effect.fnUntraced(function* (sql: Sql) {
  const rows = yield* sql<{ readonly relation: string; readonly name: string; readonly definition: string }>`
    select relation, name, definition from ${sql(takenOff)}`
  for (const { definition, name, relation } of rows) {
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql.unsafe(`set local citus.multi_shard_modify_mode to 'sequential'`).unprepared
        yield* sql.unsafe(`alter table ${relation} add constraint "${name}" ${definition}`).unprepared
        yield* sql`delete from ${sql(takenOff)} where relation = ${relation} and name = ${name}`
      }),
    )
  }
  yield* sql`drop table ${sql(takenOff)}`
})

const place = Effect.fnUntraced(function* (sql: Sql, placement: Placement) {
  const done = yield* placed(sql)
  for (const name of placement.reference.filter((each) => !done.has(each))) {
    yield* sql`select create_reference_table(${name}::regclass)`
  }
  const before = yield* distributed(sql)
  const [first = ""] = placement.distributed
  for (const name of placement.distributed.filter((each) => !before.has(each))) {
    yield* sql`
      select create_distributed_table(${name}::regclass, 'workspace_id', colocate_with => ${name === first ? "default" : first})`
  }
  // Commits of rows of a workspace and of these are atomic only for tables that Citus knows.
  const known = yield* placed(sql)
  for (const name of placement.local.filter((each) => !known.has(each))) {
    yield* sql`select citus_add_local_table_to_metadata(${name}::regclass)`
  }
})

const distributeTables = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* requireCitus(sql)
  yield* requireLogin(sql)
  yield* sql`
    create table if not exists ${sql(takenOff)} (relation text, name text, refers_to text, definition text, primary key (relation, name))`
  const placement = placementOf(yield* tablesOf(sql, referredBefore(sql)))
  const done = yield* distributed(sql)
  const todo = placement.distributed.filter((name) => !done.has(name))
  if (todo.length > 0) {
    yield* requireQuiet(sql)
    yield* sql.withTransaction(takeOffForeignKeys(sql, todo))
  }
  yield* place(sql, placement)
  yield* putBackForeignKeys(sql)
  yield* replaceFunctions(sql)
  return todo
})

/** Migrates and distributes. Returns the names of the tables that this call distributed. */
export const distribute = (url: Redacted.Redacted): Effect.Effect<ReadonlyArray<string>, MigrationFailed> =>
  Effect.andThen(migrate(url), asOwner(url, distributeTables))
