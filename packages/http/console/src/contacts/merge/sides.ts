// The fields of two contacts that are merged, beside the result.
import type { Contact } from "@tentpole/client"
import { text_fields } from "../person.ts"

/** The chosen contact of a field, by the field's name in the API. */
export type Sides = Readonly<Record<string, "target" | "source">>

type Value = Contact["custom_fields"][string]

export interface MergedField {
  /** Custom fields are `custom_fields.<api_name>`. */
  readonly name: string
  readonly target: Value
  readonly source: Value
  readonly result: Value
  /** Whether both contacts have a value, and the person may choose one. */
  readonly isOpen: boolean
}

const custom_prefix = "custom_fields."

/** The name of a custom field; null: a standard field. */
export const customName = (name: string): string | null =>
  name.startsWith(custom_prefix) ? name.slice(custom_prefix.length) : null

/** Their stricter value stays, whatever is preferred. */
const choices = ["unsubscribed", "marketing_email_subscribed", "marketing_sms_subscribed"] as const

const isSame = (left: Value, right: Value): boolean => JSON.stringify(left) === JSON.stringify(right)

/** The fields that have a value, those in which the contacts differ first. */
export const mergedFields = (target: Contact, source: Contact, result: Contact): ReadonlyArray<MergedField> => {
  const of = (name: string, valueOf: (contact: Contact) => Value, isChosen: boolean): MergedField => {
    const [left, right] = [valueOf(target), valueOf(source)]
    const isOpen = isChosen && left !== null && right !== null && !isSame(left, right)
    return { name, target: left, source: right, result: valueOf(result), isOpen }
  }
  const all = [
    ...text_fields.map((name) => of(name, (contact) => contact[name], true)),
    of("service_score", (contact) => contact.service_score, true),
    ...choices.map((name) => of(name, (contact) => contact[name], false)),
    ...Object.keys(target.custom_fields).map((name) =>
      of(`${custom_prefix}${name}`, ({ custom_fields }) => custom_fields[name] ?? null, true),
    ),
  ].filter((field) => field.target !== null || field.source !== null)
  const differs = (field: MergedField) => Number(!isSame(field.target, field.source))
  return all.toSorted((left, right) => differs(right) - differs(left))
}
