// Random rule trees over a population: every operator of every field in turn, with values near what somebody has.
import { activityTypes } from "@tentpole/core/contacts/Activity"
import { customValue } from "@tentpole/core/contacts/Contact"
import { standardFieldByKey, standardFields, type ValueType } from "@tentpole/core/contacts/ContactFields"
import { readDate } from "@tentpole/core/contacts/FieldValue"
import type { RuleSubject } from "@tentpole/core/segments/Evaluate"
import { activityOperators, membershipOperators, valueless, valueOperators } from "@tentpole/core/segments/Operators"
import { rule_depth_max, rule_nodes_max } from "@tentpole/core/segments/RuleTree"
import { DateTime, Result } from "effect"
import type { Draw } from "@tentpole/core/contract"
import { atoms, days, fields, lists, numbers, storedDate, text, whiteSpace, windows } from "./RuleDraws.ts"

type Stored = RuleSubject["contact"][keyof RuleSubject["contact"]] | number

/** A kind of condition: what it asks of, and by which operator; `value` is what it compares with, if anything. */
interface Kind {
  readonly name: string
  readonly condition: (draw: Draw, subjects: ReadonlyArray<RuleSubject>) => object
}

const comparisons = (
  name: string,
  selector: object,
  type: ValueType,
  storedIn: (subject: RuleSubject) => Stored,
): ReadonlyArray<Kind> =>
  valueOperators[type].map((operator) => ({
    name: `${name} ${operator}`,
    condition: (draw, subjects) => {
      const it = { kind: "condition", ...selector, operator }
      return valueless.has(operator) ? it : { ...it, value: ruleValue(draw, type, storedIn(draw.of(subjects))) }
    },
  }))

/** Every operator of every field, archived ones too, of every activity and of every list. */
export const kinds: ReadonlyArray<Kind> = [
  ...standardFields.flatMap(({ key, valueType }) =>
    comparisons(key, { source: "contact", field: key }, valueType, ({ contact }) => contact[key]),
  ),
  ...fields.flatMap(({ id, apiName, valueType }) =>
    comparisons(apiName, { source: "custom_field", fieldDefinitionId: id }, valueType, ({ contact }) =>
      customValue(contact, apiName),
    ),
  ),
  ...activityTypes.flatMap((activityType) =>
    activityOperators.map((operator) => ({
      name: `${activityType} ${operator}`,
      condition: (draw: Draw) => ({
        kind: "condition",
        source: "activity",
        activityType,
        operator,
        ...(draw.chance(0.7) ? { timeWindow: draw.of(windows) } : {}),
      }),
    })),
  ),
  ...lists.flatMap((listId) =>
    membershipOperators.map((operator) => ({
      name: `${listId} ${operator}`,
      condition: () => ({ kind: "condition", source: "list_membership", listId, operator }),
    })),
  ),
]

const ruleValue = (draw: Draw, type: ValueType, near: Stored): unknown => {
  switch (type) {
    case "string":
      return nearText(draw, typeof near === "string" && draw.chance(0.6) ? near : text(draw))
    case "number":
      return typeof near === "number" && draw.chance(0.6) ? nearNumber(draw, near) : draw.of(numbers)
    case "date":
      return nearDate(draw, draw.chance(0.6) ? near : null)
    case "boolean":
      return undefined
  }
}

/** The text in another guise, or a part of it; never empty: no rule compares with nothing. */
const nearText = (draw: Draw, near: string): string => {
  const characters = Array.from(near)
  const from = draw.below(characters.length + 1)
  const guises = [
    near,
    near.toUpperCase(),
    near.toLowerCase(),
    near.normalize("NFC"),
    near.normalize("NFD"),
    characters.slice(from).join(""),
    characters.slice(0, from).join(""),
    characters.slice(from, from + 2).join(""),
    near + draw.of(atoms),
    draw.of(whiteSpace) + near,
    near.replace(/[^\\%_]/u, "_"),
    `%${near}`,
    `\\${near}`,
  ]
  return draw.of(guises) || "a"
}

/** The number, or the next one that a float can hold, below or above. */
const nearNumber = (draw: Draw, near: number): number => {
  const bits = new BigInt64Array(1)
  const floats = new Float64Array(bits.buffer)
  floats[0] = near
  bits[0] = (bits[0] ?? 0n) + BigInt(draw.below(3) - 1)
  const next = floats[0]
  return Number.isFinite(next) ? next : near
}

/** The instant, a millisecond beside it, or its day; in UTC or in another zone. */
const nearDate = (draw: Draw, near: Stored): string => {
  const base = DateTime.isDateTime(near)
    ? near
    : DateTime.makeUnsafe(typeof near === "string" ? near : storedDate(draw))
  const moved = DateTime.add(base, { milliseconds: draw.below(3) - 1 })
  const written = draw.of([
    DateTime.formatIso(base),
    DateTime.formatIso(base).slice(0, 10),
    DateTime.formatIso(moved),
    DateTime.formatIso(moved).slice(0, 10),
    DateTime.formatIso(base).replace("Z", draw.of(["999Z", "+02:00", "-01:00", "+14:00"])),
    draw.of(days),
  ])
  // A step or a zone can leave the years that are written with four digits.
  return Result.isSuccess(readDate(written, "json")) ? written : draw.of(days)
}

/** Draws trees; conditions are dealt from a shuffled pack of all kinds, so that none is left out for long. */
export interface Trees {
  readonly next: () => unknown
  readonly seen: ReadonlySet<string>
}

export const drawTrees = (draw: Draw, subjects: ReadonlyArray<RuleSubject>): Trees => {
  let pack: Array<Kind> = []
  const seen = new Set<string>()

  const condition = () => {
    if (pack.length === 0) pack = shuffled(draw, kinds)
    const kind = pack.pop()
    if (kind === undefined) throw new Error("there are no kinds of conditions")
    seen.add(kind.name)
    return kind.condition(draw, subjects)
  }

  /** A group of that many nodes, itself among them: at least two. */
  const group = (nodes: number, level: number): object => {
    seen.add(`level ${level}`)
    const conditions: Array<object> = []
    for (let left = nodes - 1; left > 0;) {
      const size = level < rule_depth_max && left > 1 && draw.chance(0.4) ? 2 + draw.below(left - 1) : 1
      conditions.push(size === 1 ? condition() : group(size, level + 1))
      left -= size
    }
    if (conditions.length === 1) seen.add("a group of one")
    return { kind: "group", ...draw.of([{ operator: "and" }, { operator: "or" }, { operator: "or" }, {}]), conditions }
  }

  /** Groups of one within each other, down to the last level. */
  const chain = (level: number): object => {
    seen.add(`level ${level}`)
    return {
      kind: "group",
      operator: draw.of(["and", "or"]),
      conditions: [level === rule_depth_max ? condition() : chain(level + 1)],
    }
  }

  const next = () => {
    const kind = draw.below(100)
    if (kind < 3) {
      seen.add("the most nodes")
      return group(rule_nodes_max, 1)
    }
    if (kind < 6) return chain(1)
    if (kind < 25) {
      seen.add("a lone condition")
      return condition()
    }
    return group(2 + draw.below(kind < 70 ? 6 : 18), 1)
  }
  return { next, seen }
}

/** Everything that a long enough run has drawn. */
export const everything: ReadonlyArray<string> = [
  ...kinds.map(({ name }) => name),
  ...Array.from({ length: rule_depth_max }, (_, above) => `level ${above + 1}`),
  "a group of one",
  "a lone condition",
  "the most nodes",
]

const shuffled = <A>(draw: Draw, all: ReadonlyArray<A>): Array<A> => {
  const pack = [...all]
  for (let last = pack.length - 1; last > 0; last--) {
    const other = draw.below(last + 1)
    const [a, b] = [pack[last], pack[other]]
    if (a === undefined || b === undefined) break
    pack[last] = b
    pack[other] = a
  }
  return pack
}

const borders: { readonly [Type in ValueType]: ReadonlyArray<unknown> } = {
  string: ["%", "_", "\\", "İ", "ı", "ß", "SS", "ς", "E\u0301", "Å", "ﬁ", "\u0301", "😀", "𐐀", "一", "\u00a0"],
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
    (valueless.has(operator) ? [undefined] : borders[valueType]).map((value) => ({
      kind: "condition",
      ...selector,
      operator,
      ...(value === undefined ? {} : { value }),
    })),
  ),
)
