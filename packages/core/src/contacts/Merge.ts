// The merge of two contacts, as pure rules: which values stay, and which flow memberships end. The source becomes part of the target.
import { DateTime, Result } from "effect"
import type { ContactId, FlowId, MembershipId } from "../kernel/Ids.ts"
import { Invalid, type Issue } from "../kernel/Refusal.ts"
import { type Contact, customValue, type CustomValue } from "./Contact.ts"
import { type StandardField, standardFieldByName, standardFields } from "./ContactFields.ts"
import { type ContactPatch, differences, patchContact } from "./ContactPatch.ts"
import type { CustomField } from "./CustomField.ts"

export const mergeSides = ["target", "source"] as const
export type MergeSide = (typeof mergeSides)[number]

/** The target keeps its id. */
export type MergePair<Value> = Readonly<Record<MergeSide, Value>>

export interface MergePreference {
  readonly prefer: MergeSide
  /** Fields that prefer a side of their own, by API name; custom fields are `custom_fields.<api_name>`. */
  readonly fields: ReadonlyMap<string, MergeSide>
}

const custom_prefix = "custom_fields."

/** Checks the names of the fields. `customFields` has all custom fields of the workspace. */
export const readPreference = (
  prefer: MergeSide,
  fields: Readonly<Record<string, MergeSide>>,
  customFields: ReadonlyArray<CustomField>,
): Result.Result<MergePreference, Invalid> => {
  const custom = new Set(
    customFields.filter(({ status }) => status === "active").map(({ apiName }) => `${custom_prefix}${apiName}`),
  )
  const issues = Object.keys(fields).flatMap((name): ReadonlyArray<Issue> => {
    const message = custom.has(name) ? undefined : refusedField(standardFieldByName.get(name))
    return message === undefined ? [] : [{ path: `fields.${name}`, message }]
  })
  return issues.length > 0
    ? Result.fail(new Invalid({ issues }))
    : Result.succeed({ prefer, fields: new Map(Object.entries(fields)) })
}

const refusedField = (field: StandardField | undefined): string | undefined => {
  if (field === undefined) return "is not a field of a contact"
  if (!field.writable) return "is read-only"
  return field.kind === "boolean" ? "can't be chosen: the stricter value of the two contacts stays" : undefined
}

/** What was unsubscribed stays unsubscribed. Subscribed is stricter than no choice. */
const stricter = (target: boolean | null, source: boolean | null): boolean | null =>
  target === false || source === false ? false : (target ?? source)

/** The preferred value, or the other one if it is empty. */
const chosen = <Value>(
  { fields, prefer }: MergePreference,
  name: string,
  { source, target }: MergePair<Value | null>,
): Value | null => ((fields.get(name) ?? prefer) === "target" ? (target ?? source) : (source ?? target))

const emailOf = ({ email, emailNormalized }: Contact) =>
  email === null || emailNormalized === null ? null : { written: email, normalized: emailNormalized }

/**
 * The target after the merge; the same object if nothing changes. Whether its address is invalid is taken from the contact that had
 * the address.
 */
export const mergedContact = (pair: MergePair<Contact>, preference: MergePreference, now: DateTime.Utc): Contact => {
  const { source, target } = pair
  const after = patchContact(target, patchOf(pair, preference), now)
  const lastActivityAt = latest(target.lastActivityAt, source.lastActivityAt)
  const hasAddressOfSource = after.emailNormalized !== null && after.emailNormalized === source.emailNormalized
  const marketingEmailInvalid = hasAddressOfSource ? source.marketingEmailInvalid : after.marketingEmailInvalid
  const isSame = lastActivityAt === target.lastActivityAt && marketingEmailInvalid === after.marketingEmailInvalid
  return isSame ? after : { ...after, lastActivityAt, marketingEmailInvalid }
}

const latest = (target: DateTime.Utc | null, source: DateTime.Utc | null): DateTime.Utc | null =>
  target === null || source === null ? (target ?? source) : DateTime.max(target, source)

type MutablePatch = { -readonly [Key in keyof ContactPatch]: ContactPatch[Key] }

const patchOf = ({ source, target }: MergePair<Contact>, preference: MergePreference): ContactPatch => {
  const patch: MutablePatch = { unsubscribed: target.unsubscribed || source.unsubscribed }
  for (const field of standardFields) {
    switch (field.kind) {
      case "text":
      case "phone":
        patch[field.key] = chosen(preference, field.apiName, { target: target[field.key], source: source[field.key] })
        break
      case "number":
        patch[field.key] = chosen(preference, field.apiName, { target: target[field.key], source: source[field.key] })
        break
      case "email":
        patch.email = chosen(preference, field.apiName, { target: emailOf(target), source: emailOf(source) })
        break
      case "boolean":
        if (field.key !== "unsubscribed" && field.key !== "marketingEmailInvalid") {
          patch[field.key] = stricter(target[field.key], source[field.key])
        }
        break
      case "instant":
        break
    }
  }
  const names = Object.keys({ ...target.customFields, ...source.customFields })
  return {
    ...patch,
    customFields: new Map(
      names.map((name): [string, CustomValue | null] => [
        name,
        chosen(preference, `${custom_prefix}${name}`, {
          target: customValue(target, name),
          source: customValue(source, name),
        }),
      ]),
    ),
  }
}

/** What `contact_merged` says of a merge. `email` and `phone`: those that no contact has any more; null: none. */
export const mergeMetadata = ({ source, target }: MergePair<Contact>, after: Contact) => {
  const leftOver = (key: "email" | "phone", identity: "emailNormalized" | "phone") =>
    [target, source].find((contact) => contact[identity] !== null && contact[identity] !== after[identity])?.[key] ??
    null
  return {
    merged_contact_id: source.id,
    email: leftOver("email", "emailNormalized"),
    phone: leftOver("phone", "phone"),
    changes: differences(target, after),
  }
}

/** A live membership of one of the two contacts. */
export interface MergingMembership {
  readonly membershipId: MembershipId
  readonly flowId: FlowId
  readonly contactId: ContactId
}

/** The memberships of the source that end: of flows in which the target has a live one, too. */
export const endingMemberships = (
  { source, target }: MergePair<ContactId>,
  live: ReadonlyArray<MergingMembership>,
): ReadonlyArray<MergingMembership> => {
  const flows = new Set(live.filter(({ contactId }) => contactId === target).map(({ flowId }) => flowId))
  return live.filter(({ contactId, flowId }) => contactId === source && flows.has(flowId))
}
