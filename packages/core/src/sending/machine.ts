// The state machine of deliveries: its table of transitions, and `move`, which decides each of them.
import type { Transitions } from "../kernel/changes/Transitions.ts"
import {
  type DeliveryState,
  type DeliveryOutcome,
  type IntentAnswer,
  type Move,
  temporaryReasons,
  type DeliveryMachineState,
} from "./Delivery.ts"

/** A test compares it with `move`, for every state, move and token. */
export const transitions = {
  queued: { claim: "claimed", restore: "unconfirmed", end: ["blocked", "failed"], late: "failed" },
  claimed: {
    intent: ["handed_over", "queued", "blocked"],
    settle: ["failed", "queued"],
    release: "queued",
    expire: "queued",
    restore: "unconfirmed",
    end: ["blocked", "failed"],
  },
  handed_over: {
    settle: ["sent", "failed", "queued", "unconfirmed"],
    release: "queued",
    expire: "unconfirmed",
    restore: "unconfirmed",
    report: "sent",
  },
  unconfirmed: { settle: ["sent", "failed"], evidence: "sent", report: "sent", retry: "queued" },
  sent: {},
  failed: { retry: "queued" },
  blocked: {},
} as const satisfies Transitions<DeliveryState, Move["_tag"]>

const back = (attempts: number): DeliveryMachineState => ({ state: "queued", reason: null, token: null, attempts })

const settled = (from: DeliveryMachineState, ending: DeliveryOutcome): DeliveryMachineState | undefined => {
  const handedOver = from.state === "handed_over"
  const late = from.state === "unconfirmed"
  switch (ending.state) {
    case "sent":
      return handedOver || late ? { ...from, state: "sent", reason: null } : undefined
    case "failed":
      // Refused before the 354 (still claimed), or after the final dot.
      return handedOver || late || from.state === "claimed"
        ? { ...from, state: "failed", reason: ending.reason }
        : undefined
    case "queued":
      if (handedOver || from.state === "claimed") return back(from.attempts + 1)
      // A late temporary refusal: the outcome is known now, but counters may count the message as failed already.
      return late ? { ...from, state: "failed", reason: "temporarily_refused" } : undefined
    case "unconfirmed":
      return handedOver ? { ...from, state: "unconfirmed", reason: "unconfirmed" } : undefined
  }
}

const answered = (from: DeliveryMachineState, answer: IntentAnswer): DeliveryMachineState => {
  if (answer === "granted") return { ...from, state: "handed_over" }
  if (answer === "paused") return back(from.attempts)
  return { state: "blocked", reason: answer, token: null, attempts: from.attempts }
}

const isRetried = ({ state, reason }: DeliveryMachineState, unconfirmed: boolean): boolean => {
  if (state === "unconfirmed") return unconfirmed
  return state === "failed" && temporaryReasons.has(reason ?? "")
}

/** The state after a move; undefined when it changes nothing. A move with another token than the current one changes nothing. */
export const move = (from: DeliveryMachineState, by: Move): DeliveryMachineState | undefined => {
  switch (by._tag) {
    case "claim":
      return from.state === "queued" ? { ...from, state: "claimed", token: by.token } : undefined
    case "intent":
      return from.state === "claimed" && from.token === by.token ? answered(from, by.answer) : undefined
    case "settle":
      return from.token === by.token ? settled(from, by.ending) : undefined
    case "release":
      return from.token === by.token && (from.state === "claimed" || from.state === "handed_over")
        ? back(from.attempts)
        : undefined
    case "expire":
      if (from.state === "claimed") return back(from.attempts)
      return from.state === "handed_over" ? { ...from, state: "unconfirmed", reason: "unconfirmed" } : undefined
    case "restore":
      return from.state === "queued" || from.state === "claimed" || from.state === "handed_over"
        ? { ...from, state: "unconfirmed", reason: "unconfirmed" }
        : undefined
    case "end":
      if (from.state !== "queued" && from.state !== "claimed") return undefined
      return {
        state: by.ending === "blast_failed" ? "failed" : "blocked",
        reason: by.ending,
        token: null,
        attempts: from.attempts,
      }
    case "late":
      return from.state === "queued" ? { ...from, state: "failed", reason: "expired" } : undefined
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
