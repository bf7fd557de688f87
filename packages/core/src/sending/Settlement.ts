// Settlements: the outcome of an attempt for its delivery, from the mail server's reply, its code and its enhanced code (RFC
// 5321 §4.2, RFC 3463). Stores write settlements as they are decided here.
import type { DateTime } from "effect"
import { type BounceKind, codeOfReply, isBadAddress, isMailboxUnavailable } from "./EnhancedCode.ts"
import type { DeliveryId } from "../kernel/Ids.ts"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import { pauseAfter_s } from "../kernel/runtime/Backoff.ts"
import type { DeliveryOutcome, FailureReason } from "./Delivery.ts"
import type { NotSent, Outcome } from "./MailConnection.ts"
import type { OutcomeRecord } from "./journal/JournalRecord.ts"

/** The part of a claimed delivery that its settlement depends on. */
export interface AttemptedDelivery {
  readonly id: DeliveryId
  readonly token: number
  /** Failed attempts before this one. */
  readonly attempts: number
  /** Of a single message: it is tried again until its end. */
  readonly message?: { readonly expiresAt: DateTime.Utc } | null
}

export type UnrenderedReason = Extract<FailureReason, "not_rendered" | "message_too_large">

/** How an attempt ended; `notRendered` when the message could not be rendered; `expired` when it is too late to send it. */
export type AttemptResult =
  | { readonly _tag: "expired" }
  | { readonly _tag: "outcome"; readonly outcome: Outcome }
  | { readonly _tag: "notSent"; readonly error: NotSent }
  | { readonly _tag: "notRendered"; readonly reason: UnrenderedReason; readonly why: string }

/** Whether a reply says permanently that the recipient's address is bad: 5.1.x, except codes about the sender. */
export const isHardBounce = (reply: string): boolean => {
  const code = codeOfReply(reply)
  return code !== undefined && isBadAddress(code)
}

/** Basic codes about the recipient's mailbox: busy or blocked, and out of storage (RFC 5321 §4.2.3). */
const mailboxCodes: ReadonlySet<number> = new Set([450, 452])

/** Whether a final reply says that the mailbox can't take mail. Several of these in a row suppress the address. */
const isSoftBounce = (code: number, reply: string): boolean => {
  const enhanced = codeOfReply(reply)
  return enhanced === undefined ? mailboxCodes.has(code) : isMailboxUnavailable(enhanced)
}

/** Replies to MAIL that apply to every message: the server requires a login, or a stronger one. */
const loginCodes: ReadonlySet<number> = new Set([530, 534, 535, 538])

export const requiresLogin = (error: NotSent): boolean =>
  error.stage === "sender" && error.code !== null && loginCodes.has(error.code)

const reply_length_max = 500

/** The stored form of a reply: one line of printable text, cut. */
export const toPrintableLine = (reply: string): string =>
  reply
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ")
    .trim()
    .slice(0, reply_length_max)

type DecidedOutcome = {
  readonly ending: DeliveryOutcome
  readonly reply: string | null
  readonly bounce: BounceKind | null
}

const plain = (ending: DeliveryOutcome, reply: string | null = null): DecidedOutcome => ({
  ending,
  reply,
  bounce: null,
})

/** Pauses after failed attempts of a single message. Later ones are an hour apart. */
const message_pauses_s = [5, 30, 120, 600, 1_800]
const message_pause_max_s = 3_600

/** The pause before the next attempt; undefined when there is none. A single message has none after its end. */
const nextPause_s = ({ attempts, message }: AttemptedDelivery, at: DateTime.Utc): number | undefined => {
  if (message == null) return pauseAfter_s(attempts + 1)
  const pause_s = message_pauses_s[attempts] ?? message_pause_max_s
  return at.epochMilliseconds + pause_s * 1_000 < message.expiresAt.epochMilliseconds ? pause_s : undefined
}

const again = (pause_s: number | undefined, givenUp: FailureReason, reply: string): DecidedOutcome =>
  pause_s === undefined ? plain({ state: "failed", reason: givenUp }, reply) : plain({ state: "queued" }, reply)

const refused = (pause_s: number | undefined, code: number, reply: string, atRecipient: boolean): DecidedOutcome => {
  if (atRecipient && code >= 500 && code <= 599 && isHardBounce(reply)) {
    return { ending: { state: "failed", reason: "hard_bounce" }, reply, bounce: "hard" }
  }
  const outcome =
    code < 500 || code > 599
      ? again(pause_s, "temporarily_refused", reply)
      : plain({ state: "failed", reason: "refused" }, reply)
  return outcome.ending.state === "failed" && atRecipient && isSoftBounce(code, reply)
    ? { ...outcome, bounce: "soft" }
    : outcome
}

const read = (pause_s: number | undefined, tried: AttemptResult): DecidedOutcome => {
  switch (tried._tag) {
    case "expired":
      return plain({ state: "failed", reason: "expired" })
    case "notRendered":
      return plain({ state: "failed", reason: tried.reason }, tried.why)
    case "notSent": {
      const { code, reply, stage } = tried.error
      return code === null
        ? again(pause_s, "unreachable", reply)
        : refused(pause_s, code, reply, stage === "recipient" || stage === "data")
    }
    case "outcome":
      switch (tried.outcome._tag) {
        case "accepted":
          return plain({ state: "sent" }, tried.outcome.reply)
        case "refused":
          // Neither 2xx nor a refusal. Its meaning is unknown, so that a second attempt is not safe.
          return tried.outcome.code < 400
            ? plain({ state: "unconfirmed" }, tried.outcome.reply)
            : refused(pause_s, tried.outcome.code, tried.outcome.reply, true)
        case "notSent":
          return again(pause_s, "unreachable", "The connection broke before the message was out")
        case "inDoubt":
          return plain({ state: "unconfirmed" })
      }
  }
}

export type Settlement = Change<
  "settlement",
  {
    readonly id: DeliveryId
    readonly token: number
    readonly ending: DeliveryOutcome
    readonly at: DateTime.Utc
    /** The server's reply, printable and cut; null when there was none. */
    readonly reply: string | null
    /** Acceptance counts as delivery: the mail server is the final one. */
    readonly delivered: boolean
    /**
     * `hard`: the address is bad. With this settlement the contact's address is marked invalid, and the address suppressed.
     * `soft`: the mailbox could not take the message. Several of these in a row suppress the address.
     */
    readonly bounce: BounceKind | null
    /** For how long the delivery waits in the queue; 0 unless it is queued again. */
    readonly pause_s: number
  }
>

const settlement = changeOf("settlement")

/** Acceptance counts as delivery: the mail server is the final one. */
interface Acceptance {
  readonly acceptMeansDelivered: boolean
}

export const Settlement = {
  of(
    attempted: AttemptedDelivery,
    tried: AttemptResult,
    circumstances: Acceptance & { readonly at: DateTime.Utc },
  ): Settlement {
    const pause_s = nextPause_s(attempted, circumstances.at)
    const { ending, reply, bounce } = read(pause_s, tried)
    return settlement({
      id: attempted.id,
      token: attempted.token,
      ending,
      at: circumstances.at,
      reply: reply === null ? null : toPrintableLine(reply),
      delivered: ending.state === "sent" && circumstances.acceptMeansDelivered,
      bounce,
      pause_s: ending.state === "queued" ? (pause_s ?? 0) : 0,
    })
  },

  /** The settlement of an outcome in the send journal, which contains no reply. */
  recorded({ at, bounce, delivery, ending, token }: OutcomeRecord, { acceptMeansDelivered }: Acceptance): Settlement {
    const delivered = ending.state === "sent" && acceptMeansDelivered
    return settlement({ id: delivery, token, ending, at, reply: null, delivered, bounce, pause_s: 0 })
  },
}
