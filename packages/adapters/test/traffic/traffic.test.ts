// The recorder of page views, and notifications of changed pages between processes.
import * as PageInvalidation from "@tentpole/adapters/postgres/tents/PageInvalidation"
import * as OutboxPostgres from "@tentpole/adapters/postgres/kernel/Outbox"
import * as PostgresTransactor from "@tentpole/adapters/postgres/kernel/Transactor"
import * as PublishedPagesPostgres from "@tentpole/adapters/postgres/tents/PublishedPages"
import * as TentStorePostgres from "@tentpole/adapters/postgres/tents/TentStore"
import * as WorkspaceStorePostgres from "@tentpole/adapters/postgres/workspaces/WorkspaceStore"
import { eventually, Fresh, seenView, settledMark, viewBatch } from "@tentpole/core/contract"
import { commonSettings } from "@tentpole/core/kernel/Settings"
import { Maintenance } from "@tentpole/core/ports/Maintenance"
import { type Ids, TentId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { publish, TentChange } from "@tentpole/core/tents/machine"
import { PublishedPages } from "@tentpole/core/tents/pages/PublishedPages"
import { TentStore } from "@tentpole/core/tents/TentStore"
import { Agents, header_length_max } from "@tentpole/core/traffic/Agents"
import { dayOf, daysUntil } from "@tentpole/core/traffic/Analytics"
import { TrafficStore, type ViewBatch } from "@tentpole/core/traffic/TrafficStore"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import type { Secrets } from "@tentpole/core/kernel/Secrets"
import { type RecorderOptions, ViewRecorder } from "@tentpole/core/traffic/ViewRecorder"
import type { PageVisit } from "@tentpole/core/traffic/ViewWriter"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { PgClient } from "@effect/sql-pg"
import { assert, it, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { inject } from "vitest"
import { ownClients } from "../support/TestDatabase.ts"
import { ids, ownPostgres, postgres, secrets } from "../fixtures/Stores.ts"

const agents = Layer.succeed(
  Agents,
  Agents.of({
    agentOf: ({ userAgent }) =>
      userAgent === "bot" ? null : { country: "CH", device: "desktop", browser: userAgent, os: "x" },
    siteOf: ({ referrer }) => referrer ?? "direct",
  }),
)

/** Today. Visitors of other days are deleted meanwhile. */
const now = DateTime.nowUnsafe()
const tent = TentId.make("3f0a1b52-9c1e-4d55-8a77-0123456789ab")
const visitOf = (workspaceId: WorkspaceId, over: Partial<PageVisit> = {}): PageVisit => ({
  workspaceId,
  tentId: tent,
  at: now,
  address: "203.0.113.1",
  userAgent: "Firefox",
  referrer: null,
  host: "a.test",
  ...over,
})

/** A recorder whose store can fail. `stop` ends it like the end of the process. */
const recording = Effect.fnUntraced(function* (options: Partial<RecorderOptions> = {}) {
  const store = yield* TrafficStore
  const workspace = yield* (yield* Fresh).workspace()
  const [tried, batches]: [Array<ViewBatch>, Array<ViewBatch>] = [[], []]
  let failures = 0
  const watched = TrafficStore.of({
    ...store,
    record: (of, batch) =>
      Effect.suspend(() => {
        tried.push(batch)
        return failures-- > 0
          ? Effect.die(new Unavailable({ part: "database" }))
          : Effect.tap(store.record(of, batch), () => Effect.sync(() => batches.push(batch)))
      }),
  })
  const recorded = ViewRecorder.layer({ batch_max: 10, linger_ms: 20, waiting_max: 1_000, ...options }).pipe(
    Layer.provide(Layer.merge(agents, Layer.succeed(TrafficStore, watched))),
    Layer.provide(Layer.succeedContext(yield* Effect.context<Ids | Secrets | Transactor>())),
  )
  const scope = yield* Scope.make()
  const recorder = yield* Effect.provide(ViewRecorder, yield* Layer.buildWithScope(recorded, scope))
  return {
    recorder,
    workspace,
    /** All attempts, and the batches that were written. */
    tried,
    batches,
    /** The number of views of each batch. */
    sizes: () => batches.map(({ sums }) => sums.find(({ dimension }) => dimension === "all")?.views),
    fail: (times: number) => {
      failures = times
    },
    stop: Scope.close(scope, Exit.void),
    counts: store.counts(workspace, tent, daysUntil(now, 1)),
  }
})

layer(postgres, { excludeTestServices: true })("the recorder of page views", (it) => {
  it.effect("views are written in batches, and those still waiting when the process ends are written too", () =>
    Effect.gen(function* () {
      const { recorder, workspace, sizes, stop, counts } = yield* recording({ linger_ms: 60_000 })
      for (let turn = 0; turn < 25; turn++) yield* recorder.record(visitOf(workspace))
      while (sizes().length < 2) yield* Effect.sleep("10 millis")
      assert.deepStrictEqual(sizes(), [10, 10])
      yield* stop
      assert.deepStrictEqual(sizes(), [10, 10, 5])
      const { visits, days } = yield* counts
      assert.deepStrictEqual([visits, days], [1, [{ day: dayOf(now), views: 25, submissions: 0 }]])
    }),
  )

  it.effect("bots are not counted, and a visitor is an address with a browser", () =>
    Effect.gen(function* () {
      const { recorder, workspace, stop, counts } = yield* recording()
      yield* recorder.record(visitOf(workspace))
      yield* recorder.record(visitOf(workspace, { userAgent: "bot" }))
      yield* recorder.record(visitOf(workspace, { userAgent: "Chrome" }))
      yield* recorder.record(visitOf(workspace, { address: "203.0.113.2" }))
      yield* stop
      const { visits, days } = yield* counts
      assert.deepStrictEqual([visits, days[0]?.views], [3, 3])
    }),
  )

  it.effect("a store that is unavailable for a moment loses no view", () =>
    Effect.gen(function* () {
      const { recorder, workspace, stop, fail, counts } = yield* recording()
      fail(2)
      for (let turn = 0; turn < 5; turn++) yield* recorder.record(visitOf(workspace))
      yield* stop
      assert.strictEqual((yield* counts).days[0]?.views, 5)
    }),
  )

  it.effect("a batch is retried under its id, without visitors that are already stored", () =>
    Effect.gen(function* () {
      const { recorder, workspace, batches, tried, stop, fail, counts } = yield* recording()
      fail(1)
      const others = { tentId: TentId.make("3f0a1b52-9c1e-4d55-8a77-0123456789ac"), address: "203.0.113.9" }
      for (let turn = 0; turn < 10; turn++) yield* recorder.record(visitOf(workspace))
      yield* Effect.repeat(Effect.sleep("10 millis"), { until: () => batches.length === 1 })
      for (const over of [{}, others, { userAgent: "Chrome" }]) yield* recorder.record(visitOf(workspace, over))
      yield* stop
      assert.deepStrictEqual(
        tried.map(({ id }) => id),
        [batches[0], ...batches].map((batch) => batch?.id),
      )
      assert.deepStrictEqual(
        batches.map(({ visitors }) => visitors.length),
        [1, 2],
      )
      const { visits, days } = yield* counts
      assert.deepStrictEqual([visits, days[0]?.views], [2, 12])
    }),
  )

  it.effect("visitors of an abandoned batch are in the next one", () =>
    Effect.gen(function* () {
      const { recorder, workspace, batches, tried, stop, fail, counts } = yield* recording()
      fail(6)
      yield* recorder.record(visitOf(workspace))
      yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => tried.length === 6 })
      yield* recorder.record(visitOf(workspace))
      yield* stop
      assert.strictEqual(batches.length, 1)
      const { visits, days } = yield* counts
      assert.deepStrictEqual([visits, days[0]?.views], [1, 1])
    }),
  )

  it.effect("headers are read up to a maximum length", () =>
    Effect.gen(function* () {
      const { recorder, workspace, batches, stop } = yield* recording()
      const long = "x".repeat(header_length_max)
      for (const end of ["", "y", "z".repeat(9_000)]) {
        yield* recorder.record(visitOf(workspace, { userAgent: `${long}${end}`, referrer: `${long}${end}` }))
      }
      yield* stop
      const views = batches.flatMap(({ newest }) => newest)
      assert.deepStrictEqual(
        views.map(({ browser, referrer }) => [browser, referrer]),
        [1, 2, 3].map(() => [long, long]),
      )
      assert.strictEqual(batches.flatMap(({ visitors }) => visitors).length, 1)
    }),
  )

  it.effect("views that arrive faster than they can be written are dropped without a wait", () =>
    Effect.gen(function* () {
      const { recorder, workspace, stop, counts } = yield* recording({ waiting_max: 20, linger_ms: 60_000 })
      for (let turn = 0; turn < 500; turn++) yield* recorder.record(visitOf(workspace))
      yield* stop
      const views = (yield* counts).days[0]?.views ?? 0
      assert.isAtLeast(views, 20)
      assert.isBelow(views, 500)
    }),
  )
})

/** These tests read pages only. */
const noEffects = Layer.succeed(ChangeWriter, { writeEffects: () => Effect.void })

/** One process with its own connections and page cache, over a shared database. */
const stores = Layer.mergeAll(
  PostgresTransactor.layer,
  OutboxPostgres.layer,
  TentStorePostgres.layer,
  PublishedPagesPostgres.layer,
  WorkspaceStorePostgres.layer,
).pipe(Layer.provide(Layer.merge(PageInvalidation.layer, noEffects)))
const process = Fresh.layer.pipe(Layer.provideMerge(stores), Layer.provideMerge(Layer.merge(ids, secrets)))

const published = Effect.gen(function* () {
  const fresh = yield* Fresh
  const store = yield* TentStore
  const { transact } = yield* Transactor
  const workspace = yield* fresh.workspace()
  const id = TentId.make(yield* fresh.id)
  const request = {
    prompt: "p",
    includeBrand: false,
    template: null,
    assetIds: [],
    reasoning: null,
    variables: {},
    aliasTurn: 1,
    autoPublish: false,
  }
  const named = { id, name: "n", createdByName: "a key", userId: null }
  const accepted = { ...named, idle: null, request, requestedAlias: null, now }
  yield* transact(store.apply(workspace, TentChange.accept(accepted)))
  const change = (decide: (before: Parameters<typeof TentChange.begin>[0]) => TentChange | null) =>
    transact(
      Effect.gen(function* () {
        const decided = decide(yield* store.lock(workspace, id))
        if (decided !== null) yield* store.apply(workspace, decided)
      }),
    )
  yield* change((before) => TentChange.begin(before, now))
  yield* change((before) => TentChange.complete(before, "<p>x</p>", "sample", now))
  const publishIt = transact(
    Effect.gen(function* () {
      const before = yield* store.lock(workspace, id)
      const facts = yield* store.lockPublishing(workspace, id, null)
      const context = { facts, html: "<p>x</p>", etagOf: () => "e", urlOf: () => "https://pages.example.org", now }
      const { change: decided } = yield* Effect.fromResult(publish(before, {}, context))
      if (decided !== null) yield* store.apply(workspace, decided)
    }),
  )
  return { workspace, publishIt, unpublishIt: change((before) => TentChange.unpublish(before, now)) }
})

/** Statements of a superuser, without row-level security. */
const owned = <Row extends object>(database: string, statements: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(statements).unprepared).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(`${inject("pgServer")}/${database}`), maxConnections: 1 })),
    Effect.orDie,
  )

it.live("a process is notified of pages that another one published, also after its connection was cut", () =>
  Effect.gen(function* () {
    const connections = yield* Layer.build(ownClients)
    const shared = Layer.succeedContext(connections)
    const other = yield* Layer.build(process.pipe(Layer.provide(shared), Layer.fresh))
    const here = yield* Layer.build(process.pipe(Layer.provide(shared), Layer.fresh))
    const { workspace, publishIt, unpublishIt } = yield* published.pipe(Effect.provide(other))
    const { version } = yield* Effect.provide(PublishedPages, here)
    const before = yield* settledMark(version(workspace))
    yield* publishIt
    yield* eventually(version(workspace), (now_) => now_ !== before)

    const known = yield* settledMark(version(workspace))
    const sql = Context.get(connections, PgClient.PgClient)
    const [connected] = yield* sql<{ database: string }>`select current_database() as database`
    // Of this database only: other tests listen on the same server.
    yield* owned(
      connected?.database ?? assert.fail("no database"),
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and query ilike '%listen%tentpole_pages%' and pid <> pg_backend_pid()`,
    )
    yield* eventually(version(workspace), (now_) => now_ !== known)
    const again = yield* settledMark(version(workspace))
    yield* unpublishIt
    yield* eventually(version(workspace), (now_) => now_ !== again)
  }).pipe(Effect.scoped),
)

it.live("single views and visitors are deleted when they are not needed, and their sums stay", () =>
  Effect.gen(function* () {
    const context = yield* Layer.build(ownPostgres)
    const get = <Id, Service>(service: Context.Key<Id, Service>) => Context.getUnsafe(context, service)
    const [store, { transact }, fresh, { run }] = [get(TrafficStore), get(Transactor), get(Fresh), get(Maintenance)]
    const forGood = commonSettings.retention
    const sql = get(PgClient.PgClient)
    const workspace = yield* fresh.workspace()
    const today = yield* DateTime.now
    const days = daysUntil(today, 7)
    const ago = (count: number) => DateTime.subtract(today, { days: count })
    const [connected] = yield* sql<{ database: string }>`select current_database() as database`
    const database = connected?.database ?? assert.fail("no database")
    // Rows of earlier days: in the partitions of these days, and in the default partition.
    yield* owned(
      database,
      `do $$
       begin
         create table page_view_2020_02_03 partition of page_view
           for values from ('2020-02-03T00:00:00Z') to ('2020-02-04T00:00:00Z');
         create table page_visitor_day_2020_02_03 partition of page_visitor_day
           for values from ('2020-02-03') to ('2020-02-04');
         execute format('alter table page_view_2020_02_03 owner to %1$I; alter table page_visitor_day_2020_02_03 owner to %1$I',
           (select tableowner from pg_tables where tablename = 'page_view'));
       end $$`,
    )
    const old = DateTime.makeUnsafe("2020-02-03T12:00:00Z")
    const view = (at: DateTime.Utc, n: number) => seenView({ tentId: tent, at, n })
    const views = [view(old, 1), view(ago(6), 1), view(ago(6), 2), view(ago(20), 1), view(today, 1)]
    const written = yield* Effect.provide(viewBatch(views), context)
    yield* transact(store.record(workspace, written))
    // Two others: a day old, and an hour younger.
    yield* owned(
      database,
      `insert into traffic_batch (workspace_id, batch_id, at)
       select workspace_id, gen_random_uuid(), now() - h * interval '1 hour' from traffic_batch, unnest(array[25, 23]) as h`,
    )
    const before = yield* store.counts(workspace, tent, days)
    assert.deepStrictEqual([before.visits, before.recent.length], [3, 3])
    yield* run(forGood)
    assert.deepStrictEqual(yield* store.counts(workspace, tent, days), before)
    assert.deepStrictEqual(yield* store.counts(workspace, null, days), before)
    const [left] = yield* owned<{ views: number; visitors: number; total_visitors: number; batches: number }>(
      database,
      `select (select count(*)::int from page_view) as views, (select count(*)::int from page_visitor_day) as visitors,
         (select count(*)::int from workspace_visitor_day) as total_visitors,
         (select count(*)::int from traffic_batch) as batches`,
    )
    assert.deepStrictEqual(left, { views: 3, visitors: 1, total_visitors: 1, batches: 2 })
    const weeksAgo = yield* store.counts(workspace, tent, daysUntil(ago(20), 1))
    assert.deepInclude(weeksAgo, { visits: 1, days: [{ day: dayOf(ago(20)), views: 1, submissions: 0 }], recent: [] })
    assert.deepStrictEqual((yield* store.counts(workspace, null, daysUntil(old, 1))).days, [])
    yield* run(forGood)
  }).pipe(Effect.scoped),
)
