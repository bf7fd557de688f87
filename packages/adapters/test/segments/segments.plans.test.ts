// The performance of segments of a million contacts on PostgreSQL: conditions use indexes behind the fence, and numbers have
// columns.
import { PgClient } from "@effect/sql-pg"
import { countingCondition } from "@tentpole/adapters/postgres/segments/SegmentCounts"
import { ruleCondition } from "@tentpole/adapters/postgres/segments/RuleSql"
import { LongReads, Reads } from "@tentpole/adapters/postgres/kernel/Postgres"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { recount } from "@tentpole/adapters/test/Recount"
import { assert, layer } from "@effect/vitest"
import { isDeliveryActivity, type RuleActivityType, ruleActivityTypes } from "@tentpole/core/contacts/Activity"
import { Contacts } from "@tentpole/core/contacts/Contacts"
import { CustomFields } from "@tentpole/core/contacts/CustomFields"
import { Fresh, tagged } from "@tentpole/core/contract"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { ActivityCondition, RuleCondition, RuleTree } from "@tentpole/core/segments/RuleTree"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { postgres } from "../fixtures/Stores.ts"

const useCases = Layer.mergeAll(Contacts.layer, CustomFields.layer).pipe(Layer.provideMerge(postgres))

const begin = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const contacts = yield* Contacts
  const fields = yield* CustomFields
  const workspace = yield* (yield* Fresh).workspace()
  const run = fenced(sql)
  const add = (items: ReadonlyArray<unknown>, id: WorkspaceId = workspace) =>
    contacts.upsert({ id, defaultCountry: "US" }, items)
  const define = (wanted: ReadonlyArray<readonly [apiName: string, valueType: "number" | "date" | "string"]>) =>
    fields.create(
      workspace,
      wanted.map(([apiName, valueType]) => ({
        apiName,
        displayName: apiName,
        valueType,
        isEditable: true,
        description: null,
        showInPeopleListDefault: false,
      })),
      (index) => `items.${index}.`,
    )
  return { sql, workspace, run, add, define }
})

layer(useCases, { excludeTestServices: true })("the fenced view of contacts", (it) => {
  const rowLevelSecurityTest = tagged(it.effect, "attack/row-level-security")
  rowLevelSecurityTest("shows the contacts of the current workspace, and no contact without one", () =>
    Effect.gen(function* () {
      const { sql, workspace, run, add } = yield* begin
      const other = yield* (yield* Fresh).workspace()
      yield* add([{ email: "ann@x.test" }])
      yield* add([{ email: "bob@x.test" }], other)
      const seen = sql<{ readonly email: string }>`select email from fenced_contact`
      assert.deepStrictEqual(yield* run(workspace, seen), [{ email: "ann@x.test" }])
      assert.deepStrictEqual(yield* run(other, seen), [{ email: "bob@x.test" }])
      assert.deepStrictEqual(yield* seen, [])
      const denied = yield* Effect.flip(sql`delete from fenced_contact`)
      assert.strictEqual(denied.reason._tag, "AuthorizationError")
    }),
  )

  it.effect("lets conditions use an index that row-level security prevents on the table", () =>
    Effect.gen(function* () {
      const { sql, workspace, run } = yield* begin
      yield* run(
        workspace,
        sql`
          insert into contact (workspace_id, contact_id, phone, company, company_folded, custom_fields_folded, number_3,
            unsubscribed, marketing_email_invalid, created_at, updated_at)
          select ${workspace}, gen_random_uuid(), i::text, md5(i::text), md5(i::text), jsonb_build_object('plan', md5(i::text), 'tags', jsonb_build_array(md5(i::text), 'all')),
            i, false, false, now(), now() from generate_series(1, 20000) as i`,
      )
      yield* run(workspace, sql.unsafe(recount, [workspace]))
      yield* sql`select tentpole_statistics()`
      const plan = (from: string, condition: string) =>
        run(
          workspace,
          Effect.gen(function* () {
            // Otherwise the planner would scan so few rows.
            yield* sql`select set_config('enable_seqscan', 'off', true)`
            const lines = yield* sql<{ readonly "QUERY PLAN": string }>`
              explain select 1 from ${sql.literal(from)} c
              where c.workspace_id = ${sql.literal(`'${workspace}'`)} and ${sql.literal(condition)}`
            return lines.map((line) => line["QUERY PLAN"]).join("\n")
          }),
        )
      for (const [condition, index] of [
        ["c.company_folded like '%d41d8cd98f%'", "contact_searched"],
        [`c.custom_fields_folded @> '{"plan":"d41d8cd98f00b204e9800998ecf8427e"}'`, "contact_custom"],
        [`c.custom_fields_folded @> '{"tags":["d41d8cd98f00b204e9800998ecf8427e"]}'`, "contact_custom"],
        [
          `(c.custom_fields_folded @> '{"tags":["a"]}' or c.custom_fields_folded @> '{"tags":["b"]}')`,
          "contact_custom",
        ],
        ["c.number_3 > 19990", "contact_number_3"],
      ] as const) {
        assert.match(yield* plan("fenced_contact", condition), new RegExp(`Index (Only )?Scan.* ${index}`), condition)
      }
      assert.notMatch(yield* plan("contact", "c.company_folded like '%d41d8cd98f%'"), /contact_searched/)
    }),
  )
})

layer(useCases, { excludeTestServices: true })("indexed columns of custom fields", (it) => {
  it.effect("are assigned to number and date fields in order, while columns are free", () =>
    Effect.gen(function* () {
      const { sql, workspace, run, define } = yield* begin
      yield* define([
        ["word", "string"],
        ["size", "number"],
      ])
      yield* define([["born", "date"], ...Array.from({ length: 11 }, (_, at) => [`n${at}`, "number"] as const)])
      const rows = yield* run(
        workspace,
        sql<{ readonly api_name: string; readonly number_column: number | null }>`
          select api_name, number_column from contact_field where workspace_id = ${workspace}`,
      )
      const lent = new Map(rows.map((row) => [row.api_name, row.number_column]))
      assert.deepStrictEqual(
        ["word", "size", "born", "n0", "n9", "n10"].map((name) => lent.get(name)),
        [null, 1, 2, 3, 12, null],
      )
    }),
  )

  it.effect("reuse the plans of their statements instead of planning each batch", () =>
    Effect.gen(function* () {
      const { sql, add, define } = yield* begin
      yield* define([["score", "number"]])
      const batch = (round: number) => [
        { email: "ann@x.test", company: `Lindqvist ${round}`, custom_fields: { score: round } },
      ]
      yield* Effect.forEach(
        Array.from({ length: 12 }, (_, round) => batch(round)),
        (items) => add(items),
      )
      const kept = yield* sql<{ readonly generic: number }>`
        select generic_plans::int as generic from pg_prepared_statements
        where statement like '%insert into contact%on conflict%' and parameter_types <> '{}'`
      assert.isAbove(Math.max(0, ...kept.map(({ generic }) => generic)), 0)
    }),
  )

  it.effect("equal the JSON after every change", () =>
    Effect.gen(function* () {
      const { sql, workspace, run, add, define } = yield* begin
      yield* define([
        ["size", "number"],
        ["born", "date"],
      ])
      const columns = run(
        workspace,
        sql<{ readonly number_1: number | null; readonly number_2: number | null; readonly number_3: number | null }>`
          select number_1, number_2, number_3 from contact where workspace_id = ${workspace}`,
      )
      const write = (custom_fields: unknown) => add([{ email: "ann@x.test", custom_fields }])
      yield* write({ size: 41.5, born: "1969-12-31" })
      assert.deepStrictEqual(yield* columns, [{ number_1: 41.5, number_2: -86_400_000, number_3: null }])
      yield* write({ born: "1970-01-01T00:00:01.500Z" })
      assert.deepStrictEqual(yield* columns, [{ number_1: 41.5, number_2: 1_500, number_3: null }])
      yield* define([["later", "number"]])
      yield* write({ size: null, later: -7 })
      assert.deepStrictEqual(yield* columns, [{ number_1: null, number_2: 1_500, number_3: -7 }])
    }),
  )
})

layer(useCases, { excludeTestServices: true })("reads on the pools", (it) => {
  for (const kind of ["quick", "long"] as const) {
    const rowLevelSecurityTest = tagged(it.effect, "attack/row-level-security")
    rowLevelSecurityTest(`${kind} reads see only their workspace, whatever ran on the connection before`, () =>
      Effect.gen(function* () {
        const { workspace, add } = yield* begin
        const other = yield* (yield* Fresh).workspace()
        yield* add([{ email: "ann@x.test" }])
        yield* add([{ email: "bob@x.test" }], other)
        const { read } = kind === "quick" ? yield* Reads : yield* LongReads
        const seen = (id: WorkspaceId) =>
          read(id, (sql) =>
            Effect.map(
              Effect.all([sql<{ email: string }>`select pg_sleep(0.002), email from fenced_contact`, sql`select 1`]),
              ([rows]) => rows.map(({ email }) => email),
            ),
          )
        const failing = (id: WorkspaceId) => Effect.exit(read(id, (sql) => sql`select 1 / 0`))
        const stopped = (id: WorkspaceId) =>
          Effect.timeoutOption(
            read(id, (sql) => sql`select pg_sleep(10)`),
            "5 millis",
          )
        // Six concurrent reads on two connections.
        const answers = yield* Effect.forEach(
          Array.from({ length: 30 }, (_, index) => index),
          (index) => {
            const id = index % 3 === 0 ? other : workspace
            if (index % 7 === 6) return Effect.as(failing(id), null)
            if (index % 7 === 3) return Effect.as(stopped(id), null)
            return Effect.map(seen(id), (emails) => ({ id, emails }))
          },
          { concurrency: 6 },
        )
        for (const answer of answers) {
          if (answer === null) continue
          assert.deepStrictEqual(answer.emails, [answer.id === other ? "bob@x.test" : "ann@x.test"])
        }
      }),
    )
  }

  it.effect("quick reads use the open transaction, long reads never do", () =>
    Effect.gen(function* () {
      const { workspace, add } = yield* begin
      const [quick, long] = [yield* Reads, yield* LongReads]
      const { transact } = yield* Transactor
      const count = (sql: PgClient.PgClient) => Effect.map(sql`select email from fenced_contact`, (rows) => rows.length)
      const seen = yield* transact(
        Effect.andThen(
          add([{ email: "ann@x.test" }]),
          Effect.all([quick.read(workspace, count), long.read(workspace, count)]),
        ),
      )
      assert.deepStrictEqual(seen, [1, 0])
    }),
  )
})

const company = (value: string): RuleCondition => ({
  kind: "condition",
  source: "contact",
  field: "company",
  operator: "contains",
  value,
})
const clicked: ActivityCondition = {
  kind: "condition",
  source: "activity",
  activityType: "email_clicked",
  operator: "has_activity",
  timeWindow: { amount: 30, unit: "day" },
}
const opened: ActivityCondition = { ...clicked, activityType: "email_opened" }
const all = (...conditions: RuleTree["conditions"]): RuleTree => ({ kind: "group", operator: "and", conditions })
const any = (...conditions: RuleTree["conditions"]): RuleTree => ({ kind: "group", operator: "or", conditions })

layer(useCases, { excludeTestServices: true })("the count of a rule tree", (it) => {
  it.effect("starts from the smaller set: contacts with the activity, or contacts that match the fields", () =>
    Effect.gen(function* () {
      const { sql, workspace, run } = yield* begin
      yield* run(
        workspace,
        sql`
          insert into contact (workspace_id, contact_id, phone, company, company_folded, unsubscribed,
            marketing_email_invalid, created_at, updated_at)
          select ${workspace}, gen_random_uuid(), i::text, md5(i::text), md5(i::text), false, false, now(), now()
          from generate_series(1, 5000) as i`,
      )
      yield* run(workspace, sql.unsafe(recount, [workspace]))
      // All contacts opened, one in a hundred clicked.
      yield* run(
        workspace,
        sql`
          insert into activity (workspace_id, contact_id, at, type, metadata)
          select c.workspace_id, c.contact_id, now(), did.type, '{}' from contact c
          cross join (values ('email_opened', 1), ('email_clicked', 100)) as did (type, every)
          where c.workspace_id = ${workspace} and c.phone::int % did.every = 0`,
      )
      yield* sql`select tentpole_statistics()`
      const [database] = yield* sql<{ readonly name: string }>`select current_database() as name`
      const owner = PgClient.layer({ url: Redacted.make(`${inject("pgServer")}/${database?.name}`), maxConnections: 1 })
      // As autovacuum does at some time.
      yield* Effect.provide(
        Effect.flatMap(PgClient.PgClient, (client) => client`analyze activity`),
        owner,
        { local: true },
      )
      const long = yield* LongReads
      const reading = { fields: [], now: yield* DateTime.now }
      const way = (tree: RuleTree) =>
        long.read(workspace, (client) =>
          Effect.map(countingCondition(client, workspace, tree, reading), (condition) =>
            client`${condition}`.compile()[0].includes("any(array(") ? "by who did it" : "one by one",
          ),
        )
      assert.strictEqual(yield* way(all(clicked)), "by who did it")
      assert.strictEqual(yield* way(all(clicked, company("a"))), "by who did it")
      assert.strictEqual(yield* way(all(opened, company("d41d8cd98f"))), "one by one")
      assert.strictEqual(yield* way(any(clicked, company("a"))), "one by one")
    }),
  )

  it.effect("reads only the table that has the type of activity", () =>
    Effect.gen(function* () {
      const { sql, workspace } = yield* begin
      const reading = { fields: [], now: yield* DateTime.now }
      const read = (activityType: RuleActivityType) => {
        const [text] = sql`${ruleCondition(sql, workspace, all({ ...clicked, activityType }), reading)}`.compile()
        return ["activity", "delivery"].filter((table) => new RegExp(`from ${table}\\s`).test(text))
      }
      for (const type of ruleActivityTypes) {
        assert.deepStrictEqual(read(type), [isDeliveryActivity(type) ? "delivery" : "activity"], type)
      }
    }),
  )
})
