// The limits of JSON from outside, checked on the text before it is parsed: parsing takes time and memory for each value.
import { inSteps, type Steps } from "./runtime/Steps.ts"

/** Maximum nesting. Rule trees have their own, lower limit. */
export const json_depth_max = 64

/** Maximum number of values. */
export const json_values_max = 150_000

/** Maximum length of a key: the path of each issue repeats it. */
export const json_key_length_max = 1_000

/**
 * Maximum number of keys in objects of different shapes: an engine stores a shape for each sequence of keys, which takes a hundred
 * times longer than reading another object with the same keys.
 */
export const json_shaped_keys_max = 12_000

/** The characters that are read before other requests continue: a few milliseconds. */
const slice_length = 2 ** 19

/** Why a JSON text is refused before it is parsed; null if it is not. */
export const jsonExcess = (text: string) => inSteps(excessIn(text))

/** Yields after each slice. Strings are skipped. */
function* excessIn(text: string): Steps<string | null> {
  let slice_end = slice_length
  let depth = 0
  let values_count = 1
  let keys_count = 0
  let string_from = 0
  let string_to = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) {
      string_from = ++at
      for (let inner = text.charCodeAt(at); inner !== quote && at < text.length; inner = text.charCodeAt(at)) {
        at += inner === backslash ? 2 : 1
        if (at >= slice_end) {
          slice_end += slice_length
          yield
        }
      }
      string_to = at
    } else if (unit === colon) {
      keys_count++
      if (string_to - string_from > json_key_length_max) {
        return `has a key of more than ${json_key_length_max} characters`
      }
    } else if (unit === brace || unit === bracket) {
      values_count++
      if (++depth > json_depth_max) return `is nested deeper than ${json_depth_max} levels`
    } else if (unit === brace_end || unit === bracket_end) depth--
    else if (unit === comma) values_count++
    if (values_count > json_values_max) return `has more than ${json_values_max} values`
    if (at >= slice_end) {
      slice_end += slice_length
      yield
    }
  }
  if (keys_count <= json_shaped_keys_max || !(yield* hasTooManyShapes(text))) return null
  return `has more than ${json_shaped_keys_max} keys in objects with different keys`
}

const [quote, colon, comma, backslash] = [0x22, 0x3a, 0x2c, 0x5c]
const [brace, brace_end, bracket, bracket_end] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Counts the keys of objects; of objects with the same keys in the same order, those of one. Compares the keys themselves. */
function* hasTooManyShapes(text: string): Steps<boolean> {
  const shapes = new Set<string>()
  const open: Array<{ keys: string; keys_count: number }> = []
  let slice_end = slice_length
  let keys_count = 0
  let string_from = 0
  let string_to = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === quote) {
      string_from = at++
      for (let inner = text.charCodeAt(at); inner !== quote && at < text.length; inner = text.charCodeAt(at)) {
        at += inner === backslash ? 2 : 1
        if (at >= slice_end) {
          slice_end += slice_length
          yield
        }
      }
      string_to = at
    } else if (unit === brace) open.push({ keys: "", keys_count: 0 })
    else if (unit === colon) {
      const object = open.at(-1)
      if (object === undefined) continue
      // No such object was counted before.
      if (++object.keys_count > json_shaped_keys_max) return true
      object.keys += text.slice(string_from, string_to)
    } else if (unit === brace_end) {
      const { keys, keys_count: own } = open.pop() ?? { keys: "", keys_count: 0 }
      if (!shapes.has(keys)) keys_count += own
      shapes.add(keys)
      if (keys_count > json_shaped_keys_max) return true
    }
    if (at >= slice_end) {
      slice_end += slice_length
      yield
    }
  }
  return keys_count + open.reduce((sum, each) => sum + each.keys_count, 0) > json_shaped_keys_max
}
