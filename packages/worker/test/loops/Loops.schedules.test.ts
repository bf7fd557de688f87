// Tests of scheduled launches: by the database's clock, once with any number of workers, and after a worker has stopped.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { Schedules } from "@tentpole/core/blasts/Schedules"
import type { BlastId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Settings } from "@tentpole/core/kernel/Settings"
import * as Loops from "@tentpole/worker/loops/Loops"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Scope } from "effect"
import { settings, sendingBlast, statusOf, until, workspace, world } from "../fixtures/WorkerFixture.ts"

const surroundings = Schedules.layer.pipe(Layer.provideMerge(world))

/** A blast without recipients, scheduled this many milliseconds from now by the database's clock. */
const scheduled = Effect.fnUntraced(function* (workspace: WorkspaceId, ms: number) {
  const sql = yield* PgClient.PgClient
  const blast = yield* sendingBlast(workspace, 0, { prefix: `none${ms}` })
  yield* Effect.orDie(
    fenced(sql)(
      workspace,
      Effect.gen(function* () {
        yield* sql`
          update blast set status = 'scheduled', send_mode = 'scheduled', launched_at = null, audience_fixed_at = null,
            scheduled_at = date_trunc('milliseconds', clock_timestamp()) + make_interval(secs => ${ms / 1000})
          where workspace_id = ${workspace} and blast_id = ${blast}`
        yield* sql`
          insert into due_work (kind, workspace_id, due_at)
          values ('blasts', ${workspace}, clock_timestamp() + make_interval(secs => ${ms / 1000}))
          on conflict (kind, workspace_id) do update set due_at = least(due_work.due_at, excluded.due_at)`
      }),
    ),
  )
  return blast
})

/** Moves the schedule into the past, as if it had been set earlier. */
const come = (workspace: WorkspaceId, id: BlastId, ms: number) =>
  rowsOf(
    workspace,
    (sql) => sql`
      with moved as (
        update blast set scheduled_at = scheduled_at - make_interval(secs => ${ms / 1000})
        where workspace_id = ${workspace} and blast_id = ${id}
      )
      update due_work set due_at = due_at - make_interval(secs => ${ms / 1000})
      where kind = 'blasts' and workspace_id = ${workspace}`,
  )

const rowsOf = <Row extends object>(
  workspace: WorkspaceId,
  ask: (sql: PgClient.PgClient) => Effect.Effect<ReadonlyArray<Row>, unknown>,
) => Effect.flatMap(PgClient.PgClient, (sql) => Effect.orDie(fenced(sql)(workspace, ask(sql))))

/** The delay between the schedule and the launch, by the database's clock. */
const latenessOf = (workspace: WorkspaceId, id: BlastId) =>
  Effect.map(
    rowsOf<{ readonly late_ms: number }>(
      workspace,
      (sql) => sql`
        select (extract(epoch from launched_at - scheduled_at) * 1000)::float8 as late_ms from blast
        where workspace_id = ${workspace} and blast_id = ${id} and launched_at is not null`,
    ),
    ([row]) => row?.late_ms,
  )

const starts = (workspace: WorkspaceId, id: BlastId) =>
  Effect.map(
    rowsOf<{ readonly count: number }>(
      workspace,
      (sql) => sql`
        select count(*)::int as count from outbox_event
        where workspace_id = ${workspace} and type = 'blast_sending' and data ->> 'blast_id' = ${id}`,
    ),
    ([row]) => row?.count,
  )

/** A separate worker, until the scope ends. */
const worker = (sending: "on" | "held" = "on") =>
  Layer.build(Layer.fresh(Loops.schedules)).pipe(
    Effect.provideService(Settings, Settings.of({ ...settings, sending })),
    Effect.asVoid,
  )

layer(surroundings, { excludeTestServices: true })("schedules", (it) => {
  it.effect("two workers launch a due blast once, and no blast early", () =>
    Effect.gen(function* () {
      const workspaceId = yield* workspace
      const due = yield* Effect.forEach([-900, -500, 100, 400, 900], (ms) => scheduled(workspaceId, ms))
      const later = yield* scheduled(workspaceId, 3_600_000)
      yield* worker()
      yield* worker()
      for (const id of due) {
        yield* until(Effect.map(statusOf(workspaceId, id), (row) => row?.status !== "scheduled"))
        assert.strictEqual((yield* statusOf(workspaceId, id))?.status, "sending")
        assert.isAtLeast((yield* latenessOf(workspaceId, id)) ?? -1, 0)
        assert.strictEqual(yield* starts(workspaceId, id), 1)
      }
      assert.strictEqual((yield* statusOf(workspaceId, later))?.status, "scheduled")
    }).pipe(Effect.scoped),
  )

  it.effect("another worker launches the blasts of a stopped worker", () =>
    Effect.gen(function* () {
      const workspaceId = yield* workspace
      const first = yield* Scope.make()
      yield* Scope.provide(worker(), first)
      const soon = yield* scheduled(workspaceId, 3_600_000)
      yield* Scope.close(first, yield* Effect.exit(Effect.void))
      yield* come(workspaceId, soon, 3_600_000)
      yield* Effect.sleep("600 millis")
      assert.strictEqual((yield* statusOf(workspaceId, soon))?.status, "scheduled")
      yield* worker()
      yield* until(Effect.map(statusOf(workspaceId, soon), (row) => row?.status === "sending"))
      assert.strictEqual(yield* starts(workspaceId, soon), 1)
    }).pipe(Effect.scoped),
  )

  it.effect("a blast that can't be launched delays no other and is launched later", () =>
    Effect.gen(function* () {
      const workspaceId = yield* workspace
      const sql = yield* PgClient.PgClient
      const stuck = yield* scheduled(workspaceId, -900)
      const others = yield* Effect.forEach([-500, 200], (ms) => scheduled(workspaceId, ms))
      /** A list whose launch counts contacts by rules under a plan with limits; it has no rules. */
      const ruled = (rules: string | null) =>
        rowsOf(
          workspaceId,
          () => sql`
            update list set kind = 'dynamic', member_count = null, rules = ${rules}::jsonb
            where workspace_id = ${workspaceId} and list_id = (
              select audience_list_id from blast where workspace_id = ${workspaceId} and blast_id = ${stuck})`,
        )
      yield* Effect.orDie(sql`update workspace set plan = 'free' where workspace_id = ${workspaceId}`)
      yield* ruled(`{"kind":"group","operator":"and","conditions":[{"kind":"none"}]}`)
      yield* worker()
      for (const id of others) yield* until(Effect.map(statusOf(workspaceId, id), (row) => row?.status === "sending"))
      assert.strictEqual((yield* statusOf(workspaceId, stuck))?.status, "scheduled")
      yield* ruled(null)
      yield* until(Effect.map(statusOf(workspaceId, stuck), (row) => row?.status === "sending"))
      assert.strictEqual(yield* starts(workspaceId, stuck), 1)
    }).pipe(Effect.scoped),
  )

  it.effect("SENDING=held launches nothing", () =>
    Effect.gen(function* () {
      const workspaceId = yield* workspace
      const due = yield* scheduled(workspaceId, -900)
      yield* worker("held")
      yield* Effect.sleep("1200 millis")
      assert.strictEqual((yield* statusOf(workspaceId, due))?.status, "scheduled")
      const { blast } = yield* Effect.orDie((yield* Blasts).get(workspaceId, due))
      assert.strictEqual(blast.status, "scheduled")
    }).pipe(Effect.scoped),
  )
})
