// Records of the send journal, one line each. They contain ids and marks, never addresses or replies of mail servers.
import { DateTime, Option } from "effect"
import { BlastId, DeliveryId } from "../../kernel/Ids.ts"
import type { BounceKind } from "../EnhancedCode.ts"
import { type FailureReason, failureReasons } from "../Delivery.ts"

/** The body of a message may leave once this is stored. */
export interface IntentRecord {
  readonly _tag: "intent"
  readonly blast: BlastId
  readonly delivery: DeliveryId
  readonly token: number
  /** `addressMark` of the recipient. */
  readonly address: string
}

/** How an attempt ended. `queued`: certainly not sent. An unknown outcome has no record. */
export interface OutcomeRecord {
  readonly _tag: "outcome"
  readonly blast: BlastId
  readonly delivery: DeliveryId
  readonly token: number
  readonly at: DateTime.Utc
  readonly ending:
    | { readonly state: "sent" }
    | { readonly state: "queued" }
    | { readonly state: "failed"; readonly reason: FailureReason }
  readonly bounce: BounceKind | null
}

/** `beat`: a worker that journals wrote this value of the epoch. `unjournaled`: a worker that does not journal wrote it. */
export interface BeatRecord {
  readonly _tag: "beat" | "unjournaled"
  readonly counter: number
}

export type JournalRecord = IntentRecord | OutcomeRecord | BeatRecord

export const isBeat = (record: JournalRecord): record is BeatRecord =>
  record._tag === "beat" || record._tag === "unjournaled"

/** A number that two deliveries of a blast share if they have the same address, and hardly ever otherwise (FNV-1a, 32 bits). */
export const addressMark = (blast: BlastId, address: string): string => {
  let hash = 0x811c9dc5
  for (const letter of blast + address.toLowerCase()) {
    hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0
  }
  return hash.toString(16).padStart(8, "0")
}

export const encodeRecord = (record: JournalRecord): string => {
  switch (record._tag) {
    case "beat":
      return `b ${record.counter}\n`
    case "unjournaled":
      return `x ${record.counter}\n`
    case "intent":
      return `i ${record.token} ${record.blast} ${record.delivery} ${record.address}\n`
    case "outcome": {
      const { at, blast, bounce, delivery, ending, token } = record
      const reason = ending.state === "failed" ? ending.reason : "-"
      return `o ${token} ${blast} ${delivery} ${DateTime.toEpochMillis(at)} ${ending.state} ${reason} ${bounce ?? "-"}\n`
    }
  }
}

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
const number = "\\d{1,15}"
const beatLine = new RegExp(`^([bx]) (${number})$`)
const intentLine = new RegExp(`^i (${number}) (${uuid}) (${uuid}) ([0-9a-f]{8})$`)
const outcomeLine = new RegExp(
  `^o (${number}) (${uuid}) (${uuid}) (${number}) (sent|queued|failed) (${failureReasons.join("|")}|-) (hard|soft|-)$`,
)

const isFailureReason = (text: string): text is FailureReason => failureReasons.some((reason) => reason === text)

const endingOf = (state: string, reason: string): OutcomeRecord["ending"] | undefined => {
  if (state === "sent" || state === "queued") return reason === "-" ? { state } : undefined
  return isFailureReason(reason) ? { state: "failed", reason } : undefined
}

const decodeLine = (line: string): JournalRecord | undefined => {
  const beat = beatLine.exec(line)
  if (beat !== null) return { _tag: beat[1] === "b" ? "beat" : "unjournaled", counter: Number(beat[2]) }
  const intent = intentLine.exec(line)
  if (intent !== null) {
    const [, token, blast = "", delivery = "", address = ""] = intent
    return {
      _tag: "intent",
      token: Number(token),
      blast: BlastId.make(blast),
      delivery: DeliveryId.make(delivery),
      address,
    }
  }
  const [, token, blast = "", delivery = "", at, state = "", reason = "", bounce = ""] = outcomeLine.exec(line) ?? []
  const ending = endingOf(state, reason)
  const time = DateTime.make(Number(at))
  if (ending === undefined || Option.isNone(time)) return undefined
  return {
    _tag: "outcome",
    token: Number(token),
    blast: BlastId.make(blast),
    delivery: DeliveryId.make(delivery),
    at: DateTime.toUtc(time.value),
    ending,
    bounce: bounce === "hard" || bounce === "soft" ? bounce : null,
  }
}

/** The records of a segment; undefined if it is damaged. */
export const decodeRecords = (text: string): ReadonlyArray<JournalRecord> | undefined => {
  const lines = text.split("\n")
  // The last line is complete.
  if (lines.pop() !== "") return undefined
  const records = lines.map(decodeLine)
  return records.every((record) => record !== undefined) ? records : undefined
}
