// A large text, and the JSON of a large value, in pieces: encoding it at once would let all other requests wait.

/** The characters of a piece, about: it takes a millisecond. */
export const piece_length = 2 ** 17

/** What a value takes besides its text: a number, the brackets of a list, the quotes of a key. */
const value_length = 8

/** Whether the JSON of a value has more characters, about. Looks at no more of the value than it needs to know. */
export const isLongJson = (value: unknown, length_max = piece_length): boolean => lengthLeft(value, length_max) < 0

const lengthLeft = (value: unknown, length: number): number => {
  let left = length - value_length
  if (typeof value === "string") return left - value.length
  if (typeof value !== "object" || value === null) return left
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = lengthLeft(value[at], left)
    return left
  }
  for (const key in value) {
    if (left < 0) break
    left = lengthLeft(Reflect.get(value, key), left - key.length)
  }
  return left
}

/** Together the text of `JSON.stringify`, for a value that JSON can express. No piece ends inside a character. */
export function* jsonPieces(value: unknown): Generator<string, void> {
  let piece = ""
  for (const part of partsOf(value)) {
    piece += part
    if (piece.length < piece_length) continue
    yield piece
    piece = ""
  }
  if (piece !== "") yield piece
}

function* partsOf(value: unknown): Generator<string, void> {
  if (typeof value === "string" && isLongJson(value)) yield* partsOfText(value)
  else if (typeof value === "object" && value !== null && isLongJson(value)) yield* partsOfObject(value)
  // In a list; an object has no key for it.
  else yield value === undefined ? "null" : JSON.stringify(value)
}

function* partsOfObject(value: object): Generator<string, void> {
  const isList = Array.isArray(value)
  let before = ""
  yield isList ? "[" : "{"
  for (const key of isList ? value.keys() : Object.keys(value)) {
    const each: unknown = Reflect.get(value, key)
    if (each === undefined && !isList) continue
    yield isList ? before : `${before}${JSON.stringify(key)}:`
    yield* partsOf(each)
    before = ","
  }
  yield isList ? "]" : "}"
}

function* partsOfText(text: string): Generator<string, void> {
  yield '"'
  // Half of a surrogate pair would be escaped.
  for (const piece of textPieces(text)) yield JSON.stringify(piece).slice(1, -1)
  yield '"'
}

/** A text in pieces. No surrogate pair is in two of them. */
export function* textPieces(text: string): Generator<string, void> {
  for (let from = 0; from < text.length;) {
    const end = from + piece_length
    const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end
    yield text.slice(from, to)
    from = to
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
