// How fast a list and a blast's recipients are exported, how fast a blast is audited, and in how much memory: a worker's own
// parts on a PostgreSQL and a folder made for it.
// node --conditions=tentpole:source test/bench/exports.ts [contacts]
import { PgClient } from "@effect/sql-pg"
import { configuration } from "@tentpole/adapters/Configuration"
import { prepared } from "@tentpole/adapters/embedded/Prepare"
import { ports } from "@tentpole/adapters/FromConfig"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { fenced } from "@tentpole/adapters/postgres/kernel/Postgres"
import { audit } from "@tentpole/core/blasts/inspection/BlastAudit"
import { AuditStore } from "@tentpole/core/blasts/inspection/BlastAuditStore"
import type { ExportSubject } from "@tentpole/core/exports/Export"
import { Exports } from "@tentpole/core/exports/Exports"
import { BlastId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
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

/** A blast that everybody was sent, one in ten of whom opened it, with the timelines and events that tell of it. */
const send = Effect.fnUntraced(function* (workspace: WorkspaceId) {
  const sql = yield* PgClient.PgClient
  const [blast] = yield* fenced(sql)(
    workspace,
    Effect.gen(function* () {
      yield* sql`set local statement_timeout = 0`
      const made = yield* sql<{ readonly id: string }>`
        insert into blast (workspace_id, blast_id, name, name_folded, status, audience_list_id, audience_source, email_id,
          email_source, send_mode, approved_at, approved_email_version, approval_id, launched_at, audience_fixed_at,
          recipient_count, qualified_count, sent_at, created_at, updated_at)
        values (${workspace}, gen_random_uuid(), 'News', 'news', 'sent', gen_random_uuid(), 'existing', gen_random_uuid(),
          'existing', 'send_now', now(), 1, gen_random_uuid(), now(), now(), ${contacts}, ${contacts}, now(), now(), now())
        returning blast_id as id`
      yield* sql`
        insert into delivery (workspace_id, delivery_id, blast_id, contact_id, approval_id, email, email_normalized,
          email_domain, display_name, display_name_folded, operational, state, token, lease_until, due_at, smtp_reply,
          handed_over_at, sent_at, delivered_at, opened_at, created_at)
        select ${workspace}, uuidv7_or_v4(), ${made[0]?.id ?? ""}, c.contact_id, ${made[0]?.id ?? ""}, c.email, c.email_normalized,
          'example.com', c.display_name, c.display_name, false, 'sent', 1, now(), now(), '250 2.0.0 Ok: queued', now(), now(),
          now(), case when c.service_score < 10 then now() end, now()
        from contact c where c.workspace_id = ${workspace} order by c.contact_id`
      yield* sql`
        with told as (
          select contact_id, jsonb_build_object('blast_id', blast_id, 'recipient_id', delivery_id) as metadata
          from delivery where workspace_id = ${workspace}
        ),
        timeline as (
          insert into activity (workspace_id, contact_id, at, type, metadata)
          select ${workspace}, contact_id, now(), 'email_sent', metadata from told
        )
        insert into outbox_event (workspace_id, type, contact_id, at, data)
        select ${workspace}::uuid, 'email_sent', contact_id, now(), metadata from told`
      return made
    }),
  )
  return BlastId.make(blast?.id ?? "")
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

const mb = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`

/** Says how long `work` takes, on how much of a processor, and in how much memory. */
const timed = Effect.fnUntraced(function* <E, R>(what: string, work: Effect.Effect<number, E, R>) {
  const before = process.memoryUsage.rss()
  const [began_ms, used] = [performance.now(), process.cpuUsage()]
  const { done: rows, peak_bytes } = yield* withPeak(work)
  const taken_s = (performance.now() - began_ms) / 1000
  const { user, system } = process.cpuUsage(used)
  console.log(
    `${what}: ${rows} rows in ${taken_s.toFixed(1)} s, ${Math.round(rows / taken_s)} a second ` +
      `(${((user + system) / 1e6).toFixed(1)} s of processor), ` +
      `memory ${mb(before)} before, ${mb(peak_bytes)} at most`,
  )
})

const exported = Effect.fnUntraced(function* (workspace: WorkspaceId, subject: ExportSubject) {
  const exports = yield* Exports
  const { id } = yield* exports.begin(workspace, subject)
  yield* exports.run(workspace, id)
  const { record } = yield* exports.find(workspace, subject, id)
  return record.status === "completed" ? record.rowCount : 0
})

const audited = Effect.fnUntraced(function* (workspace: WorkspaceId, blast: BlastId) {
  const { holds, lines, recipients } = audit(yield* (yield* AuditStore).evidence(workspace, blast))
  if (!holds) console.log(lines.filter((line) => !line.holds))
  return recipients.reduce((sum, { count }) => sum + count, 0)
})

const bench = Effect.gen(function* () {
  const workspace = yield* (yield* Workspaces).create({ name: "Bench", slug: "bench" })
  yield* fill(workspace.id)
  const query = { page: 1, limit: 10, search: null, kind: "system" } as const
  const { items } = yield* (yield* ListStore).page(workspace.id, query)
  for (const { id: listId, name } of items) {
    yield* timed(name, exported(workspace.id, { kind: "list", listId, excludeUnsubscribed: false }))
  }
  const blastId = yield* send(workspace.id)
  for (const category of ["recipients", "opened"] as const) {
    yield* timed(`Blast, ${category}`, exported(workspace.id, { kind: "blast", blastId, category }))
  }
  yield* timed("Blast, audited", audited(workspace.id, blastId))
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
