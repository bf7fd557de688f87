// Prefetched messages: rendered and signed while connections wait for intents and replies.
import type { Envelope } from "@tentpole/core/sending/MailConnection"
import type { ReusableMessage, NotRendered, OutgoingMail, SenderRefused } from "@tentpole/core/sending/OutgoingMail"
import { Clock, Effect, Exit, Fiber, Latch, Option, Queue } from "effect"
import type { Item } from "./InFlight.ts"

/** A delivery and its message, or the error of rendering it. */
export interface PreparedMessage {
  readonly item: Item
  readonly message: Effect.Effect<ReusableMessage, SenderRefused | NotRendered>
  /** Undefined: it can't be sent. */
  readonly envelope: Envelope | undefined
  /** Call it once, when nothing of the message is needed any more: others may then be rendered. */
  readonly end: Effect.Effect<void>
}

export interface PrefetchOptions {
  readonly connections_max: number
  /** Waits for the next delivery. */
  readonly next: Effect.Effect<Item>
  readonly render: OutgoingMail["Service"]["render"]
  /** Called when a message is ready. */
  readonly offered: Effect.Effect<unknown>
}

export interface Prefetched {
  /** A ready message; undefined: none. */
  readonly poll: Effect.Effect<PreparedMessage | undefined>
  /** Must end before deliveries in flight are released. */
  readonly renderers: ReadonlyArray<Fiber.Fiber<never>>
}

/** Older messages are rendered again: contacts change, and a message has a date. */
export const fresh_ms = 10_000

/**
 * The bytes of messages in memory from which no more are rendered. A message has up to `MESSAGE_BYTES_MAX`, so that those of all
 * connections could fill the memory.
 */
const messages_bytes_max = 16 * 2 ** 20

/** The size expected of the first message, so that few are begun before one is known, and the part that each smaller one leaves. */
const first_bytes_expected = 8 * 2 ** 20
const expectation_kept = 0.9

/**
 * Limits how many messages are in memory. Each is expected to be as large as the largest of the last ones: many are begun before the
 * size of the first is known.
 */
class MessageRoom {
  readonly #space = Latch.makeUnsafe(true)
  #bytes = 0
  #rendering = 0
  #expected_bytes = first_bytes_expected

  /** Waits until a message may be rendered. One always may. */
  readonly begin: Effect.Effect<void> = Effect.suspend(() => {
    if (this.#rendering > 0 || this.#bytes > 0) {
      if (this.#bytes + (this.#rendering + 1) * this.#expected_bytes > messages_bytes_max) {
        this.#space.closeUnsafe()
        return Effect.andThen(this.#space.await, this.begin)
      }
    }
    this.#rendering++
    return Effect.void
  })

  /** Returns how to end the message. */
  rendered(size_bytes: number): Effect.Effect<void> {
    this.#rendering--
    this.#bytes += size_bytes
    this.#expected_bytes = Math.max(size_bytes, this.#expected_bytes * expectation_kept)
    this.#space.openUnsafe()
    return Effect.sync(() => {
      this.#bytes -= size_bytes
      this.#space.openUnsafe()
    })
  }
}

/** Keeps half as many messages ready as there are connections, and renders as many concurrently. */
export const prefetch = Effect.fnUntraced(function* ({ connections_max, next, offered, render }: PrefetchOptions) {
  const count = Math.ceil(connections_max / 2)
  const queue = yield* Queue.bounded<PreparedMessage>(count)
  const room = new MessageRoom()
  const renderNext = Effect.gen(function* () {
    const item = yield* next
    // Connections whose replies have arrived go first.
    yield* Effect.yieldNow
    yield* room.begin
    const rendered = yield* Effect.exit(render(item.workspace, item.claimed))
    const end = room.rendered(Exit.isSuccess(rendered) ? rendered.value.bytes.buffer.byteLength : 0)
    const rendered_at_ms = yield* Clock.currentTimeMillis
    const message = Effect.flatMap(Clock.currentTimeMillis, (now_ms) =>
      now_ms - rendered_at_ms < fresh_ms
        ? rendered
        : Effect.andThen(released(rendered), render(item.workspace, item.claimed)),
    )
    const envelope = Exit.isSuccess(rendered) ? rendered.value.envelope : undefined
    yield* Queue.offer(queue, { item, message, envelope, end })
    yield* offered
  })
  return {
    poll: Effect.map(Queue.poll(queue), Option.getOrUndefined),
    renderers: yield* Effect.replicateEffect(Effect.forkScoped(Effect.forever(renderNext)), count),
  } satisfies Prefetched
})

const released = (rendered: Exit.Exit<ReusableMessage, unknown>): Effect.Effect<void> =>
  Exit.isSuccess(rendered) ? rendered.value.release : Effect.void
