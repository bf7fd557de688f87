// Tags as text: the lists of words in cells, forms and exports, and their folded form for comparison.
import { fold, trim } from "../../kernel/Text.ts"
import type { Tags } from "../Contact.ts"

/** A word up to a comma, a semicolon or the end. A word in quotes may contain both, and a quote as two. */
const listed = /\s*(?:"([^"]*(?:""[^"]*)*)"\s*|([^,;]*))(?:[,;]|$)/gy

/** The words of `vip, gold`, `vip; gold` or `"vip","Bern, CH"`, trimmed. Blank ones are left out. */
export const splitTags = (text: string): Tags =>
  Array.from(text.matchAll(listed), ([, quoted, plain = ""]) => trim(quoted?.replaceAll('""', '"') ?? plain)).filter(
    (word) => word !== "",
  )

/** The words as text that `splitTags` reads. */
export const joinTags = (words: Tags): string =>
  words.map((word) => (/[",;]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word)).join(", ")

/** The folded words, each once. Two lists share a word if their folded words do. */
export const foldTags = (words: Tags): Tags => [...new Set(words.map((word) => fold(trim(word))))]
