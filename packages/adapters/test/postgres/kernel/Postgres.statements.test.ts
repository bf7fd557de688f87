// Tests of the rules for statements, and of the functions of the schema against them.
import { assert, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit } from "effect"
import { Statement } from "effect/sql"
import { globSync, readFileSync } from "node:fs"
import { checkStatements, tenantTables } from "../../support/CheckedStatements.ts"
import { faultsOfStatement } from "../../support/StatementRules.ts"
import { clients } from "../../support/TestDatabase.ts"

const examples: ReadonlyArray<readonly [statement: string, ...faults: ReadonlyArray<string>]> = [
  ["select 1 from contact c where c.workspace_id = $1"],
  ["select 1 from contact where workspace_id = ($1)::uuid"],
  ["select 1 from plan p join workspace w on w.plan = p.plan"],
  ["select 1 from contact where email = $1", "contact has no workspace_id = parameter of its own"],
  [
    "select 1 from blast b join list l on l.workspace_id = b.workspace_id where b.workspace_id = $1",
    "list l has no workspace_id = parameter of its own",
  ],
  ["select 1 from blast b join list l on l.workspace_id = $1 and l.list_id = b.list_id where b.workspace_id = $2"],
  [
    "select (select count(*) from list_member m where m.list_id = l.list_id) from list l where l.workspace_id = $1",
    "list_member m has no workspace_id = parameter of its own",
  ],
  [
    "select 1 from blast where workspace_id = $1 union all select 1 from flow",
    "flow has no workspace_id = parameter of its own",
  ],
  [
    "delete from list_member m using list l where l.workspace_id = $1",
    "list_member m has no workspace_id = parameter of its own",
  ],
  ["select extract(epoch from due_at) from blast where workspace_id = $1 for update"],
  ["insert into list (workspace_id, name) values ($1, now_name) on conflict do nothing"],
  ["insert into list (name, workspace_id) select $2, $1::uuid from plan returning 1"],
  [
    "insert into list (workspace_id, name) select distinct on (name) $1, name from unnest($2) as g (name) on conflict do nothing",
  ],
  [
    "with a as (insert into list (workspace_id, name) select $1, name from unnest($2) as g (name)) select 1",
    "INSERT … SELECT of list without RETURNING: add returning 1",
  ],
  [
    "select advisory_lock('blast', b.id) from blast b where b.workspace_id = $1",
    "advisory_lock beside a table: read before",
  ],
  [
    "with a as (select 1) insert into list (workspace_id, name) select l.workspace_id, l.name from list l where l.workspace_id = $1 returning 1",
    "list gets a workspace_id that is not a parameter",
  ],
  [
    "with a as (delete from topic where workspace_id = $1 returning name) insert into list (workspace_id, name) select $1, name from a returning 1",
    "list reads another part: take its workspace_id from homeOf",
  ],
  [
    "with a as (delete from topic where workspace_id = $1 returning name) insert into list (workspace_id, id) select home.workspace_id, uuid_v7() from (select workspace_id from workspace_home where workspace_id = $2) as home cross join a returning 1",
    "uuid_v7 in an INSERT of list that reads another part: compute it in a part",
  ],
  ["insert into list (name) values ($1)", "list gets a workspace_id that is not a parameter"],
  ["select clock_timestamp() from blast where workspace_id = $1 and due_at < now()"],
  ["update due_work set due_at = clock_timestamp()"],
  ["update blast set sent_at = now() where workspace_id = $1", "blast is written with now: use transactionTime"],
  [
    "update blast set at = case when $1 > 0 then $2::timestamptz + interval '1 s' end where workspace_id = $3",
    "interval in a case of a write of blast: compute it before",
  ],
  ["update blast set at = $1::timestamptz + interval '1 s' where workspace_id = $2"],
  [
    "insert into list as l (workspace_id) values ($1) on conflict (workspace_id) do update set id = coalesce(l.id, gen_random_uuid())",
    "gen_random_uuid in a coalesce of a write of list: compute it before",
    "gen_random_uuid in ON CONFLICT of list: compute it before",
  ],
  [
    "insert into list as l (workspace_id) values ($1) on conflict (workspace_id) do update set n = (select 1)",
    "a sub-select in ON CONFLICT of list: read before",
  ],
  ["-- from contact\n select '$1 from contact' as \"from contact\""],
]

it("reports what a distributed database refuses, and nothing else", () => {
  for (const [statement, ...faults] of examples) {
    assert.deepStrictEqual(faultsOfStatement(statement, tenantTables), faults, statement)
  }
})

it("knows the tables of workspaces", () => {
  assert.isAbove(tenantTables.size, 50)
  assert.isTrue(tenantTables.has("delivery_queue"))
})

it.live("a statement of a store that breaks a rule is a defect in the tests", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const run = Effect.exit(sql`select 1 from delivery_queue`)
    assert.isTrue(Exit.isSuccess(yield* run), "of a test")
    const failed = yield* Effect.provideService(
      run,
      Statement.CurrentTransformer,
      checkStatements(() => true),
    )
    assert.include(String(Exit.isFailure(failed) ? failed.cause : failed), "delivery_queue has no workspace_id")
  }).pipe(Effect.provide(clients)),
)

/** They read or delete rows of all workspaces. */
const ofOperators = /^tentpole_/

it("functions of the schema keep the rules", () => {
  const folder = `${import.meta.dirname}/../../../src/postgres/migrations/baseline/`
  const functions = globSync("*.sql", { cwd: folder })
    .flatMap((path) =>
      readFileSync(folder + path, "utf8")
        .replace(/--.*/g, "")
        .split(/^create /m),
    )
    .flatMap((text) => {
      const [, name, header = "", body] = /^function (\w+)(\(.*?)\$\$(.*?)\$\$/s.exec(text) ?? []
      return name === undefined || body === undefined || ofOperators.test(name) ? [] : [{ name, header, body }]
    })
  assert.isAbove(functions.length, 5)
  const faults = functions.flatMap(({ body, header, name }) => {
    const [, declared = "", statements = body] = /^\s*declare(.*?)\bbegin\b(.*)$/s.exec(body) ?? []
    const variables = `${header} ${declared}`
    const parameters = new Set(variables.match(/\w+/g))
    const intervals = Array.from(variables.matchAll(/(\w+) interval\b/g), ([, variable = ""]) => variable)
    return intervals
      .reduce((text, variable) => text.replaceAll(new RegExp(`\\b${variable}\\b`, "g"), "interval"), statements)
      .split(";")
      .map((statement) => /\b(?:with|select|insert|update|delete)\b.*/s.exec(statement)?.[0] ?? "")
      .flatMap((statement) => faultsOfStatement(statement, tenantTables, parameters))
      .map((fault) => `${name}: ${fault}`)
  })
  assert.deepStrictEqual(faults, [])
})
