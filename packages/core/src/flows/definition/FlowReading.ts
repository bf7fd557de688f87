// What goes with the reading of a flow's JSON: what was noted so far, and what is known of the other rooms.
import type { Result } from "effect"
import { type Invalid, NotFound } from "../../kernel/Refusal.ts"
import { type JsonFields, note, type Notes } from "./JsonFields.ts"
import type { NamedFacts } from "./FlowReferences.ts"

export interface FlowReading extends Notes {
  /** `kept`: the JSON was read once, and comes from where it was stored; what it names may be archived or gone. */
  readonly named: NamedFacts | "kept"
  /** Ids of things that are not there, apart from what is wrong by itself: another answer. */
  readonly missing: Array<NotFound>
}

export const readingOf = (named: NamedFacts | "kept"): FlowReading => ({ issues: [], named, missing: [] })

/** The value, or null with its issues noted. */
export const noted = <Value>(notes: Notes, read: Result.Result<Value, Invalid>): Value | null => {
  if (read._tag === "Success") return read.success
  for (const { path, message } of read.failure.issues) note(notes, path, message)
  return null
}

type NamedSets = Pick<NamedFacts, "emails" | "emailTemplates" | "tentTemplates" | "tents">

const resources: { readonly [Kind in keyof NamedSets]: string } = {
  emails: "email",
  emailTemplates: "email template",
  tentTemplates: "tent template",
  tents: "tent",
}

/** An id of something that has to be there when it is named. */
export const idOf = <Id extends string>(
  reading: FlowReading,
  fields: JsonFields,
  key: string,
  brand: { readonly make: (id: string) => Id },
  kind: keyof NamedSets,
): Id | null => {
  const id = fields.id(key, brand)
  const known: ReadonlySet<string> | null = reading.named === "kept" ? null : reading.named[kind]
  if (id !== null && known !== null && !known.has(id)) {
    reading.missing.push(new NotFound({ resource: resources[kind], path: fields.at(key) }))
  }
  return id
}

/** Said instead of an unknown field. */
export const isArchived = (apiName: string): string => `is the archived field ${apiName}; restore it first`
