// Text comparison for rules, search, sorting and unique names. Core folds both sides, and stores keep the folded form beside
// the value, so that all stores agree.

/**
 * The folded form: Unicode NFC, lower case of the root locale, final sigma as sigma, NFC again (lowering `İ` leaves a
 * combining dot). Two texts are equal if their folded forms are equal.
 */
export const fold = (text: string): string => {
  // Latin-1 needs neither composition nor sigma, and most text is Latin-1.
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0xff) return foldUnicode(text)
  return text.toLowerCase()
}

const foldUnicode = (text: string): string =>
  normalForm("NFC", normalForm("NFC", text).toLowerCase().replaceAll("ς", "σ"))

/** Unicode's limit of marks after a letter (UAX 15, Stream-Safe Text Format). */
const marks_max = 30
const manyMarks = /\p{Mark}{30}(?=\p{Mark})/gu
const grapheme_joiner = "\u034f"

/**
 * The normal form of a text. Normalizing sorts the marks of a letter in quadratic time, so a joiner, as Unicode defines it for
 * this purpose, divides rows of marks that no language has.
 */
export const normalForm = (form: "NFC" | "NFKD", text: string): string =>
  (text.length > marks_max ? text.replace(manyMarks, `$&${grapheme_joiner}`) : text).normalize(form)

/** Unicode's White_Space. */
const isWhiteSpace = (unit: number): boolean =>
  (unit >= 0x09 && unit <= 0x0d) || unit === 0x20 || (unit >= 0x85 && wideWhiteSpace.test(String.fromCharCode(unit)))

const wideWhiteSpace = /\p{White_Space}/u

/** Removes Unicode white space at both ends. Two loops, because `\s+$` reads a run of spaces once for each of them. */
export const trim = (text: string): string => {
  let from = 0
  let to = text.length
  while (from < to && isWhiteSpace(text.charCodeAt(from))) from++
  while (from < to && isWhiteSpace(text.charCodeAt(to - 1))) to--
  return text.slice(from, to)
}

/** The number of code points. */
export const charactersIn = (text: string): number => {
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) count--
  }
  return count
}

export const isBlank = (text: string): boolean => !/\P{White_Space}/u.test(text)

/** Orders by code point, as PostgreSQL's collation "C" does over UTF-8 and UTF-16 order does not. */
export const byCodePoint = (left: string, right: string): -1 | 0 | 1 => {
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at)
    const b = right.charCodeAt(at)
    if (a === b) continue
    // Surrogates are code points above every other unit.
    const aHigh = a >= 0xd800 && a <= 0xdfff
    const bHigh = b >= 0xd800 && b <= 0xdfff
    if (aHigh !== bHigh) return aHigh ? 1 : -1
    return a < b ? -1 : 1
  }
  return left.length === right.length ? 0 : left.length < right.length ? -1 : 1
}

/** More of a text is not read for its slug: the pattern below needs stack for each character of a run. */
const slug_source_max = 10_000

/** A slug of Latin letters, digits and hyphens, at most `length_max` characters; empty if the text has none. */
export const slugify = (text: string, length_max = 80): string =>
  normalForm("NFKD", text.slice(0, slug_source_max))
    .replace(/\p{Mark}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, length_max)
    .replace(/^-+|-+$/g, "")

/** A name with a suffix, cut between characters so that both fit. */
export const nameWith = (name: string, suffix: string, length_max: number): string =>
  name.slice(0, length_max - suffix.length).replace(/[\uD800-\uDBFF]$/, "") + suffix

export const copyName = (name: string, length_max: number): string => nameWith(name, " (copy)", length_max)
