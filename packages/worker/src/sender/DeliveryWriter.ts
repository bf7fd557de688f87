// What a sender writes: it asks leave to hand over, tells how tries ended, and gives back what it did not send. All of it in
// waves, and the last two until they are written: while they can't be, nothing new is handed over.
import { DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import { Settlement, type Try } from "@tentpole/core/sending/Settlement"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { batchRequests, batchWrites } from "@tentpole/core/kernel/runtime/Batcher"
import { Settings } from "@tentpole/core/kernel/Settings"
import { Transactor } from "@tentpole/core/kernel/Transactor"
import { DateTime, Effect, Metric } from "effect"
import { Gates } from "../Gates.ts"
import { byWorkspace, claimsOf, type InFlight, type Item } from "./InFlight.ts"
import type { IntentReply } from "./SmtpWorker.ts"
import { untilWritten, type Writable } from "./WriteRetry.ts"

export interface DeliveryWriterOptions {
  readonly hands: InFlight
  readonly writable: Writable
  readonly lease_ms: number
  readonly intents_max: number
  readonly settlements_max: number
  /** Nothing of this workspace is in hand any more. */
  readonly emptied: (workspace: WorkspaceId) => Effect.Effect<void>
}

export interface DeliveryWriter {
  readonly requestIntent: (item: Item) => Effect.Effect<IntentReply>
  readonly settle: (item: Item, tried: Try) => Effect.Effect<void>
  /** Of what no intent was asked for; anything else stays. */
  readonly release: (item: Item) => Effect.Effect<void>
  /** Of what was asked for and, for certain, not sent. */
  readonly revokeIntent: (item: Item) => Effect.Effect<void>
  /**
   * Waits until fewer than `settlements_max` outcomes are unwritten, so that a crash leaves no more in doubt than those and
   * the open connections.
   */
  readonly room: Effect.Effect<void>
  /** Waits until everything told so far is written. */
  readonly drained: Effect.Effect<void>
}

export const deliveryWriter = Effect.fnUntraced(function* (options: DeliveryWriterOptions) {
  const { acceptMeansDelivered } = yield* Settings
  const { hands } = options
  const requestIntent = yield* batchRequests<Item, IntentReply>(
    { ...intentBatching, batch_max: options.intents_max },
    yield* askForIntents(options),
  )
  const settlements = yield* batchWrites<Settled>(
    { linger_ms: write_linger_ms, batch_max: options.settlements_max },
    yield* writeSettlements(options),
  )
  const returns = yield* batchWrites<Item>(
    { linger_ms: write_linger_ms, batch_max: returns_max },
    yield* writeReturns(options),
  )
  const deliveryWriter: DeliveryWriter = {
    requestIntent: (item) =>
      Effect.suspend(() =>
        hands.move(item, ["claimed"], "asked") ? requestIntent(item) : Effect.succeed("lost" as const),
      ),
    settle: (item, tried) =>
      Effect.map(DateTime.now, (at) => {
        if (!hands.move(item, ["claimed", "asked"], "told")) return
        const settlement = Settlement.of(item.claimed, tried, { at, acceptMeansDelivered })
        settlements.add({ item, settlement, workspace: item.workspace })
      }),
    release: (item) =>
      Effect.sync(() => {
        if (hands.move(item, ["claimed"], "told")) returns.add(item)
      }),
    revokeIntent: (item) =>
      Effect.sync(() => {
        if (hands.move(item, ["asked"], "told")) returns.add(item)
      }),
    room: settlements.room,
    drained: Effect.andThen(settlements.drained, returns.drained),
  }
  return deliveryWriter
})

interface Settled {
  readonly workspace: WorkspaceId
  readonly item: Item
  readonly settlement: Settlement
}

/** Writes that are under way at once, each for a workspace of its own. */
const writes_max = 4
const returns_max = 500
/** A commit of ten intents takes little longer than a commit of one; with two batches, one is collected while the other commits. */
const intentBatching = { linger_ms: 2, concurrency: 2 }
/** At a thousand messages a second, one commit writes forty outcomes instead of five: a quarter less database time. */
const write_linger_ms = 40

const outcomes = Metric.counter("messages_total", {
  description: "Tries that ended, by the state that the delivery went to and, of failures, by their reason",
  incremental: true,
})
const lost = Metric.counter("settlements_lost_total", {
  description: "Settlements that came after their claim was lost",
  incremental: true,
})

const labelsOf = (ending: Settlement["ending"]) => ({
  state: ending.state,
  reason: ending.state === "failed" ? ending.reason : "",
})

const askForIntents = Effect.fnUntraced(function* ({ lease_ms, writable }: DeliveryWriterOptions) {
  const store = yield* DeliveryStore
  const passGate = yield* Gates
  return (batch: ReadonlyArray<Item>) =>
    Effect.gen(function* () {
      yield* passGate("before-intent")
      const answers = new Map<Item, IntentReply>()
      const answer = (group: ReadonlyArray<Item>, leave: (item: Item) => IntentReply) => {
        for (const item of group) answers.set(item, leave(item))
      }
      yield* Effect.forEach(
        byWorkspace(batch),
        ([workspace, group]) =>
          store.grant(workspace, claimsOf(group), lease_ms).pipe(
            Effect.matchCauseEffect({
              onSuccess: (granted) =>
                Effect.sync(() => answer(group, (item) => granted.get(item.claimed.id) ?? "lost")),
              onFailure: (cause) =>
                Effect.map(writable.failed("asking for intents", cause), () => answer(group, () => "unknown")),
            }),
          ),
        { concurrency: writes_max, discard: true },
      )
      yield* passGate("after-intent")
      return (item: Item): IntentReply => answers.get(item) ?? "unknown"
    })
})

const writeSettlements = Effect.fnUntraced(function* ({ emptied, hands, writable }: DeliveryWriterOptions) {
  const store = yield* DeliveryStore
  const { transact } = yield* Transactor
  const passGate = yield* Gates
  const write = (workspace: WorkspaceId, group: ReadonlyArray<Settled>) =>
    Effect.gen(function* () {
      const written = transact(
        store.settle(
          workspace,
          group.map(({ settlement }) => settlement),
        ),
      )
      const missed = yield* untilWritten(writable, "settling", written)
      if (missed.length > 0) {
        yield* Metric.update(lost, missed.length)
        yield* Effect.logWarning("settlements came after their claims were lost").pipe(
          Effect.annotateLogs({ workspace_id: workspace, count: missed.length, first: missed[0] }),
        )
      }
      for (const { settlement } of group) {
        yield* Metric.update(Metric.withAttributes(outcomes, labelsOf(settlement.ending)), 1)
      }
      const dropped = group.map(({ item }) => hands.remove(item))
      if (dropped.includes(true)) yield* emptied(workspace)
    })
  return (batch: ReadonlyArray<Settled>) =>
    passGate("before-settle").pipe(
      Effect.andThen(
        Effect.forEach(byWorkspace(batch), ([workspace, group]) => write(workspace, group), {
          concurrency: writes_max,
          discard: true,
        }),
      ),
    )
})

const writeReturns = Effect.fnUntraced(function* ({ hands, writable }: DeliveryWriterOptions) {
  const store = yield* DeliveryStore
  const { transact } = yield* Transactor
  return (batch: ReadonlyArray<Item>) =>
    Effect.forEach(
      byWorkspace(batch),
      ([workspace, group]) =>
        Effect.map(
          untilWritten(writable, "giving deliveries back", transact(store.release(workspace, claimsOf(group)))),
          () => {
            for (const item of group) hands.remove(item)
          },
        ),
      { concurrency: writes_max, discard: true },
    )
})
