// Generator of random values from schemas, with a preference for boundary values.
import { isObject, type Json, listIn, objectIn } from "@tentpole/http/description/Json"
import type { Draw } from "@tentpole/core/contract"

/** Draws an id for a schema or parameter name: usually of our workspace, or a foreign, unknown or malformed one. */
export type IdFor = (name: string) => string

/** Texts with a special meaning in some layer of a service. */
export const strangeText = [
  "",
  " ",
  "a",
  "0",
  "null",
  "İıIſßẞΣσς",
  "e\u0301\u00e9",
  "\u200b\u202e\ufeff",
  "😀👩‍👩‍👧",
  "'; drop table contact; --",
  "%_\\",
  "{{contact.first_name}}",
  "{{contact.nickname|x}} {{{{ }}",
  "=1+1",
  "a\r\nBcc: x@example.com",
  "__proto__",
  "constructor",
  "javascript:alert(1)",
  "<script>alert(1)</script><a href='//evil'>",
  "2026-02-30",
  "1e309",
  "../../etc/passwd",
  "xn--nxasmq6b.example",
]

const numbers = [0, -0, 1, -1, 1.5, 99, 100, 101, 2 ** 31, 2 ** 53, -(2 ** 53), 1e300, 5e-324]
const instants = [
  "2099-05-01T12:30:00Z",
  "2026-05-01T00:00:00.000+14:00",
  "1970-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
]

/** Values by field name where the schema alone would only lead to refusals. */
const plausible: ReadonlyArray<readonly [names: RegExp, of: (draw: Draw) => string]> = [
  [/^email$|^to$/, (draw) => `p${draw.below(500)}@example.com`],
  [/address$|reply_to/, () => "news@example.test"],
  [/phone/, (draw) => `+1415555${String(draw.below(10_000)).padStart(4, "0")}`],
  [
    /html/,
    (draw) => `<p>${draw.of(["one", "{{contact.first_name}}", "<a href='https://example.com'>x</a>", "<b><i>"])}</p>`,
  ],
  [/_at$|updated_after/, (draw) => draw.of(instants)],
  [/step_id$|^nodeId$/, (draw) => draw.of(["hello", "pause", "rest", "send_ours"])],
  [
    /prompt|instructions/,
    (draw) => draw.of(["Create a landing page for chairs", "A letter about {{contact.city}}", "x"]),
  ],
  [/^domain$/, (draw) => `d${draw.below(50)}.example`],
]

const text = (draw: Draw, schema: Json, name: string): string => {
  const least = Number(schema["minLength"] ?? 0)
  const most = Number(schema["maxLength"] ?? 300)
  const turn = draw.below(100)
  if (turn < 55) {
    const known = plausible.find(([names]) => names.test(name))
    return known === undefined ? `${name.slice(0, 20)} ${draw.below(1000)}` : known[1](draw)
  }
  if (turn < 85) return draw.of(strangeText)
  const length = draw.of([least, least - 1, most, most + 1].filter((each) => each >= 0 && each <= 5_000))
  return draw.of(["x", "é", "😀"]).repeat(length).slice(0, length)
}

const number = (draw: Draw, schema: Json): number => {
  const least = Number(schema["minimum"] ?? 0)
  const most = Number(schema["maximum"] ?? 1_000)
  const turn = draw.below(100)
  if (turn < 60) return Math.min(most, least + draw.below(20))
  return turn < 85 ? draw.of([least, most, least - 1, most + 1]) : draw.of(numbers)
}

/** The depth from which the shortest variants are drawn. */
const depth_max = 6

export const drawValues = (draw: Draw, description: Json, idFor: IdFor) => {
  const named = objectIn(objectIn(description, "components"), "schemas")

  const value = (schema: Json, name: string, depth: number): unknown => {
    const { $ref } = schema
    if (typeof $ref === "string") {
      const own = $ref.slice($ref.lastIndexOf("/") + 1)
      const inner = objectIn(named, own)
      return inner["format"] === "uuid" ? idFor(own) : value(inner, name, depth)
    }
    const words = listIn(schema, "enum")
    if (words.length > 0) return draw.chance(0.9) ? draw.of(words) : draw.of(strangeText)
    const forms = [...listIn(schema, "anyOf"), ...listIn(schema, "oneOf")].filter(isObject)
    if (forms.length > 0) return value(draw.of(depth > depth_max ? shallow(forms) : forms), name, depth)
    // Checks that apply to several types are combined with those of the type.
    const all = listIn(schema, "allOf").filter(isObject)
    if (all.length > 0) return value(Object.assign({}, ...all, { ...schema, allOf: [] }), name, depth)
    const types = typeof schema["type"] === "string" ? [schema["type"]] : listIn(schema, "type")
    if (types.length === 0) return draw.of([null, true, 5, "free", ["a"], { a: 1 }])
    return ofType(String(draw.of(types)), schema, name, depth)
  }

  const ofType = (type: string, schema: Json, name: string, depth: number): unknown => {
    if (type === "null") return null
    if (type === "boolean") return draw.chance(0.5)
    if (type === "number" || type === "integer") return number(draw, schema)
    if (type === "array") return entries(schema, name, depth)
    if (type === "object") return members(schema, depth)
    if (schema["format"] === "uuid") return idFor(name)
    return schema["format"] === "date-time" ? draw.of(instants) : text(draw, schema, name)
  }

  const entries = (schema: Json, name: string, depth: number): ReadonlyArray<unknown> => {
    const { items } = schema
    const most = Number(schema["maxItems"] ?? 100)
    const usual = depth > depth_max ? 1 : draw.of([0, 1, 1, 1, 2, 3])
    const count = draw.chance(0.01) && most <= 100 && depth < 2 ? most + draw.below(2) : usual
    return Array.from({ length: count }, () => value(isObject(items) ? items : {}, name, depth + 1))
  }

  const members = (schema: Json, depth: number): Json => {
    const required = listIn(schema, "required")
    const own = Object.entries(objectIn(schema, "properties")).flatMap(([key, inner]) => {
      if (!isObject(inner) || inner["readOnly"] === true) return []
      const wanted = required.includes(key) ? draw.chance(0.98) : draw.chance(depth > depth_max ? 0 : 0.4)
      return wanted ? [[key, value(inner, key, depth + 1)] as const] : []
    })
    const free = schema["additionalProperties"]
    const more = isObject(free)
      ? Array.from({ length: draw.below(3) }, () => [
          draw.of(["ours", "shoe", "toString", "😀"]),
          value(free, "", depth + 1),
        ])
      : []
    return Object.fromEntries([...own, ...more])
  }

  const nests = (schema: Json): boolean => {
    const { $ref } = schema
    const seen = typeof $ref === "string" ? objectIn(named, $ref.slice($ref.lastIndexOf("/") + 1)) : schema
    return Object.values(objectIn(seen, "properties")).some((inner) => isObject(inner) && inner["type"] === "array")
  }

  const shallow = (forms: ReadonlyArray<Json>): ReadonlyArray<Json> => {
    const flat = forms.filter((form) => !nests(form))
    return flat.length > 0 ? flat : forms
  }

  /** Draws a value for a schema; `name` is the name of the field. */
  return (schema: Json, name: string): unknown => value(schema, name, 0)
}
