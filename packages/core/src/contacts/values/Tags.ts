// Tags as text: the lists of words in cells, forms and exports, and their folded form for comparison.
import { fold, trim } from "../../kernel/Text.ts"
import type { Tags } from "../Contact.ts"

const comma = 0x2c
const semicolon = 0x3b
const quote = 0x22

/** The quote that closes the one at `from`: two quotes in a row are one of the word. -1: none does. */
const closingQuote = (text: string, from: number): number => {
  let at = text.indexOf('"', from + 1)
  while (at >= 0 && text.charCodeAt(at + 1) === quote) at = text.indexOf('"', at + 2)
  return at
}

/**
 * The words of `vip, gold`, `vip; gold` or `"vip","Bern, CH"`, trimmed. Blank ones are left out. A word in quotes may contain
 * separators; a quote that none closes is part of its word.
 */
export const splitTags = (text: string): Tags => {
  const words: Array<string> = []
  let word = ""
  let isBlank = true
  let quotes = true
  for (let at = 0; at <= text.length; at++) {
    const unit = text.charCodeAt(at)
    if (at === text.length || unit === comma || unit === semicolon) {
      words.push(trim(word))
      word = ""
      isBlank = true
      continue
    }
    const end = quotes && unit === quote && isBlank ? closingQuote(text, at) : null
    if (end === null || end < 0) {
      if (end !== null) quotes = false
      word += text.charAt(at)
      isBlank &&= trim(text.charAt(at)) === ""
    } else {
      let after = end + 1
      while (after < text.length && trim(text.charAt(after)) === "") after++
      const isWhole = after === text.length || ",;".includes(text.charAt(after))
      word = isWhole ? text.slice(at + 1, end).replaceAll('""', '"') : text.slice(at, after)
      isBlank = false
      at = after - 1
    }
  }
  return words.filter((each) => each !== "")
}

/** The words as text that `splitTags` reads. */
export const joinTags = (words: Tags): string =>
  words.map((word) => (/[",;]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word)).join(", ")

/** The folded words, each once. Two lists share a word if their folded words do. */
export const foldTags = (words: Tags): Tags => [...new Set(words.map((word) => fold(trim(word))))]
