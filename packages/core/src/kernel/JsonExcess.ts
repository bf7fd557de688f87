// The limits of JSON from outside, checked on the text before it is parsed: parsing takes time and memory for each value.

/** Maximum nesting. Rule trees have their own, lower limit. */
export const json_depth_max = 64

/** Maximum number of values. */
export const json_values_max = 250_000

/** Maximum length of a key: the path of each issue repeats it. */
export const json_key_length_max = 1_000

/**
 * Maximum number of keys in objects of different shapes: an engine stores a shape for each sequence of keys, which takes a hundred
 * times longer than reading another object with the same keys.
 */
export const json_shaped_keys_max = 20_000

/** Why a JSON text is refused before it is parsed; null if it is not. Strings are skipped. */
export const jsonExcess = (text: string): string | null => {
  let depth = 0
  let values_count = 1
  let keys_count = 0
  let string_length = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) {
      const from = ++at
      at = endOfString(text, at)
      string_length = at - from
    } else if (unit === colon) {
      keys_count++
      if (string_length > json_key_length_max) return `has a key of more than ${json_key_length_max} characters`
    } else if (unit === brace || unit === bracket) {
      values_count++
      if (++depth > json_depth_max) return `is nested deeper than ${json_depth_max} levels`
    } else if (unit === brace_end || unit === bracket_end) depth--
    else if (unit === comma) values_count++
    if (values_count > json_values_max) return `has more than ${json_values_max} values`
  }
  const hasTooManyShapes = keys_count > json_shaped_keys_max && shapedKeysIn(text) > json_shaped_keys_max
  return hasTooManyShapes ? `has more than ${json_shaped_keys_max} keys in objects with different keys` : null
}

const [quote, colon, comma, backslash] = [0x22, 0x3a, 0x2c, 0x5c]
const [brace, brace_end, bracket, bracket_end] = [0x7b, 0x7d, 0x5b, 0x5d]

/** The index of the closing quote. */
const endOfString = (text: string, from: number): number => {
  let at = from
  for (let unit = text.charCodeAt(at); unit !== quote && at < text.length; unit = text.charCodeAt(at)) {
    at += unit === backslash ? 2 : 1
  }
  return at
}

/** The keys of all objects; of objects with the same keys in the same order, those of one. Counts no further than needed. */
const shapedKeysIn = (text: string): number => {
  const shapes = new Set<number>()
  const open: Array<{ shape: number; keys_count: number }> = []
  let total = 0
  let string_from = 0
  for (let at = 0; at < text.length && total <= json_shaped_keys_max; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) {
      string_from = at
      at = endOfString(text, at + 1)
    } else if (unit === brace) open.push({ shape: 0, keys_count: 0 })
    else if (unit === colon) {
      const object = open.at(-1)
      if (object === undefined) return total
      object.keys_count++
      object.shape = hashOf(text, string_from, at, object.shape)
    } else if (unit === brace_end) {
      const { shape, keys_count } = open.pop() ?? { shape: 0, keys_count: 0 }
      if (!shapes.has(shape)) total += keys_count
      shapes.add(shape)
    }
  }
  return total
}

const hashOf = (text: string, from: number, to: number, start: number): number => {
  let hash = start
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) + 1
  return hash
}
