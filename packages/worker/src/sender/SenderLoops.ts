// The sender's loops: claiming work of all workspaces, renewing leases, ending leases of dead senders, finishing blasts.
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { DeliveryStore, type MessageTurn } from "@tentpole/core/sending/DeliveryStore"
import { turn_ms } from "@tentpole/core/sending/SendRateLimit"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { logFailure } from "@tentpole/core/kernel/runtime/logFailure"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { Cause, Clock, Effect } from "effect"
import { DueWatch } from "../DueWatch.ts"
import { EpochCheck } from "../EpochCheck.ts"
import { Gates } from "../Gates.ts"
import type { InFlight, Item } from "./InFlight.ts"
import type { MailServer } from "./SmtpWorker.ts"
import type { FairQueue } from "./FairQueue.ts"
import type { ReadyMessages } from "./ReadyMessages.ts"
import type { Writable, WorkspaceWrites } from "./Writable.ts"

export interface SenderLoopsOptions {
  readonly inFlight: InFlight
  readonly queue: FairQueue
  /** Single messages, served before the others. */
  readonly messages: FairQueue
  readonly database: WorkspaceWrites
  /** Whether the send journal takes writes. */
  readonly recordable: Writable
  readonly server: MailServer
  readonly claim_batch_max: number
  readonly lease_ms: number
}

export const senderLoops = Effect.fnUntraced(function* (options: SenderLoopsOptions) {
  const { database, inFlight, lease_ms, messages, queue, recordable, server } = options
  const store = yield* DeliveryStore
  const { transact } = yield* Transactor
  const blasts = yield* Blasts
  const passGate = yield* Gates
  const checkEpoch = yield* EpochCheck
  const work = yield* DueWatch
  let paced_at_ms = -Infinity
  /** Workspaces whose last claim failed, and until when they are not tried again. */
  const resting = new Map<WorkspaceId, number>()

  /** No delivery of the workspace is in flight: sets when it is due again and finishes completed blasts. */
  const checkQueue = (workspace: WorkspaceId) =>
    Effect.gen(function* () {
      const { dry } = yield* transact(store.endTurn(workspace))
      if (!dry) return
      yield* blasts.finish(workspace)
      yield* transact(store.endTurn(workspace))
    }).pipe(logFailure("checking a queue failed", {}, "Warning"))

  const serve = Effect.fnUntraced(function* (workspace: WorkspaceId) {
    yield* recordable.await
    const room = Math.min(options.claim_batch_max, queue.roomFor(workspace))
    if (room === 0 || database.failing.has(workspace)) return
    // While the mail server is unreachable, single messages test it.
    const limit = server.reachable ? room : 1
    const now_ms = yield* Clock.currentTimeMillis
    const claimed = yield* take(workspace, store.claim(workspace, { limit, lease_ms }))
    if (claimed.length === 0) return yield* checkQueue(workspace)
    if (claimed.some((item) => item.claimed.rateLimited)) paced_at_ms = now_ms
    yield* offer(workspace, claimed)
  })

  /** Serves a due workspace. If that fails, others are served meanwhile. */
  const serveOrRest = (workspace: WorkspaceId) =>
    serve(workspace).pipe(
      Effect.tapCause(() =>
        Effect.map(Clock.currentTimeMillis, (now_ms) => resting.set(workspace, now_ms + failure_pause_ms)),
      ),
      logFailure("claiming failed", { workspace_id: workspace }, "Warning"),
    )

  /** Workspaces that are not served now. */
  const idle = (now_ms: number): ReadonlyArray<WorkspaceId> => {
    for (const [workspace, until_ms] of resting) if (until_ms <= now_ms) resting.delete(workspace)
    return [...database.failing, ...resting.keys()]
  }

  /** Claimed deliveries are in flight at once, so that every exit releases them. */
  const take = (workspace: WorkspaceId, claim: ReturnType<typeof store.claim>) =>
    Effect.uninterruptible(
      Effect.zipWith(Clock.currentTimeMillis, transact(claim), (claimed_at_ms, batch) => {
        const taken = batch.map((claimed): Item => ({ workspace, claimed, claimed_at_ms }))
        inFlight.add(taken)
        return taken
      }),
    )

  const offer = Effect.fnUntraced(function* (workspace: WorkspaceId, claimed: ReadonlyArray<Item>) {
    yield* checkEpoch
    yield* passGate("after-claim")
    messages.offer(
      workspace,
      claimed.filter((item) => item.claimed.message !== null),
    )
    queue.offer(
      workspace,
      claimed.filter((item) => item.claimed.message === null),
    )
  })

  /** Returns whether there may be more. The workspace is due again when its turn ends, also if this fails. */
  const serveMessages = Effect.fnUntraced(function* (turn: MessageTurn) {
    const { workspace } = turn
    yield* recordable.await
    if (database.failing.has(workspace)) return false
    const room = Math.min(options.claim_batch_max, messages.roomFor(workspace))
    // While the mail server is unreachable, single messages test it.
    const limit = server.reachable ? room : Math.min(room, 1)
    if (limit === 0) {
      yield* transact(store.endMessageTurn(turn, false))
      return false
    }
    const claim = Effect.tap(store.claimMessages(workspace, { limit, lease_ms }), ({ length }) =>
      store.endMessageTurn(turn, length === limit && server.reachable),
    )
    const claimed = yield* take(workspace, claim)
    if (claimed.length > 0) yield* offer(workspace, claimed)
    return claimed.length === limit
  })

  /** Ends what ran out of time in a workspace. */
  const sweep = Effect.fnUntraced(function* (workspace: WorkspaceId) {
    const { expired, queued, unconfirmed } = yield* transact(store.sweep(workspace))
    if (expired > 0) {
      yield* Effect.logWarning("single messages were not sent in time").pipe(
        Effect.annotateLogs({ workspace_id: workspace, expired }),
      )
    }
    if (queued + unconfirmed > 0) {
      yield* Effect.logWarning("expired leases of dead senders were ended").pipe(
        Effect.annotateLogs({ workspace_id: workspace, queued, unconfirmed }),
      )
    }
    yield* blasts.finish(workspace)
  })

  const unlessInterrupted = (what: string) => (cause: Cause.Cause<unknown>) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.interrupt
      : Effect.andThen(Effect.logWarning(what, cause), Effect.sleep(failure_pause_ms))

  return {
    checkQueue,
    /** Claims deliveries of each due workspace with space in its queue, or waits. */
    claim: Effect.gen(function* () {
      const now_ms = yield* Clock.currentTimeMillis
      const { except, full } = queue.capacity(now_ms)
      const due = full ? [] : yield* store.dueWorkspaces(due_max, [...except, ...idle(now_ms)])
      if (due.length === 0) {
        // Rate-limited messages leave in small, even groups.
        const isPaced = now_ms - paced_at_ms < paced_for_ms
        yield* Effect.raceFirst(isPaced ? Effect.sleep(turn_ms) : work.await(["deliveries"]), queue.needsMore)
      }
      yield* Effect.forEach(due, serveOrRest, { discard: true })
    }).pipe(Effect.catchCause(unlessInterrupted("looking for due deliveries failed"))),
    /** Claims single messages of each workspace that has some, or waits for the next arrival. */
    claimMessages: Effect.gen(function* () {
      const { full } = messages.capacity(yield* Clock.currentTimeMillis)
      const turns = full ? [] : yield* transact(store.messageTurns(due_max, message_turn_ms))
      if (turns.length === 0) {
        yield* Effect.raceFirst(work.await(["messages"]), full ? messages.needsMore : store.messageArrival)
      }
      const more = yield* Effect.forEach(
        turns,
        (turn) =>
          logFailure(
            "claiming single messages failed",
            { workspace_id: turn.workspace },
            "Warning",
          )(serveMessages(turn)),
        { concurrency: message_claims_max },
      )
      if (turns.length > 0 && !more.includes(true) && inFlight.hasMany) yield* Effect.sleep(gathered_ms)
    }).pipe(Effect.catchCause(unlessInterrupted("looking for single messages failed"))),
    /** Keeps connections for single messages while the service has any, unless the mail server accepts fewer than there are. */
    usesMessages: (ready: ReadyMessages) =>
      Effect.flatMap(store.hasMessages, (found) => ready.use(found && server.isRoomy)).pipe(
        logFailure("looking for single messages failed", {}, "Warning"),
      ),
    sweep: store.openWorkspaces(swept_max).pipe(
      Effect.flatMap((open) =>
        Effect.forEach(
          open,
          (workspace) => logFailure("sweeping failed", { workspace_id: workspace }, "Warning")(sweep(workspace)),
          { discard: true },
        ),
      ),
      logFailure("looking for workspaces to sweep failed", {}, "Warning"),
    ),
    renew: Effect.suspend(() =>
      Effect.forEach(
        inFlight.claims(),
        ([workspace, claims]) =>
          logFailure(
            "renewing leases failed",
            { workspace_id: workspace },
            "Warning",
          )(transact(store.renew(workspace, claims, lease_ms))),
        { concurrency: renewals_max, discard: true },
      ),
    ),
  }
})

/** Another worker takes the turn of a worker that died after this. */
const message_turn_ms = 5_000
/** Beside a blast, messages that arrive within this time are claimed, permitted and settled together, which costs the blast less. */
const gathered_ms = 200
/** Claims of single messages that run concurrently, each for another workspace. */
const message_claims_max = 4
/** Renewals that run concurrently, each of another workspace. */
const renewals_max = 4
/** Workspaces of one claim round, and of one sweep. */
const due_max = 20
const swept_max = 1000
const failure_pause_ms = 1000
/** A rate-limited workspace has something to send at least once in this time. */
const paced_for_ms = 2000
