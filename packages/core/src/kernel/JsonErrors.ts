// Finds the first error of a text that is not JSON: V8's messages do not always have a position.

const whitespace = new Set([" ", "\t", "\n", "\r"])
const literals = ["true", "false", "null"]
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** 1 for the code of a character that may follow a backslash. `u` and its four digits are read apart. */
const escapes = new Uint8Array(0x80)
for (const each of '"\\/bfnrt') escapes[each.charCodeAt(0)] = 1
const u = 0x75

/** The end of a string that begins at `start`, or its first error. */
const stringEnd = (text: string, start: number): { readonly at: number; readonly ok: boolean } => {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) return { at: at + 1, ok: true }
    if (unit < 0x20) return { at, ok: false }
    if (unit !== 0x5c) continue
    const escape = text.charCodeAt(++at)
    if (escape === u) {
      if (!/^[0-9a-fA-F]{4}/.test(text.slice(at + 1, at + 5))) return { at, ok: false }
      at += 4
    } else if (escapes[escape] !== 1) return { at, ok: false }
  }
  return { at: text.length, ok: false }
}

/** The end of a string, number or literal that begins at `start`, or its first error. */
const scalarEnd = (text: string, start: number): { readonly at: number; readonly ok: boolean } => {
  if (text[start] === '"') return stringEnd(text, start)
  const literal = literals.find((each) => text.startsWith(each, start))
  if (literal !== undefined) return { at: start + literal.length, ok: true }
  number.lastIndex = start
  return number.test(text) ? { at: number.lastIndex, ok: true } : { at: start, ok: false }
}

type Expected = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end"

/** The index of the first character that can't be there; the length of a text that ends too early. */
const errorAt = (text: string): number => {
  const open: Array<"{" | "["> = []
  let expected: Expected = "value"
  let at = 0
  while (true) {
    while (whitespace.has(text[at] ?? "")) at++
    const next = text[at]
    const container = open.at(-1)
    if (next === undefined || (expected === "comma or end" && container === undefined)) return at
    const closes = container === "{" ? "}" : "]"
    if (expected.endsWith("or end") && next === closes) {
      open.pop()
      expected = "comma or end"
      at++
    } else if (expected === "comma or end") {
      if (next !== ",") return at
      expected = container === "{" ? "key" : "value"
      at++
    } else if (expected === "colon") {
      if (next !== ":") return at
      expected = "value"
      at++
    } else if (expected.startsWith("value") && (next === "{" || next === "[")) {
      open.push(next)
      expected = next === "{" ? "key or end" : "value or end"
      at++
    } else {
      const isKey = expected.startsWith("key")
      if (isKey && next !== '"') return at
      const end = scalarEnd(text, at)
      if (!end.ok) return end.at
      at = end.at
      expected = isKey ? "colon" : "comma or end"
    }
  }
}

export interface JsonPosition {
  /** Both begin at 1. A column counts UTF-16 code units. */
  readonly line: number
  readonly column: number
}

/** Where a text stops being JSON. */
export const jsonErrorPosition = (text: string): JsonPosition => {
  const at = errorAt(text)
  let [line, start] = [1, 0]
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", start)) {
    line++
    start = end + 1
  }
  return { line, column: at - start + 1 }
}
