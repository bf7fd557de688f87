// Flows go on in a database that was dumped and restored into a new server, whose transaction ids begin again. The embedded
// server has no pg_dump: the test copies all rows into a migrated database.
import { PgClient } from "@effect/sql-pg"
import { ownerStatements, start } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { day, flowLive, running } from "@tentpole/core/contract"
import { FlowEventRounds } from "@tentpole/core/flows/engine/FlowEvents"
import { Flows } from "@tentpole/core/flows/Flows"
import type { FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Outbox } from "@tentpole/core/kernel/changes/Outbox"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { postgresTimes } from "../../fixtures/FlowTimesOf.ts"
import { postgresOver } from "../../fixtures/Stores.ts"
import { clone, connectionsTo } from "../../support/TestDatabase.ts"

const flowsOver = (url: Redacted.Redacted) =>
  flowLive.pipe(Layer.provideMerge(Layer.provideMerge(postgresTimes, postgresOver(connectionsTo(url)))))

/** Statements of a superuser in one session. */
const superuser = <A, E>(url: Redacted.Redacted, statements: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(PgClient.PgClient, statements).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))

/** A server of its own with a migrated database, and the addresses of the superuser and of the owner. */
const newServer = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "tentpole-restored-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
  )
  const server = yield* start({ folder, durable: false, port: null })
  const prepared = [...ownerStatements(server.password), `create database restored owner ${server.owner}`]
  yield* superuser(server.superuserUrl, (sql) => Effect.forEach(prepared, (each) => sql.unsafe(each).unprepared))
  const at = (url: Redacted.Redacted) => Redacted.make(Redacted.value(url).replace(/\/[^/]*$/, "/restored"))
  yield* migrate(at(server.ownerUrl))
  return { superuserUrl: at(server.superuserUrl), ownerUrl: at(server.ownerUrl) }
})

interface Table {
  readonly name: string
  /** Without generated columns. */
  readonly columns: string
}

const tables = (sql: PgClient.PgClient) => sql<Table>`
  select format('%I.%I', n.nspname, c.relname) as name, string_agg(quote_ident(a.attname), ', ') as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where n.nspname in ('public', 'jobs') and c.relkind in ('r', 'p') and not c.relispartition
  group by 1`

/** Copies all rows and sequences, without triggers and foreign keys, as a restore does. */
const copy = (from: PgClient.PgClient, to: PgClient.PgClient) =>
  Effect.gen(function* () {
    yield* to`set session_replication_role = replica`
    for (const { columns, name } of yield* tables(from)) {
      const [all] = yield* from.unsafe<{ readonly rows: string }>(
        `select coalesce(jsonb_agg(to_jsonb(t)), '[]')::text as rows from ${name} t`,
      )
      yield* to.unsafe(`delete from ${name}`)
      yield* to.unsafe(
        `insert into ${name} (${columns}) overriding system value
         select ${columns} from jsonb_populate_recordset(null::${name}, $1::jsonb)`,
        [all?.rows],
      )
    }
    const sequences = yield* from<{ readonly name: string; readonly last: string | null }>`
      select format('%I.%I', schemaname, sequencename) as name, last_value::text as last from pg_sequences`
    for (const { last, name } of sequences) {
      if (last !== null) yield* to`select setval(${name}::regclass, ${last}::bigint)`
    }
  })

/** A flow that has read one event and not the next, another flow that is a draft, and a contact that no flow knows. */
const workspaceWithFlows = Effect.gen(function* () {
  const { person, started, takeNews, workspace } = yield* running()
  const stranger = yield* person("stranger")
  const active = yield* started([day("a", null)], { triggers: [{ type: "contact_created" }] })
  const draft = yield* started([day("a", null)], { triggers: [{ type: "contact_created" }] }, false)
  yield* person("read")
  yield* takeNews
  yield* person("unread")
  return { active, draft, stranger: stranger.id, workspace }
})

const waitingIn = (workspace: WorkspaceId, flow: FlowId) =>
  Effect.flatMap(Flows, (flows) => Effect.map(flows.get(workspace, flow), ({ tally }) => tally.waiting))

it.live.skipIf(inject("pgPooler") !== null)("flows read old and new events after a restore into a new server", () =>
  Effect.gen(function* () {
    const source = yield* clone("dumped")
    const sourceUrl = Redacted.make(`${inject("pgServer")}${new URL(Redacted.value(source)).pathname}`)
    // An old server: its transaction ids are greater than those of the new one.
    yield* superuser(
      sourceUrl,
      (sql) =>
        sql.unsafe("do $$ begin for i in 1..5000 loop perform pg_current_xact_id(); commit; end loop; end $$")
          .unprepared,
    )
    const { active, draft, stranger, workspace } = yield* Effect.provide(workspaceWithFlows, flowsOver(source))
    const target = yield* newServer
    yield* superuser(sourceUrl, (from) => superuser(target.superuserUrl, (to) => copy(from, to)))

    yield* Effect.gen(function* () {
      const { run } = yield* FlowEventRounds
      const outbox = yield* Outbox
      const { transact } = yield* Transactor
      const takeEvents = Effect.repeat(run(workspace), { while: (more) => more })
      yield* takeEvents
      assert.strictEqual(yield* waitingIn(workspace, active), 2, "the event before the dump")
      yield* Effect.flatMap(Flows, (flows) => flows.activate(workspace, draft))
      const event = { type: "contact_created", contactId: stranger, at: yield* DateTime.now, data: {} }
      yield* transact(outbox.append(workspace, [event]))
      yield* takeEvents
      assert.strictEqual(yield* waitingIn(workspace, active), 3, "the event after the restore")
      assert.strictEqual(yield* waitingIn(workspace, draft), 1, "the flow that was activated after the restore")
    }).pipe(Effect.provide(flowsOver(target.ownerUrl)))
  }).pipe(Effect.scoped),
)
