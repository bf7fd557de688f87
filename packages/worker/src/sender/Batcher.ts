// Work that is cheaper together: a wave or two are under way, and whoever came meanwhile is in the next. Who waits for an answer
// waits for others no longer than a moment, and only until half of those who might come are there; what is only told has more
// time, since nobody waits for it.
import { Cause, Deferred, Effect, Latch, Queue, type Scope, Semaphore } from "effect"

interface Gathering {
  readonly wave_max: number
  /** How long the first of a wave waits for as many others as make half of one. */
  readonly gather_ms: number
}

/** Those who come, and how the next wave of them is taken: by one taker at a time. */
const gather = Effect.fnUntraced(function* <A>({ gather_ms, wave_max }: Gathering) {
  const queue = yield* Queue.unbounded<A>()
  const enough = yield* Latch.make()
  const half = Math.ceil(wave_max / 2)
  return {
    come: (one: A): void => {
      Queue.offerUnsafe(queue, one)
      if (Queue.sizeUnsafe(queue) >= half) enough.openUnsafe()
    },
    next: Queue.peek(queue).pipe(
      Effect.andThen(Effect.raceFirst(enough.await, Effect.sleep(gather_ms))),
      Effect.andThen(Queue.takeBetween(queue, 1, wave_max)),
      Effect.tap(() => Effect.sync(() => void (Queue.sizeUnsafe(queue) < half && enough.closeUnsafe()))),
    ),
  }
})

export interface Waves<A, B> {
  /** Joins the next wave and waits for its answer. */
  readonly ask: (question: A) => Effect.Effect<B>
}

export interface WavesOptions extends Gathering {
  /** Waves that may be under way at once: with two, some are answered while others ask. */
  readonly waves_max: number
}

/** `run` answers a whole wave; it must not fail. */
export const waves = <A, B>(
  { waves_max, ...gathering }: WavesOptions,
  run: (wave: ReadonlyArray<A>) => Effect.Effect<(question: A) => B>,
): Effect.Effect<Waves<A, B>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { come, next } = yield* gather<{ readonly question: A; readonly answer: Deferred.Deferred<B> }>(gathering)
    const taking = yield* Semaphore.make(1)
    const serve = Effect.flatMap(taking.withPermit(next), (wave) =>
      Effect.map(run(wave.map(({ question }) => question)), (answerTo) => {
        for (const { answer, question } of wave) Deferred.doneUnsafe(answer, Effect.succeed(answerTo(question)))
      }),
    )
    yield* Effect.replicateEffect(Effect.forkScoped(Effect.forever(serve)), waves_max, { discard: true })
    return {
      ask: (question) =>
        Effect.suspend(() => {
          const answer = Deferred.makeUnsafe<B>()
          come({ question, answer })
          return Deferred.await(answer)
        }),
    }
  })

export interface Writer<A> {
  /** Takes it on at once: nothing can come between the deed and its being told. */
  readonly tell: (news: A) => void
  /** Waits until less than a wave is unwritten. */
  readonly room: Effect.Effect<void>
  /** Waits until everything told so far is written. */
  readonly drained: Effect.Effect<void>
}

/** `write` is to write a whole wave, and to try again by itself until it has; it must not fail. */
export const writer = <A>(
  gathering: Gathering,
  write: (wave: ReadonlyArray<A>) => Effect.Effect<void>,
): Effect.Effect<Writer<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { wave_max } = gathering
    const { come, next } = yield* gather<A>(gathering)
    const idle = yield* Latch.make(true)
    const roomy = yield* Latch.make(true)
    let open = 0
    yield* next.pipe(
      Effect.flatMap((wave) =>
        Effect.map(write(wave), () => {
          open -= wave.length
          if (open < wave_max) roomy.openUnsafe()
          if (open === 0) idle.openUnsafe()
        }),
      ),
      Effect.forever,
      Effect.forkScoped,
    )
    return {
      tell: (news) => {
        open++
        idle.closeUnsafe()
        if (open >= wave_max) roomy.closeUnsafe()
        come(news)
      },
      room: roomy.await,
      drained: idle.await,
    }
  })

const pauses_ms = [100, 200, 500, 1000, 2000, 5000] as const

/** Whether the database takes writes, as far as the sender has seen. While it does not, nothing is handed over. */
export interface Writable {
  readonly await: Effect.Effect<void>
  readonly failed: (what: string, cause: Cause.Cause<unknown>) => Effect.Effect<void>
  readonly succeeded: Effect.Effect<void>
}

export const writable: Effect.Effect<Writable> = Effect.map(Latch.make(true), (latch) => ({
  await: latch.await,
  failed: (what, cause) =>
    Effect.suspend(() => {
      const first = latch.isOpen()
      latch.closeUnsafe()
      return first
        ? Effect.logWarning(`${what} failed: nothing is sent until the database takes writes`, cause)
        : Effect.void
    }),
  succeeded: Effect.suspend(() => {
    if (latch.isOpen()) return Effect.void
    latch.openUnsafe()
    return Effect.logInfo("the database takes writes again")
  }),
}))

/** Tries until it succeeds, with growing pauses. Only an interruption ends it otherwise. */
export const untilWritten = <A>(
  writable: Writable,
  what: string,
  write: Effect.Effect<A, unknown>,
  attempt = 0,
): Effect.Effect<A> =>
  Effect.matchCauseEffect(write, {
    onSuccess: (written) => Effect.as(writable.succeeded, written),
    onFailure: (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : writable
            .failed(what, cause)
            .pipe(
              Effect.andThen(Effect.sleep(pauses_ms[Math.min(attempt, pauses_ms.length - 1)] ?? 5000)),
              Effect.andThen(Effect.suspend(() => untilWritten(writable, what, write, attempt + 1))),
            ),
  })
