// The machine of a delivery: the table of its transitions, and `move`, which decides each of them.
import type { Transitions } from "../kernel/changes/Transitions.ts"
import {
  type DeliveryState,
  type Ending,
  type IntentAnswer,
  type Move,
  passingReasons,
  type Standing,
} from "./Delivery.ts"

/** A test compares it with `move`, for every state, move and token. */
export const transitions = {
  queued: { claim: "claimed", end: ["blocked", "failed"] },
  claimed: {
    intent: ["handed_over", "queued", "blocked"],
    settle: ["failed", "queued"],
    giveBack: "queued",
    expire: "queued",
    end: ["blocked", "failed"],
  },
  handed_over: {
    settle: ["sent", "failed", "queued", "unconfirmed"],
    giveBack: "queued",
    expire: "unconfirmed",
    report: "sent",
  },
  unconfirmed: { settle: ["sent", "failed"], evidence: "sent", report: "sent", retry: "queued" },
  sent: {},
  failed: { retry: "queued" },
  blocked: {},
} as const satisfies Transitions<DeliveryState, Move["_tag"]>

const back = (attempts: number): Standing => ({ state: "queued", reason: null, token: null, attempts })

const settled = (from: Standing, ending: Ending): Standing | undefined => {
  const handedOver = from.state === "handed_over"
  const late = from.state === "unconfirmed"
  switch (ending.state) {
    case "sent":
      return handedOver || late ? { ...from, state: "sent", reason: null } : undefined
    case "failed":
      // Refused before the 354 (still claimed), or after the dot.
      return handedOver || late || from.state === "claimed"
        ? { ...from, state: "failed", reason: ending.reason }
        : undefined
    case "queued":
      if (handedOver || from.state === "claimed") return back(from.attempts + 1)
      // Told late that it was refused for the moment: the doubt is over, but others may have counted it as failed since.
      return late ? { ...from, state: "failed", reason: "temporarily_refused" } : undefined
    case "unconfirmed":
      return handedOver ? { ...from, state: "unconfirmed", reason: "unconfirmed" } : undefined
  }
}

const answered = (from: Standing, answer: IntentAnswer): Standing => {
  if (answer === "granted") return { ...from, state: "handed_over" }
  if (answer === "paused") return back(from.attempts)
  return { state: "blocked", reason: answer, token: null, attempts: from.attempts }
}

const isRetried = ({ state, reason }: Standing, unconfirmed: boolean): boolean => {
  if (state === "unconfirmed") return unconfirmed
  return state === "failed" && passingReasons.has(reason ?? "")
}

/** Where a move leads; undefined when it changes nothing. A token that is not the standing one never moves anything. */
export const move = (from: Standing, by: Move): Standing | undefined => {
  switch (by._tag) {
    case "claim":
      return from.state === "queued" ? { ...from, state: "claimed", token: by.token } : undefined
    case "intent":
      return from.state === "claimed" && from.token === by.token ? answered(from, by.answer) : undefined
    case "settle":
      return from.token === by.token ? settled(from, by.ending) : undefined
    case "giveBack":
      return from.token === by.token && (from.state === "claimed" || from.state === "handed_over")
        ? back(from.attempts)
        : undefined
    case "expire":
      if (from.state === "claimed") return back(from.attempts)
      return from.state === "handed_over" ? { ...from, state: "unconfirmed", reason: "unconfirmed" } : undefined
    case "end":
      if (from.state !== "queued" && from.state !== "claimed") return undefined
      return {
        state: by.ending === "cancelled" ? "blocked" : "failed",
        reason: by.ending,
        token: null,
        attempts: from.attempts,
      }
    case "retry":
      return isRetried(from, by.unconfirmed) ? back(0) : undefined
    case "evidence":
      return from.state === "unconfirmed" ? { ...from, state: "sent", reason: null } : undefined
    case "report":
      return from.state === "unconfirmed" || from.state === "handed_over"
        ? { ...from, state: "sent", reason: null }
        : undefined
  }
}
