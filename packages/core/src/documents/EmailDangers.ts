// Active content in an email, under every reading of it. Browsers skip conditional comments, Outlook reads some of them and
// skips other content, and addresses are complete only when tokens are filled in.
import { type Dangers, dangersOf, type DangerRules, forbiddenTags, isHarmlessAddress } from "./Clean.ts"

/** `dangersOf` each reading of an email; empty when it is clean. */
export const emailDangersOf = (html: string): ReadonlyArray<string> =>
  readingsOf(html).flatMap((reading) => dangersOf(reading, rules))

export const emailDangers: Dangers = {
  name: "email_dangers",
  run: emailDangersOf,
  sizeOf: (html) => html.length,
}

/**
 * The readings of a source, each of the same length with all offsets unchanged: unchanged; with the conditional comments
 * open; and with these open and without the content between `<!--[if !mso]><!-->` and its end, which Outlook skips.
 */
export const readingsOf = (html: string): ReadonlyArray<string> => {
  if (!/<!(?:--)?\s*\[if/i.test(html)) return [html]
  const opened = html.replace(opening, blanked)
  const away = withoutRevealed(html).replace(opening, blanked)
  return [...new Set([html, opened, away])]
}

// None of these matches beyond the next `<`: otherwise many unclosed comments would take quadratic time.
const opening = /<!--\s*\[if[^<>]*>/gi
/** The beginning of content for clients other than Outlook: as a comment, or as a declaration without dashes. */
const revealing = /<!--\s*\[if[^<>]*>\s*(?:<!)?-->|<!\[if[^<>]*>/gi
const revealed_end = /<!\[endif\]\s*(?:--)?>/gi

const blanked = (text: string): string => " ".repeat(text.length)

const withoutRevealed = (html: string): string => {
  const ends = [...html.matchAll(revealed_end)].map((end) => end.index)
  let text = ""
  let at = 0
  let next = 0
  for (const begin of html.matchAll(revealing)) {
    while (next < ends.length && (ends[next] ?? 0) < begin.index) next++
    const end = ends[next]
    if (end === undefined) break
    if (begin.index < at) continue
    text += html.slice(at, begin.index) + blanked(html.slice(begin.index, end))
    at = end
  }
  return text + html.slice(at)
}

/** Whether an address is harmless for every value of its tokens. */
const isHarmlessFilled = (address: string): boolean => addressesOf(address).every(isHarmlessAddress)

/**
 * Browsers of different years parse the content of `<select>` differently: an element that one skips another runs. Cleaned
 * pages contain none, because they are serialized again; an email is stored with the author's spelling.
 */
const rules: DangerRules = { isHarmless: isHarmlessFilled, forbidden: new Set([...forbiddenTags, "select"]) }

const tokens_max = 50

/**
 * The schemes that an address with tokens can have, or the address itself if its tokens can't affect the scheme. A token at
 * the very beginning is a whole address, and is checked when it is filled in. Any token may be empty, and a later one a
 * piece of a scheme: `java{{x}}:…`. A token ends after any two closing braces. An address with too many tokens is unknown,
 * and therefore dangerous.
 */
export const addressesOf = (address: string): ReadonlyArray<string> => {
  const begin = address.indexOf("{{")
  if (begin < 0) return [address]
  const before = address.slice(0, begin)
  // The scheme is complete, or there is none.
  if (/[:/?#\\]/.test(before)) return [address]
  const ends = [...address.slice(begin).matchAll(/\}\}/g)].map((end) => begin + end.index + "}}".length)
  if (ends.length > tokens_max) return ["unknown:"]
  const isWhole = before.trim() === ""
  const schemes = ends.flatMap((end, index) => {
    const rest = schemeIn(address.slice(end))
    if (rest === null) return []
    return isWhole && index === 0 ? [rest] : [before + rest, `${before}x${rest}`]
  })
  return schemes.length === 0 ? [address] : [...new Set(schemes)]
}

/** The text before the first colon, with the colon; null when a path, a query or nothing comes first. */
const schemeIn = (text: string): string | null => {
  const at = text.search(/[:/?#\\]/)
  return at >= 0 && text[at] === ":" ? text.slice(0, at + 1) : null
}
