// How fast a list is exported, and in how much memory: a worker's own parts on a PostgreSQL and a folder made for it.
// node --conditions=tentpole:source test/bench/exports.ts [contacts]
import { PgClient } from "@effect/sql-pg"
import { configuration } from "@tentpole/adapters/Configuration"
import { prepared } from "@tentpole/adapters/embedded/Prepare"
import { ports } from "@tentpole/adapters/FromConfig"
import { migrate } from "@tentpole/adapters/postgres/Migrate"
import { fenced } from "@tentpole/adapters/postgres/Postgres"
import type { WorkspaceId } from "@tentpole/core/Ids"
import { ListExports } from "@tentpole/core/lists/ListExports"
import { ListStore } from "@tentpole/core/lists/ListStore"
import { useCases } from "@tentpole/core/Tentpole"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect, Layer, Redacted, Schedule } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const contacts = Number(process.argv[2] ?? 1_000_000)

/** People with most of their fields filled, text that must be quoted, and four custom fields. */
const fill = Effect.fnUntraced(function* (workspace: WorkspaceId) {
  const sql = yield* PgClient.PgClient
  const custom = ["note", "size", "vip", "born"]
  yield* fenced(sql)(
    workspace,
    Effect.gen(function* () {
      yield* sql`set local statement_timeout = 0`
      yield* sql`
        insert into contact_field (workspace_id, field_definition_id, api_name, display_name, value_type, is_editable, status,
          management_mode, provenance_kind, show_in_people_list_default, created_at, updated_at)
        select ${workspace}, gen_random_uuid(), name, name, 'string', true, 'active', 'org_managed', 'api', false, now(), now()
        from unnest(${custom}::text[]) as name`
      yield* sql`
        insert into contact (workspace_id, contact_id, display_name, first_name, last_name, company, job_title, city, country,
          email, email_normalized, phone, address, zip_code, lead_status, service_score, unsubscribed, marketing_email_invalid,
          marketing_email_subscribed, original_source, custom_fields, created_at, updated_at, last_activity_at)
        select ${workspace}, uuidv7_or_v4(), 'Person ' || n, 'Person', 'Of, Rome', 'Company ' || n % 997, 'Engineer', 'Rome',
          'Italy', 'p' || n || '@example.com', 'p' || n || '@example.com', '+1415' || (1000000 + n), n || ' Main Street',
          '00100', 'open', n % 100, n % 10 = 0, false, true, 'import',
          jsonb_build_object('note', 'says "hello" ' || n, 'size', n % 50, 'vip', n % 2 = 0, 'born', '1990-05-01'),
          now(), now(), now()
        from generate_series(1, ${contacts}::int) n`
    }),
  )
})

/** The largest memory of this process while `work` is done, looked at ten times a second. */
const withPeak = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  let peak_bytes = 0
  const look = Effect.sync(() => {
    peak_bytes = Math.max(peak_bytes, process.memoryUsage.rss())
  })
  const looking = Effect.andThen(Effect.repeat(look, Schedule.spaced("100 millis")), Effect.never)
  const done = yield* Effect.raceFirst(work, looking)
  return { done, peak_bytes }
})

const bench = Effect.gen(function* () {
  const workspace = yield* (yield* Workspaces).create({ name: "Bench", slug: "bench" })
  yield* fill(workspace.id)
  const exports = yield* ListExports
  const query = { page: 1, limit: 10, search: null, kind: "system" } as const
  const { items } = yield* (yield* ListStore).page(workspace.id, query)
  for (const list of items) {
    const { id } = yield* exports.begin(workspace.id, list.id, { excludeUnsubscribed: false })
    const before = process.memoryUsage.rss()
    const [began_ms, used] = [performance.now(), process.cpuUsage()]
    const { peak_bytes } = yield* withPeak(exports.run(workspace.id, id))
    const taken_s = (performance.now() - began_ms) / 1000
    const { user, system } = process.cpuUsage(used)
    const { listExport } = yield* exports.find(workspace.id, list.id, id)
    const rows = listExport.status === "completed" ? listExport.rowCount : 0
    const mb = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`
    console.log(
      `${list.name}: ${rows} contacts in ${taken_s.toFixed(1)} s, ${Math.round(rows / taken_s)} a second ` +
        `(${((user + system) / 1e6).toFixed(1)} s of processor), ` +
        `memory ${mb(before)} before, ${mb(peak_bytes)} at most`,
    )
  }
})

const folder = mkdtempSync(join(tmpdir(), "tentpole-bench-"))
const main = Effect.gen(function* () {
  const { ownerUrl } = yield* prepared({ folder, durable: true, port: null })
  yield* migrate(ownerUrl)
  const environment = { DATABASE_URL: Redacted.value(ownerUrl), DATA_DIR: folder }
  const config = yield* Effect.fromResult(configuration(environment))
  const worker = useCases.pipe(Layer.provideMerge(ports(config, { name: "bench", connections_max: 12 })))
  yield* bench.pipe(Effect.provide(worker))
}).pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true, force: true }))))

await Effect.runPromise(main)
