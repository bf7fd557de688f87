// What the send journal proves after a restore. Pure: which time it covers, and what happened to each message.
import type { BlastId, DeliveryId } from "../../kernel/Ids.ts"
import { type DeliveryState, finalStates } from "../../sending/Delivery.ts"
import {
  type IntentRecord,
  isBeat,
  type JournalRecord,
  type OutcomeRecord,
} from "../../sending/journal/JournalRecord.ts"

/** The time that the backup does not contain, in values of the epoch. */
export interface LostTime {
  /** The last value that the backup contains. */
  readonly backupCounter: number
  /** The last value that was written before the restore was recognised. */
  readonly lostCounter: number
  /** No worker without a journal wrote the epoch in the last minutes that the backup contains. */
  readonly backupJournaled: boolean
}

/**
 * `complete`: it contains every message of the lost time. `worker_without_journal`: one ran at the time of the backup or later.
 * `missing_records`: a worker left no record of a value of the epoch, or a part of the journal is missing.
 */
export type JournalVerdict = "complete" | "worker_without_journal" | "missing_records"

/** Collects the values of the epoch that the journal contains. */
export class JournalCover {
  readonly #lost: LostTime
  readonly #written = new Set<number>()
  #gap = false
  #unjournaled = false

  constructor(lost: LostTime) {
    this.#lost = lost
  }

  /** Undefined: the segment is damaged. */
  add(records: ReadonlyArray<JournalRecord> | undefined): void {
    if (records === undefined) this.#gap = true
    for (const record of records ?? []) {
      const { backupCounter, lostCounter } = this.#lost
      if (record._tag === "unjournaled" && record.counter > backupCounter) this.#unjournaled = true
      if (record._tag === "beat" && record.counter > backupCounter && record.counter <= lostCounter) {
        this.#written.add(record.counter)
      }
    }
  }

  addGap(): void {
    this.#gap = true
  }

  get verdict(): JournalVerdict {
    const { backupCounter, backupJournaled, lostCounter } = this.#lost
    if (!backupJournaled || this.#unjournaled) return "worker_without_journal"
    return this.#gap || this.#written.size < lostCounter - backupCounter ? "missing_records" : "complete"
  }
}

/** What the journal contains of one delivery. The order in which runs are read does not matter. */
export interface Attempts {
  /** Attempts without an outcome. */
  readonly open: ReadonlySet<string>
  readonly sent: OutcomeRecord | null
  readonly failed: OutcomeRecord | null
  /** The marks of the addresses. */
  readonly addresses: ReadonlySet<string>
  /** Of the last record. */
  readonly token: number
}

type DeliveryRecord = IntentRecord | OutcomeRecord

const noAttempts: Attempts = { open: new Set(), sent: null, failed: null, addresses: new Set(), token: 0 }

/** The attempts with one more record of the delivery, in the order of the run that wrote it. */
export const withRecord = (before: Attempts | undefined, run: string, record: DeliveryRecord): Attempts => {
  const attempts = before ?? noAttempts
  const { token } = record
  const attempt = `${run} ${token}`
  if (record._tag === "intent") {
    return {
      ...attempts,
      token,
      open: new Set(attempts.open).add(attempt),
      addresses: new Set(attempts.addresses).add(record.address),
    }
  }
  const open = new Set(attempts.open)
  open.delete(attempt)
  const { state } = record.ending
  return {
    ...attempts,
    open,
    token,
    sent: state === "sent" ? record : attempts.sent,
    failed: state === "failed" ? record : attempts.failed,
  }
}

/** `send`: it was certainly not sent. `leave`: it has ended in the backup, or nothing more is known. */
export type JournalDecision =
  | { readonly _tag: "settle"; readonly outcome: OutcomeRecord }
  | { readonly _tag: "unconfirm" }
  | { readonly _tag: "send" }
  | { readonly _tag: "leave" }

/**
 * What happens to a delivery, with a complete journal. The intent of a `handed_over` one is in the backup, so that its record may
 * be older than those that were read. A sweep marks it as `unconfirmed` when its lease has ended; its outcome still counts then.
 */
export const decideJournaled = (state: DeliveryState, attempts: Attempts | undefined): JournalDecision => {
  const { failed, open, sent } = attempts ?? noAttempts
  if (finalStates.has(state)) {
    const outcome = state === "unconfirmed" ? (sent ?? failed) : null
    return outcome === null ? { _tag: "leave" } : { _tag: "settle", outcome }
  }
  if (sent !== null) return { _tag: "settle", outcome: sent }
  if (open.size > 0) return { _tag: "unconfirm" }
  if (failed !== null) return { _tag: "settle", outcome: failed }
  return { _tag: state === "handed_over" ? "unconfirm" : "send" }
}

/**
 * Whether the recipient of a message that may have been sent is not the one that the delivery has now, by the mark of its address;
 * null: there is no delivery, or no address.
 */
export const isUnknown = ({ addresses, failed, open, sent }: Attempts, mark: string | null): boolean =>
  (open.size > 0 || sent !== null || failed !== null) && (mark === null || [...addresses].some((each) => each !== mark))

/** Deliveries whose attempts are in memory at once. The journal is read once for each part of a larger blast. */
export const part_deliveries_max = 100_000

/** The part of a delivery, by the end of its id, which is evenly distributed. */
export const partOf = (delivery: DeliveryId, parts: number): number => Number.parseInt(delivery.slice(-8), 16) % parts

/** Adds the records of one part of a blast to the attempts of its deliveries. */
export const collectAttempts = (
  into: Map<DeliveryId, Attempts>,
  blast: BlastId,
  of: {
    readonly run: string
    readonly records: ReadonlyArray<JournalRecord>
    readonly part: number
    readonly parts: number
  },
): void => {
  for (const record of of.records) {
    if (isBeat(record) || record.blast !== blast) continue
    const { delivery } = record
    if (partOf(delivery, of.parts) === of.part) into.set(delivery, withRecord(into.get(delivery), of.run, record))
  }
}
