// What is to be set on a contact, and what a contact is after it: nothing else makes or alters one.
import { DateTime } from "effect"
import type { ContactId } from "../kernel/Ids.ts"
import { blankContact, type Contact, customValue, type CustomValue } from "./Contact.ts"
import { type StandardField, standardFields, type TextKey } from "./ContactFields.ts"
import type { EmailAddress } from "../kernel/values/EmailAddress.ts"

type PlainKey =
  | TextKey
  | "phone"
  | "serviceScore"
  | "unsubscribed"
  | "marketingEmailSubscribed"
  | "marketingSmsSubscribed"

/** A key left out is unchanged, null clears. Values are checked and normalised (`readItem`). */
export type ContactPatch = { readonly [Key in PlainKey]?: Contact[Key] } & {
  readonly email?: EmailAddress | null
  /** By `api_name`; merged key by key. */
  readonly customFields?: ReadonlyMap<string, CustomValue | null>
}

/** One field of a contact that has changed; names and values as on the wire, custom ones as `custom_fields.<api_name>`. */
export interface FieldDifference {
  readonly field: string
  readonly from: CustomValue | null
  readonly to: CustomValue | null
}

/** Where a contact comes from when nothing else is said: what `original_source` then reads. */
export type ContactSource = "api" | "import" | "form" | "flow"

export const newContact = (id: ContactId, patch: ContactPatch, source: ContactSource, now: DateTime.Utc): Contact => {
  const contact = patched(blankContact(id, now), patch)
  return contact.originalSource === null ? { ...contact, originalSource: source } : contact
}

/**
 * The contact after the patch: the very same one when nothing changes. A new address is taken for good until it bounces;
 * another spelling of the old one is not new.
 */
export const patchContact = (before: Contact, patch: ContactPatch, now: DateTime.Utc): Contact => {
  const after = patched(before, patch)
  if (differences(before, after).length === 0) return before
  return {
    ...after,
    marketingEmailInvalid: before.emailNormalized === after.emailNormalized && before.marketingEmailInvalid,
    updatedAt: DateTime.max(before.updatedAt, now),
  }
}

/** What tells two states of a contact apart, times aside. */
export const differences = (before: Contact, after: Contact): ReadonlyArray<FieldDifference> => {
  const changed: Array<FieldDifference> = []
  const compare = (field: string, from: CustomValue | null, to: CustomValue | null) => {
    if (from !== to) changed.push({ field, from, to })
  }
  for (const field of standardFields) {
    if (field.kind !== "instant") compare(field.apiName, before[field.key], after[field.key])
  }
  if (before.customFields === after.customFields) return changed
  const compareCustom = (name: string) => {
    const [from, to] = [customValue(before, name), customValue(after, name)]
    if (from !== to) changed.push({ field: `custom_fields.${name}`, from, to })
  }
  for (const name of Object.keys(before.customFields)) compareCustom(name)
  for (const name of Object.keys(after.customFields)) {
    if (!Object.hasOwn(before.customFields, name)) compareCustom(name)
  }
  return changed
}

/** Which fields a patch may only fill, never overwrite: by wire name, custom ones as `custom_fields.<api_name>`. */
export type SkipIfFilled = "all" | ReadonlySet<string>

/**
 * The patch without what would overwrite a filled field that may only be filled. An opt-out is never lost, and never taken
 * back: `unsubscribed` can be filled with true only.
 */
export const withoutFilled = (before: Contact, patch: ContactPatch, skip: SkipIfFilled): ContactPatch => {
  const guarded = (name: string) => skip === "all" || skip.has(name)
  const left: { [Key in keyof ContactPatch]: ContactPatch[Key] } = { ...patch }
  for (const field of standardFields) {
    if (!isPatchable(field) || !guarded(field.apiName)) continue
    const keeps = field.key === "unsubscribed" ? patch.unsubscribed !== true : before[field.key] !== null
    if (keeps) delete left[field.key]
  }
  if (patch.customFields === undefined) return left
  return {
    ...left,
    customFields: new Map(
      Array.from(patch.customFields).filter(
        ([name]) => !guarded(`custom_fields.${name}`) || !Object.hasOwn(before.customFields, name),
      ),
    ),
  }
}

type PatchableField = StandardField & { readonly key: Exclude<keyof ContactPatch, "customFields"> }

const isPatchable = (field: StandardField): field is PatchableField => field.writable

const patched = (before: Contact, { email, customFields, ...plain }: ContactPatch): Contact => ({
  ...before,
  ...plain,
  ...(email === undefined ? {} : { email: email?.written ?? null, emailNormalized: email?.normalized ?? null }),
  ...(customFields === undefined || customFields.size === 0
    ? {}
    : { customFields: merged(before.customFields, customFields) }),
})

const merged = (
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
