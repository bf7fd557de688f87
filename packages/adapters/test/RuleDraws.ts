// Random contacts and rule trees for the comparison of stores with the evaluator. Values come from small pools full of
// borders, so that conditions meet what is stored; everything follows from one seed.
import { activityTypes } from "@tentpole/core/contacts/Activity"
import type { Contact, CustomValue } from "@tentpole/core/contacts/Contact"
import { standardFieldByKey, standardFields, type ValueType } from "@tentpole/core/contacts/ContactFields"
import { ContactId, FieldDefinitionId, ListId } from "@tentpole/core/Ids"
import type { RuleSubject } from "@tentpole/core/segments/Evaluate"
import { timeWindowUnits, valueless, valueOperators } from "@tentpole/core/segments/Operators"
import type { RuleField } from "@tentpole/core/segments/RuleFacts"
import { fold } from "@tentpole/core/Text"
import { DateTime } from "effect"

/** Draws from one seed: mulberry32. */
export interface Draw {
  readonly below: (limit: number) => number
  readonly chance: (share: number) => boolean
  readonly of: <A>(pool: ReadonlyArray<A>) => A
}

export const drawFrom = (seed: number): Draw => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    chance: (share) => next() < share,
    of: (pool) => {
      const drawn = pool[below(pool.length)]
      if (drawn === undefined) throw new Error("drawn from an empty pool")
      return drawn
    },
  }
}

export const now = DateTime.makeUnsafe("2026-03-31T12:00:00.000Z")

// Case, composition, the Turkish i's, sharp s, sigmas, compatibility signs, astral characters, what LIKE takes for its own.
const atoms = [
  ..."aAbBzZ%_\\ -İıiIßẞΣσςéÉåÅÅKKﬁǅǆΐ0一😀",
  "ss",
  "fi",
  "e\u0301",
  "E\u0301",
  "A\u030a",
  "i\u0307",
  "\u0301",
  "\u0345",
  "한",
  "\u1112\u1161\u11ab",
  "ΟΔΟΣ",
  "οδος",
  "\u00a0",
  "\u2003",
  "\ufeff",
  "\u200b",
]
const blanks = ["", " ", "\t\n", "\u00a0\u2003\u3000", "\u0085\u1680"]

const text = (draw: Draw): string =>
  draw.chance(0.1) ? draw.of(blanks) : Array.from({ length: 1 + draw.below(3) }, () => draw.of(atoms)).join("")

const numbers = [
  0,
  1,
  -1,
  0.1,
  0.30000000000000004,
  0.3,
  2 ** 53,
  2 ** 53 + 2,
  1e21,
  1e-7,
  5e-324,
  1.7976931348623157e308,
  -1.7976931348623157e308,
  2147483648,
]

const days = [
  "0001-01-01",
  "1969-12-31",
  "1970-01-01",
  "2024-02-29",
  "2026-03-01",
  "2026-03-02",
  "2026-03-31",
  "9999-12-31",
]
const times = ["T00:00:00.000Z", "T00:00:00.001Z", "T12:00:00.000Z", "T23:59:59.999Z"]
const offsets = ["T01:00:00+02:00", "T23:30:00.5-01:00", "T00:00:00.000999Z"]

const timestamp = (draw: Draw): string => draw.of(days) + draw.of(times)
const storedDate = (draw: Draw): string => (draw.chance(0.5) ? draw.of(days) : timestamp(draw))
const ruleDate = (draw: Draw): string => (draw.chance(0.15) ? `2026-03-02${draw.of(offsets)}` : storedDate(draw))

const maybe = <A>(draw: Draw, make: (draw: Draw) => A): A | null => (draw.chance(0.25) ? null : make(draw))

const stored = (draw: Draw, type: ValueType): CustomValue => {
  switch (type) {
    case "string":
      return text(draw)
    case "number":
      return draw.of(numbers)
    case "boolean":
      return draw.chance(0.5)
    case "date":
      return storedDate(draw)
  }
}

const field = (index: number, valueType: ValueType, status: RuleField["status"], apiName: string): RuleField => ({
  id: FieldDefinitionId.make(`00000000-0000-4000-8000-${String(index).padStart(12, "0")}`),
  apiName,
  displayName: apiName,
  valueType,
  status,
  provenanceProvider: null,
})

export const fields: ReadonlyArray<RuleField> = [
  field(1, "string", "active", "constructor"),
  field(2, "number", "active", "size"),
  field(3, "boolean", "active", "member"),
  field(4, "date", "active", "birthday"),
  field(5, "string", "archived", "old_text"),
  field(6, "number", "archived", "old_number"),
]

export const lists: ReadonlyArray<ListId> = ["a", "b", "c"].map((last) =>
  ListId.make(`00000000-0000-4000-8000-00000000000${last}`),
)

/** Instants on both sides of where time windows begin. */
const around = (draw: Draw): DateTime.Utc => {
  const back = DateTime.subtract(now, { [`${draw.of(timeWindowUnits)}s`]: 1 + draw.below(3) })
  return DateTime.add(back, { milliseconds: draw.below(3) - 1 })
}

export const drawSubject = (draw: Draw, index: number): RuleSubject => {
  const instant = () => DateTime.makeUnsafe(timestamp(draw))
  const contact: Contact = {
    id: ContactId.make(`10000000-0000-4000-8000-${String(index).padStart(12, "0")}`),
    displayName: maybe(draw, text),
    firstName: maybe(draw, text),
    lastName: maybe(draw, text),
    company: maybe(draw, text),
    jobTitle: maybe(draw, text),
    email: draw.chance(0.2) ? null : `${text(draw)}${index}@${text(draw)}`,
    emailNormalized: null,
    phone: `+1415${2_000_000 + index}`,
    address: maybe(draw, text),
    address2: maybe(draw, text),
    city: maybe(draw, text),
    state: maybe(draw, text),
    zipCode: maybe(draw, text),
    country: maybe(draw, text),
    leadStatus: maybe(draw, text),
    lifecycleStage: maybe(draw, text),
    serviceScore: maybe(draw, (it) => it.of(numbers)),
    unsubscribed: draw.chance(0.5),
    marketingEmailSubscribed: maybe(draw, (it) => it.chance(0.5)),
    marketingSmsSubscribed: maybe(draw, (it) => it.chance(0.5)),
    marketingEmailInvalid: draw.chance(0.5),
    originalSource: maybe(draw, text),
    originalSourceDetail: maybe(draw, text),
    customFields: Object.fromEntries(
      fields.flatMap((each) => (draw.chance(0.25) ? [] : [[each.apiName, stored(draw, each.valueType)]])),
    ),
    createdAt: instant(),
    updatedAt: instant(),
    lastActivityAt: maybe(draw, instant),
  }
  return {
    contact: { ...contact, emailNormalized: contact.email === null ? null : `${index}@${fold(contact.email)}` },
    activities: Array.from({ length: draw.below(4) }, () => ({ type: draw.of(drawnTypes), at: around(draw) })),
    lists: new Set(lists.filter(() => draw.chance(0.4))),
  }
}

const drawnTypes = activityTypes.slice(2, 5)

const ruleValue = (draw: Draw, type: ValueType): unknown => {
  switch (type) {
    case "string": {
      const drawn = text(draw)
      return drawn === "" ? "a" : drawn
    }
    case "number":
      return draw.of(numbers)
    case "date":
      return ruleDate(draw)
    case "boolean":
      return undefined
  }
}

const comparison = (draw: Draw, type: ValueType) => {
  const operator = draw.of(valueOperators[type])
  return valueless.has(operator) ? { operator } : { operator, value: ruleValue(draw, type) }
}

const drawCondition = (draw: Draw): unknown => {
  switch (draw.below(6)) {
    case 0: {
      const { id, valueType } = draw.of(fields)
      return { kind: "condition", source: "custom_field", fieldDefinitionId: id, ...comparison(draw, valueType) }
    }
    case 1: {
      const window = { timeWindow: { amount: 1 + draw.below(3), unit: draw.of(timeWindowUnits) } }
      return {
        kind: "condition",
        source: "activity",
        activityType: draw.of(drawnTypes),
        operator: draw.of(["has_activity", "has_no_activity"]),
        ...(draw.chance(0.7) ? window : {}),
      }
    }
    case 2:
      return {
        kind: "condition",
        source: "list_membership",
        listId: draw.of(lists),
        operator: draw.of(["is_member", "is_not_member"]),
      }
    default: {
      const { key, valueType } = draw.of(standardFields)
      return { kind: "condition", source: "contact", field: key, ...comparison(draw, valueType) }
    }
  }
}

/** A tree as JSON, up to five levels deep. */
export const drawTree = (draw: Draw, level = 1): unknown => ({
  kind: "group",
  operator: draw.of(["and", "or"]),
  conditions: Array.from({ length: 1 + draw.below(3) }, () =>
    level < 5 && draw.chance(0.4) ? drawTree(draw, level + 1) : drawCondition(draw),
  ),
})

const pools: { readonly [Type in ValueType]: ReadonlyArray<unknown> } = {
  string: ["%", "_", "\\", "İ", "ı", "ß", "SS", "ς", "E\u0301", "Å", "ﬁ", "\u0301", "😀", "一", "\u00a0"],
  number: numbers,
  date: [...days, ...days.flatMap((day) => [`${day}T00:00:00Z`, `${day}T23:59:59.999Z`]), "2026-03-02T01:00:00+02:00"],
  boolean: [undefined],
}

/** Every operator with every border, for one field of each kind and type. */
export const everyComparison: ReadonlyArray<unknown> = [
  ...(
    [
      "city",
      "email",
      "phone",
      "serviceScore",
      "createdAt",
      "lastActivityAt",
      "unsubscribed",
      "marketingSmsSubscribed",
    ] as const
  ).map((key) => ({
    selector: { source: "contact", field: key },
    valueType: standardFieldByKey.get(key)?.valueType ?? "string",
  })),
  ...fields.map(({ id, valueType }) => ({ selector: { source: "custom_field", fieldDefinitionId: id }, valueType })),
].flatMap(({ selector, valueType }) =>
  valueOperators[valueType].flatMap((operator) =>
    (valueless.has(operator) ? [undefined] : pools[valueType]).map((value) => ({
      kind: "condition",
      ...selector,
      operator,
      ...(value === undefined ? {} : { value }),
    })),
  ),
)
