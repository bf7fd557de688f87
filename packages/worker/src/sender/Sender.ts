// The sender: claims due deliveries of all workspaces, sends them over a few connections and settles them. At most once: the
// intent is committed between the server's 354 and the body, and an unknown outcome is never retried.
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { MailConnections, NotSent } from "@tentpole/core/sending/MailConnection"
import { OutgoingMail } from "@tentpole/core/sending/OutgoingMail"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Clock, Deferred, Effect, Fiber, Layer } from "effect"
import { SendingLoad } from "../SendingLoad.ts"
import { prefetch, type Prefetched } from "./Prefetch.ts"
import { keptConnections, ReadyMessages } from "./ReadyMessages.ts"
import { InFlight, type Item } from "./InFlight.ts"
import { SmtpWorker, type SmtpWorkerDeps, MailServer } from "./SmtpWorker.ts"
import { FairQueue } from "./FairQueue.ts"
import { type DeliveryWriter, deliveryWriter as makeDeliveryWriter } from "./DeliveryWriter.ts"
import { senderLoops as makeLoops } from "./SenderLoops.ts"
import { workspaceWrites, writable } from "./Writable.ts"

export interface SenderOptions {
  /** The largest claim. */
  readonly claim_batch_max: number
  /** The largest batch of settlements. With the connections it bounds how many messages a crash leaves unconfirmed. */
  readonly settle_batch_max: number
  /** Duration of a claim without renewal. */
  readonly lease_ms: number
  readonly renew_every_ms: number
  readonly sweep_every_ms: number
  /** Idle connections are closed after this time. */
  readonly idle_ms: number
  /** On shutdown, the time to wait for replies. Messages without one are unconfirmed. */
  readonly grace_ms: number
  /** On shutdown, the time for the last writes. */
  readonly last_writes_ms: number
}

export const defaults: SenderOptions = {
  claim_batch_max: 500,
  settle_batch_max: 256,
  lease_ms: 60_000,
  renew_every_ms: 20_000,
  sweep_every_ms: 5_000,
  idle_ms: 10_000,
  grace_ms: 22_000,
  last_writes_ms: 5_000,
}

export const layer = (options: SenderOptions = defaults) => Layer.effectDiscard(start(options))

/**
 * Sends until the scope closes and releases what is in flight then. With `SENDING=held` it only ends the leases of dead
 * senders.
 */
export const start = Effect.fnUntraced(function* (options: SenderOptions) {
  const settings = yield* Settings
  const connections_max = Math.max(1, settings.smtpConnections)
  const inFlight = new InFlight()
  const load = yield* SendingLoad
  load.watch(inFlight)
  const database = yield* workspaceWrites
  const recordable = yield* writable("the file store")
  const server = new MailServer(connections_max)
  const queue = new FairQueue({ ...options, connections_max })
  const messages = new FairQueue({ ...options, claim_batch_max: message_batch_max, connections_max })

  const loops = yield* makeLoops({ ...options, inFlight, messages, queue, database, recordable, server })
  const checks = yield* Effect.scope
  const writer = yield* makeDeliveryWriter({
    inFlight,
    database,
    recordable,
    lease_ms: options.lease_ms,
    intents_max: connections_max,
    settlements_max: options.settle_batch_max,
    emptied: (workspace) => Effect.asVoid(Effect.forkIn(loops.checkQueue(workspace), checks)),
  })
  yield* every(options.renew_every_ms, loops.renew)
  const sweeping = yield* every(options.sweep_every_ms, loops.sweep)
  if (settings.sending === "held") return yield* Effect.logWarning("SENDING=held: no mail leaves")

  const { render } = yield* OutgoingMail
  /** Waits for the next delivery that may be sent. */
  const nextOf = (waiting: FairQueue): Effect.Effect<Item> =>
    Effect.flatMap(waiting.take, (item) =>
      database.failing.has(item.workspace)
        ? Effect.andThen(writer.release(item), nextOf(waiting))
        : Effect.succeed(item),
    )
  const { ready, renderers } = yield* prepared(connections_max, {
    messages: nextOf(messages),
    deliveries: nextOf(queue),
    render,
  })
  const failBlast = yield* failing(inFlight, writer)
  const deps = { ...writer, inFlight, database, recordable, server, mail: yield* MailConnections, failBlast }
  const kept = keptConnections(connections_max)
  const smtpWorkers = Array.from(
    { length: connections_max },
    (_, at) =>
      new SmtpWorker({
        ...deps,
        next: at < kept ? ready.nextKept : ready.next,
        following: at < kept ? ready.followingKept : ready.following,
      } satisfies SmtpWorkerDeps),
  )
  const running = yield* Effect.forEach(smtpWorkers, (smtpWorker) => Effect.forkScoped(smtpWorker.run))
  const taking = yield* Effect.forkScoped(Effect.forever(loops.claim))
  const takingMessages = yield* Effect.forkScoped(Effect.forever(loops.claimMessages))
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(loops.usesMessages(ready), Effect.sleep(options.sweep_every_ms))),
  )
  yield* every(options.idle_ms / 2, maintainConnections(smtpWorkers, server, options.idle_ms))
  yield* Effect.addFinalizer(() =>
    stop(
      { inFlight, smtpWorkers, writer, fetching: [taking, takingMessages, sweeping, ...renderers], running },
      options,
    ),
  )
})

/** The largest claim of single messages: small, so that workspaces take turns. */
const message_batch_max = 100

/** Twice as many as are prepared at the same time. */
const prepared_singles_max = 8

/** Prepares single messages and deliveries, each in their own order, so that neither waits for the other. */
const prepared = Effect.fnUntraced(function* (
  connections_max: number,
  {
    render,
    ...next
  }: {
    readonly messages: Effect.Effect<Item>
    readonly deliveries: Effect.Effect<Item>
    readonly render: OutgoingMail["Service"]["render"]
  },
) {
  const ofMessages: { poll: Prefetched["poll"] } = { poll: Effect.undefined }
  const ofDeliveries: { poll: Prefetched["poll"] } = { poll: Effect.undefined }
  const ready = new ReadyMessages({
    messages: Effect.suspend(() => ofMessages.poll),
    deliveries: Effect.suspend(() => ofDeliveries.poll),
  })
  const singles = yield* prefetch({
    // Few: a message may have large files.
    connections_max: Math.min(connections_max, prepared_singles_max),
    render,
    next: next.messages,
    offered: ready.messageOffered,
  })
  const deliveries = yield* prefetch({ connections_max, render, next: next.deliveries, offered: ready.deliveryOffered })
  ofMessages.poll = singles.poll
  ofDeliveries.poll = deliveries.poll
  return { ready, renderers: [...singles.renderers, ...deliveries.renderers] }
})

const every = (pause_ms: number, round: Effect.Effect<void>) =>
  Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(pause_ms), round)))

const maintainConnections = (smtpWorkers: ReadonlyArray<SmtpWorker>, server: MailServer, idle_ms: number) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const smtpWorker of smtpWorkers) yield* smtpWorker.closeIdle(now - idle_ms)
    yield* server.grow
  })

/** Fails the blast and releases its deliveries in flight, which end with the rest of it. */
const failing = (inFlight: InFlight, writer: DeliveryWriter) =>
  Effect.map(Blasts, (blasts) => (item: Item, failure: string) => {
    // The operator can correct the login: a single message waits until its end.
    if (item.claimed.message !== null && failure === "mailer_refuses_login") {
      const error = new NotSent({ stage: "connection", code: null, reply: "The mail server refuses the login" })
      return writer.settle(item, { _tag: "notSent", error })
    }
    // A flow continues: its member records that this message failed.
    if (item.claimed.tokens !== null || item.claimed.message !== null)
      return writer.settle(item, { _tag: "notRendered", reason: "not_rendered", why: failure })
    return Effect.gen(function* () {
      yield* Effect.logError("a blast cannot be sent").pipe(
        Effect.annotateLogs({ workspace_id: item.workspace, blast_id: item.claimed.blastId, failure }),
      )
      yield* blasts
        .fail(item.workspace, item.claimed.blastId, failure)
        // It was failed, cancelled or deleted in the meantime.
        .pipe(
          Effect.catchTags({ InvalidState: () => Effect.void, NotFound: () => Effect.void }),
          logFailure("failing a blast failed", {}, "Warning"),
        )
      inFlight.stop(item)
      yield* writer.release(item)
    })
  })

interface Running {
  readonly inFlight: InFlight
  readonly smtpWorkers: ReadonlyArray<SmtpWorker>
  readonly writer: DeliveryWriter
  readonly fetching: ReadonlyArray<Fiber.Fiber<never>>
  readonly running: ReadonlyArray<Fiber.Fiber<never>>
}

/** Stops claiming, waits for replies and releases the rest. Messages without a reply in time are unconfirmed. */
const stop = Effect.fnUntraced(function* (
  { fetching, inFlight, smtpWorkers, writer, running }: Running,
  { grace_ms, last_writes_ms }: SenderOptions,
) {
  yield* Fiber.interruptAll(fetching)
  const ended = Fiber.interruptAll(running)
  if (!(yield* withinTime(grace_ms, ended))) {
    yield* Effect.forEach(smtpWorkers, (smtpWorker) => smtpWorker.close, { discard: true })
    yield* ended
  }
  yield* Effect.forEach(inFlight.free, writer.release, { discard: true })
  if (!(yield* withinTime(last_writes_ms, writer.drained))) {
    yield* Effect.logWarning("the last writes failed: their leases will expire").pipe(
      Effect.annotateLogs({ deliveries: inFlight.size }),
    )
  }
})

/** Whether the effect ended in time. It continues in the background if not. */
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
