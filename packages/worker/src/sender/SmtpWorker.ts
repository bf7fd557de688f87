// An SMTP worker: one connection that sends one message after another. Before the 354 a message may be interrupted; between the
// intent request and the settlement of its outcome it may not.
import { ConnectFailed, type Connection, type MailConnections, NotSent } from "@tentpole/core/sending/MailConnection"
import type { ReusableMessage } from "@tentpole/core/sending/OutgoingMail"
import { permit_ms } from "@tentpole/core/sending/SendRateLimit"
import { type AttemptResult, requiresLogin } from "@tentpole/core/sending/Settlement"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { Cause, Clock, Effect, Exit, Scope, Semaphore } from "effect"
import type { DeliveryWriter, IntentReply } from "./DeliveryWriter.ts"
import type { PreparedMessage } from "./Prefetch.ts"
import type { InFlight, Item } from "./InFlight.ts"
import type { Writable, WorkspaceWrites } from "./Writable.ts"

export interface SmtpWorkerDeps extends Omit<DeliveryWriter, "drained"> {
  /** Waits for the next delivery. */
  readonly next: Effect.Effect<PreparedMessage>
  /** Another delivery, if one is ready. */
  readonly following: Effect.Effect<PreparedMessage | undefined>
  readonly inFlight: InFlight
  readonly mail: MailConnections["Service"]
  readonly database: WorkspaceWrites
  readonly recordable: Writable
  readonly server: MailServer
  /** Called when no message of the item's blast can be sent. */
  readonly failBlast: (item: Item, failure: string) => Effect.Effect<void>
}

/** State of the mail server that all SMTP workers share: how many connections it accepts and whether it is reachable. */
export class MailServer {
  readonly #most: number
  /** An SMTP worker holds a permit while it serves. */
  readonly permits: Semaphore.Semaphore
  /** While the server is unreachable, one SMTP worker at a time connects. */
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

  /** Whether it accepts as many connections as there are. */
  get isRoomy(): boolean {
    return this.#allowed === this.#most
  }

  get reachable(): boolean {
    return this.#failures === 0
  }

  /** The server refused a connection as one too many. Returns false if only one is left. */
  readonly shrink = Effect.gen({ self: this }, function* () {
    this.#crowded_at_ms = yield* Clock.currentTimeMillis
    if (this.#allowed <= 1) return false
    this.#allowed--
    yield* Semaphore.resize(this.permits, this.#allowed)
    yield* Effect.logInfo("the mail server accepts fewer connections").pipe(
      Effect.annotateLogs({ connections: this.#allowed }),
    )
    return true
  })

  /** Allows one more connection after a calm period. */
  readonly grow = Effect.gen({ self: this }, function* () {
    const now = yield* Clock.currentTimeMillis
    if (this.#allowed >= this.#most || now - this.#crowded_at_ms < calm_ms) return
    this.#allowed++
    this.#crowded_at_ms = now
    yield* Semaphore.resize(this.permits, this.#allowed)
  })

  /** Opens a connection. After a failure, the next attempt waits for a pause that grows with each failure. */
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

  /** Concurrent attempts that fail count as one failure. */
  #failed(reason: string, failures: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#failures = Math.max(this.#failures, failures)
      return Effect.logWarning("the mail server is unreachable").pipe(
        Effect.annotateLogs({ reason, failures: this.#failures }),
      )
    })
  }
}

const calm_ms = 60_000
const outage_pause_max_ms = 30_000

/** Whether the permit of the send rate limit has expired. */
const isLate = ({ claimed, claimed_at_ms }: Item) =>
  Effect.map(Clock.currentTimeMillis, (now_ms) => claimed.rateLimited && now_ms - claimed_at_ms > permit_ms)

/** Whether a single message must not be handed over any more. */
const isExpired = ({ claimed: { message } }: Item) =>
  message === null
    ? Effect.succeed(false)
    : Effect.map(Clock.currentTimeMillis, (now_ms) => now_ms >= message.expiresAt.epochMilliseconds)

/** An open connection. `used`: the server may close it after messages it has taken, which is not the next message's fault. */
interface OpenConnection {
  readonly connection: Connection
  readonly scope: Scope.Closeable
  used: boolean
}

export class SmtpWorker {
  readonly #deps: SmtpWorkerDeps
  #connection: OpenConnection | undefined
  /** The next delivery, whose envelope the mail server may have. When the sender stops, it is released as all in flight are. */
  #following: PreparedMessage | undefined
  #busy = false
  #used_at_ms = 0

  constructor(deps: SmtpWorkerDeps) {
    this.#deps = deps
  }

  /** Serves forever. Waits without a message while the server gives no permit. */
  readonly run: Effect.Effect<never> = Effect.suspend(() =>
    this.#deps.server.permits.withPermit(this.#serve.pipe(Effect.ensuring(this.close))).pipe(Effect.forever),
  )

  /** Serves until the server refuses further connections. */
  readonly #serve: Effect.Effect<void> = Effect.suspend(() =>
    this.#next.pipe(
      Effect.flatMap((ready) => {
        this.#busy = true
        return this.#handle(ready).pipe(
          Effect.onExit((exit) => Effect.ensuring(this.#end(ready.item, exit), ready.end)),
          // A failed message is logged and does not end the SMTP worker.
          Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.succeed(true))),
        )
      }),
      Effect.flatMap((stay) => (stay ? this.#serve : Effect.void)),
    ),
  )

  readonly #next: Effect.Effect<PreparedMessage> = Effect.suspend(() => {
    const following = this.#following
    this.#following = undefined
    return following === undefined ? this.#deps.next : Effect.succeed(following)
  })

  /**
   * Ends a message on every exit, so that it does not stay in flight. An interruption during the intent request arrives here
   * after the outcome was settled; the message can no longer be released then.
   */
  #end(item: Item, exit: Exit.Exit<boolean>): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      this.#busy = false
      this.#used_at_ms = yield* Clock.currentTimeMillis
      if (Exit.isSuccess(exit)) return
      const { release, inFlight, settle } = this.#deps
      if (Cause.hasInterruptsOnly(exit.cause)) return yield* release(item)
      yield* Effect.logError("a message could not be handled", exit.cause)
      // An unavailable database does not count as an attempt. Other failures do, so that they end at some time.
      if (Cause.squash(exit.cause) instanceof Unavailable && !inFlight.hasIntent(item)) return yield* release(item)
      const tried: AttemptResult = inFlight.hasIntent(item)
        ? { _tag: "outcome", outcome: { _tag: "inDoubt" } }
        : {
            _tag: "notSent",
            error: new NotSent({ stage: "connection", code: null, reply: "The message could not be handled" }),
          }
      yield* settle(item, tried)
    })
  }

  /** Closes the connection if it is idle. */
  closeIdle(before_ms: number): Effect.Effect<void> {
    return Effect.suspend(() => (this.#busy || this.#used_at_ms > before_ms ? Effect.void : this.close))
  }

  /** The outcome of a pending reply stays unknown. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    const open = this.#connection
    if (open === undefined) return Effect.void
    this.#connection = undefined
    this.#deps.server.closed()
    return Scope.close(open.scope, Exit.void)
  })

  /** Returns whether the SMTP worker may continue. */
  readonly #handle = Effect.fnUntraced({ self: this }, function* (this: SmtpWorker, ready: PreparedMessage) {
    const deps = this.#deps
    const { item } = ready
    if (!deps.inFlight.has(item)) return true
    if (deps.inFlight.isStopped(item)) return yield* Effect.as(deps.release(item), true)
    yield* deps.recordable.await
    yield* deps.room
    if (deps.database.failing.has(item.workspace) || (yield* isLate(item)))
      return yield* Effect.as(deps.release(item), true)
    if (yield* isExpired(item)) return yield* Effect.as(deps.settle(item, { _tag: "expired" }), true)
    if (item.claimed.contact === null) return yield* Effect.as(this.#withoutMessage(item), true)
    const message = yield* this.#message(ready)
    return message === undefined ? true : yield* this.#send(item, message)
  })

  /** The contact was deleted: requests the intent only to record the block reason. */
  #withoutMessage(item: Item): Effect.Effect<void> {
    return Effect.uninterruptible(
      Effect.flatMap(this.#deps.requestIntent(item), (leave) =>
        leave === "granted" ? this.#deps.revokeIntent(item) : this.#withheld(item, leave),
      ),
    )
  }

  #message({ item, message }: PreparedMessage): Effect.Effect<ReusableMessage | undefined> {
    const { failBlast, settle } = this.#deps
    return message.pipe(
      Effect.catchTags({
        SenderRefused: ({ failure }) => Effect.as(failBlast(item, failure), undefined),
        NotRendered: ({ reason, why }) => Effect.as(settle(item, { _tag: "notRendered", reason, why }), undefined),
      }),
    )
  }

  #send(item: Item, message: ReusableMessage): Effect.Effect<boolean> {
    return this.#connected.pipe(
      Effect.matchEffect({
        onFailure: (error) => this.#notConnected(item, error),
        onSuccess: (open) => this.#transmit(open, item, message),
      }),
    )
  }

  readonly #connected: Effect.Effect<OpenConnection, ConnectFailed> = Effect.gen({ self: this }, function* () {
    if (this.#connection !== undefined && (yield* this.#connection.connection.alive)) return this.#connection
    yield* this.close
    const scope = yield* Scope.make()
    const connection = yield* this.#deps.server.open(this.#deps.mail).pipe(
      Scope.provide(scope),
      Effect.onError(() => Scope.close(scope, Exit.void)),
    )
    const open: OpenConnection = { connection, scope, used: false }
    this.#connection = open
    return open
  })

  #notConnected(item: Item, error: ConnectFailed): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function* () {
      if (error.permanent) {
        yield* this.#deps.failBlast(item, "mailer_refuses_login")
        return true
      }
      if (error.crowded && (yield* this.#deps.server.shrink)) {
        yield* this.#deps.release(item)
        return false
      }
      const why = new NotSent({ stage: "connection", code: null, reply: error.reason })
      yield* this.#deps.settle(item, { _tag: "notSent", error: why })
      return true
    })
  }

  #transmit(open: OpenConnection, item: Item, message: ReusableMessage): Effect.Effect<boolean> {
    const deps = this.#deps
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        const started = yield* Effect.result(restore(open.connection.begin(message.envelope)))
        const { used } = open
        open.used = true
        if (started._tag === "Failure") return yield* restore(this.#notStarted(item, message, started.failure, used))
        const ready = started.success
        if (yield* isExpired(item)) {
          yield* ready.abandon
          yield* deps.settle(item, { _tag: "expired" })
          return true
        }
        const leave = yield* deps.requestIntent(item)
        if (leave !== "granted") {
          yield* ready.abandon
          yield* this.#withheld(item, leave)
          return true
        }
        this.#following = yield* deps.following
        const outcome = yield* ready.release(message.bytes, this.#following?.envelope)
        yield* message.release
        yield* deps.settle(item, { _tag: "outcome", outcome })
        return true
      }),
    )
  }

  #notStarted(item: Item, message: ReusableMessage, error: NotSent, used: boolean): Effect.Effect<boolean> {
    return Effect.gen({ self: this }, function* () {
      const hungUp = error.code === null || error.code === 421
      // The server closed a used connection, as servers do after some messages or idle time: send once over a new one.
      if (hungUp && used) return yield* this.#send(item, message)
      if (requiresLogin(error)) {
        yield* this.#deps.failBlast(item, "mailer_refuses_login")
        return true
      }
      yield* this.#deps.settle(item, { _tag: "notSent", error })
      return error.code === 421 ? !(yield* this.#deps.server.shrink) : true
    })
  }

  #withheld(item: Item, leave: Exclude<IntentReply, "granted">): Effect.Effect<void> {
    const { inFlight, revokeIntent } = this.#deps
    switch (leave) {
      case "unknown":
        // Granted or not: nothing was sent, so that the intent may be revoked.
        return revokeIntent(item)
      case "paused":
      case "cancelled":
        inFlight.stop(item)
        inFlight.remove(item)
        return Effect.void
      default:
        inFlight.remove(item)
        return Effect.void
    }
  }
}
