// Views on their way from the page server into the store: a page never waits for them. They are collected and written in
// batches, and what is collected is written before the process ends.
import { Context, DateTime, Effect, Fiber, Layer, Queue, Schedule } from "effect"
import { Ids, type TentId, type WorkspaceId } from "../Ids.ts"
import { Secrets } from "../Secrets.ts"
import { Transactor } from "../Transactor.ts"
import { Agents } from "./Agents.ts"
import { type Day, dayOf } from "./Analytics.ts"
import { type PageView, TrafficStore } from "./TrafficStore.ts"
import { salt_bytes, visitorOf } from "./Visitor.ts"

/** A page was answered: what the request told. Address and user agent are forgotten with the batch. */
export interface Visit {
  readonly workspaceId: WorkspaceId
  readonly tentId: TentId
  readonly at: DateTime.Utc
  readonly address: string
  readonly userAgent: string
  readonly referrer: string | null
  readonly host: string
}

export interface RecorderOptions {
  readonly batch_max: number
  /** How long a view waits for company. */
  readonly wait_max_ms: number
  /** Views beyond these are dropped and counted in the log: pages are served all the same. */
  readonly waiting_max: number
}

export const recorderDefaults: RecorderOptions = { batch_max: 2_000, wait_max_ms: 500, waiting_max: 20_000 }

export class ViewRecorder extends Context.Service<
  ViewRecorder,
  {
    /** Takes note of a visit. Never waits, never fails. */
    readonly saw: (visit: Visit) => Effect.Effect<void>
  }
>()("tentpole/ViewRecorder") {
  static readonly layer = (options: RecorderOptions = recorderDefaults) =>
    Layer.effect(
      ViewRecorder,
      Effect.gen(function* () {
        const write = yield* writer
        const forget = yield* forgetter
        // An array, and a word only when it is full: a queue would wake its reader for each view, which costs more than the view.
        const waiting: Array<Visit> = []
        const full = yield* Queue.sliding<true>(1)
        let ended = false
        let dropped = 0

        const writeAll = Effect.fnUntraced(function* (visits: ReadonlyArray<Visit>) {
          yield* write(visits)
          if (dropped === 0) return
          yield* Effect.logWarning("page views were dropped: they come faster than they can be written").pipe(
            Effect.annotateLogs({ dropped }),
          )
          dropped = 0
        })

        const round = Effect.gen(function* () {
          if (!ended && waiting.length < options.batch_max) {
            // A word of views that are written already is none.
            yield* Queue.clear(full)
            yield* Effect.timeoutOption(Queue.take(full), options.wait_max_ms)
          }
          const batch = waiting.splice(0, options.batch_max)
          if (batch.length > 0) yield* writeAll(batch)
        })
        const writing = yield* Effect.forkScoped(Effect.repeat(round, { until: () => ended && waiting.length === 0 }))
        yield* Effect.forkScoped(Effect.repeat(forget, Schedule.spaced("1 hour")))
        // Runs before the fiber above is stopped: finalizers go last in, first out.
        yield* Effect.addFinalizer(() =>
          Effect.suspend(() => {
            ended = true
            Queue.offerUnsafe(full, true)
            return Fiber.await(writing)
          }).pipe(Effect.timeoutOption(drain_time_max)),
        )

        return ViewRecorder.of({
          saw: (visit) =>
            Effect.sync(() => {
              if (waiting.length >= options.waiting_max) {
                dropped++
                return
              }
              waiting.push(visit)
              if (waiting.length === options.batch_max) Queue.offerUnsafe(full, true)
            }),
        })
      }),
    )
}

const drain_time_max = "15 seconds"
const attempts_max = 6

/** Writes a batch, workspace by workspace; what can't be written after some tries is given up, with a line in the log. */
const writer = Effect.gen(function* () {
  const store = yield* TrafficStore
  const { transact } = yield* Transactor
  const { sha256 } = yield* Secrets
  const { many } = yield* Ids
  const agents = yield* Agents
  const saltOf = yield* salts

  const toViews = Effect.fnUntraced(function* (visits: ReadonlyArray<Visit>) {
    const counted = visits.flatMap((visit) => {
      const described = agents.describe(visit)
      return described === null ? [] : [{ visit, described, day: dayOf(visit.at) }]
    })
    const ids = yield* many(counted.length)
    const salts = new Map<Day, Uint8Array>()
    for (const day of new Set(counted.map(({ day }) => day))) salts.set(day, yield* saltOf(day))
    return counted.flatMap(({ visit, described, day }, index): ReadonlyArray<PageView> => {
      const salt = salts.get(day)
      const { tentId, at } = visit
      return salt === undefined
        ? []
        : [{ ...described, id: ids[index] ?? "", tentId, at, visitor: visitorOf(sha256, salt, visit) }]
    })
  })

  const ofWorkspace = (workspace: WorkspaceId, visits: ReadonlyArray<Visit>) =>
    toViews(visits).pipe(
      // The ids are given before the first try: a try that was written without our learning of it is not counted twice.
      Effect.flatMap((views) =>
        views.length === 0 ? Effect.void : persistently(transact(store.record(workspace, views))),
      ),
      Effect.catchCause((cause) =>
        Effect.logError("page views could not be written", cause).pipe(Effect.annotateLogs({ views: visits.length })),
      ),
    )

  return (visits: ReadonlyArray<Visit>) =>
    Effect.forEach(byWorkspace(visits), ([workspace, its]) => ofWorkspace(workspace, its), {
      concurrency: 2,
      discard: true,
    })
})

const byWorkspace = (visits: ReadonlyArray<Visit>): ReadonlyMap<WorkspaceId, ReadonlyArray<Visit>> => {
  const groups = new Map<WorkspaceId, Array<Visit>>()
  for (const visit of visits) {
    const group = groups.get(visit.workspaceId)
    if (group === undefined) groups.set(visit.workspaceId, [visit])
    else group.push(visit)
  }
  return groups
}

/** The database may be away for a moment: that is a defect to its callers, and a reason to wait for us. */
const persistently = <A, R>(effect: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
  Effect.sandbox(effect).pipe(
    Effect.retry({ times: attempts_max - 1, schedule: Schedule.exponential("200 millis") }),
    Effect.catch((cause) => Effect.failCause(cause)),
  )

/** The salts of the days that views are of: read once a day and process, and kept as long as the process needs them. */
const salts = Effect.gen(function* () {
  const store = yield* TrafficStore
  const { transact } = yield* Transactor
  const { randomBytes } = yield* Secrets
  const known = new Map<Day, Uint8Array>()
  return (day: Day) =>
    Effect.gen(function* () {
      const found = known.get(day)
      if (found !== undefined) return found
      const salt = yield* persistently(transact(store.salt(day, yield* randomBytes(salt_bytes))))
      // Around midnight views of two days are on their way; older salts are of no use.
      for (const old of [...known.keys()].sort().slice(0, -1)) known.delete(old)
      known.set(day, salt)
      return salt
    })
})

/** Yesterday's salt goes also when nobody comes. */
const forgetter = Effect.gen(function* () {
  const store = yield* TrafficStore
  const { transact } = yield* Transactor
  return Effect.gen(function* () {
    yield* transact(store.forgetSalts(dayOf(yield* DateTime.now)))
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("old salts could not be thrown away", cause)))
})
