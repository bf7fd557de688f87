// Contact patches: the fields to set, and the functions that create or change a contact. No other code does either.
import { DateTime } from "effect"
import type { ContactId } from "../kernel/Ids.ts"
import { blankContact, type Contact, customValue, type CustomValue, isSameValue } from "./Contact.ts"
import { type StandardField, standardFields, type TextKey } from "./ContactFields.ts"
import type { EmailAddress } from "../kernel/values/EmailAddress.ts"

type PlainKey =
  | TextKey
  | "phone"
  | "serviceScore"
  | "unsubscribed"
  | "marketingEmailSubscribed"
  | "marketingSmsSubscribed"

/** An absent key leaves the field unchanged, null clears it. Values are checked and normalised (`readItem`). */
export type ContactPatch = { readonly [Key in PlainKey]?: Contact[Key] } & {
  readonly email?: EmailAddress | null
  /** Keyed by `api_name` and merged key by key. */
  readonly customFields?: ReadonlyMap<string, CustomValue | null>
}

/** A changed field of a contact. Names and values are as in the API; custom fields are `custom_fields.<api_name>`. */
export interface FieldDifference {
  readonly field: string
  readonly from: CustomValue | null
  readonly to: CustomValue | null
}

/** The defaults of `original_source`. */
export const contactSources = ["api", "import", "form", "flow"] as const
export type ContactSource = (typeof contactSources)[number]

export const newContact = (id: ContactId, patch: ContactPatch, source: ContactSource, now: DateTime.Utc): Contact => {
  const contact = applyPatch(blankContact(id, now), patch)
  return contact.originalSource === null ? { ...contact, originalSource: source } : contact
}

/**
 * The contact after the patch; the same object when nothing changes. A new email address counts as valid until it bounces.
 * Another spelling of the old address is not a new address.
 */
export const patchContact = (before: Contact, patch: ContactPatch, now: DateTime.Utc): Contact => {
  const after = applyPatch(before, patch)
  if (differences(before, after).length === 0) return before
  return {
    ...after,
    marketingEmailInvalid: before.emailNormalized === after.emailNormalized && before.marketingEmailInvalid,
    updatedAt: DateTime.max(before.updatedAt, now),
  }
}

/** The fields that differ, without timestamps. */
export const differences = (before: Contact, after: Contact): ReadonlyArray<FieldDifference> => {
  const changed: Array<FieldDifference> = []
  const compare = (field: string, from: CustomValue | null, to: CustomValue | null) => {
    if (!isSameValue(from, to)) changed.push({ field, from, to })
  }
  for (const field of standardFields) {
    if (field.kind !== "instant") compare(field.apiName, before[field.key], after[field.key])
  }
  if (before.customFields === after.customFields) return changed
  for (const name of Object.keys({ ...before.customFields, ...after.customFields })) {
    compare(`custom_fields.${name}`, customValue(before, name), customValue(after, name))
  }
  return changed
}

/** Fields that a patch may fill but not overwrite, by API name; custom fields are `custom_fields.<api_name>`. */
export type SkipIfFilled = "all" | ReadonlySet<string>

/**
 * The patch without the values that would overwrite a filled field of `skip`. `unsubscribed` can only be filled with true, so
 * that an opt-out is never lost.
 */
export const withoutFilled = (before: Contact, patch: ContactPatch, skip: SkipIfFilled): ContactPatch => {
  const isGuarded = (name: string) => skip === "all" || skip.has(name)
  const left: { [Key in keyof ContactPatch]: ContactPatch[Key] } = { ...patch }
  for (const field of standardFields) {
    if (!isPatchable(field) || !isGuarded(field.apiName)) continue
    const isFilled = field.key === "unsubscribed" ? patch.unsubscribed !== true : before[field.key] !== null
    if (isFilled) delete left[field.key]
  }
  if (patch.customFields === undefined) return left
  return {
    ...left,
    customFields: new Map(
      Array.from(patch.customFields).filter(
        ([name]) => !isGuarded(`custom_fields.${name}`) || !Object.hasOwn(before.customFields, name),
      ),
    ),
  }
}

type PatchableField = StandardField & { readonly key: Exclude<keyof ContactPatch, "customFields"> }

const isPatchable = (field: StandardField): field is PatchableField => field.writable

const applyPatch = (before: Contact, { email, customFields, ...plain }: ContactPatch): Contact => ({
  ...before,
  ...plain,
  ...(email === undefined ? {} : { email: email?.written ?? null, emailNormalized: email?.normalized ?? null }),
  ...(customFields === undefined || customFields.size === 0
    ? {}
    : { customFields: mergeCustomFields(before.customFields, customFields) }),
})

const mergeCustomFields = (
  before: Contact["customFields"],
  values: ReadonlyMap<string, CustomValue | null>,
): Contact["customFields"] => {
  const after = new Map(Object.entries(before))
  for (const [name, value] of values) {
    if (value === null) after.delete(name)
    else after.set(name, value)
  }
  return Object.fromEntries(after)
}
