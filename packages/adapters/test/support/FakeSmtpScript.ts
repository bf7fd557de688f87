// Scripts of the fake SMTP server: what it does at each stage of a message. A script follows from the recipient's address
// (`ann-rcpt450x2@…` is refused twice at RCPT) or from the server's behaviour and its seed, never from the order of events.

/** `mail`: the sender's address. `body`: directly after the 354. `dot`: the end of the message. */
export type Stage = "greeting" | "ehlo" | "auth" | "mail" | "rcpt" | "data" | "body" | "dot"

const words = ["cut", "silent", "half450", "halflines", "half", "garbage"] as const

/** A code, a whole reply, or something that no working server does: cut the connection, stay silent, send half a reply, … */
export type Act = number | (typeof words)[number] | `${number} ${string}`

export interface Answer {
  readonly act: Act
  readonly after_ms: number
}

const instruction =
  /-(mail|rcpt|data|body|dot)(\d{3}|cut|silent|half450|halflines|half|garbage)(?:x(\d+))?(?:hold(\d+))?/g

/** The answer that the address wants at its `nth` attempt (from 1); undefined: the usual one. */
export const answerOfAddress = (address: string, stage: Stage, nth: number): Answer | undefined => {
  for (const [, at, what = "", times, hold_ms] of address.matchAll(instruction)) {
    if (at !== stage || nth > Number(times ?? Infinity)) continue
    return { act: words.find((word) => word === what) ?? Number(what), after_ms: Number(hold_ms ?? 0) }
  }
  return undefined
}

const texts: Readonly<Record<number, string>> = {
  250: "2.0.0 ok",
  421: "4.3.2 closing",
  450: "4.2.1 greylisted",
  451: "4.3.0 later",
  452: "4.2.2 full",
  454: "4.7.0 not now",
  530: "5.7.0 authentication required",
  535: "5.7.8 wrong password",
  550: "5.1.1 no such user",
  551: "5.7.1 not here",
  552: "5.2.2 over quota",
  553: "5.1.3 no such address",
  554: "5.7.1 not wanted",
}

/** The reply line of an act; undefined where the act is no whole reply. */
export const replyOf = (act: Act): string | undefined => {
  if (typeof act === "number") return `${act} ${texts[act] ?? "0.0.0 no text"}`
  return /^\d/.test(act) ? act : undefined
}

/** What the server does to every connection, and how much goes wrong by chance. */
export interface Behaviour {
  /** Instead of the usual answer; null: the usual one. */
  readonly greeting: Act | null
  readonly ehlo: Act | null
  readonly auth: Act | null
  readonly mail: Act | null
  readonly extensions: ReadonlyArray<string>
  /** Further connections are greeted with 421. */
  readonly connections_max: number
  /** A connection that has sent this many messages gets 421. */
  readonly messages_max: number
  readonly seed: number
  /** Shares of attempts that are refused temporarily, refused permanently, cut off, and answered late. */
  readonly later: number
  readonly refused: number
  readonly cut: number
  readonly late: number
  readonly late_ms: number
  /** How long every other answer to a message takes. */
  readonly pause_ms: number
}

export const usual: Behaviour = {
  greeting: null,
  ehlo: null,
  auth: null,
  mail: null,
  extensions: ["PIPELINING", "8BITMIME", "SMTPUTF8"],
  connections_max: Infinity,
  messages_max: Infinity,
  seed: 0,
  later: 0,
  refused: 0,
  cut: 0,
  late: 0,
  late_ms: 0,
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

/** The answer that chance gives to this attempt. Half of the failures come at RCPT, half after the message. */
export const answerOfChance = (
  { cut, late, late_ms, later, refused, seed }: Behaviour,
  address: string,
  stage: Stage,
  nth: number,
): Answer | undefined => {
  if (stage !== "rcpt" && stage !== "dot") return undefined
  const chance = chanceOf(`${seed} ${address} ${nth}`)
  const bounds = [later, later + refused, later + refused + cut, later + refused + cut + late]
  const which = bounds.findIndex((bound) => chance < bound)
  if (which === 3) return stage === "dot" ? { act: 250, after_ms: late_ms } : undefined
  if (which === -1 || stage !== (chanceOf(`${address} ${nth} ${seed}`) < 0.5 ? "rcpt" : "dot")) return undefined
  const acts: ReadonlyArray<Act> = [451, stage === "rcpt" ? 550 : 554, "cut"]
  return { act: acts[which] ?? 451, after_ms: 0 }
}
