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

const foldUnicode = (text: string): string => text.normalize("NFC").toLowerCase().replaceAll("ς", "σ").normalize("NFC")

/** Removes Unicode white space at both ends. */
export const trim = (text: string): string => text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "")

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

/** A slug of Latin letters, digits and hyphens, at most `length_max` characters; empty if the text has none. */
export const slugify = (text: string, length_max = 80): string =>
  text
    .normalize("NFKD")
    .replace(/\p{Mark}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, length_max)
    .replace(/^-+|-+$/g, "")

/** A name with a suffix, cut between characters so that both fit. */
export const nameWith = (name: string, suffix: string, length_max: number): string =>
  name.slice(0, length_max - suffix.length).replace(/[\uD800-\uDBFF]$/, "") + suffix

export const copyName = (name: string, length_max: number): string => nameWith(name, " (copy)", length_max)
