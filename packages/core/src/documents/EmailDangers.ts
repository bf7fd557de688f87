// What could act by itself in an email, in every way in which it is read: browsers pass over conditional comments, Outlook
// reads some of them and passes over what is between others, and addresses are complete only when tokens are filled in.
import { dangersOf, type DangerRules, forbiddenTags, isHarmlessAddress } from "./Clean.ts"

/** `dangersOf` of each reading of an email; empty when it is clean. */
export const emailDangersOf = (html: string): ReadonlyArray<string> =>
  readingsOf(html).flatMap((reading) => dangersOf(reading, rules))

/**
 * The source as its readers take it, each reading as long as the source and everything in its place: as it stands; with the
 * conditional comments open; and with these open and away what is between `<!--[if !mso]><!-->` and its end, which Outlook
 * does not read.
 */
export const readingsOf = (html: string): ReadonlyArray<string> => {
  if (!/<!(?:--)?\s*\[if/i.test(html)) return [html]
  const opened = html.replace(opening, blanked)
  const away = withoutRevealed(html).replace(opening, blanked)
  return [...new Set([html, opened, away])]
}

// None of these looks further than the next `<`: many that begin and don't end would take time with their square.
const opening = /<!--\s*\[if[^<>]*>/gi
/** Where it begins that others than Outlook are shown something: as a comment, and as a declaration without dashes. */
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

/** Whatever the tokens of an address become, it does no harm. */
const isHarmlessFilled = (address: string): boolean => addressesOf(address).every(isHarmlessAddress)

/**
 * Within a `<select>` browsers of different years see different elements: what one passes over another one runs. Of pages
 * nothing of that is left when they are written anew; an email is kept as it is spelled.
 */
const rules: DangerRules = { isHarmless: isHarmlessFilled, forbidden: new Set([...forbiddenTags, "select"]) }

const tokens_max = 50

/**
 * What an address with tokens can become, as far as its scheme goes: the schemes, or the address itself where tokens have no
 * say in that. A token at the very beginning is taken for a whole address, and is checked when it is filled in; each of them
 * may turn out empty, and a later one a piece of a scheme: `java{{x}}:…`. Where a token ends is not judged finely: behind any
 * two closing braces. More tokens than anybody writes make an address that nobody can know.
 */
export const addressesOf = (address: string): ReadonlyArray<string> => {
  const begin = address.indexOf("{{")
  if (begin < 0) return [address]
  const before = address.slice(0, begin)
  // The scheme is said, or it is clear that there is none.
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

/** What stands before the first colon, and the colon; null when a path, a query or nothing comes first. */
const schemeIn = (text: string): string | null => {
  const at = text.search(/[:/?#\\]/)
  return at >= 0 && text[at] === ":" ? text.slice(0, at + 1) : null
}
