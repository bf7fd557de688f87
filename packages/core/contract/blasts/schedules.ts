// Contract tests of schedules: each due blast is launched once, whatever the number of workers, and no other blast is.
import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import type { Blast } from "../../src/blasts/Blast.ts"
import { decide } from "../../src/blasts/machine.ts"
import { Blasts } from "../../src/blasts/Blasts.ts"
import { ScheduleStore } from "../../src/blasts/ScheduleStore.ts"
import { Schedules } from "../../src/blasts/Schedules.ts"
import type { BlastId } from "../../src/kernel/Ids.ts"
import { JobQueue } from "../../src/kernel/changes/Jobs.ts"
import { ListChange } from "../../src/lists/List.ts"
import type { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { at, furnished, noon, type Rooms } from "./blastWorld.ts"
import { eventsOf } from "../contacts/notifications.ts"
import { until } from "../kernel/eventually.ts"

type Needs =
  | Rooms
  | JobQueue
  | Outbox
  | ScheduleStore
  | Layer.Services<typeof Blasts.layer>
  | Layer.Services<typeof Schedules.layer>
type Live = Needs | Blasts | Schedules

const day_ms = 86_400_000
const options = { limit: 10_000, turn_ms: 60_000 }

const begin = Effect.fnUntraced(function* (fields: Parameters<typeof furnished>[0] = {}) {
  const world = yield* furnished(fields)
  const { ready, store, transact, write, workspace } = world
  const port = yield* ScheduleStore
  const began_ms = (yield* DateTime.now).epochMilliseconds
  /** This long after the test began; before it, if negative. */
  const around = (ms: number) => at(began_ms + ms)
  /** The change that schedules the blast, decided while that time was in the future. */
  const scheduling = Effect.fnUntraced(function* (blast: Blast, ms: number) {
    const { facts } = yield* transact(store.lockForLaunch(workspace, blast.id, { now: noon }))
    const change = decide(
      blast,
      { _tag: "schedule", by: "worker", facts, scheduledAt: around(ms), operational: false },
      around(ms - 1_000),
    )
    return yield* Effect.fromResult(change)
  }, Effect.orDie)
  const schedule = (blast: Blast, ms: number) => Effect.as(Effect.flatMap(scheduling(blast, ms), write), blast.id)
  return {
    ...world,
    port,
    around,
    sinceBegin: Effect.map(Clock.currentTimeMillis, (now_ms) => now_ms - began_ms),
    scheduling,
    schedule,
    blasts: yield* Blasts,
    schedules: yield* Schedules,
    scheduled: (name: string, members: Parameters<typeof ready>[1], ms: number) =>
      Effect.flatMap(ready(name, members), (blast) => schedule(blast, ms)),
    blastOf: (id: BlastId) => Effect.map(Effect.orDie(store.get(workspace, id, noon)), ({ blast }) => blast),
    turns: transact(port.takeTurns(options)),
    due: Effect.map(port.due(workspace, 100), ({ blasts }) => blasts),
    rest: transact(port.endTurn(workspace)),
  }
})

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

export const schedules = <E>(name: string, rooms: Layer.Layer<Needs, E>) => {
  const live = Layer.provideMerge(Layer.merge(Blasts.layer, Schedules.layer), rooms)
  noting(name, live)
  setting(name, live)
  firing(name, live)
}

const noting = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { excludeTestServices: true })(`Due schedules (${name})`, (it) => {
    it.effect("gives a workspace with a due blast one turn, whatever the number of workers", () =>
      Effect.gen(function* () {
        const { scheduled, turns, due, rest, workspace, transact, port } = yield* begin()
        yield* scheduled("later", [], day_ms)
        assert.notInclude(yield* turns, workspace)
        assert.deepStrictEqual(yield* due, [])
        const second = yield* scheduled("second", [], -1_000)
        const first = yield* scheduled("first", [], -2_000)
        const taken = yield* Effect.all([turns, turns, turns], { concurrency: 3 })
        assert.strictEqual(taken.flat().filter((each) => each === workspace).length, 1)
        assert.deepStrictEqual(yield* due, [first, second])
        assert.deepStrictEqual((yield* port.due(workspace, 1)).blasts, [first])
        // The worker that took the turn has stopped. When the turn expires, another worker gets the workspace.
        yield* rest
        yield* Effect.sleep("1200 millis")
        assert.include(yield* transact(port.takeTurns({ ...options, turn_ms: 1 })), workspace)
        yield* Effect.sleep("20 millis")
        assert.include(yield* turns, workspace)
      }),
    )

    it.effect("makes the workspace due again at its next scheduled blast, or never", () =>
      Effect.gen(function* () {
        const { blastOf, schedule, scheduled, turns, rest, workspace, schedules, due, sinceBegin } = yield* begin()
        const soon = yield* scheduled("soon", [], 700)
        const late = yield* scheduled("late", [], day_ms)
        yield* rest
        // A worker that looked too late to see the schedule puts the workspace off and looks again.
        for (let at_ms = 700; ;) {
          const early = yield* turns
          if ((yield* sinceBegin) < at_ms) {
            assert.notInclude(early, workspace)
            yield* Effect.sleep(at_ms - (yield* sinceBegin) + 50)
            break
          }
          at_ms = 3 * (yield* sinceBegin)
          yield* schedules.unschedule(workspace, soon)
          yield* schedule(yield* blastOf(soon), at_ms)
          yield* rest
        }
        assert.deepStrictEqual(yield* due, [soon])
        assert.include(yield* turns, workspace)
        yield* schedules.unschedule(workspace, soon)
        yield* rest
        assert.notInclude(yield* turns, workspace)
        yield* schedules.unschedule(workspace, late)
        yield* rest
        yield* rest
        assert.notInclude(yield* turns, workspace)
      }),
    )

    it.effect("does not lose a schedule whose transaction has not ended when another worker ends its turn", () =>
      Effect.gen(function* () {
        const { ready, scheduled, scheduling, schedules, turns, rest, store, transact, workspace } = yield* begin()
        const blast = yield* ready("a", [])
        const change = yield* scheduling(blast, -1_000)
        // The workspace is due, and has no schedule.
        yield* schedules.unschedule(workspace, yield* scheduled("b", [], -1_000))
        const applied = yield* Deferred.make<void>()
        const setting = store
          .apply(workspace, change)
          .pipe(
            Effect.andThen(Deferred.succeed(applied, undefined)),
            Effect.andThen(Effect.sleep("100 millis")),
            transact,
          )
        yield* Effect.all([setting, Effect.andThen(Deferred.await(applied), rest)], { concurrency: 2 })
        yield* Effect.sleep("1200 millis")
        assert.include(yield* turns, workspace)
      }),
    )

    it.effect("makes no uncommitted schedule due, nor one of another workspace", () =>
      Effect.gen(function* () {
        const { ready, store, transact, workspace, scheduling, turns, due, port, scheduled, fresh } = yield* begin()
        const change = yield* scheduling(yield* ready("a", []), -1)
        yield* Effect.exit(transact(Effect.andThen(store.apply(workspace, change), Effect.fail("no"))))
        assert.notInclude(yield* turns, workspace)
        assert.deepStrictEqual(yield* due, [])
        yield* scheduled("b", [], -1)
        const other = yield* fresh.workspace()
        assert.deepStrictEqual((yield* port.due(other, 100)).blasts, [])
        yield* transact(port.endTurn(other))
        assert.strictEqual((yield* due).length, 1)
        assert.include(yield* turns, workspace)
      }),
    )
  })

const setting = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { excludeTestServices: true })(`Blast schedules (${name})`, (it) => {
    it.effect("gives a draft its time and the current approval, and clears both when it is unscheduled", () =>
      Effect.gen(function* () {
        const { ready, schedules, blasts, workspace, around, person } = yield* begin()
        const { id, email } = yield* ready("a", [yield* person("ann")])
        const scheduledAt = around(day_ms)
        const set = yield* schedules.schedule(workspace, id, { scheduledAt, operational: true })
        assert.deepInclude(set.blast, {
          status: "scheduled",
          operational: true,
          time: { mode: "scheduled", scheduledAt },
        })
        assert.strictEqual(set.readiness, null)
        assert.deepStrictEqual((yield* blasts.get(workspace, id)).blast, set.blast)
        assert.strictEqual(
          yield* tagOf(schedules.schedule(workspace, id, { scheduledAt, operational: true })),
          "InvalidState",
        )
        assert.strictEqual(yield* tagOf(blasts.sendNow(workspace, id, { operational: true })), "InvalidState")
        assert.strictEqual(yield* tagOf(blasts.delete(workspace, id)), "InvalidState")
        const back = yield* schedules.unschedule(workspace, id)
        assert.deepInclude(back.blast, { status: "draft", email, scheduleMissed: false })
        assert.deepStrictEqual(back.readiness, {
          ready: true,
          missing: ["schedule"],
          warnings: [],
        })
        assert.strictEqual(yield* tagOf(schedules.unschedule(workspace, id)), "InvalidState")
        yield* blasts.delete(workspace, id)
        assert.strictEqual(yield* tagOf(schedules.unschedule(workspace, id)), "NotFound")
      }),
    )

    it.effect("refuses a time in the past, and reports what a blast that is not ready is missing", () =>
      Effect.gen(function* () {
        const { ready, schedules, blasts, workspace, around } = yield* begin()
        const { id } = yield* ready("a", [])
        const past = yield* Effect.flip(
          schedules.schedule(workspace, id, { scheduledAt: around(0), operational: false }),
        )
        assert.deepStrictEqual(past._tag === "Invalid" && past.issues.map(({ path }) => path), ["scheduled_at"])
        const blank = yield* blasts.create(workspace, { name: "b" })
        const bare = yield* Effect.flip(
          schedules.schedule(workspace, blank.blast.id, { scheduledAt: around(day_ms), operational: false }),
        )
        assert(bare._tag === "CampaignNotReady")
        assert.deepStrictEqual(bare.readiness, blank.readiness)
      }),
    )

    it.effect(
      "archives a blast only when it is not sending, leaves it readable, and changes nothing the second time",
      () =>
        Effect.gen(function* () {
          const { blasts, workspace, scheduled, blastOf, sending, person } = yield* begin()
          const id = yield* scheduled("a", [], day_ms)
          const before = yield* blastOf(id)
          const archived = yield* blasts.archive(workspace, id)
          assert(before.status === "scheduled" && archived.blast.status === "archived")
          assert.deepStrictEqual([archived.blast.time, archived.blast.locked], [before.time, before.locked])
          assert.deepStrictEqual((yield* blasts.archive(workspace, id)).blast, archived.blast)
          const busy = yield* sending("b", [yield* person("ann")])
          assert.strictEqual(yield* tagOf(blasts.archive(workspace, busy)), "InvalidState")
          yield* blasts.cancel(workspace, busy)
          assert.deepInclude((yield* blasts.archive(workspace, busy)).blast, {
            status: "archived",
            cancelledReason: null,
          })
          assert.strictEqual(yield* tagOf(blasts.delete(workspace, busy)), "InvalidState")
        }),
    )
  })

/** The jobs of these blasts that a worker finds: one for each, unless more come in a moment. */
const startsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<BlastId>) {
  const queue = yield* JobQueue
  const started: Array<BlastId> = []
  const working = yield* Effect.forkChild(
    queue.work({
      concurrency: 1,
      handle: (job) =>
        Effect.sync(() => {
          if (job.type === "blast_start" && ids.includes(job.blastId)) started.push(job.blastId)
        }),
    }),
  )
  yield* until(() => started.length >= ids.length)
  yield* Effect.sleep("300 millis")
  yield* Fiber.interrupt(working)
  return started
})

const firing = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { excludeTestServices: true })(`Scheduled launches (${name})`, (it) => {
    it.effect("launches each due blast of every workspace once when eight workers run at the same time", () =>
      Effect.gen(function* () {
        const worlds = yield* Effect.forEach([0, 1, 2], () => begin())
        const all = yield* Effect.forEach(worlds, ({ scheduled, workspace }) =>
          Effect.map(
            Effect.forEach([1, 2, 3, 4], (n) => scheduled(`blast ${n}`, [], -1_000 - n)),
            (ids) => ({ workspace, ids }),
          ),
        )
        const { fireDue } = yield* Schedules
        const round = Effect.repeat(Effect.andThen(fireDue, Effect.sleep("100 millis")), { times: 5 })
        yield* Effect.all(
          Array.from({ length: 8 }, () => round),
          { concurrency: 8 },
        )
        for (const { workspace, ids } of all) {
          const events = (yield* eventsOf(workspace)).filter(({ type }) => type === "blast_sending")
          assert.sameMembers(
            events.map(({ data }) => data.blast_id),
            [...ids],
          )
        }
        const ids = all.flatMap((each) => each.ids)
        assert.sameMembers(yield* startsOf(ids), ids)
      }),
    )

    it.effect("launches no blast that was unscheduled, archived, cancelled or postponed", () =>
      Effect.gen(function* () {
        const { scheduled, schedules, schedule, blasts, blastOf, workspace } = yield* begin()
        const names = ["back", "away", "cancelled", "off"] as const
        const [back, away, cancelled, off] = yield* Effect.forEach(names, (each) => scheduled(each, [], -1_000))
        assert(back !== undefined && away !== undefined && cancelled !== undefined && off !== undefined)
        yield* schedules.unschedule(workspace, back)
        yield* blasts.archive(workspace, away)
        yield* blasts.cancel(workspace, cancelled)
        yield* schedules.unschedule(workspace, off)
        yield* schedule(yield* blastOf(off), day_ms)
        yield* schedules.fireDue
        const statuses = yield* Effect.forEach([back, away, cancelled, off], blastOf)
        assert.deepStrictEqual(
          statuses.map(({ status }) => status),
          ["draft", "archived", "cancelled", "scheduled"],
        )
      }),
    )

    it.effect("either unschedules a blast or finds it sending when both happen at the same time", () =>
      Effect.gen(function* () {
        const { scheduled, schedules, blastOf, workspace } = yield* begin()
        const ids = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (n) => scheduled(`blast ${n}`, [], -n))
        const [, ...exits] = yield* Effect.all(
          [schedules.fireDue, ...ids.map((id) => Effect.exit(schedules.unschedule(workspace, id)))],
          { concurrency: "unbounded" },
        )
        for (const [index, exit] of exits.entries()) {
          const id = ids[index] ?? assert.fail()
          const back = typeof exit !== "number" && Exit.isSuccess(exit)
          assert.strictEqual((yield* blastOf(id)).status, back ? "draft" : "sending")
        }
      }),
    )

    it.effect("turns a blast that missed its time by more than a day into a draft with the reason", () =>
      Effect.gen(function* () {
        const { scheduled, schedules, blasts, workspace } = yield* begin()
        const missed = yield* scheduled("missed", [], -day_ms - 1)
        const late = yield* scheduled("late", [], -day_ms + 3_600_000)
        yield* schedules.fireDue
        const { blast, readiness } = yield* blasts.get(workspace, missed)
        assert.deepInclude(blast, { status: "draft", scheduleMissed: true })
        assert.include(readiness?.warnings ?? [], "schedule_missed")
        assert.strictEqual((yield* blasts.get(workspace, late)).blast.status, "sending")
      }),
    )

    it.effect("fails a blast without a verified sender or without its list", () =>
      Effect.gen(function* () {
        const { scheduled, schedules, setDomain, blastOf, lists, transact, workspace, around } = yield* begin()
        const unverified = yield* scheduled("unverified", [], -1_000)
        yield* setDomain("example.test", "pending")
        yield* schedules.fireDue
        assert.deepInclude(yield* blastOf(unverified), { status: "failed", failure: "sender_domain_unverified" })
        yield* setDomain("example.test", "verified")
        const bare = yield* scheduled("bare", [], -1_000)
        const { audience } = yield* blastOf(bare)
        const list = yield* lists.get(workspace, audience?.listId ?? assert.fail())
        // Rules protect a list that is in use. A restored backup may lack it.
        const gone = ListChange.delete({ list, uses: { users: [], count: 0 } }, around(0))
        yield* Effect.orDie(transact(lists.apply(workspace, yield* Effect.fromResult(gone))))
        yield* Effect.sleep("1100 millis")
        yield* schedules.fireDue
        assert.deepInclude(yield* blastOf(bare), { status: "failed", failure: "audience_gone" })
      }),
    )

    it.effect(
      "cancels a blast over the free plan's daily limit with the reason, keeps its time, and sends nothing",
      () =>
        Effect.gen(function* () {
          const { scheduled, schedules, blastOf, person } = yield* begin({ plan: "free" })
          const people = yield* Effect.forEach(Array.from({ length: 60 }), (_, index) => person(`p${index}`))
          const ids = [yield* scheduled("first", people, -2_000), yield* scheduled("second", people, -1_000)]
          yield* Effect.all([schedules.fireDue, schedules.fireDue], { concurrency: 2 })
          const [first, second] = yield* Effect.forEach(ids, blastOf)
          assert.strictEqual(first?.status, "sending")
          assert(second?.status === "cancelled")
          assert.deepInclude(second, { cancelledReason: "daily_email_limit", launch: null })
          assert.strictEqual(second.time.mode, "scheduled")
        }),
    )
  })
