// The writer of page views: identifies visitors outside of requests, and sums up each workspace's views.
import { DateTime, Effect } from "effect"
import { Ids, type TentId, type WorkspaceId } from "../kernel/Ids.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { Agents } from "./Agents.ts"
import { dayNumberOf, dayOf } from "./Analytics.ts"
import { type KnownDay, dailyVisitorCache } from "./DailyVisitorCache.ts"
import { logFailure } from "../kernel/runtime/logFailure.ts"
import { retryTransient } from "../kernel/runtime/retryTransient.ts"
import { TrafficStore, type ViewBatch } from "./TrafficStore.ts"
import { type SeenView, sumViews } from "./ViewBatch.ts"

/** A page view, as its request shows it. */
export interface PageVisit {
  readonly workspaceId: WorkspaceId
  readonly tentId: TentId
  readonly at: DateTime.Utc
  readonly address: string
  readonly userAgent: string
  readonly referrer: string | null
  readonly host: string
}

/** `write` takes views of any workspaces. Views that can't be written after some attempts are dropped and logged. */
export const viewWriter = Effect.gen(function* () {
  const store = yield* TrafficStore
  const { transact } = yield* Transactor
  const { many, next } = yield* Ids
  const { siteOf } = yield* Agents
  const days = yield* dailyVisitorCache

  const lookUp = Effect.fnUntraced(function* (visits: ReadonlyArray<PageVisit>) {
    const known = new Map<number, KnownDay>()
    for (const { at } of visits) {
      const number = dayNumberOf(at)
      if (!known.has(number)) known.set(number, yield* days.of(at))
    }
    return known
  })

  const toBatch = Effect.fnUntraced(function* (views: ReadonlyArray<SeenView>, known: ReadonlyArray<KnownDay>) {
    const { newest, visitors, ...rest } = sumViews(views)
    const ids = yield* many(newest.length)
    return {
      ...rest,
      id: yield* next,
      visitors: known.flatMap((of) => visitors.filter((each) => each.day === of.day && !of.isStored(each))),
      newest: newest.map((view, index) => ({ ...view, id: ids[index] ?? "" })),
    } satisfies ViewBatch
  })

  const ofWorkspace = (workspace: WorkspaceId, visits: ReadonlyArray<PageVisit>) =>
    Effect.gen(function* () {
      const known = yield* lookUp(visits)
      const views = visits.flatMap((visit): ReadonlyArray<SeenView> => {
        const day = known.get(dayNumberOf(visit.at))
        const visitor = day?.visitor(visit) ?? null
        if (day === undefined || visitor === null) return []
        const { agent, hash } = visitor
        const { tentId, at } = visit
        return [{ ...agent, referrer: siteOf(visit), tentId, at, day: day.day, visitor: hash }]
      })
      if (views.length === 0) return
      // The batch has its id before the first attempt, so that an attempt with an unknown outcome is not counted twice.
      const batch = yield* toBatch(views, [...known.values()])
      yield* retryTransient(transact(store.record(workspace, batch)), { retries_max: 5 })
      // Only after the write: visitors of a dropped batch are not in the store.
      for (const of of known.values()) {
        for (const visitor of batch.visitors) if (visitor.day === of.day) of.markStored(visitor)
      }
    }).pipe(logFailure("page views could not be written", { views: visits.length }))

  return {
    write: (visits: ReadonlyArray<PageVisit>) =>
      Effect.forEach(
        Map.groupBy(visits, ({ workspaceId }) => workspaceId),
        ([workspace, its]) => ofWorkspace(workspace, its),
        { concurrency: 2, discard: true },
      ),
    /** Deletes yesterday's salts, and the cached visitors, even without new views. */
    forget: Effect.gen(function* () {
      // Views from just before midnight may still be waiting.
      const before = DateTime.subtract(yield* DateTime.now, { minutes: 1 })
      days.forget(before)
      yield* transact(store.forgetSalts(dayOf(before)))
    }).pipe(logFailure("expired salts could not be deleted", {}, "Warning")),
  }
})
