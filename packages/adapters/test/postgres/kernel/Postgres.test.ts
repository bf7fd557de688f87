// Tests of database sessions: the fence of reads, the settings of the login behind a pooler, and errors of the server.
import { PgClient } from "@effect/sql-pg"
import * as Postgres from "@tentpole/adapters/postgres/kernel/Postgres"
import * as Transactions from "@tentpole/adapters/postgres/kernel/Transactor"
import { lackingSettings, sessionSettings } from "@tentpole/adapters/postgres/kernel/Session"
import { assert, it } from "@effect/vitest"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { waiting_share_max } from "@tentpole/core/kernel/runtime/FairLimit"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Predicate } from "effect"
import { SqlError } from "effect/sql"
import { clone, optionsOf } from "../../support/TestDatabase.ts"

const workspace = WorkspaceId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11")
const timeout_ms = 200

/** One connection, and long reads over it with a short statement timeout. */
const single = Effect.gen(function* () {
  const url = yield* clone()
  const one = Postgres.client({ ...optionsOf(url), connections_max: 1 })
  const built = yield* Layer.build(Layer.provideMerge(Postgres.longReadsOver(timeout_ms), one))
  return { url, sql: Context.get(built, PgClient.PgClient), long: Context.get(built, Postgres.LongReads) }
})

interface Settings {
  readonly workspace: string | null
  readonly timeout: string
  readonly role: string
}

const settings = (sql: PgClient.PgClient) =>
  Effect.map(
    sql<Settings>`select nullif(current_setting('tentpole.workspace_id', true), '') as workspace,
      current_setting('statement_timeout') as timeout, current_user as role`,
    ([row]) => row,
  )

it.live("a connection keeps neither workspace nor timeout of a read", () =>
  Effect.gen(function* () {
    const { long, sql } = yield* single
    const role = "tentpole_service"
    assert.deepStrictEqual(yield* long.read(workspace, settings), { workspace, timeout: "200ms", role })
    assert.deepStrictEqual(yield* settings(sql), { workspace: null, timeout: "1min", role })
  }).pipe(Effect.scoped),
)

it.live("fenced statements run under the service's role, whatever the login's role is", () =>
  Effect.gen(function* () {
    const asOwner = PgClient.layer({ url: yield* clone(), maxConnections: 1 })
    const built = yield* Layer.build(Layer.provideMerge(Transactions.layer, asOwner))
    const sql = Context.get(built, PgClient.PgClient)
    const { transact } = Context.get(built, Transactor)
    const seen = yield* transact(Postgres.fencedWrites(sql)(workspace, settings(sql)))
    assert.deepInclude(seen, { workspace, role: "tentpole_service" })
    assert.deepInclude(yield* settings(sql), { workspace: null, role: "tentpole_owner" })
  }).pipe(Effect.scoped),
)

it.live("writes outside a transaction do not run", () =>
  Effect.gen(function* () {
    const asOwner = PgClient.layer({ url: yield* clone(), maxConnections: 1 })
    const sql = Context.get(yield* Layer.build(asOwner), PgClient.PgClient)
    // `test/misuses.ts`: without this assertion it does not compile.
    const outside = Postgres.fencedWrites(sql)(workspace, settings(sql)) as Effect.Effect<unknown>
    assert.isTrue(Exit.isFailure(yield* Effect.exit(outside)))
  }).pipe(Effect.scoped),
)

it.live("unfenced reads use a connection for reading, or that of the open transaction", () =>
  Effect.gen(function* () {
    const options = { ...optionsOf(yield* clone()), connections_max: 2 }
    const built = yield* Layer.build(Layer.provideMerge(Transactions.layer, Postgres.connections(options)))
    const sql = Context.get(built, PgClient.PgClient)
    const { unfenced } = Context.get(built, Postgres.Reads)
    const session = (client: PgClient.PgClient) => client<{ readonly pid: number }>`select pg_backend_pid() as pid`
    const alone = Effect.provideService(unfenced(session), Postgres.OpenTransaction, undefined)
    const [inside, writing, outside] = yield* Context.get(built, Transactor).transact(
      Effect.all([unfenced(session), Effect.orDie(session(sql)), alone]),
    )
    assert.deepStrictEqual(inside, writing)
    assert.notDeepEqual(outside, writing)
  }).pipe(Effect.scoped),
)

it.live("a login that lacks the session's settings gets statements that make them its defaults", () =>
  Effect.gen(function* () {
    const url = yield* clone()
    const wanted = sessionSettings(15_000)
    const connected = Effect.map(Layer.build(Layer.fresh(PgClient.layer({ url, maxConnections: 1 }))), (built) =>
      Context.get(built, PgClient.PgClient),
    )
    const sql = yield* connected
    const statements = yield* lackingSettings(sql, wanted)
    assert.lengthOf(statements, Object.keys(wanted).length - 1)
    for (const each of statements) yield* sql.unsafe(each).unprepared
    assert.isEmpty(yield* lackingSettings(yield* connected, wanted))
  }).pipe(Effect.scoped),
)

it.live("a workspace with many waiting long reads does not delay those of another", () =>
  Effect.gen(function* () {
    const { long } = yield* single
    const other = WorkspaceId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e12")
    const ended: Array<WorkspaceId> = []
    const wanted = [...Array.from({ length: 16 }, () => workspace), other]
    yield* Effect.forEach(
      wanted,
      (each) =>
        Effect.andThen(
          long.read(each, settings),
          Effect.sync(() => ended.push(each)),
        ),
      { concurrency: "unbounded" },
    )
    assert.isAtMost(ended.indexOf(other), 4)
  }).pipe(Effect.scoped),
)

it.live("a workspace whose queue of long reads is full is unavailable until one ends, but another one is served", () =>
  Effect.gen(function* () {
    const { long } = yield* single
    const other = WorkspaceId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e12")
    const [connected, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const held = Effect.andThen(Deferred.succeed(connected, undefined), Deferred.await(end))
    yield* Effect.forkChild(long.read(workspace, () => held))
    yield* Deferred.await(connected)
    const waiting = yield* Effect.replicateEffect(
      Effect.forkChild(long.read(workspace, settings), { startImmediately: true }),
      Postgres.long_share_max - 1 + waiting_share_max,
    )
    const refused = defectOf(yield* Effect.exit(long.read(workspace, settings)))
    assert.instanceOf(refused, Unavailable)
    assert.include(String(refused), "Too many searches and exports of this workspace wait")
    const served = yield* Effect.forkChild(long.read(other, settings), { startImmediately: true })
    yield* Deferred.succeed(end, undefined)
    for (const fiber of waiting) assert.strictEqual((yield* Fiber.join(fiber))?.workspace, workspace)
    assert.strictEqual((yield* Fiber.join(served))?.workspace, other)
  }).pipe(Effect.scoped),
)

const defectOf = (exit: Exit.Exit<unknown, unknown>): unknown =>
  Exit.isFailure(exit) ? Cause.squash(exit.cause) : assert.fail("it succeeded")

it.live("a statement that exceeds its timeout is unavailable, with the limit in its message", () =>
  Effect.gen(function* () {
    const { long } = yield* single
    const defect = defectOf(yield* Effect.exit(long.read(workspace, (sql) => sql`select pg_sleep(60)`)))
    assert.instanceOf(defect, Unavailable)
    assert.include(String(defect), "took longer than 0.2 s")
    assert.strictEqual((yield* long.read(workspace, settings))?.workspace, workspace)
  }).pipe(Effect.scoped),
)

it.live("an internal error of the server is a bug, not an unavailable database", () =>
  Effect.gen(function* () {
    const { long } = yield* single
    const broken = (sql: PgClient.PgClient) =>
      sql.unsafe("do $$ begin raise exception 'could not read block' using errcode = 'XX000'; end $$").unprepared
    const defect = defectOf(yield* Effect.exit(long.read(workspace, broken)))
    assert.isTrue(SqlError.isSqlError(defect) && Predicate.hasProperty(defect.reason.cause, "code"))
  }).pipe(Effect.scoped),
)
