// What a try means for its delivery: the mail server's reply, read by its code and its enhanced code (RFC 5321 §4.2, RFC
// 3463). Stores write settlements and nothing else about how a try ended.
import type { DateTime } from "effect"
import { type BounceKind, codeOfReply, saysAddressIsBad, saysMailboxIsOut } from "./EnhancedCode.ts"
import type { DeliveryId } from "../kernel/Ids.ts"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import { pauseAfter_s } from "../kernel/runtime/Backoff.ts"
import type { Ending, FailureReason } from "./Delivery.ts"
import type { NotSent, Outcome } from "./MailConnection.ts"

/** A claimed delivery, as far as its settlement depends on it. */
export interface Held {
  readonly id: DeliveryId
  readonly token: number
  /** Tries in vain before this one. */
  readonly attempts: number
}

/** How a try ended; `message` when the message could not even be made. */
export type Try =
  | { readonly _tag: "outcome"; readonly outcome: Outcome }
  | { readonly _tag: "notSent"; readonly error: NotSent }
  | { readonly _tag: "notRendered"; readonly why: string }

/** Whether a reply says for good that the recipient's address is bad: 5.1.x, but those about the sender. */
export const isHardBounce = (reply: string): boolean => {
  const code = codeOfReply(reply)
  return code !== undefined && saysAddressIsBad(code)
}

/** Basic codes that speak of the recipient's mailbox: busy or blocked, and out of room (RFC 5321 §4.2.3). */
const mailboxCodes: ReadonlySet<number> = new Set([450, 452])

/** Whether a reply that is final says that the mailbox can't take mail: one of those that suppress when they come in a row. */
const isSoftBounce = (code: number, reply: string): boolean => {
  const enhanced = codeOfReply(reply)
  return enhanced === undefined ? mailboxCodes.has(code) : saysMailboxIsOut(enhanced)
}

/** Replies to MAIL that no message would fare better with: the server wants a login, or a better one. */
const loginWanted: ReadonlySet<number> = new Set([530, 534, 535, 538])

export const wantsLogin = (error: NotSent): boolean =>
  error.stage === "sender" && error.code !== null && loginWanted.has(error.code)

const reply_length_max = 500

/** What is kept of a reply: one line of printable text, cut. */
export const legible = (reply: string): string =>
  reply
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, " ")
    .trim()
    .slice(0, reply_length_max)

type Kept = { readonly ending: Ending; readonly reply: string | null; readonly bounce: BounceKind | null }

const plain = (ending: Ending, reply: string | null = null): Kept => ({ ending, reply, bounce: null })

const again = (attempts: number, givenUp: FailureReason, reply: string): Kept =>
  pauseAfter_s(attempts + 1) === undefined
    ? plain({ state: "failed", reason: givenUp }, reply)
    : plain({ state: "queued" }, reply)

const refused = (attempts: number, code: number, reply: string, atRecipient: boolean): Kept => {
  if (atRecipient && code >= 500 && code <= 599 && isHardBounce(reply)) {
    return { ending: { state: "failed", reason: "hard_bounce" }, reply, bounce: "hard" }
  }
  const kept =
    code < 500 || code > 599
      ? again(attempts, "temporarily_refused", reply)
      : plain({ state: "failed", reason: "refused" }, reply)
  return kept.ending.state === "failed" && atRecipient && isSoftBounce(code, reply) ? { ...kept, bounce: "soft" } : kept
}

const read = (attempts: number, tried: Try): Kept => {
  switch (tried._tag) {
    case "notRendered":
      return plain({ state: "failed", reason: "not_rendered" }, tried.why)
    case "notSent": {
      const { code, reply, stage } = tried.error
      return code === null
        ? again(attempts, "unreachable", reply)
        : refused(attempts, code, reply, stage === "recipient" || stage === "data")
    }
    case "outcome":
      switch (tried.outcome._tag) {
        case "accepted":
          return plain({ state: "sent" }, tried.outcome.reply)
        case "refused":
          // Neither 2xx nor a refusal: whatever it means, it is no leave to send a second copy.
          return tried.outcome.code < 400
            ? plain({ state: "unconfirmed" }, tried.outcome.reply)
            : refused(attempts, tried.outcome.code, tried.outcome.reply, true)
        case "notSent":
          return again(attempts, "unreachable", "The connection broke before the message was out")
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
    readonly ending: Ending
    readonly at: DateTime.Utc
    /** The server's words, printable and cut; null when there were none. */
    readonly reply: string | null
    /** Acceptance was delivery: the mail server is the final one. */
    readonly delivered: boolean
    /**
     * `hard`: the address is bad; with this settlement the contact's is marked invalid, and the address suppressed. `soft`: the
     * mailbox could not take the message; too many of these in a row suppress the address.
     */
    readonly bounce: BounceKind | null
    /** For how long the delivery waits in the queue; 0 unless it goes back there. */
    readonly pause_s: number
  }
>

const settlement = changeOf("settlement")

export const Settlement = {
  of(
    held: Held,
    tried: Try,
    circumstances: { readonly at: DateTime.Utc; readonly acceptMeansDelivered: boolean },
  ): Settlement {
    const { ending, reply, bounce } = read(held.attempts, tried)
    return settlement({
      id: held.id,
      token: held.token,
      ending,
      at: circumstances.at,
      reply: reply === null ? null : legible(reply),
      delivered: ending.state === "sent" && circumstances.acceptMeansDelivered,
      bounce,
      pause_s: ending.state === "queued" ? (pauseAfter_s(held.attempts + 1) ?? 0) : 0,
    })
  },
}
