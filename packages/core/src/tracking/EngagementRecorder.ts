// Openings and clicks on their way into the store: whoever opens a message never waits for a statement. They are written in
// waves, one under way while the next gathers, and between two waves the writer rests as long as the last one took: however
// many come at once, the sending of messages keeps its share of the database.
import { Cause, type DateTime, Duration, Effect, Exit, Latch, Option, Queue, Schedule } from "effect"
import type { DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import { Unavailable } from "../kernel/Refusal.ts"
import { Transactor } from "../kernel/Transactor.ts"
import { EngagementChange, type Event, type Happening, type TrackedDelivery } from "./Engagement.ts"
import { EngagementStore } from "./EngagementStore.ts"
import { tooSoon } from "./BotFilter.ts"

/** Somebody fetched the pixel, or followed a link. */
export interface Visit {
  readonly workspaceId: WorkspaceId
  readonly deliveryId: DeliveryId
  readonly at: DateTime.Utc
  readonly what: { readonly _tag: "opened" } | { readonly _tag: "clicked"; readonly url: string }
  /** By what the request showed of its sender. How soon it came is seen when it is written. */
  readonly byMachine: boolean
}

export interface RecorderOptions {
  readonly wave_max: number
  /** How many may wait to be written: what a burst takes of the memory, and a kill of the openings. */
  readonly waiting_max: number
  /** How long a request waits for room when there is none, before its visit is let go. */
  readonly patience: Duration.Input
}

export const recorderDefaults: RecorderOptions = { wave_max: 500, waiting_max: 50_000, patience: "2 seconds" }

export interface EngagementRecorder {
  /**
   * Takes note of a visit, at once as long as there is room. Without room the request waits a little: so those who come slow
   * down to what can be written, and nothing is lost as long as that helps. Never fails: a reader is answered, counted or not.
   */
  readonly saw: (visit: Visit) => Effect.Effect<void>
  /** Waits until everything seen so far is written, or given up. */
  readonly written: Effect.Effect<void>
}

/** Lives as long as its scope, at whose end it writes what it has seen. */
export const engagementRecorder = Effect.fnUntraced(function* (options: RecorderOptions) {
  const write = yield* writer
  const queue = yield* Queue.bounded<Visit>(options.waiting_max)
  const idle = yield* Latch.make(true)
  let unwritten = 0
  let letGo = 0
  let stopping = false

  const leave = (visits: number) => {
    unwritten -= visits
    if (unwritten === 0) idle.openUnsafe()
  }

  const wave = Effect.gen(function* () {
    const visits = yield* Queue.takeBetween(queue, 1, options.wave_max)
    const [took] = yield* Effect.timed(write(visits))
    leave(visits.length)
    if (letGo > 0) {
      yield* Effect.logWarning("openings or clicks were not counted: they came faster than they can be written").pipe(
        Effect.annotateLogs({ visits: letGo }),
      )
      letGo = 0
    }
    if (!stopping) yield* Effect.sleep(Duration.min(took, rest_max))
  })
  yield* Effect.forkScoped(Effect.forever(wave))
  // Runs before the fiber above is stopped: finalizers go last in, first out.
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      stopping = true
      return Effect.timeoutOrElse(idle.await, {
        duration: drain_time_max,
        orElse: () =>
          Effect.logWarning("the process ended before all openings and clicks were written").pipe(
            Effect.annotateLogs({ visits: unwritten }),
          ),
      })
    }),
  )

  const recorder: EngagementRecorder = {
    saw: (visit) =>
      Effect.suspend(() => {
        unwritten++
        idle.closeUnsafe()
        if (Queue.offerUnsafe(queue, visit)) return Effect.void
        return Effect.onExit(Effect.timeoutOption(Queue.offer(queue, visit), options.patience), (exit) =>
          Effect.sync(() => {
            if (Exit.isSuccess(exit) && Option.isSome(exit.value)) return
            // One that is interrupted waits no longer: its reader is gone, or asks in another way.
            if (Exit.isSuccess(exit)) letGo++
            leave(1)
          }),
        )
      }),
    written: idle.await,
  }
  return recorder
})

const rest_max = Duration.seconds(1)
/** Of the 30 seconds that a process has to end in: those that listen before it are closed at once, unless a request hangs. */
const drain_time_max = "15 seconds"

/** Writes a wave, workspace by workspace: one transaction at a time, so that a burst takes one connection and no more. */
const writer = Effect.gen(function* () {
  const store = yield* EngagementStore
  const { transact } = yield* Transactor

  const ofWorkspace = (workspace: WorkspaceId, visits: ReadonlyArray<Visit>) =>
    transact(
      Effect.gen(function* () {
        const found = yield* store.lock(
          workspace,
          visits.map((visit) => visit.deliveryId),
        )
        const happenings = visits.map((visit): Happening => ({ ...visit, event: eventOf(visit, found) }))
        yield* store.apply(workspace, EngagementChange.ofAll(found, happenings))
      }),
    ).pipe(
      untilAvailable,
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.logError("openings and clicks could not be written", cause).pipe(
              Effect.annotateLogs({ visits: visits.length }),
            ),
      ),
    )

  return (visits: ReadonlyArray<Visit>) =>
    Effect.forEach(byWorkspace(visits), ([workspace, its]) => ofWorkspace(workspace, its), { discard: true })
})

const eventOf = (visit: Visit, found: ReadonlyMap<DeliveryId, TrackedDelivery>): Event => {
  const handedOverAt = found.get(visit.deliveryId)?.handedOverAt ?? null
  if (!visit.byMachine && !tooSoon(handedOverAt, visit.at)) return visit.what
  return { _tag: visit.what._tag === "opened" ? "openedByMachine" : "clickedByMachine" }
}

const byWorkspace = (visits: ReadonlyArray<Visit>): ReadonlyMap<WorkspaceId, ReadonlyArray<Visit>> => {
  const groups = new Map<WorkspaceId, Array<Visit>>()
  for (const visit of visits) {
    const group = groups.get(visit.workspaceId)
    if (group === undefined) groups.set(visit.workspaceId, [visit])
    else group.push(visit)
  }
  return groups
}

/** The database may be away for a while: what came is kept until it is back. Anything else is a mistake, and no wave waits. */
const untilAvailable = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.sandbox(effect).pipe(
    Effect.retry({
      while: (cause) => Cause.squash(cause) instanceof Unavailable,
      schedule: Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("5 seconds")]),
    }),
    Effect.catch((cause) => Effect.failCause(cause)),
  )
