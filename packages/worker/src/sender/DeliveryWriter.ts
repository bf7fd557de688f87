// The sender's writes: requests intents, settles outcomes and releases deliveries, in batches. Settlements and releases are
// retried until the database accepts them; meanwhile nothing of their workspace is handed over. With a send journal, intents are
// stored there too before their messages leave.
import type { IntentAnswer } from "@tentpole/core/sending/Delivery"
import { DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import { Settlement, type AttemptResult } from "@tentpole/core/sending/Settlement"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { addressMark, type OutcomeRecord } from "@tentpole/core/sending/journal/JournalRecord"
import { SendJournal } from "@tentpole/core/sending/journal/SendJournal"
import { batchRequests, batchWrites } from "@tentpole/core/kernel/runtime/Batcher"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Metric } from "effect"
import { Gates } from "../Gates.ts"
import { byWorkspace, claimsOf, type InFlight, type Item } from "./InFlight.ts"
import { untilWritten, type Writable, type WorkspaceWrites } from "./Writable.ts"

export interface DeliveryWriterOptions {
  readonly inFlight: InFlight
  readonly database: WorkspaceWrites
  /** Whether the send journal takes writes. */
  readonly recordable: Writable
  readonly lease_ms: number
  readonly intents_max: number
  readonly settlements_max: number
  /** Called when no delivery of the workspace is in flight any more. */
  readonly emptied: (workspace: WorkspaceId) => Effect.Effect<void>
}

/** An intent may also be `lost` (another sender has the claim) or `unknown` (the database did not answer). */
export type IntentReply = IntentAnswer | "lost" | "unknown"

export interface DeliveryWriter {
  readonly requestIntent: (item: Item) => Effect.Effect<IntentReply>
  readonly settle: (item: Item, tried: AttemptResult) => Effect.Effect<void>
  /** Releases a delivery without intent; others are unchanged. */
  readonly release: (item: Item) => Effect.Effect<void>
  /** Releases a delivery whose message was certainly not sent, although its intent was requested. */
  readonly revokeIntent: (item: Item) => Effect.Effect<void>
  /**
   * Waits until fewer than `settlements_max` outcomes are unwritten, not counting those of workspaces that take no writes. A crash
   * leaves at most these and the open connections unconfirmed.
   */
  readonly room: Effect.Effect<void>
  /** Waits until every outcome so far is written. */
  readonly drained: Effect.Effect<void>
}

/** An outcome for the journal; null if it is unknown. */
const recordOf = ({ claimed }: Item, { at, bounce, ending, token }: Settlement): OutcomeRecord | null =>
  ending.state === "unconfirmed"
    ? null
    : { _tag: "outcome", blast: claimed.blastId, delivery: claimed.id, token, at, ending, bounce }

export const deliveryWriter = Effect.fnUntraced(function* (options: DeliveryWriterOptions) {
  const { acceptMeansDelivered } = yield* Settings
  const { inFlight } = options
  const journal = yield* SendJournal
  const notSent = (item: Item) =>
    Effect.flatMap(DateTime.now, (at) =>
      journal.note([
        {
          _tag: "outcome",
          blast: item.claimed.blastId,
          delivery: item.claimed.id,
          token: item.claimed.token,
          at,
          ending: { state: "queued" },
          bounce: null,
        },
      ]),
    )
  const requestIntent = yield* batchRequests<Item, IntentReply>(
    { ...intentBatching, batch_max: options.intents_max },
    yield* requestIntents(options),
  )
  const settlements = yield* batchWrites<Settled>(
    { linger_ms: write_linger_ms, batch_max: options.settlements_max },
    yield* writeSettlements(options),
  )
  const releases = yield* batchWrites<Item>(
    { linger_ms: write_linger_ms, batch_max: releases_max },
    yield* writeReleases(options),
  )
  return {
    requestIntent: (item) =>
      Effect.suspend(() =>
        inFlight.move(item, ["claimed"], "intent_requested") ? requestIntent(item) : Effect.succeed("lost" as const),
      ),
    settle: (item, tried) =>
      Effect.flatMap(DateTime.now, (at) => {
        const recorded = inFlight.hasIntent(item)
        if (!inFlight.move(item, ["claimed", "intent_requested"], "settling")) return Effect.void
        const settlement = Settlement.of(item.claimed, tried, { at, acceptMeansDelivered })
        settlements.add({ item, settlement, workspace: item.workspace })
        const record = recorded ? recordOf(item, settlement) : null
        return record === null ? Effect.void : journal.note([record])
      }),
    release: (item) =>
      Effect.sync(() => {
        if (inFlight.move(item, ["claimed"], "settling")) releases.add(item)
      }),
    revokeIntent: (item) =>
      Effect.suspend(() => {
        if (!inFlight.move(item, ["intent_requested"], "settling")) return Effect.void
        releases.add(item)
        return notSent(item)
      }),
    room: settlements.room,
    drained: Effect.all(
      [settlements.drained, releases.drained, options.database.drained, Effect.ignore(journal.flush)],
      {
        discard: true,
      },
    ),
  } satisfies DeliveryWriter
})

interface Settled {
  readonly workspace: WorkspaceId
  readonly item: Item
  readonly settlement: Settlement
}

/** Concurrent writes, each for another workspace. */
const writes_max = 4
const releases_max = 500
/** A commit of ten intents takes little longer than a commit of one; with two batches, one is collected while the other commits. */
const intentBatching = { linger_ms: 2, concurrency: 2 }
/** At a thousand messages a second, one commit writes forty outcomes instead of five: a quarter less database time. */
const write_linger_ms = 40

const outcomes = Metric.counter("messages_total", {
  description: "Ended attempts by resulting state and failure reason",
  incremental: true,
})
const waits = Metric.histogram("message_wait_seconds", {
  description:
    "Time from the acceptance of a single message, or from its scheduled time, to its first intent, in seconds",
  boundaries: [0.05, 0.1, 0.15, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300],
})
const lost = Metric.counter("settlements_lost_total", {
  description: "Settlements after their claim was lost",
  incremental: true,
})

const labelsOf = ({ item: { claimed }, settlement: { ending } }: Settled) => ({
  state: ending.state,
  reason: ending.state === "failed" ? ending.reason : "",
  ...(claimed.message === null ? {} : { lane: "message" }),
})

/** How long a single message has waited for its first intent. */
const measureWait = ({ claimed: { attempts, message } }: Item) =>
  message === null || attempts > 0
    ? Effect.void
    : Effect.flatMap(DateTime.now, ({ epochMilliseconds }) =>
        Metric.update(waits, Math.max(0, epochMilliseconds - message.waitingSince.epochMilliseconds) / 1_000),
      )

const eachWorkspace = <A extends { readonly workspace: WorkspaceId }>(
  batch: ReadonlyArray<A>,
  write: (workspace: WorkspaceId, group: ReadonlyArray<A>) => Effect.Effect<void>,
) =>
  Effect.forEach(byWorkspace(batch), ([workspace, group]) => write(workspace, group), {
    concurrency: writes_max,
    discard: true,
  })

const requestIntents = Effect.fnUntraced(function* ({ database, lease_ms, recordable }: DeliveryWriterOptions) {
  const store = yield* DeliveryStore
  const record = yield* recordIntents(recordable)
  const passGate = yield* Gates
  return (batch: ReadonlyArray<Item>) =>
    Effect.gen(function* () {
      yield* passGate("before-intent")
      const answers = new Map<Item, IntentReply>()
      const answer = (group: ReadonlyArray<Item>, reply: (item: Item) => IntentReply) => {
        for (const item of group) answers.set(item, reply(item))
      }
      yield* eachWorkspace(batch, (workspace, group) =>
        store.grant(workspace, claimsOf(group), lease_ms).pipe(
          Effect.matchCauseEffect({
            onSuccess: (granted) => Effect.sync(() => answer(group, (item) => granted.get(item.claimed.id) ?? "lost")),
            onFailure: (cause) =>
              Effect.map(database.failed(workspace, "requesting intents", cause), () => answer(group, () => "unknown")),
          }),
        ),
      )
      const granted = batch.filter((item) => answers.get(item) === "granted")
      if (!(yield* record(granted))) answer(granted, () => "unknown")
      for (const item of granted) yield* measureWait(item)
      yield* passGate("after-intent")
      return (item: Item): IntentReply => answers.get(item) ?? "unknown"
    })
})

/** Stores granted intents in the send journal. False: it could not be written, and nothing may leave. */
const recordIntents = Effect.fnUntraced(function* (recordable: Writable) {
  const journal = yield* SendJournal
  const scope = yield* Effect.scope
  return (granted: ReadonlyArray<Item>): Effect.Effect<boolean> => {
    if (!journal.on || granted.length === 0) return Effect.succeed(true)
    const records = granted.map(({ claimed: { address, blastId, id, token } }) => ({
      _tag: "intent" as const,
      blast: blastId,
      delivery: id,
      token,
      address: addressMark(blastId, address),
    }))
    return Effect.matchCauseEffect(journal.append(records), {
      onSuccess: () => Effect.succeed(true),
      onFailure: (cause) =>
        recordable
          .failed("writing the send journal", cause)
          .pipe(
            Effect.andThen(Effect.forkIn(untilWritten(recordable, "writing the send journal", journal.flush), scope)),
            Effect.as(false),
          ),
    })
  }
})

const writeSettlements = Effect.fnUntraced(function* ({ database, emptied, inFlight }: DeliveryWriterOptions) {
  const store = yield* DeliveryStore
  const { transact } = yield* Transactor
  const passGate = yield* Gates
  const write = (workspace: WorkspaceId, group: ReadonlyArray<Settled>) =>
    Effect.gen(function* () {
      const settlements = group.map(({ settlement }) => settlement)
      const missed = yield* transact(store.settle(workspace, settlements))
      if (missed.length > 0) {
        yield* Metric.update(lost, missed.length)
        yield* Effect.logWarning("settlements came after their claims were lost").pipe(
          Effect.annotateLogs({ workspace_id: workspace, count: missed.length, first: missed[0] }),
        )
      }
      for (const settled of group) yield* Metric.update(Metric.withAttributes(outcomes, labelsOf(settled)), 1)
      const dropped = group.map(({ item }) => inFlight.remove(item))
      if (dropped.includes(true)) yield* emptied(workspace)
    })
  return (batch: ReadonlyArray<Settled>) =>
    Effect.andThen(
      passGate("before-settle"),
      eachWorkspace(batch, (workspace, group) => database.write(workspace, "settling", write(workspace, group))),
    )
})

const writeReleases = Effect.fnUntraced(function* ({ database, inFlight }: DeliveryWriterOptions) {
  const store = yield* DeliveryStore
  const { transact } = yield* Transactor
  return (batch: ReadonlyArray<Item>) =>
    eachWorkspace(batch, (workspace, group) =>
      database.write(
        workspace,
        "releasing deliveries",
        Effect.map(transact(store.release(workspace, claimsOf(group))), () => {
          for (const item of group) inFlight.remove(item)
        }),
      ),
    )
})
