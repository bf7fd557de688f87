// Reads the fields of a JSON object one by one. What is wrong is noted with its path and reads as null, so that one reading
// tells everything that is wrong; whoever reads asks at the end whether anything was noted.
import type { Issue } from "../../kernel/Refusal.ts"
import { isObject, type Json, uuidOf } from "../../segments/RuleTree.ts"
import { isBlank } from "../../kernel/Text.ts"

/** A hundred steps have room for many unknown keys. */
const issues_max = 1000

export interface Notes {
  readonly issues: Array<Issue>
}

/** Notes what is wrong, and answers null for what could not be read. */
export const note = ({ issues }: Notes, path: string, message: string): null => {
  if (issues.length < issues_max) issues.push({ path, message })
  return null
}

export const below = (path: string, key: string | number): string => (path === "" ? String(key) : `${path}.${key}`)

/** The object that stands at `path`; null, and noted, when it is none. */
export const objectAt = (notes: Notes, value: unknown, path: string): Json | null =>
  isObject(value) ? value : note(notes, path, "must be an object")

/** The fields of one object. Absent and null are the same: nothing was said. */
export class JsonFields {
  readonly notes: Notes
  readonly node: Json
  readonly path: string

  constructor(notes: Notes, node: Json, path: string) {
    this.notes = notes
    this.node = node
    this.path = path
  }

  /** Notes every key that is not one of these. */
  only(known: ReadonlyArray<string>, hints: Readonly<Record<string, string>> = {}): void {
    for (const key of Object.keys(this.node)) {
      if (known.includes(key)) continue
      const hint = Object.hasOwn(hints, key) ? hints[key] : undefined
      this.refuse(key, hint ?? `is not a key here; known are ${known.join(", ")}`)
    }
  }

  refuse(key: string, message: string): null {
    return note(this.notes, this.at(key), message)
  }

  at(key: string | number): string {
    return below(this.path, key)
  }

  /** Undefined when nothing was said. */
  raw(key: string): unknown {
    return Object.hasOwn(this.node, key) ? (this.node[key] ?? undefined) : undefined
  }

  text(key: string, length_max: number): string | null {
    const value = this.raw(key)
    if (value === undefined) return null
    if (typeof value === "string" && !isBlank(value) && value.length <= length_max) return value
    return this.refuse(key, `must be text of 1 to ${length_max} characters`)
  }

  flag(key: string, otherwise: boolean): boolean {
    const value = this.raw(key) ?? otherwise
    if (typeof value === "boolean") return value
    this.refuse(key, "must be true or false")
    return otherwise
  }

  whole(key: string, minimum: number, maximum: number): number | null {
    const value = this.raw(key)
    if (value === undefined) return null
    if (typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum) return value
    return this.refuse(key, `must be a whole number from ${minimum} to ${maximum}`)
  }

  oneOf<Word extends string>(key: string, words: ReadonlyArray<Word>): Word | null {
    const value = this.raw(key)
    if (value === undefined) return null
    return words.find((word) => word === value) ?? this.refuse(key, `must be one of ${words.join(", ")}`)
  }

  /** A unit of time, read in singular and plural, answered in plural. */
  unit<Word extends string>(key: string, plurals: ReadonlyArray<Word>): Word | null {
    const value = this.raw(key)
    if (value === undefined) return null
    const found = plurals.find((plural) => plural === value || (typeof value === "string" && plural === `${value}s`))
    return found ?? this.refuse(key, `must be one of ${plurals.join(", ")}`)
  }

  id<Id extends string>(key: string, brand: { readonly make: (id: string) => Id }): Id | null {
    const value = this.raw(key)
    if (value === undefined) return null
    const id = uuidOf(value)
    return id === undefined ? this.refuse(key, "must be a UUID") : brand.make(id)
  }

  /** The members of an array, with their paths; none where nothing was said, and past the limit. */
  members(key: string, count_max: number): ReadonlyArray<{ readonly value: unknown; readonly path: string }> {
    const value = this.raw(key)
    if (value === undefined) return []
    if (!Array.isArray(value)) {
      this.refuse(key, "must be an array")
      return []
    }
    if (value.length > count_max) {
      this.refuse(key, `must have at most ${count_max} members, got ${value.length}`)
      return []
    }
    return value.map((member: unknown, index) => ({ value: member, path: below(this.at(key), index) }))
  }
}
