// Replays the send journal into a restored blast: messages that were sent in the lost time are settled as they ended then.
import { Effect, Stream } from "effect"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import type { BlastId, DeliveryId, WorkspaceId } from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import { finalStates } from "../../sending/Delivery.ts"
import { DeliveryStore } from "../../sending/DeliveryStore.ts"
import { addressMark } from "../../sending/journal/JournalRecord.ts"
import { SendJournal } from "../../sending/journal/SendJournal.ts"
import { Settlement } from "../../sending/Settlement.ts"
import {
  type Attempts,
  collectAttempts,
  decideJournaled,
  isUnknown,
  JournalCover,
  type JournalVerdict,
  type LostTime,
  part_deliveries_max,
} from "./Proof.ts"
import { type RestoredDelivery, RestoreStore, type SentToken } from "./RestoreStore.ts"

export interface ReadJournal {
  readonly verdict: JournalVerdict
  /** The number of intents of each blast. */
  readonly intents: ReadonlyMap<BlastId, number>
}

export interface Replayed {
  readonly sent: number
  readonly failed: number
  readonly unconfirmed: number
  /** The journal has a recipient that the blast lacks now: any other one may have the same address. */
  readonly unknown: boolean
}

const nothing: Replayed = { sent: 0, failed: 0, unconfirmed: 0, unknown: false }

/** Deliveries of one transaction. */
const replayed_at_once = 500

export const replaying = Effect.gen(function* () {
  const journal = yield* SendJournal
  const store = yield* RestoreStore
  const deliveries = yield* DeliveryStore
  const settings = yield* Settings
  const { transact } = yield* Transactor

  const read = Effect.fnUntraced(function* (lost: LostTime) {
    const cover = new JournalCover(lost)
    const intents = new Map<BlastId, number>()
    const { gap, segments } = yield* journal.read(lost.backupCounter)
    if (gap) cover.addGap()
    yield* Stream.runForEach(segments, ({ records }) =>
      Effect.sync(() => {
        cover.add(records)
        for (const record of records ?? []) {
          if (record._tag === "intent") intents.set(record.blast, (intents.get(record.blast) ?? 0) + 1)
        }
      }),
    )
    return { verdict: cover.verdict, intents } satisfies ReadJournal
  })

  /** Writes what the journal says of these deliveries, as far as they are open. */
  const write = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    blast: BlastId,
    entries: ReadonlyArray<readonly [DeliveryId, Attempts]>,
  ) {
    const rows = yield* store.deliveries(
      workspace,
      blast,
      entries.map(([id]) => id),
    )
    const known = new Map(rows.map((row): readonly [DeliveryId, RestoredDelivery] => [row.id, row]))
    const sent: Array<SentToken> = []
    const settlements: Array<Settlement> = []
    let unknown = false
    let unconfirmed = 0
    for (const [id, attempts] of entries) {
      const row = known.get(id)
      const mark = row?.address == null ? null : addressMark(blast, row.address)
      if (isUnknown(attempts, mark)) unknown = true
      if (row === undefined) continue
      const decision = decideJournaled(row.state, attempts)
      if (decision._tag === "send" || decision._tag === "leave") continue
      if (decision._tag === "unconfirm") unconfirmed++
      else settlements.push(Settlement.recorded(decision.outcome, settings))
      if (!finalStates.has(row.state))
        sent.push({ id, token: decision._tag === "settle" ? decision.outcome.token : attempts.token })
    }
    if (sent.length > 0) yield* store.unconfirmSent(workspace, blast, sent)
    const missed = settlements.length === 0 ? [] : yield* deliveries.settle(workspace, settlements)
    const settled = settlements.filter(({ id }) => !missed.includes(id))
    const failed = settled.filter(({ ending }) => ending.state === "failed").length
    return { sent: settled.length - failed, failed, unconfirmed, unknown } satisfies Replayed
  })

  const replay = Effect.fnUntraced(function* (
    lost: LostTime,
    { intents }: ReadJournal,
    workspace: WorkspaceId,
    blast: BlastId,
  ) {
    let total = nothing
    const parts = Math.ceil((intents.get(blast) ?? 0) / part_deliveries_max)
    for (let part = 0; part < parts; part++) {
      const attempts = new Map<DeliveryId, Attempts>()
      const { segments } = yield* journal.read(lost.backupCounter)
      yield* Stream.runForEach(segments, ({ records = [], run }) =>
        Effect.sync(() => collectAttempts(attempts, blast, { run, records, part, parts })),
      )
      const entries = [...attempts]
      for (let at = 0; at < entries.length; at += replayed_at_once) {
        const each = yield* transact(write(workspace, blast, entries.slice(at, at + replayed_at_once)))
        total = {
          sent: total.sent + each.sent,
          failed: total.failed + each.failed,
          unconfirmed: total.unconfirmed + each.unconfirmed,
          unknown: total.unknown || each.unknown,
        }
      }
    }
    return total
  })

  return { read, replay }
})
