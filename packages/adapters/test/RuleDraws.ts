// Random populations for the comparison of stores with the evaluator. Values come from small pools full of borders, so that
// conditions meet what is stored; everything follows from one seed.
import type { Draw } from "@tentpole/core/contract"
import { type ActivityType, activityTypes } from "@tentpole/core/contacts/Activity"
import type { Contact, CustomValue } from "@tentpole/core/contacts/Contact"
import type { ValueType } from "@tentpole/core/contacts/ContactFields"
import { ContactId, FieldDefinitionId, ListId } from "@tentpole/core/Ids"
import { type RuleSubject, windowStart } from "@tentpole/core/segments/Evaluate"
import { time_window_amount_max, timeWindowUnits } from "@tentpole/core/segments/Operators"
import type { RuleField } from "@tentpole/core/segments/RuleFacts"
import type { TimeWindow } from "@tentpole/core/segments/RuleTree"
import { fold } from "@tentpole/core/Text"
import { DateTime } from "effect"

/** Noon, the ends of months of every length, the ends of a year and of a day. */
export const nows = [
  "2026-03-31T12:00:00.000Z",
  "2024-02-29T00:00:00.000Z",
  "2026-01-01T00:00:00.000Z",
  "2026-12-31T23:59:59.999Z",
].map((text) => DateTime.makeUnsafe(text))

/** Asked of Unicode itself: stores have lists of their own. */
export const whiteSpace: ReadonlyArray<string> = Array.from({ length: 0x10000 }, (_, code) =>
  String.fromCharCode(code),
).filter((character) => /\p{White_Space}/u.test(character))

/** What looks blank and isn't. */
const invisible = ["\u200b", "\ufeff", "\u180e", "\u2060"]

/** Case, composition, the Turkish i's, sharp s, sigmas, compatibility signs, astral characters, what LIKE takes for its own. */
export const atoms = [
  ..."aAbBzZ%_\\ -'İıiIßẞΣσςéÉåÅÅKKﬁǅǆΐ0一😀𐐀𐐨",
  ...invisible,
  "ss",
  "fi",
  "e\u0301",
  "E\u0301",
  "A\u030a",
  "i\u0307",
  "\u0301",
  "\u0323",
  "\u0345",
  "q\u0307\u0323",
  "q\u0323\u0307",
  "한",
  "\u1112\u1161\u11ab",
  "ΟΔΟΣ",
  "οδος",
  "\\%",
  "%_",
  "\u00a0",
  "\u2003",
]

const several = (draw: Draw, pool: ReadonlyArray<string>, most: number): string =>
  Array.from({ length: 1 + draw.below(most) }, () => draw.of(pool)).join("")

export const text = (draw: Draw): string => {
  if (draw.chance(0.03)) return ""
  if (draw.chance(0.1)) return several(draw, whiteSpace, 3)
  const drawn = several(draw, atoms, 3)
  return draw.chance(0.1) ? draw.of(whiteSpace) + drawn + draw.of(whiteSpace) : drawn
}

export const numbers = [
  0,
  -0,
  1,
  -1,
  0.1,
  0.1 + 0.2,
  0.3,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 53),
  2147483648,
  1e21,
  1e-7,
  5e-324,
  -5e-324,
  2.2250738585072014e-308,
  1.7976931348623157e308,
  -1.7976931348623157e308,
]

export const days = [
  "0001-01-01",
  "0001-01-02",
  "1969-12-31",
  "1970-01-01",
  "2024-02-28",
  "2024-02-29",
  "2026-03-01",
  "2026-03-02",
  "2026-03-31",
  "9999-12-30",
  "9999-12-31",
]
const times = ["T00:00:00.000Z", "T00:00:00.001Z", "T12:00:00.000Z", "T23:59:59.998Z", "T23:59:59.999Z"]

const timestamp = (draw: Draw): string => draw.of(days) + draw.of(times)
export const storedDate = (draw: Draw): string => (draw.chance(0.5) ? draw.of(days) : timestamp(draw))

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
  field(5, "number", "active", "weight"),
  field(6, "date", "active", "renewal"),
  field(7, "string", "archived", "old_text"),
  field(8, "number", "archived", "old_number"),
  field(9, "boolean", "archived", "old_flag"),
  field(10, "date", "archived", "old_date"),
]

export const lists: ReadonlyArray<ListId> = ["a", "b", "c"].map((last) =>
  ListId.make(`00000000-0000-4000-8000-00000000000${last}`),
)

export const windows: ReadonlyArray<TimeWindow> = timeWindowUnits.flatMap((unit) =>
  [1, 2, 12, 25, time_window_amount_max].map((amount) => ({ amount, unit })),
)

/** Instants on both sides of where time windows begin and end. */
const around = (draw: Draw, now: DateTime.Utc): DateTime.Utc => {
  const border = draw.chance(0.1) ? now : windowStart(now, draw.of(windows))
  return DateTime.add(border, { milliseconds: draw.below(3) - 1 })
}

type Line = RuleSubject["activities"][number]

const drawSubject = (draw: Draw, index: number, now: DateTime.Utc): RuleSubject => {
  const instant = () => DateTime.makeUnsafe(timestamp(draw))
  const email = draw.chance(0.2) ? null : `${text(draw)}${index}@${text(draw)}`
  const contact: Contact = {
    id: ContactId.make(`10000000-0000-4000-8000-${String(index).padStart(12, "0")}`),
    displayName: maybe(draw, text),
    firstName: maybe(draw, text),
    lastName: maybe(draw, text),
    company: maybe(draw, text),
    jobTitle: maybe(draw, text),
    email,
    emailNormalized: email === null ? null : `${index}@${fold(email)}`,
    phone: email !== null && draw.chance(0.3) ? null : `+1415${2_000_000 + index}`,
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
  const line = (type: ActivityType): Line => ({ type, at: around(draw, now) })
  // Whoever is there was made: the store writes that line of the timeline itself.
  const others = Array.from({ length: draw.below(7) }, () => line(draw.of(activityTypes)))
  return {
    contact,
    activities: [line("contact_created"), ...others],
    lists: new Set(lists.filter(() => draw.chance(0.4))),
  }
}

/** People, and the instant at which they are asked for. */
export interface Population {
  readonly now: DateTime.Utc
  readonly subjects: ReadonlyArray<RuleSubject>
}

export const drawPopulation = (draw: Draw, size: number): Population => {
  const now = draw.of(nows)
  return { now, subjects: Array.from({ length: size }, (_, index) => drawSubject(draw, index, now)) }
}
