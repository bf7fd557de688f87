// Contract tests of the installation's overview.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { BlastId, WorkspaceId } from "../../src/kernel/Ids.ts"
import { Jobs } from "../../src/kernel/changes/Jobs.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { dueKinds } from "../../src/kernel/changes/DueWork.ts"
import { firstLagPeriod, queuesOf } from "../../src/operations/overview/ServiceOverview.ts"
import { ServiceOverviewStore } from "../../src/operations/overview/ServiceOverviewStore.ts"
import { Fresh } from "../kernel/fresh.ts"

export const serviceOverview = <E>(
  name: string,
  live: Layer.Layer<ServiceOverviewStore | Jobs | Transactor | Fresh, E>,
) =>
  layer(live, { excludeTestServices: true })(`ServiceOverviewStore (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const fresh = yield* Fresh
      const store = yield* ServiceOverviewStore
      const id = yield* fresh.id
      const own = Effect.map(store.processes, (all) => all.filter((each) => each.id === id))
      const beat = { id, kind: "worker", uptime_s: 60, rss_bytes: 200_000_000, eventLoopP99_ms: 1.5 } as const
      return { beat, fresh, own, store }
    })

    it.effect("lists a process as it last reported itself, with the time of its start", () =>
      Effect.gen(function* () {
        const { beat, own, store } = yield* begin
        yield* store.beat(beat)
        const [first] = yield* own
        const later = { ...beat, uptime_s: 3_600, rss_bytes: 5_000_000_000, eventLoopP99_ms: 12.25 }
        yield* store.beat(later)
        const [process, ...others] = yield* own
        if (first === undefined || process === undefined) return assert.fail("the process is not listed")
        assert.deepStrictEqual(others, [])
        const { eventLoopP99_ms, kind, rss_bytes, seenAt, startedAt } = process
        assert.deepStrictEqual([kind, rss_bytes, eventLoopP99_ms], ["worker", 5_000_000_000, 12.25])
        assert.isTrue(DateTime.Equivalence(startedAt, first.startedAt))
        assert.isAtLeast(seenAt.epochMilliseconds, first.seenAt.epochMilliseconds)
        const ran_ms = first.seenAt.epochMilliseconds - first.startedAt.epochMilliseconds
        assert.isAtMost(Math.abs(ran_ms - 60_000), 50)
      }),
    )

    it.effect("lists no process that has left", () =>
      Effect.gen(function* () {
        const { beat, fresh, own, store } = yield* begin
        const other = { ...beat, id: yield* fresh.id, kind: "http" } as const
        yield* store.beat(beat)
        yield* store.beat(other)
        yield* store.leave(beat.id)
        assert.deepStrictEqual(yield* own, [])
        assert.include(
          (yield* store.processes).map(({ id }) => id),
          other.id,
        )
      }),
    )

    it.effect("stores one lag of each kind of due work for a period, however often it is recorded", () =>
      Effect.gen(function* () {
        const { store } = yield* begin
        const since = firstLagPeriod(yield* DateTime.now)
        yield* store.recordLag
        const before = yield* store.lagPeaks(since)
        yield* store.recordLag
        const peaks = yield* store.lagPeaks(since)
        for (const { at, kind, lag_s } of before) {
          const after = peaks.filter((each) => each.kind === kind && DateTime.Equivalence(each.at, at))
          assert.lengthOf(after, 1)
          assert.isAtLeast(after[0]?.lag_s ?? -1, lag_s)
        }
        assert.sameMembers([...new Set(peaks.map(({ kind }) => kind))], [...dueKinds])
        assert.deepStrictEqual(yield* store.lagPeaks(DateTime.add(yield* DateTime.now, { hours: 1 })), [])
      }),
    )

    it.effect("counts the jobs that wait, and the bytes of the database", () =>
      Effect.gen(function* () {
        const { fresh, store } = yield* begin
        const { enqueue } = yield* Jobs
        const { transact } = yield* Transactor
        const job = {
          type: "blast_start",
          workspaceId: WorkspaceId.make(yield* fresh.id),
          blastId: BlastId.make(yield* fresh.id),
        } as const
        yield* transact(enqueue(job, { id: `test:${yield* fresh.id}` }))
        yield* transact(enqueue(job, { id: `test:${yield* fresh.id}`, delay: "1 hour" }))
        const { connections, jobs } = queuesOf(yield* store.backlog)
        const { oldest_s, ...counts } = jobs.find(({ type }) => type === "blast_start") ?? assert.fail("no counts")
        assert.deepStrictEqual(counts, { type: "blast_start", ready: 1, running: 0, later: 1, dead: 0 })
        assert.isAtLeast(oldest_s ?? -1, 0)
        assert.isAtLeast(connections, 0)
        assert.isAbove(yield* store.database_bytes, 1_000_000)
      }),
    )
  })
