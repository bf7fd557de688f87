// Batchers: requests that wait for the answer of a batch, and writes that no caller waits for.
import { Deferred, Duration, Effect, Exit, Latch, Option, Queue, type Result, type Scope, Semaphore } from "effect"
import { Transaction } from "../changes/Transactor.ts"

export interface BatchOptions {
  readonly batch_max: number
  /** How long the first item of a batch waits for others. */
  readonly linger_ms: number
  /** Number of waiting items that ends this wait early; half a batch by default. */
  readonly enough?: number
}

/** Items that wait for their batch. `next` is called by one fiber at a time. */
const collect = Effect.fnUntraced(function* <A>(options: BatchOptions, waiting_max?: number) {
  const { batch_max, linger_ms, enough = Math.ceil(batch_max / 2) } = options
  const queue = yield* waiting_max === undefined ? Queue.unbounded<A>() : Queue.bounded<A>(waiting_max)
  const ready = yield* Latch.make()
  let draining = false
  const linger = linger_ms === 0 ? Effect.void : Effect.raceFirst(ready.await, Effect.sleep(linger_ms))
  return {
    /** False if the queue is full. */
    add: (item: A): boolean => {
      const added = Queue.offerUnsafe(queue, item)
      if (Queue.sizeUnsafe(queue) >= enough) ready.openUnsafe()
      return added
    },
    /** Waits for space. */
    offer: (item: A): Effect.Effect<unknown> => Queue.offer(queue, item),
    /** From now on no batch waits for more items. */
    drain: (): void => {
      draining = true
      ready.openUnsafe()
    },
    next: Queue.peek(queue).pipe(
      Effect.andThen(linger),
      Effect.andThen(Queue.takeBetween(queue, 1, batch_max)),
      Effect.tap(() => Effect.sync(() => void (draining || Queue.sizeUnsafe(queue) >= enough || ready.closeUnsafe()))),
    ),
  }
})

export interface RequestOptions extends BatchOptions {
  /** Batches that may run at the same time. */
  readonly concurrency: number
}

/** `run` answers a whole batch and must not fail. Returns a function that joins the next batch and waits for its answer. */
export const batchRequests = <A, B>(
  { concurrency, ...options }: RequestOptions,
  run: (batch: ReadonlyArray<A>) => Effect.Effect<(request: A) => B>,
): Effect.Effect<(request: A) => Effect.Effect<B>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { add, next } = yield* collect<{ readonly request: A; readonly answer: Deferred.Deferred<B> }>(options)
    const taking = yield* Semaphore.make(1)
    const serve = Effect.flatMap(taking.withPermit(next), (batch) =>
      Effect.map(run(batch.map(({ request }) => request)), (answerTo) => {
        for (const { answer, request } of batch) Deferred.doneUnsafe(answer, Effect.succeed(answerTo(request)))
      }),
    )
    yield* Effect.replicateEffect(Effect.forkScoped(Effect.forever(serve)), concurrency, { discard: true })
    return (request) =>
      Effect.suspend(() => {
        const answer = Deferred.makeUnsafe<B>()
        add({ request, answer })
        return Deferred.await(answer)
      })
  })

export interface JoinOptions {
  readonly batch_max: number
  /** Batches of a key that may run at the same time. */
  readonly concurrency: number
}

interface Joining<A, B, E> {
  readonly request: A
  readonly answered: Deferred.Deferred<B, E>
}

/** The requests of a key: those that no batch has taken yet, and the fibers that wait for a batch or run one. */
interface JoinQueue<A, B, E> {
  readonly waiting: Set<Joining<A, B, E>>
  readonly running: Semaphore.Semaphore
  fibers_count: number
}

/**
 * Returns a function that joins requests of the same key. A request starts at once while fewer than `concurrency` batches of its key
 * run. Otherwise it waits, and the next batch takes it with the others that wait. `run` answers them in their order. The requests of
 * a batch that dies run again, each alone. A batch goes on when a caller is interrupted; a request that still waits is withdrawn.
 * A request within a transaction is not joined: it may depend on what the transaction has written.
 */
export const joinRequests = Effect.fnUntraced(function* <Key, A, B, E>(
  { batch_max, concurrency }: JoinOptions,
  run: (key: Key, batch: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Result.Result<B, E>>>,
) {
  const scope = yield* Effect.scope
  const queues = new Map<Key, JoinQueue<A, B, E>>()

  const answerAt = (place: number) => (answers: ReadonlyArray<Result.Result<B, E>>) => {
    const result = answers[place]
    return result === undefined ? Effect.die("a request of a batch has no answer") : Effect.fromResult(result)
  }

  const answer = (key: Key, batch: ReadonlyArray<Joining<A, B, E>>): Effect.Effect<void> => {
    const requests = batch.map(({ request }) => request)
    return Effect.flatMap(Effect.exit(run(key, requests)), (exit) => {
      if (Exit.isFailure(exit) && batch.length > 1) {
        return Effect.forEach(batch, (each) => answer(key, [each]), { concurrency: "unbounded", discard: true })
      }
      for (const [place, { answered }] of batch.entries()) {
        Deferred.doneUnsafe(answered, Effect.flatMap(exit, answerAt(place)))
      }
      return Effect.void
    })
  }

  /** When the scope ends. */
  const abandon = (batch: ReadonlyArray<Joining<A, B, E>>) =>
    Effect.sync(() => {
      for (const { answered } of batch) Deferred.doneUnsafe(answered, Effect.interrupt)
    })

  const serve = (key: Key, { waiting }: JoinQueue<A, B, E>) =>
    Effect.suspend(() => {
      const batch = [...waiting].slice(0, batch_max)
      for (const each of batch) waiting.delete(each)
      return batch.length === 0 ? Effect.void : Effect.onInterrupt(answer(key, batch), () => abandon(batch))
    })

  const alone = (key: Key, request: A) => Effect.flatMap(run(key, [request]), answerAt(0))

  const join = (key: Key, request: A): Effect.Effect<B, E> =>
    Effect.suspend(() => {
      const queue = queues.get(key) ?? {
        waiting: new Set(),
        running: Semaphore.makeUnsafe(concurrency),
        fibers_count: 0,
      }
      queues.set(key, queue)
      const own: Joining<A, B, E> = { request, answered: Deferred.makeUnsafe() }
      queue.waiting.add(own)
      queue.fibers_count++
      const leave = Effect.sync(() => {
        if (--queue.fibers_count === 0) queues.delete(key)
      })
      return queue.running.withPermit(serve(key, queue)).pipe(
        Effect.onInterrupt(() => abandon([own])),
        Effect.ensuring(leave),
        Effect.forkIn(scope),
        Effect.andThen(Deferred.await(own.answered)),
        Effect.onInterrupt(() => Effect.sync(() => queue.waiting.delete(own))),
      )
    })

  return (key: Key, request: A, { isAlone = false }: { readonly isAlone?: boolean } = {}): Effect.Effect<B, E> =>
    Effect.flatMap(Effect.serviceOption(Transaction), (open) =>
      isAlone || Option.isSome(open) ? alone(key, request) : join(key, request),
    )
})

export interface WriteOptions extends BatchOptions {
  /** Items that may wait for a batch; unlimited by default. */
  readonly waiting_max?: number
  /** After a batch the writer pauses as long as the batch took, at most this long; no pause by default. */
  readonly pause_max?: Duration.Input
}

export interface BatchWriter<A> {
  /** Adds an item synchronously. False if `waiting_max` items wait already. */
  readonly add: (item: A) => boolean
  /** Adds an item as soon as there is space. */
  readonly offer: (item: A) => Effect.Effect<void>
  /** Waits until fewer than `batch_max` items are unwritten. */
  readonly room: Effect.Effect<void>
  /** Waits until every item is written. */
  readonly drained: Effect.Effect<void>
  /**
   * Writes what waits without lingering, for at most `time_max`. Returns the number of items that are then unwritten.
   * Register it as a finalizer: the writing fiber ends with the scope.
   */
  readonly drain: (time_max: Duration.Input) => Effect.Effect<number>
}

/** `write` writes a whole batch, retries by itself and must not fail. Batches are written one after another. */
export const batchWrites = <A>(
  { pause_max, waiting_max, ...options }: WriteOptions,
  write: (batch: ReadonlyArray<A>) => Effect.Effect<void>,
): Effect.Effect<BatchWriter<A>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { add, drain, next, offer } = yield* collect<A>(options, waiting_max)
    const drained = yield* Latch.make(true)
    const room = yield* Latch.make(true)
    let unwritten = 0
    let draining = false
    const count = (change: number) => {
      unwritten += change
      if (unwritten === 0) drained.openUnsafe()
      else drained.closeUnsafe()
      if (unwritten < options.batch_max) room.openUnsafe()
      else room.closeUnsafe()
    }
    const writeNext = Effect.gen(function* () {
      const batch = yield* next
      const [took] = yield* Effect.timed(write(batch))
      count(-batch.length)
      if (pause_max !== undefined && !draining)
        yield* Effect.sleep(Duration.min(took, Duration.fromInputUnsafe(pause_max)))
    })
    yield* Effect.forkScoped(Effect.forever(writeNext))
    return {
      add: (item) => {
        const added = add(item)
        if (added) count(1)
        return added
      },
      offer: (item) =>
        Effect.suspend(() => {
          count(1)
          return Effect.onInterrupt(Effect.asVoid(offer(item)), () => Effect.sync(() => count(-1)))
        }),
      room: room.await,
      drained: drained.await,
      drain: (time_max) =>
        Effect.suspend(() => {
          draining = true
          drain()
          return Effect.map(Effect.timeoutOption(drained.await, time_max), () => unwritten)
        }),
    }
  })
