// Worst texts and JSON values of a given size: what makes careless code read, copy or store far more than it received.
import { json_shaped_keys_max, json_values_max } from "@tentpole/core/kernel/JsonExcess"

/** Units that a text repeats, by name. */
const units: Readonly<Record<string, string>> = {
  spaces: " ",
  "wide spaces": "\u3000",
  lines: "\n",
  CRLF: "\r\n",
  tabs: "\t",
  dots: ".",
  labels: "a.",
  hyphens: "-",
  "at signs": "@",
  plus: "+",
  commas: ",",
  semicolons: ";",
  colons: ":",
  slashes: "/",
  backslashes: "\\",
  "single quotes": "'",
  "double quotes": '"',
  equals: "=",
  percent: "%",
  ampersands: "&",
  entities: "&amp;",
  "open angles": "<",
  "close angles": ">",
  "open parentheses": "(",
  "open brackets": "[",
  "open braces": "{",
  tokens: "{{contact.first_name}}",
  "token starts": "{{",
  "nested tags": "<div>",
  "formatting tags": "<p><b id=i>",
  "closed tags": "<p>x</p>",
  comments: "<!--",
  attributes: "<a href='",
  styles: "<i style='a:b;",
  links: "<a href=http://a.b>x</a>",
  addresses: "a@b.co ",
  letters: "x",
  words: "word ",
  capitals: "İ",
  digits: "1",
  marks: "\u0301\u0316",
  emoji: "😀",
  formulas: "=1+1,",
  "data URLs": "url(data:image/png;base64,AAAA)",
}

/** Units that differ, by name. They are ASCII. */
const numbered: Readonly<Record<string, (index: number) => string>> = {
  "different tokens": (index) => `{{a${index}}}`,
  "different links": (index) => `<a href=http://a.b/${index}>x</a>`,
  "different tags": (index) => `<x${index}>`,
  "different attributes": (index) => `<i a${index}=b>`,
  "different fields": (index) => `a${index}=b&`,
  "different words": (index) => `w${index} `,
}

export const fillings: ReadonlyArray<string> = [...Object.keys(units), ...Object.keys(numbered)]

/** Bytes of the unit in JSON. */
const weightOf = (unit: string): number => Buffer.byteLength(JSON.stringify(unit)) - 2

const between = (unit: string, count: number): string => `a${unit.repeat(Math.max(0, count))}b`

/** A text of at most so many UTF-16 units and, as JSON, bytes. No end of a text has the characters at its ends. */
export const text = (filling: string, { length_max, bytes_max }: Size): string => {
  const each = numbered[filling]
  if (each !== undefined) return differing(each, Math.min(length_max, bytes_max))
  const unit = units[filling]
  if (unit === undefined) throw new Error(`no filling is called ${filling}`)
  const by_length = Math.floor((length_max - 2) / unit.length)
  return between(unit, Math.min(by_length, Math.floor((bytes_max - 2) / weightOf(unit))))
}

const differing = (unit: (index: number) => string, length_max: number): string => {
  const parts: Array<string> = []
  for (let left = length_max - 2; ;) {
    const part = unit(parts.length)
    left -= part.length
    if (left < 0) return `a${parts.join("")}b`
    parts.push(part)
  }
}

export interface Size {
  readonly length_max: number
  readonly bytes_max: number
}

const repeated = (unit: (index: number) => string, bytes_max: number, count_max = Infinity): string => {
  const parts: Array<string> = []
  let left = bytes_max - 2
  for (let index = 0; index < count_max; index++) {
    const part = unit(index)
    left -= part.length + 1
    if (left < 0) break
    parts.push(part)
  }
  return parts.join(",")
}

/** Below the limits of values and of keys: more are refused before they are parsed. */
const values_max = json_values_max - 5_000
const keys_max = json_shaped_keys_max - 100

const depth = 60

/** About so many of them, other ones for other keys. */
export const some = <A>(all: ReadonlyArray<A>, count: number, key: string): ReadonlyArray<A> => {
  const start = [...key].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % all.length
  const step = Math.max(1, Math.floor(all.length / count))
  return [...all.slice(start), ...all.slice(0, start)].filter((_, at) => at % step === 0).slice(0, count)
}

/** Raw JSON of about so many bytes. */
export const values: Readonly<Record<string, (bytes_max: number) => string>> = {
  "many keys": (bytes_max) => `{${repeated((index) => `"k${index}":1`, bytes_max)}}`,
  "as many keys as allowed": (bytes_max) => `{${repeated((index) => `"k${index}":1`, bytes_max, keys_max)}}`,
  "as many objects as allowed": (bytes_max) => `[${repeated(() => "{}", bytes_max, values_max)}]`,
  "as many objects with keys as allowed": (bytes_max) =>
    `[${repeated((index) => `{"k${index}":1}`, bytes_max, keys_max)}]`,
  "as many equal objects as allowed": (bytes_max) => `[${repeated(() => '{"k":1}', bytes_max, values_max / 2)}]`,
  "as many texts as allowed": (bytes_max) => `[${repeated(() => '"x"', bytes_max, values_max)}]`,
  "keys of one letter": (bytes_max) =>
    `{${repeated((index) => `"${String.fromCharCode(97 + (index % 26))}":1`, bytes_max)}}`,
  "a long key": (bytes_max) => `{"${"k".repeat(bytes_max - 6)}":1}`,
  "many objects": (bytes_max) => `[${repeated(() => "{}", bytes_max)}]`,
  "many numbers": (bytes_max) => `[${repeated(() => "0", bytes_max)}]`,
  "many texts": (bytes_max) => `[${repeated(() => '""', bytes_max)}]`,
  "many lists": (bytes_max) => `[${repeated(() => "[]", bytes_max)}]`,
  "deep lists": (bytes_max) => `[${repeated(() => "[".repeat(depth) + "]".repeat(depth), bytes_max)}]`,
  "deep objects": (bytes_max) => `[${repeated(() => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`, bytes_max)}]`,
  "too deep": (bytes_max) => "[".repeat(bytes_max),
  "a long number": (bytes_max) => "1".repeat(bytes_max),
  "half pairs": (bytes_max) => `"${"\\ud800".repeat(Math.floor((bytes_max - 2) / 6))}"`,
  "many half pairs": (bytes_max) => `[${repeated(() => '"\\ud800"', bytes_max)}]`,
  "an open text": (bytes_max) => `"${"\\\\".repeat(Math.floor(bytes_max / 2) - 1)}`,
}

/** A list of so many copies of an item, or of as many as the size allows. */
export const copies = (item: string, count_max: number, bytes_max: number): string =>
  `[${Array<string>(Math.min(count_max, Math.floor(bytes_max / (item.length + 1))))
    .fill(item)
    .join(",")}]`
