// Tests of the migrated schema: row-level security isolates workspaces, and the service owns nothing.
import { PgClient } from "@effect/sql-pg"
import { erase } from "@tentpole/adapters/postgres/operations/Erasure"
import * as Postgres from "@tentpole/adapters/postgres/kernel/Postgres"
import * as Transactor from "@tentpole/adapters/postgres/kernel/Transactor"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transactor as Transacting } from "@tentpole/core/kernel/changes/Transactor"
import { assert, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Context, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { clone, forWorker } from "@tentpole/adapters/test/TestDatabase"
import { insertions, loosen } from "./schema/Rows.ts"
import { globals, tables, tenancy, tenants } from "./schema/Tenancy.ts"
import { without } from "./tidy/Exemptions.ts"
import { root } from "./tidy/Source.ts"

/** Connections of the schema's owner and of the service to the same clone. */
const database = Effect.gen(function* () {
  const url = yield* clone("schema")
  const owner = yield* Layer.build(PgClient.layer({ url, maxConnections: 1 }))
  const service = yield* Layer.build(
    Postgres.client({ url, applicationName: "tentpole test", connections_max: 2, statement_timeout_ms: 60_000 }),
  )
  return { owner: Context.get(owner, PgClient.PgClient), service: Context.get(service, PgClient.PgClient) }
})

/** A clone for the tests that change nothing. */
const unchanged = forWorker(database)

it.live("every table has row-level security, and its keys and references begin with workspace_id", () =>
  Effect.gen(function* () {
    const { owner } = yield* unchanged
    const faults = without(globals, tenancy(yield* tables(owner)))
    const lines = faults.map(({ what, remedy }) => `${what}\n    ${remedy}`)
    assert(lines.length === 0, `${lines.length} to mend:\n${lines.join("\n")}`)
  }),
)

it("docs/scaling.md names the server of each global table", () => {
  const [section = ""] = readFileSync(`${root}docs/scaling.md`, "utf8").split("\n## Citus")[1]?.split("\n## ") ?? []
  const named = [...section.matchAll(/^\| (`.*?) \| .* \|$/gm)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].flatMap(([, name = ""]) => (name === "jobs" || name === "job_queue" ? [] : [name])),
  )
  assert.sameMembers(
    named,
    globals.map(({ at }) => at),
  )
})

it.live("docs/operating.md names every table, and what removes its rows", () =>
  Effect.gen(function* () {
    const { owner } = yield* unchanged
    const stored = yield* owner<{ readonly name: string }>`
      select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
        and relnamespace in ('public'::regnamespace, 'jobs'::regnamespace)`
    const [, section = ""] = readFileSync(`${root}docs/operating.md`, "utf8").split("### Which tables grow")
    const named = [...(section.split(/\n##+ /)[0] ?? "").matchAll(/^\| (`.*?) \| .* \| .* \|$/gm)].flatMap(
      ([, names = ""]) => [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
    )
    assert.sameMembers(
      named,
      stored.map(({ name }) => name),
    )
  }),
)

it.live("reports tables without row-level security, and keys that do not begin with workspace_id", () =>
  Effect.gen(function* () {
    const { owner } = yield* database
    const statements = [
      "create table loose (workspace_id uuid, loose_id uuid primary key, tent_id uuid, name text unique)",
      "alter table loose add foreign key (tent_id) references loose",
      "create unique index loose_name on loose (lower(name))",
      "create table open (workspace_id uuid primary key references workspace)",
      "alter table open enable row level security",
      "create policy tenant on open using (true)",
      "create table stray (stray_id uuid primary key)",
      "create table keyless (workspace_id uuid)",
      "alter table keyless enable row level security",
      "create policy tenant on keyless using (workspace_id = nullif(current_setting('tentpole.workspace_id', true), '')::uuid)",
    ]
    yield* owner.unsafe(`do $$ begin ${statements.join("; ")}; end $$`)
    const found = without(globals, tenancy(yield* tables(owner)))
    assert.deepStrictEqual(
      found.map(({ what }) => what),
      [
        "keyless: has no primary key",
        "loose: the unique key loose_name does not begin with workspace_id",
        "loose: the unique key loose_name_key does not begin with workspace_id",
        "loose: the primary key loose_pkey does not begin with workspace_id",
        "loose: the foreign key loose_tent_id_fkey does not begin with workspace_id",
        "loose: is not fenced",
        "open: is not fenced",
        "stray: has no workspace_id",
      ],
    )
  }).pipe(Effect.scoped),
)

const [mine, theirs] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"]

/** Inserts a row of both workspaces into every table. */
const filled = Effect.fnUntraced(function* (owner: PgClient.PgClient, all: ReadonlyArray<string>) {
  yield* loosen(owner)
  const insertion = yield* insertions(owner, all)
  const fill = all.flatMap((table) => [insertion(table, mine), insertion(table, theirs)])
  yield* owner.unsafe(`do $$ begin ${fill.join("; ")}; end $$`)
  return insertion
})

const foreignNestedIdTest = tagged(it.live, "attack/foreign-nested-id", "attack/row-level-security")
foreignNestedIdTest(
  "the service sees no row without a workspace, and only the rows of its workspace, in every table",
  () =>
    Effect.gen(function* () {
      const { owner, service } = yield* database
      const all = yield* tenants(owner)
      assert.isAbove(all.length, 10)
      const insertion = yield* filled(owner, all)

      const seen = Effect.map(
        service.unsafe<{ readonly seen: string }>(
          all.map((table) => `select distinct '${table} ' || workspace_id as seen from ${table}`).join(" union all "),
        ),
        (rows) => rows.map((row) => row.seen).sort(),
      )
      const within = <A, E, R>(workspace: string, statements: Effect.Effect<A, E, R>) =>
        service.withTransaction(
          Effect.andThen(service`select set_config('tentpole.workspace_id', ${workspace}, true)`, statements),
        )
      const attempt = (statements: ReadonlyArray<string>) =>
        service<{ readonly statement: string; readonly outcome: string }>`select * from attempts(${statements}::text[])`

      assert.deepStrictEqual(yield* seen, [], "without a workspace")
      assert.deepStrictEqual(yield* within(mine, seen), all.map((table) => `${table} ${mine}`).sort())
      assert.deepStrictEqual(yield* within(theirs, seen), all.map((table) => `${table} ${theirs}`).sort())

      const forbidden = all.flatMap((table) => [
        insertion(table, theirs),
        `update ${table} set workspace_id = '${theirs}'`,
      ])
      for (const { statement, outcome } of yield* within(mine, attempt(forbidden))) {
        assert.strictEqual(outcome, "42501", statement)
      }
      const emptied = yield* within(mine, attempt(all.map((table) => `delete from ${table}`)))
      for (const { statement, outcome } of emptied) assert.strictEqual(outcome, "done", statement)
      assert.deepStrictEqual(yield* within(mine, seen), [])
      assert.deepStrictEqual(yield* within(theirs, seen), all.map((table) => `${table} ${theirs}`).sort())
    }).pipe(Effect.scoped),
)

it.live("an erased workspace has no rows in any table, and another one keeps all of its rows", () =>
  Effect.gen(function* () {
    const { owner, service } = yield* database
    const all = yield* tenants(owner)
    yield* filled(owner, all)
    yield* owner`
      insert into workspace (workspace_id, name, slug, plan, credits, created_at, updated_at, deleted_at)
      values (${mine}, 'mine', 'deleted-mine', 'max', 0, now(), now(), now())`
    const { transact } = yield* Layer.build(Transactor.layer).pipe(
      Effect.provideService(PgClient.PgClient, service),
      Effect.map((context) => Context.get(context, Transacting)),
    )
    yield* erase(service, transact, WorkspaceId.make(mine))
    const left = yield* owner.unsafe<{ readonly left: string }>(
      all.map((table) => `select '${table} ' || workspace_id as left from ${table}`).join(" union all "),
    )
    assert.deepStrictEqual(
      [...new Set(left.map((row) => row.left))].sort(),
      all.map((table) => `${table} ${theirs}`).sort(),
    )
    assert.deepStrictEqual(yield* owner`select 1 from workspace where workspace_id = ${mine}`, [])
  }).pipe(Effect.scoped),
)

it.live("functions with the rights of their owner pin their search path, and only the service may call them", () =>
  Effect.gen(function* () {
    const { owner } = yield* unchanged
    const functions = yield* owner<{ readonly name: string; readonly pinned: boolean; readonly callers: string }>`
      select p.proname as name, coalesce('search_path=pg_catalog, public, pg_temp' = any(p.proconfig), false) as pinned,
        array_to_string(array(select coalesce(r.rolname, 'public') from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
          left join pg_roles r on r.oid = a.grantee where a.grantee <> p.proowner), ', ') as callers
      from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef`
    assert.isNotEmpty(functions)
    for (const { callers, name, pinned } of functions) {
      assert.deepStrictEqual({ name, pinned, callers }, { name, pinned: true, callers: "tentpole_service" })
    }
  }),
)

it.live("no rows are written by triggers", () =>
  Effect.gen(function* () {
    const { owner } = yield* unchanged
    const found = yield* owner<{ readonly name: string }>`
      select distinct tgname::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not t.tgisinternal and c.relnamespace = 'public'::regnamespace order by 1`
    assert.deepStrictEqual(found, [])
    const unused = yield* owner<{ readonly name: string }>`
      select proname::text as name from pg_proc p where pronamespace = 'public'::regnamespace
        and prorettype = 'trigger'::regtype`
    assert.deepStrictEqual(unused, [])
  }),
)

it.live("partitioned tables refer to workspaces only: a new partition locks the other table", () =>
  Effect.gen(function* () {
    const { owner } = yield* unchanged
    const found = yield* owner<{ readonly name: string }>`
      select conname::text as name from pg_constraint f join pg_class c on c.oid = f.conrelid
      where f.contype = 'f' and c.relkind = 'p' and f.confrelid <> 'workspace'::regclass`
    assert.deepStrictEqual(found, [])
  }),
)

it.live("ids that the database makes begin with their time, in the order of their creation", () =>
  Effect.gen(function* () {
    const { owner } = yield* unchanged
    const made = Effect.map(owner<{ readonly id: string }>`select uuid_v7()::text as id`, ([row]) => row?.id ?? "")
    const before_ms = Date.now()
    const ids = yield* Effect.all(Array.from({ length: 100 }, () => made))
    assert.deepStrictEqual(ids, ids.toSorted())
    for (const id of ids) {
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.closeTo(Number.parseInt(id.replace("-", "").slice(0, 12), 16), before_ms, 60_000)
    }
  }),
)

it.live("tables have comments, and constraints have names of their own", () =>
  Effect.gen(function* () {
    const { owner } = yield* unchanged
    const faults = yield* owner<{ readonly name: string }>`
      select relname::text as name from pg_class
      where relnamespace in ('public'::regnamespace, 'jobs'::regnamespace) and relkind in ('r', 'p', 'v')
        and not relispartition and obj_description(oid, 'pg_class') is null
        and not exists (select from pg_depend e where e.objid = pg_class.oid and e.deptype = 'e')
      union all
      select conname from pg_constraint where connamespace in ('public'::regnamespace, 'jobs'::regnamespace) and conname ~ '_check$|_(check|key|fkey)[0-9]+$'`
    assert.deepStrictEqual(faults, [])
  }),
)

const rowLevelSecurityTest = tagged(it.live, "attack/row-level-security")
rowLevelSecurityTest("the service owns nothing, creates nothing, and has no access to partitions", () =>
  Effect.gen(function* () {
    const { service } = yield* unchanged
    const [role] = yield* service<Record<string, unknown>>`
      select rolname as name, rolsuper, rolbypassrls, rolcreatedb, rolcreaterole,
        (select count(*)::int from pg_auth_members m where m.member = r.oid) as groups,
        (select count(*)::int from pg_shdepend d where d.refobjid = r.oid and d.deptype = 'o') as owned,
        has_database_privilege(r.oid, current_database(), 'create') as makes_schemas,
        (select array_agg(nspname::text) from pg_namespace n where has_schema_privilege(r.oid, n.oid, 'create')) as makes_in,
        (select count(*)::int from pg_class c where c.relispartition
          and has_table_privilege(r.oid, c.oid, 'select, insert, update, delete')) as partitions
      from pg_roles r where rolname = current_user`
    assert.deepStrictEqual(role, {
      name: "tentpole_service",
      rolsuper: false,
      rolbypassrls: false,
      rolcreatedb: false,
      rolcreaterole: false,
      groups: 0,
      owned: 0,
      makes_schemas: false,
      makes_in: null,
      partitions: 0,
    })
  }).pipe(Effect.scoped),
)
