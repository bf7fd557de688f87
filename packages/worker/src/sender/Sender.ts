// Sends what is due: claims deliveries of one workspace after the other, brings each over one of a few connections, and
// settles it. At most once: the intent is committed between the server's 354 and the body, and what has no known outcome
// is not tried again.
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { MailConnections } from "@tentpole/core/sending/MailConnection"
import { OutgoingMail } from "@tentpole/core/sending/OutgoingMail"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Clock, Deferred, Effect, Fiber, Layer } from "effect"
import { prefetch } from "./Prefetch.ts"
import { InFlight, type Item } from "./InFlight.ts"
import { SmtpWorker, type SmtpWorkerDeps, MailServer } from "./SmtpWorker.ts"
import { FairQueue } from "./FairQueue.ts"
import { type DeliveryWriter, deliveryWriter as makePapers } from "./DeliveryWriter.ts"
import { senderLoops as makeRounds } from "./SenderLoops.ts"
import { writable as makeWritable } from "./WriteRetry.ts"

export interface SenderOptions {
  /** Deliveries that one claim takes at most. */
  readonly claim_batch_max: number
  /** Settlements that one write takes. With the connections it bounds what a crash leaves in doubt. */
  readonly settle_batch_max: number
  /** How long a claim holds without being renewed. */
  readonly lease_ms: number
  readonly renew_every_ms: number
  /** How soon a workspace that becomes due is noticed. */
  readonly poll_every_ms: number
  readonly sweep_every_ms: number
  /** A connection that lies idle for so long is closed. */
  readonly idle_ms: number
  /** How long replies are waited for when the sender is to stop; their messages are in doubt after that. */
  readonly grace_ms: number
  /** How long the last writes may take then. */
  readonly last_writes_ms: number
}

export const defaults: SenderOptions = {
  claim_batch_max: 500,
  settle_batch_max: 256,
  lease_ms: 60_000,
  renew_every_ms: 20_000,
  poll_every_ms: 250,
  sweep_every_ms: 5_000,
  idle_ms: 10_000,
  grace_ms: 22_000,
  last_writes_ms: 5_000,
}

export const layer = (options: SenderOptions = defaults) => Layer.effectDiscard(start(options))

/**
 * Sends until the scope closes; then nothing is left in hand. Held (`SENDING=held`), it still ends the leases of senders
 * that are gone.
 */
export const start = Effect.fnUntraced(function* (options: SenderOptions) {
  const settings = yield* Settings
  const connections_max = Math.max(1, settings.smtpConnections)
  const hands = new InFlight()
  const writable = yield* makeWritable
  const server = new MailServer(connections_max)
  const lines = new FairQueue({ ...options, connections_max })

  const rounds = yield* makeRounds({ ...options, hands, lines, writable, server })
  const looks = yield* Effect.scope
  const papers = yield* makePapers({
    hands,
    writable,
    lease_ms: options.lease_ms,
    intents_max: connections_max,
    settlements_max: options.settle_batch_max,
    emptied: (workspace) => Effect.asVoid(Effect.forkIn(rounds.checkQueue(workspace), looks)),
  })
  yield* every(options.renew_every_ms, rounds.renew)
  const sweeping = yield* every(options.sweep_every_ms, rounds.sweep)
  if (settings.sending === "held") return yield* Effect.logWarning("SENDING=held: no mail leaves")

  const { make } = yield* OutgoingMail
  const { makers, next } = yield* prefetch({ connections_max, make, next: lines.take })
  const desk: SmtpWorkerDeps = {
    next,
    hands,
    writable,
    server,
    mail: yield* MailConnections,
    room: papers.room,
    requestIntent: papers.requestIntent,
    settle: papers.settle,
    release: papers.release,
    revokeIntent: papers.revokeIntent,
    failBlast: yield* failing(hands, papers),
  }
  const lanes = Array.from({ length: connections_max }, () => new SmtpWorker(desk))
  const running = yield* Effect.forEach(lanes, (lane) => Effect.forkScoped(lane.run))
  const taking = yield* Effect.forkScoped(Effect.forever(rounds.claim))
  yield* every(options.idle_ms / 2, housekeeping(lanes, server, options.idle_ms))
  yield* Effect.addFinalizer(() =>
    stop({ hands, lanes, papers, fetching: [taking, sweeping, ...makers], running }, options),
  )
})

const every = (pause_ms: number, round: Effect.Effect<void>) =>
  Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(pause_ms), round)))

const housekeeping = (lanes: ReadonlyArray<SmtpWorker>, server: MailServer, idle_ms: number) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const lane of lanes) yield* lane.closeIdle(now - idle_ms)
    yield* server.grow
  })

/** The blast fails, and what is in hand of it goes back, to be ended with the rest of it. */
const failing = (hands: InFlight, papers: DeliveryWriter) =>
  Effect.map(Blasts, (blasts) => (item: Item, failure: string) => {
    // A flow goes on: its member learns that this message could not be sent.
    if (item.claimed.tokens !== null) return papers.settle(item, { _tag: "notRendered", why: failure })
    return Effect.gen(function* () {
      yield* Effect.logError("a blast can't be sent").pipe(
        Effect.annotateLogs({ workspace_id: item.workspace, blast_id: item.claimed.blastId, failure }),
      )
      yield* blasts
        .fail(item.workspace, item.claimed.blastId, failure)
        // Failed, cancelled or deleted by someone else meanwhile.
        .pipe(Effect.catchTags({ InvalidState: () => Effect.void, NotFound: () => Effect.void }))
        .pipe(logFailure("failing a blast failed", {}, "Warning"))
      hands.stop(item)
      yield* papers.release(item)
    })
  })

interface Running {
  readonly hands: InFlight
  readonly lanes: ReadonlyArray<SmtpWorker>
  readonly papers: DeliveryWriter
  readonly fetching: ReadonlyArray<Fiber.Fiber<never>>
  readonly running: ReadonlyArray<Fiber.Fiber<never>>
}

/** Takes nothing more, waits for replies, gives back the rest. Replies that don't come in time leave their message in doubt. */
const stop = Effect.fnUntraced(function* (
  { fetching, hands, lanes, papers, running }: Running,
  { grace_ms, last_writes_ms }: SenderOptions,
) {
  yield* Fiber.interruptAll(fetching)
  const ended = Fiber.interruptAll(running)
  if (!(yield* withinTime(grace_ms, ended))) {
    yield* Effect.forEach(lanes, (lane) => lane.close, { discard: true })
    yield* ended
  }
  yield* Effect.forEach(hands.free, papers.release, { discard: true })
  if (!(yield* withinTime(last_writes_ms, papers.drained))) {
    yield* Effect.logWarning("the database did not take the last writes: their leases will run out").pipe(
      Effect.annotateLogs({ deliveries: hands.size }),
    )
  }
})

/** Whether it ended in time; it goes on by itself if not. */
const withinTime = (limit_ms: number, effect: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const done = yield* Deferred.make<boolean>()
    yield* Effect.forkDetach(Effect.andThen(effect, Deferred.succeed(done, true)))
    const timer = yield* Effect.forkDetach(
      Effect.interruptible(Effect.andThen(Effect.sleep(limit_ms), Deferred.succeed(done, false))),
    )
    const inTime = yield* Deferred.await(done)
    yield* Fiber.interrupt(timer)
    return inTime
  })
