// A contact: a person of a workspace, identified by email address or phone number.
import type { DateTime } from "effect"
import type { ContactId } from "../kernel/Ids.ts"

/** A date is a text: a day (`2026-05-01`), or a timestamp in UTC with milliseconds (`2026-05-01T12:30:00.000Z`). */
export type CustomValue = string | number | boolean | Tags

/** Trimmed words, none of them blank. Each is there once: words that fold to the same text are one. */
export type Tags = ReadonlyArray<string>

export interface Contact {
  readonly id: ContactId
  readonly displayName: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly company: string | null
  readonly jobTitle: string | null
  /** As written, trimmed. */
  readonly email: string | null
  /** The same for all spellings of one address. Unique in the workspace. */
  readonly emailNormalized: string | null
  /** E.164; unique in the workspace. */
  readonly phone: string | null
  readonly address: string | null
  readonly address2: string | null
  readonly city: string | null
  readonly state: string | null
  readonly zipCode: string | null
  readonly country: string | null
  readonly leadStatus: string | null
  readonly lifecycleStage: string | null
  readonly serviceScore: number | null
  readonly unsubscribed: boolean
  readonly marketingEmailSubscribed: boolean | null
  readonly marketingSmsSubscribed: boolean | null
  readonly marketingEmailInvalid: boolean
  readonly originalSource: string | null
  readonly originalSourceDetail: string | null
  /** Keyed by `api_name`, values of archived fields included. Unset fields are absent. Read one with `customValue`. */
  readonly customFields: Readonly<Record<string, CustomValue>>
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
  readonly lastActivityAt: DateTime.Utc | null
}

/** The value of a custom field. Own properties only: an `api_name` may be `constructor`. */
export const customValue = (contact: Contact, apiName: string): CustomValue | null =>
  Object.hasOwn(contact.customFields, apiName) ? (contact.customFields[apiName] ?? null) : null

export const isTags = (value: CustomValue | null): value is Tags => typeof value === "object" && value !== null

/** Tags in another order are another value, since answers have the order. */
export const isSameValue = (left: CustomValue | null, right: CustomValue | null): boolean =>
  isTags(left) && isTags(right)
    ? left.length === right.length && left.every((word, at) => word === right[at])
    : left === right

/** A new contact without any values. */
export const blankContact = (id: ContactId, now: DateTime.Utc): Contact => ({
  id,
  displayName: null,
  firstName: null,
  lastName: null,
  company: null,
  jobTitle: null,
  email: null,
  emailNormalized: null,
  phone: null,
  address: null,
  address2: null,
  city: null,
  state: null,
  zipCode: null,
  country: null,
  leadStatus: null,
  lifecycleStage: null,
  serviceScore: null,
  unsubscribed: false,
  marketingEmailSubscribed: null,
  marketingSmsSubscribed: null,
  marketingEmailInvalid: false,
  originalSource: null,
  originalSourceDetail: null,
  customFields: {},
  createdAt: now,
  updatedAt: now,
  lastActivityAt: null,
})
