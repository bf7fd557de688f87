// Tests of retention over all tables that lose old rows: what is old is deleted, what is young stays, totals stay.
import { PgClient } from "@effect/sql-pg"
import { clone, forWorker, optionsOf } from "@tentpole/adapters/test/TestDatabase"
import * as Maintaining from "@tentpole/adapters/postgres/operations/Maintenance"
import * as Postgres from "@tentpole/adapters/postgres/kernel/Postgres"
import type { Retention } from "@tentpole/core/kernel/Settings"
import {
  activity_days_min,
  audit_days_min,
  delivery_days_min,
  event_days_min,
  flow_event_days_min,
  import_row_days_min,
  Maintenance,
  message_days_min,
  webhook_log_days_min,
} from "@tentpole/core/ports/Maintenance"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, References } from "effect"
import { insertions, loosen } from "./schema/Rows.ts"
import { tables } from "./schema/Tenancy.ts"

/** The shortest retention that the settings allow. */
const shortest: Retention = {
  activity_days: activity_days_min,
  audit_days: audit_days_min,
  delivery_days: delivery_days_min,
  flow_event_days: flow_event_days_min,
  import_row_days: import_row_days_min,
  event_days: event_days_min,
  webhook_log_days: webhook_log_days_min,
  message_days: message_days_min,
}

interface Rule {
  readonly relation: string
  readonly step: "day" | "month" | null
  readonly age_column: string
  readonly days_min: number
  readonly type: string
}

/** A migrated database without checks and references, its rules of retention, and the maintenance of a worker. */
const begin = Effect.gen(function* () {
  const url = yield* clone("retention")
  const owner = Context.get(yield* Layer.build(PgClient.layer({ url, maxConnections: 1 })), PgClient.PgClient)
  const { run } = Context.get(
    yield* Layer.build(Maintaining.layer.pipe(Layer.provide(Postgres.client(optionsOf(url))))),
    Maintenance,
  )
  yield* loosen(owner)
  const rules = yield* owner<Rule>`
    select r.relation, r.step, r.age_column, r.days_min, tentpole_age_type(r)::text as type from table_retention r
    order by relation`
  return { owner, rules, run }
})

/** One database for tests of different tables. */
const shared = forWorker(begin)

/** The value of the age column of a row that is `age` days old, as SQL. */
const agedOf: Readonly<Record<string, string>> = {
  "timestamp with time zone": "now() - make_interval(days => age)",
  date: "(now() at time zone 'UTC')::date - age",
  uuid: "overlay(tentpole_day_start('uuid', (now() at time zone 'UTC')::date - age) placing '7' || substr(gen_random_uuid()::text, 16) from 15)::uuid",
}

/** The age of a row in days, as SQL. */
const ageOf = ({ age_column, type }: Rule): string =>
  ({
    "timestamp with time zone": `extract(day from now() - ${age_column})::int`,
    date: `(now() at time zone 'UTC')::date - ${age_column}`,
    uuid: `(now() at time zone 'UTC')::date - to_timestamp(('x' || replace(left(${age_column}::text, 13), '-', ''))::bit(48)::bigint / 1000)::date`,
  })[type] ?? assert.fail(type)

/** Days by which a row may be older than its retention: the length of its partition. */
const slackOf = { day: 2, month: 32 } as const

const oldestOf = ({ days_min, step }: Rule): number => days_min + (step === null ? 1 : slackOf[step])

/** Past partitions, as maintenance created them at that time, but the one before last: its rows are in the default partition. */
const createPast = (owner: PgClient.PgClient, { relation, step, type }: Rule, count: number) =>
  owner.unsafe(`do $$
    declare
      first date;
    begin
      for ago in 2..${count} loop
        continue when ago = ${count - 1};
        first := date_trunc('${step}', now() at time zone 'UTC') - ago * interval '1 ${step}';
        execute format('create table %I partition of ${relation} for values from (%L) to (%L)',
          '${relation}_' || to_char(first, '${step === "month" ? "YYYY_MM" : "YYYY_MM_DD"}'),
          tentpole_day_start('${type}', first), tentpole_day_start('${type}', (first + interval '1 ${step}')::date));
      end loop;
    end $$`)

const [mine, theirs] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"]

it.live("rows beyond the retention of their table are deleted, younger rows and all other tables stay", () =>
  Effect.gen(function* () {
    const { owner, rules, run } = yield* begin
    const all = (yield* tables(owner)).map(({ name }) => name)
    const insertion = yield* insertions(owner, all)
    const expiring = new Set(rules.map(({ relation }) => relation))
    // These have the rows that the migration inserts.
    const filled = new Set(["plan", "schema_migration", "service_epoch"])
    const others = all.filter((name) => !expiring.has(name) && !filled.has(name))
    yield* owner.unsafe(
      `do $$ begin ${others.map((table) => insertion(table, mine, {}, "on conflict do nothing")).join("; ")}; end $$`,
    )
    for (const rule of rules) {
      if (rule.step !== null) yield* createPast(owner, rule, 5)
      for (const workspace of [mine, theirs]) {
        const ages = `from generate_series(-1, ${rule.days_min + 190}) as age on conflict do nothing`
        yield* owner.unsafe(insertion(rule.relation, workspace, { [rule.age_column]: agedOf[rule.type] ?? "" }, ages))
      }
    }
    const agesOf = (rule: Rule) =>
      Effect.map(
        owner.unsafe<{ readonly age: number; readonly rows: number }>(
          `select ${ageOf(rule)} as age, count(*)::int as rows from ${rule.relation} group by 1 order by 1`,
        ),
        (rows) => new Map(rows.map(({ age, rows: count }) => [age, count])),
      )
    const before = new Map<string, ReadonlyMap<number, number>>()
    for (const rule of rules) before.set(rule.relation, yield* agesOf(rule))
    const countOthers = owner.unsafe(
      others.map((table) => `select '${table}' as name, count(*)::int as rows from ${table}`).join(" union all "),
    )
    const othersBefore = yield* countOthers

    yield* run(shortest)

    for (const rule of rules) {
      const left = yield* agesOf(rule)
      const old = [...left.keys()].filter((age) => age > oldestOf(rule))
      assert.deepStrictEqual(old, [], `${rule.relation}: rows that are too old`)
      for (const [age, count] of before.get(rule.relation) ?? []) {
        if (age < rule.days_min) assert.strictEqual(left.get(age), count, `${rule.relation}: rows of ${age} days`)
      }
    }
    assert.deepStrictEqual(yield* countOthers, othersBefore)
  }).pipe(Effect.scoped),
)

it.live("rows of every workspace are deleted, also after the thousandth", () =>
  Effect.gen(function* () {
    const { owner, run } = yield* shared
    const insertion = yield* insertions(owner, ["outbox_event", "idempotency_key"])
    const old = "now() - interval '9 days'"
    const workspaces = { workspace_id: "gen_random_uuid()" }
    const from = "from generate_series(1, 1200)"
    yield* owner.unsafe(insertion("outbox_event", mine, { ...workspaces, recorded_at: old }, from))
    yield* owner.unsafe(insertion("idempotency_key", mine, { ...workspaces, expires_at: old }, from))
    yield* run(shortest)
    const [left] = yield* owner<{ readonly rows: number }>`
      select (select count(*)::int from outbox_event) + (select count(*)::int from idempotency_key) as rows`
    assert.strictEqual(left?.rows, 0)
  }),
)

it.live("a table that fails does not stop maintenance of the others", () =>
  Effect.gen(function* () {
    const { owner, rules, run } = yield* begin
    const insertion = yield* insertions(owner, ["audit_entry"])
    yield* owner.unsafe(insertion("audit_entry", mine, { at: "now() - interval '999 days'" }))
    yield* owner`update table_retention set age_column = 'missing' where relation < 'audit_entry'`
    yield* owner`insert into table_retention (relation, step, age_column, days_min) values ('absent', 'day', 'at', 0)`
    assert.include(
      rules.map(({ relation }) => relation),
      "activity",
    )
    yield* run(shortest).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
    assert.deepStrictEqual(yield* owner`select 1 from audit_entry`, [])
  }).pipe(Effect.scoped),
)

it.live("a partition with rows that are still needed is not dropped", () =>
  Effect.gen(function* () {
    const { owner, rules, run } = yield* shared
    const rule = rules.find(({ relation }) => relation === "delivery") ?? assert.fail("no rule")
    yield* createPast(owner, rule, 8)
    const insertion = yield* insertions(owner, ["delivery", "delivery_queue"])
    const delivery_id = agedOf["uuid"] ?? ""
    yield* owner.unsafe(insertion("delivery", mine, { delivery_id }, "from generate_series(0, 210, 15) as age"))
    const months = (condition: string) =>
      owner.unsafe<{ readonly month: string }>(
        `select distinct tableoid::regclass::text as month from delivery where ${condition} order by month`,
      )
    const queued = yield* months(
      "delivery_id = (select delivery_id from delivery order by delivery_id offset 2 limit 1)",
    )
    yield* owner.unsafe(
      insertion(
        "delivery_queue",
        mine,
        { delivery_id: "delivery_id" },
        "from delivery order by delivery_id offset 2 limit 1",
      ),
    )
    yield* run(shortest)
    const old = yield* months("delivery_id < tentpole_day_start('uuid', (now() - interval '130 days')::date)::uuid")
    assert.deepStrictEqual(old, queued)
  }),
)

it.live("ids without a time are deleted by no retention", () =>
  Effect.gen(function* () {
    const { owner, run } = yield* shared
    const insertion = yield* insertions(owner, ["import_row"])
    const ids = ["01000000-0000-4000-8000-000000000000", "01000000-0000-7000-8000-000000000000"]
    for (const id of ids) yield* owner.unsafe(insertion("import_row", mine, { import_run_id: `'${id}'::uuid` }))
    yield* run(shortest)
    const left = yield* owner<{ readonly id: string }>`select import_run_id as id from import_row`
    assert.deepStrictEqual(
      left.map(({ id }) => id),
      ids.slice(0, 1),
    )
  }),
)

it.live("new partitions get the indexes that the table's rule names", () =>
  Effect.gen(function* () {
    const { owner, run } = yield* shared
    yield* owner`
      update table_retention set index_statements = array['create unique index on %s (workspace_id, position)']
      where relation = 'flow_event'`
    yield* owner.unsafe(`do $$ begin
      execute 'drop table flow_event_' || to_char((now() at time zone 'UTC') + interval '2 months', 'YYYY_MM');
    end $$`)
    yield* run(shortest)
    const indexes = yield* owner<{ readonly definition: string }>`
      select indexdef as definition from pg_indexes where tablename like 'flow_event%' and indexdef like '%(workspace_id, "position")'`
    assert.lengthOf(indexes, 1)
  }),
)
