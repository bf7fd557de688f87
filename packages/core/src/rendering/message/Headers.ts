// Header values, encoded (RFC 2047) and folded (RFC 5322 §2.2.3), so that no value can begin another header.
import { DateTime } from "effect"
import { Base64 } from "effect/encoding"
import { encodeText } from "../../kernel/Bytes.ts"
import { normalForm } from "../../kernel/Text.ts"
import { toDomain } from "../../kernel/values/DomainName.ts"
import { oneLine } from "../Escapes.ts"

/** Lines should not be longer (RFC 5322 §2.1.1); those with encoded words must not be longer than 76 (RFC 2047 §2). */
const line_length_max = 76

/** Free text, such as a subject. `name` is the header's: it shortens the first line. */
export const unstructured = (name: string, text: string): string => {
  const line = oneLine(text)
  return isPlain(line) ? folded(name.length + 2, line) : encodedWords(name.length + 2, line)
}

/** A display name and an address, as in `From`. An empty name is left out. */
export const mailbox = (name: string, displayName: string, address: string): string => {
  const display = oneLine(displayName).trim()
  const route = `<${wireAddress(address)}>`
  if (display === "") return wireAddress(address)
  const phrase =
    isPlain(display) && display.length <= 60 ? quotedString(display) : encodedWords(name.length + 2, display)
  const lastLine = phrase.slice(phrase.lastIndexOf("\n") + 1)
  const column = lastLine === phrase ? name.length + 2 + phrase.length : lastLine.length
  return phrase + (column + 1 + route.length > line_length_max ? "\r\n " : " ") + route
}

/** An address with its domain as A-labels. A local part beyond ASCII stays (NFC, RFC 6532 §3.1) and requires SMTPUTF8. */
export const wireAddress = (address: string): string => {
  const line = oneLine(address).replace(/[<>]/g, "")
  const at = line.lastIndexOf("@")
  if (/^[ -~]*$/.test(line) || at < 0) return line
  return `${normalForm("NFC", line.slice(0, at))}@${toDomain(line.slice(at + 1)) ?? line.slice(at + 1)}`
}

/** In angle brackets, as in `Message-ID` and `List-Id`. */
export const bracketed = (text: string): string =>
  /^[!-;=?-~]*$/.test(text) ? `<${text}>` : `<${oneLine(text).replace(/[<>\s]/g, "")}>`

/** `Sat, 21 Nov 2026 11:13:09 +0000` (RFC 5322 §3.3). Cached, because thousands of messages have the same second. */
export const dateTime = (at: DateTime.Utc): string => {
  const second = Math.floor(at.epochMilliseconds / 1000)
  if (second !== last.second) {
    last = { second, written: DateTime.toDateUtc(at).toUTCString().replace("GMT", "+0000") }
  }
  return last.written
}

let last = { second: Number.NaN, written: "" }

/** Whether a text needs no encoding: folding would not change it, and no part of it looks like an encoded word. */
const isPlain = (text: string): boolean => /^[ -~]*$/.test(text) && !/^ | $| {2}|=\?|[^ ]{61}/.test(text)

const folded = (column: number, text: string): string => {
  let value = ""
  for (const [at, word] of text.split(" ").entries()) {
    const fits = column + 1 + word.length <= line_length_max
    value += (at === 0 ? "" : fits ? " " : "\r\n ") + word
    column = at === 0 || fits ? column + 1 + word.length : 1 + word.length
  }
  return value
}

/** A text that is not encoded, such as the ids in `References`. It is printable ASCII, with no word longer than a line. */
export const verbatim = (name: string, text: string): string =>
  folded(name.length + 2, text.trim().replace(/ {2,}/g, " "))

const quotedString = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`

const opening = "=?utf-8?B?"
const closing = "?="

/** Encoded words of at most 75 characters, each with whole characters, one a line. */
const encodedWords = (column: number, text: string): string => {
  const words: Array<string> = []
  let word = ""
  let bytes = 0
  let room = bytesIn(line_length_max - column)
  for (const character of text) {
    const size = sizeOf(character.codePointAt(0) ?? 0)
    if (bytes + size > room) {
      words.push(word)
      word = ""
      bytes = 0
      room = bytesIn(line_length_max - 1)
    }
    word += character
    bytes += size
  }
  return [...words, word].map((each) => opening + Base64.encode(encodeText(each)) + closing).join("\r\n ")
}

/** The length of a character in UTF-8. */
const sizeOf = (codePoint: number): number =>
  codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4

/** How many bytes fit into an encoded word of this many characters. */
const bytesIn = (characters: number): number =>
  Math.floor((Math.min(characters, 75) - opening.length - closing.length) / 4) * 3
