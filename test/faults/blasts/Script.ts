// What the mail server of the campaign does, by the recipient's address (`ann-rcpt450x2@…` refuses Ann twice at RCPT) and by
// the mood that it is in. Both follow from the seed and the address, never from the order in which things happen.

/** At which point of a message: the name of the recipient, the word DATA, the middle of its body, its final dot. */
export type Stage = "rcpt" | "data" | "body" | "dot"

/** A reply's code; or the connection is cut, says nothing, breaks off in the middle of a reply, or talks nonsense. */
export type Act = number | (typeof words)[number]

export interface Deed {
  readonly act: Act
  readonly after_ms: number
}

const words = ["cut", "silent", "half", "garbage"] as const

const instruction = /-(rcpt|data|body|dot)(\d{3}|cut|silent|half|garbage)(?:x(\d+))?(?:hold(\d+))?/g

/** What the address wants at its `nth` try (from 1) at this stage; undefined: all goes well. */
export const scripted = (address: string, stage: Stage, nth: number): Deed | undefined => {
  for (const [, at, what = "", times, hold_ms] of address.matchAll(instruction)) {
    if (at !== stage || nth > Number(times ?? Infinity)) continue
    return { act: words.find((word) => word === what) ?? Number(what), after_ms: Number(hold_ms ?? 0) }
  }
  return undefined
}

const texts: Readonly<Record<number, string>> = {
  250: "2.0.0 kept",
  421: "4.3.2 closing",
  450: "4.2.1 greylisted",
  451: "4.3.0 later",
  452: "4.2.2 full",
  454: "4.7.0 not now",
  530: "5.7.0 who are you",
  535: "5.7.8 that is not it",
  550: "5.1.1 no such user",
  551: "5.7.1 not here",
  552: "5.2.2 over quota",
  553: "5.1.3 no such address",
  554: "5.7.1 not wanted",
}

export const replyOf = (code: number): string => `${code} ${texts[code] ?? "0.0.0 so it is"}`

/** Before any recipient is named, the mood decides; and how much goes wrong by chance. */
export interface Mood {
  /** Instead of a greeting, an answer to EHLO, to AUTH, to MAIL. Null: as it should be. */
  readonly greeting: Act | null
  readonly ehlo: Act | null
  readonly auth: Act | null
  readonly mail: Act | null
  readonly extensions: ReadonlyArray<string>
  /** Whoever comes when so many are there is greeted with 421; so is whoever has sent so many messages. */
  readonly connections_max: number
  readonly messages_max: number
  readonly seed: number
  /** The shares of tries that are refused for the moment, for good, cut off, and answered late. */
  readonly later: number
  readonly refused: number
  readonly cut: number
  readonly held: number
  readonly held_ms: number
  /** How long every other reply to a dot takes. */
  readonly pause_ms: number
}

export const calm: Mood = {
  greeting: null,
  ehlo: null,
  auth: null,
  mail: null,
  extensions: ["PIPELINING", "8BITMIME", "SMTPUTF8"],
  connections_max: 1_000,
  messages_max: 1_000_000,
  seed: 0,
  later: 0,
  refused: 0,
  cut: 0,
  held: 0,
  held_ms: 0,
  pause_ms: 0,
}

/** A number from 0 to below 1 that follows from the text (FNV-1a, then mixed). */
const chanceOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}

/** Half of what goes wrong by chance does so at the recipient's name, half at the dot. */
const stagesOfChance: ReadonlyArray<Stage> = ["rcpt", "dot"]

/** What chance has in store for this try. */
export const drawn = (mood: Mood, address: string, stage: Stage, nth: number): Deed | undefined => {
  const kind = chanceOf(`${mood.seed} ${address} ${nth}`)
  const where = stagesOfChance[chanceOf(`${address} ${nth} ${mood.seed}`) < 0.5 ? 0 : 1]
  const shares = [mood.later, mood.refused, mood.cut, mood.held]
  const until = shares.map((_, at) => shares.slice(0, at + 1).reduce((sum, share) => sum + share, 0))
  const which = until.findIndex((bound) => kind < bound)
  if (which === 3) return stage === "dot" ? { act: 250, after_ms: mood.held_ms } : undefined
  if (which === -1 || stage !== where) return undefined
  const acts: ReadonlyArray<Act> = [451, stage === "rcpt" ? 550 : 554, "cut"]
  return { act: acts[which] ?? 451, after_ms: 0 }
}

/** A line of the log that the mail server keeps. */
export type Logged =
  | {
      readonly what: "dot"
      readonly at_ms: number
      readonly nth: number
      /** The delivery: the left side of its Message-ID. */
      readonly delivery: string
      readonly messageId: string
      readonly from: string
      readonly to: string
      readonly unsubscribe: string
    }
  /** Given to the network, which may have had nobody to give it to. `nth`: of which dot. */
  | { readonly what: "reply"; readonly at_ms: number; readonly nth: number; readonly code: number }
  /** No whole reply is given, on purpose. */
  | { readonly what: "withheld"; readonly at_ms: number; readonly nth: number }
  | { readonly what: "connection" | "recipient"; readonly at_ms: number; readonly to: string }
