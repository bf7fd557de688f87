// One connection to the mail server, and what goes over it, one message after the other. Before the 354 a message may be
// interrupted freely; from asking for the intent until its outcome has been told, never.
import type { IntentAnswer } from "@tentpole/core/sending/Delivery"
import { ConnectFailed, type Connection, type MailConnections, NotSent } from "@tentpole/core/sending/MailConnection"
import type { LentMessage } from "@tentpole/core/sending/OutgoingMail"
import * as Pace from "@tentpole/core/sending/SendRateLimit"
import { type Try, wantsLogin } from "@tentpole/core/sending/Settlement"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { Cause, Clock, Effect, Exit, Scope, Semaphore } from "effect"
import type { PreparedMessage } from "./Prefetch.ts"
import type { InFlight, Item } from "./InFlight.ts"
import type { Writable } from "./WriteRetry.ts"

/** An intent is also answered `lost` (the claim is another's) or `unknown` (the database did not say). */
export type IntentReply = IntentAnswer | "lost" | "unknown"

export interface SmtpWorkerDeps {
  /** Waits for the next delivery. */
  readonly next: Effect.Effect<PreparedMessage>
  readonly hands: InFlight
  readonly mail: MailConnections["Service"]
  readonly writable: Writable
  readonly server: MailServer
  /** Waits while too many outcomes are not written yet. */
  readonly room: Effect.Effect<void>
  readonly requestIntent: (item: Item) => Effect.Effect<IntentReply>
  readonly settle: (item: Item, tried: Try) => Effect.Effect<void>
  readonly release: (item: Item) => Effect.Effect<void>
  readonly revokeIntent: (item: Item) => Effect.Effect<void>
  /** No message of the item's blast can go out. */
  readonly failBlast: (item: Item, failure: string) => Effect.Effect<void>
}

/** What all lanes know of the mail server: how many connections it bears, and whether it is there at all. */
export class MailServer {
  readonly #most: number
  /** Held while a lane is open for business. */
  readonly permits: Semaphore.Semaphore
  /** While the server can't be reached, one lane at a time tries. */
  readonly #trying = Semaphore.makeUnsafe(1)
  #allowed: number
  #crowded_at_ms = 0
  #failures = 0
  #open = 0

  constructor(connections_max: number) {
    this.#most = connections_max
    this.#allowed = connections_max
    this.permits = Semaphore.makeUnsafe(connections_max)
  }

  get reachable(): boolean {
    return this.#failures === 0
  }

  /** It asked for fewer connections. Answers false when there is only this one to give up. */
  readonly shrink = Effect.gen({ self: this }, function* () {
    this.#crowded_at_ms = yield* Clock.currentTimeMillis
    if (this.#allowed <= 1) return false
    this.#allowed--
    yield* Semaphore.resize(this.permits, this.#allowed)
    yield* Effect.logInfo("the mail server asks for fewer connections").pipe(
      Effect.annotateLogs({ connections: this.#allowed }),
    )
    return true
  })

  /** One more, when it has not complained for a while. */
  readonly grow = Effect.gen({ self: this }, function* () {
    const now = yield* Clock.currentTimeMillis
    if (this.#allowed >= this.#most || now - this.#crowded_at_ms < calm_ms) return
    this.#allowed++
    this.#crowded_at_ms = now
    yield* Semaphore.resize(this.permits, this.#allowed)
  })

  /** Opens a connection; when that fails, nobody else tries before a pause that grows with each failure. */
  open(mail: MailConnections["Service"]): Effect.Effect<Connection, ConnectFailed, Scope.Scope> {
    const attempt = Effect.suspend(() => {
      const before = this.#failures
      return mail.open.pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            this.#failures = 0
            this.#open++
          }),
        ),
        Effect.tapError((error) =>
          error.crowded && this.#open > 0 ? Effect.void : this.#failed(error.reason, before + 1),
        ),
      )
    })
    return Effect.suspend(() =>
      this.#failures === 0
        ? attempt
        : this.#trying.withPermit(
            Effect.suspend(() =>
              this.#failures === 0
                ? attempt
                : Effect.andThen(Effect.sleep(Math.min(outage_pause_max_ms, 250 * 2 ** this.#failures)), attempt),
            ),
          ),
    )
  }

  closed(): void {
    this.#open--
  }

  /** Lanes that tried at once failed at once: that is one failure, not one for each of them. */
  #failed(reason: string, failures: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#failures = Math.max(this.#failures, failures)
      return Effect.logWarning("the mail server can't be used").pipe(
        Effect.annotateLogs({ reason, failures: this.#failures }),
      )
    })
  }
}

const calm_ms = 60_000
const outage_pause_max_ms = 30_000

/** Whether its permit was for a moment that is over. */
const isLate = ({ claimed, claimed_at_ms }: Item) =>
  Effect.map(Clock.currentTimeMillis, (now_ms) => claimed.paced && now_ms - claimed_at_ms > Pace.permit_ms)

/** An open connection of a lane. `used`: a server may hang up on one that it has served, without fault of the next message. */
interface OpenConnection {
  readonly connection: Connection
  readonly scope: Scope.Closeable
  used: boolean
}

export class SmtpWorker {
  readonly #desk: SmtpWorkerDeps
  #line: OpenConnection | undefined
  #busy = false
  #used_at_ms = 0

  constructor(desk: SmtpWorkerDeps) {
    this.#desk = desk
  }

  /** Serves for ever. A lane that the server has no room for waits without a message in hand. */
  readonly run: Effect.Effect<never> = Effect.suspend(() =>
    this.#desk.server.permits.withPermit(this.#serve.pipe(Effect.ensuring(this.close))).pipe(Effect.forever),
  )

  /** Until the server asks for fewer connections. */
  readonly #serve: Effect.Effect<void> = Effect.suspend(() =>
    this.#desk.next.pipe(
      Effect.flatMap((ready) => {
        this.#busy = true
        return this.#handle(ready).pipe(
          Effect.onExit((exit) => this.#end(ready.item, exit)),
          // One message's mishap is told of, and ends no lane.
          Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed(true))),
        )
      }),
      Effect.flatMap((stay) => (stay ? this.#serve : Effect.void)),
    ),
  )

  /**
   * Whatever ends a message in the middle, it does not stay in hand. An interruption that came while the intent was asked
   * for strikes here, after the outcome has been told: giving back is then no longer possible.
   */
  #end(item: Item, exit: Exit.Exit<boolean>): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      this.#busy = false
      this.#used_at_ms = yield* Clock.currentTimeMillis
      if (Exit.isSuccess(exit)) return
      const { release, hands, settle } = this.#desk
      if (Cause.hasInterruptsOnly(exit.cause)) return yield* release(item)
      yield* Effect.logError("a message could not be handled", exit.cause)
      // It is no fault of the message's that the database is away; anything else counts as a try, lest it comes round for ever.
      if (Cause.squash(exit.cause) instanceof Unavailable && !hands.isAsked(item)) return yield* release(item)
      const tried: Try = hands.isAsked(item)
        ? { _tag: "outcome", outcome: { _tag: "inDoubt" } }
        : {
            _tag: "notSent",
            error: new NotSent({ stage: "connection", code: null, reply: "The message could not be handled" }),
          }
      yield* settle(item, tried)
    })
  }

  /** Closes the connection if it lies idle. */
  closeIdle(before_ms: number): Effect.Effect<void> {
    return Effect.suspend(() => (this.#busy || this.#used_at_ms > before_ms ? Effect.void : this.close))
  }

  /** A reply that is being waited for stays unknown then. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    const line = this.#line
    if (line === undefined) return Effect.void
    this.#line = undefined
    this.#desk.server.closed()
    return Scope.close(line.scope, Exit.void)
  })

  /** Answers whether the lane may go on. */
  readonly #handle = Effect.fnUntraced({ self: this }, function* (this: SmtpWorker, ready: PreparedMessage) {
    const desk = this.#desk
    const { item } = ready
    if (!desk.hands.has(item)) return true
    if (desk.hands.isStopped(item)) return yield* Effect.as(desk.release(item), true)
    yield* desk.writable.await
    yield* desk.room
    if (yield* isLate(item)) return yield* Effect.as(desk.release(item), true)
    if (item.claimed.contact === null) return yield* Effect.as(this.#withoutMessage(item), true)
    const message = yield* this.#message(ready)
    return message === undefined ? true : yield* this.#send(item, message)
  })

  /** Nobody to write to: the intent finds the reason, and is not used. */
  #withoutMessage(item: Item): Effect.Effect<void> {
    return Effect.uninterruptible(
      Effect.flatMap(this.#desk.requestIntent(item), (leave) =>
        leave === "granted" ? this.#desk.revokeIntent(item) : this.#withheld(item, leave),
      ),
    )
  }

  #message({ item, message }: PreparedMessage): Effect.Effect<LentMessage | undefined> {
    const { failBlast, settle } = this.#desk
    return message.pipe(
      Effect.catchTags({
        SenderRefused: ({ failure }) => Effect.as(failBlast(item, failure), undefined),
        NotRendered: ({ why }) => Effect.as(settle(item, { _tag: "notRendered", why }), undefined),
      }),
    )
  }

  #send(item: Item, message: LentMessage): Effect.Effect<boolean> {
    return this.#connected.pipe(
      Effect.matchEffect({
        onFailure: (error) => this.#notConnected(item, error),
        onSuccess: (line) => this.#over(line, item, message),
      }),
    )
  }

  readonly #connected: Effect.Effect<OpenConnection, ConnectFailed> = Effect.gen({ self: this }, function* () {
    if (this.#line !== undefined && (yield* this.#line.connection.alive)) return this.#line
    yield* this.close
    const scope = yield* Scope.make()
    const connection = yield* this.#desk.server.open(this.#desk.mail).pipe(
      Scope.provide(scope),
      Effect.onError(() => Scope.close(scope, Exit.void)),
    )
    const line: OpenConnection = { connection, scope, used: false }
    this.#line = line
    return line
  })

  #notConnected(item: Item, error: ConnectFailed): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function* () {
      if (error.permanent) {
        yield* this.#desk.failBlast(item, "mailer_refuses_login")
        return true
      }
      if (error.crowded && (yield* this.#desk.server.shrink)) {
        yield* this.#desk.release(item)
        return false
      }
      const why = new NotSent({ stage: "connection", code: null, reply: error.reason })
      yield* this.#desk.settle(item, { _tag: "notSent", error: why })
      return true
    })
  }

  #over(line: OpenConnection, item: Item, message: LentMessage): Effect.Effect<boolean> {
    const desk = this.#desk
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        const began = yield* Effect.result(restore(line.connection.begin(message.envelope)))
        const { used } = line
        line.used = true
        if (began._tag === "Failure") return yield* restore(this.#notBegun(item, message, began.failure, used))
        const ready = began.success
        const leave = yield* desk.requestIntent(item)
        if (leave !== "granted") {
          yield* ready.abandon
          yield* this.#withheld(item, leave)
          return true
        }
        const outcome = yield* ready.release(message.bytes)
        yield* message.giveBack
        yield* desk.settle(item, { _tag: "outcome", outcome })
        return true
      }),
    )
  }

  #notBegun(item: Item, message: LentMessage, error: NotSent, used: boolean): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function* () {
      const hungUp = error.code === null || error.code === 421
      // Hung up on after serving others: servers do that after so many messages, or so long a silence. Once more, anew.
      if (hungUp && used) return yield* this.#send(item, message)
      if (wantsLogin(error)) {
        yield* this.#desk.failBlast(item, "mailer_refuses_login")
        return true
      }
      yield* this.#desk.settle(item, { _tag: "notSent", error })
      return error.code === 421 ? !(yield* this.#desk.server.shrink) : true
    })
  }

  #withheld(item: Item, leave: Exclude<IntentReply, "granted">): Effect.Effect<void> {
    const { hands, revokeIntent } = this.#desk
    switch (leave) {
      case "unknown":
        // Granted or not: nothing was sent, and whoever holds it may say so.
        return revokeIntent(item)
      case "paused":
      case "cancelled":
        hands.stop(item)
        hands.remove(item)
        return Effect.void
      default:
        hands.remove(item)
        return Effect.void
    }
  }
}
