// Decoding of a batch item, an import row or form fields into a patch, with all issues of an item at once.
import { Result, Schema } from "effect"
import { ContactId } from "../../kernel/Ids.ts"
import { isObject } from "../../kernel/Decoding.ts"
import { trim } from "../../kernel/Text.ts"
import type { CustomValue } from "../Contact.ts"
import { type StandardField, standardFieldByName } from "../ContactFields.ts"
import type { ContactPatch } from "../ContactPatch.ts"
import type { CustomField } from "../CustomField.ts"
import { parseEmail } from "../../kernel/values/EmailAddress.ts"
import { readBoolean, readNumber, readText, readValue, type ValueSource } from "../values/FieldValue.ts"
import { parsePhone } from "../../kernel/values/PhoneNumber.ts"

/** Error codes of single values. */
export const valueCodes = [
  "invalid_email",
  "invalid_phone",
  "unknown_custom_field",
  "invalid_custom_field_value",
  "field_not_editable",
] as const

export type ItemErrorCode = "INVALID_ITEM" | "NOT_FOUND" | "conflict" | (typeof valueCodes)[number]

export interface ItemIssue {
  /** The field's name in the API (`first_name`, `custom_fields.shoe_size`); empty for the whole item. */
  readonly path: string
  readonly code: ItemErrorCode
  readonly message: string
}

/** The contact that an item conflicts with. */
export const ExistingContact = Schema.Struct({
  contactId: Schema.String,
  displayName: Schema.NullOr(Schema.String),
  email: Schema.NullOr(Schema.String),
  phone: Schema.NullOr(Schema.String),
})
export type ExistingContact = typeof ExistingContact.Type

/** Why an item is rejected. `code` and `message` cover all issues. */
export interface ItemRefusal {
  readonly code: ItemErrorCode
  readonly message: string
  readonly issues: ReadonlyArray<ItemIssue>
  readonly existing: ExistingContact | null
  /** Of an unknown contact: the one that it was merged into. */
  readonly mergedInto: ContactId | null
}

export interface ReadItem {
  /** The caller's id of the item; present on rejected items too. */
  readonly clientItemId: string | null
  readonly patch: Result.Result<ContactPatch, ItemRefusal>
}

export interface TargetedPatch {
  readonly contactId: ContactId
  readonly patch: ContactPatch
}

export interface ReadUpdate {
  readonly clientItemId: string | null
  readonly update: Result.Result<TargetedPatch, ItemRefusal>
}

export interface ReadDelete {
  readonly clientItemId: string | null
  readonly contactId: Result.Result<ContactId, ItemRefusal>
}

export interface ItemContext {
  readonly values: ValueSource
  /** The workspace's fields by `api_name`, archived ones included. */
  readonly fields: ReadonlyMap<string, CustomField>
  /** The workspace's country for phone numbers without country code. */
  readonly defaultCountry: string
  /** Whether fields with `isEditable: false` may be written: true for imports, forms and flows. */
  readonly allowNotEditable: boolean
}

export const fieldsByName = (fields: ReadonlyArray<CustomField>): ReadonlyMap<string, CustomField> =>
  new Map(fields.map((field) => [field.apiName, field]))

const client_item_id_length_max = 255
const issues_max = 100

/** `{client_item_id?, <standard fields>, custom_fields?: {<api_name>: value}}`. Blank values of text are ignored. */
export const readItem = (value: unknown, how: ItemContext): ReadItem => {
  const { clientItemId, issues, patch } = readKeys(value, { own: ["client_item_id"], fields: how })
  return { clientItemId, patch: resultOf(issues, patch) }
}

/** Like `readItem`, with a required `contact_id`. */
export const readUpdate = (value: unknown, how: ItemContext): ReadUpdate => {
  const { clientItemId, contactId, issues, patch } = readKeys(value, {
    own: ["client_item_id", "contact_id"],
    fields: how,
  })
  return {
    clientItemId,
    update: contactId === null ? Result.fail(refusal(issues)) : resultOf(issues, { contactId, patch }),
  }
}

/** Decodes fields alone: the body of an operation whose path has the contact's id. */
export const readPatch = (value: unknown, how: ItemContext): Result.Result<ContactPatch, ItemRefusal> => {
  const { issues, patch } = readKeys(value, { own: [], fields: how })
  return resultOf(issues, patch)
}

/** Decodes `{contact_id, client_item_id?}`. */
export const readDelete = (value: unknown): ReadDelete => {
  const { clientItemId, contactId, issues } = readKeys(value, { own: ["client_item_id", "contact_id"], fields: null })
  return { clientItemId, contactId: contactId === null ? Result.fail(refusal(issues)) : resultOf(issues, contactId) }
}

/** A refusal with all issues. The code of an issue of the item's shape wins over the code of an issue of a value. */
export const refusal = (
  issues: ReadonlyArray<ItemIssue>,
  { existing = null, mergedInto = null }: Partial<Pick<ItemRefusal, "existing" | "mergedInto">> = {},
): ItemRefusal => ({
  code: issues.find((issue) => issue.code === "INVALID_ITEM")?.code ?? issues[0]?.code ?? "INVALID_ITEM",
  message: issues.map(({ path, message }) => (path === "" ? `The item ${message}` : `${path} ${message}`)).join("; "),
  issues,
  existing,
  mergedInto,
})

const resultOf = <Wanted>(issues: ReadonlyArray<ItemIssue>, wanted: Wanted): Result.Result<Wanted, ItemRefusal> =>
  issues.length === 0 ? Result.succeed(wanted) : Result.fail(refusal(issues))

type MutablePatch = { -readonly [Key in keyof ContactPatch]: ContactPatch[Key] }

/** The keys that a value may have besides the contact's fields, and whether it may have those. */
interface Keys {
  readonly own: ReadonlyArray<"client_item_id" | "contact_id">
  readonly fields: ItemContext | null
}

interface Reading {
  clientItemId: string | null
  /** Null if the id is not expected, missing or malformed; the latter two are issues. */
  contactId: ContactId | null
  readonly patch: MutablePatch
  readonly issues: Array<ItemIssue>
}

const readKeys = (value: unknown, { own, fields }: Keys): Reading => {
  const read: Reading = { clientItemId: null, contactId: null, patch: {}, issues: [] }
  if (!isObject(value)) {
    read.issues.push(invalid("", "must be an object"))
    return read
  }
  const isOwn = (name: string) => own.some((each) => each === name)
  // First, so that its issue is among the reported ones when there are too many.
  if (isOwn("contact_id")) read.issues.push(...setContactId(value["contact_id"], read))
  for (const [name, raw] of Object.entries(value)) {
    if (read.issues.length >= issues_max) break
    if (isOwn(name)) {
      if (name === "client_item_id") read.issues.push(...setClientItemId(raw, read))
    } else if (fields === null) {
      read.issues.push(invalid(name, `is not part of this item: it takes ${own.join(" and ")}`))
    } else if (name === "custom_fields") {
      read.issues.push(...readCustomFields(raw, fields, read.patch))
    } else {
      read.issues.push(...readStandardField(name, raw, fields, read.patch))
    }
  }
  return read
}

const setClientItemId = (raw: unknown, read: Reading): ReadonlyArray<ItemIssue> => {
  const id = readText(raw, client_item_id_length_max)
  if (Result.isFailure(id)) return [invalid("client_item_id", id.failure)]
  read.clientItemId = id.success
  return []
}

const parseContactId = Schema.decodeUnknownResult(ContactId)

const setContactId = (raw: unknown, read: Reading): ReadonlyArray<ItemIssue> => {
  if (raw === undefined) return [invalid("contact_id", "is required: the id of the contact")]
  const id = parseContactId(raw)
  if (Result.isFailure(id)) return [invalid("contact_id", "must be the id of a contact, a UUID")]
  read.contactId = id.success
  return []
}

const invalid = (path: string, message: string): ItemIssue => ({ path, code: "INVALID_ITEM", message })

const isBlankText = (raw: unknown, how: ItemContext): boolean =>
  how.values === "text" && (raw === null || (typeof raw === "string" && trim(raw) === ""))

const readStandardField = (
  name: string,
  raw: unknown,
  how: ItemContext,
  patch: MutablePatch,
): ReadonlyArray<ItemIssue> => {
  const field = standardFieldByName.get(name)
  if (name === "contact_id") return [invalid(name, "is read-only")]
  if (field === undefined) return [invalid(name, "is not a field of a contact")]
  if (!field.writable) return [invalid(name, "is read-only")]
  if (isBlankText(raw, how)) return []
  return setStandard(field, raw, how, patch)
}

const setStandard = (
  field: StandardField,
  raw: unknown,
  how: ItemContext,
  patch: MutablePatch,
): ReadonlyArray<ItemIssue> => {
  switch (field.kind) {
    case "text":
      return setIfValid(patch, field.key, readText(raw, field.length_max), field)
    case "number":
      return setIfValid(patch, field.key, readNumber(raw, how.values), field)
    case "boolean": {
      if (raw === null && !field.nullable) return [invalid(field.apiName, "must be true or false")]
      const flag = readBoolean(raw, how.values)
      if (field.key === "unsubscribed") {
        return setIfValid(
          patch,
          field.key,
          Result.map(flag, (value) => value ?? false),
          field,
        )
      }
      return field.key === "marketingEmailInvalid" ? [] : setIfValid(patch, field.key, flag, field)
    }
    case "email":
      return setParsed(patch, "email", raw, parseEmail, {
        code: "invalid_email",
        message: "must be an email address, such as ann@example.com",
      })
    case "phone":
      return setParsed(patch, "phone", raw, (text) => parsePhone(text, how.defaultCountry), {
        code: "invalid_phone",
        message: `must be a phone number, such as +14155550123 (without a country code it belongs to ${how.defaultCountry})`,
      })
    case "instant":
      return [invalid(field.apiName, "is read-only")]
  }
}

const setIfValid = <Key extends keyof ContactPatch>(
  patch: MutablePatch,
  key: Key,
  read: Result.Result<Exclude<ContactPatch[Key], undefined>, string>,
  { apiName }: StandardField,
): ReadonlyArray<ItemIssue> => {
  if (Result.isFailure(read)) return [invalid(apiName, read.failure)]
  patch[key] = read.success
  return []
}

const setParsed = <Key extends "email" | "phone">(
  patch: MutablePatch,
  key: Key,
  raw: unknown,
  parse: (text: string) => Exclude<ContactPatch[Key], undefined>,
  issue: Omit<ItemIssue, "path">,
): ReadonlyArray<ItemIssue> => {
  if (raw !== null && typeof raw !== "string") return [invalid(key, "must be text")]
  const isEmpty = raw === null || raw === ""
  const value = parse(raw ?? "")
  if (value === null && !isEmpty) return [{ path: key, ...issue }]
  patch[key] = value
  return []
}

const readCustomFields = (raw: unknown, how: ItemContext, patch: MutablePatch): ReadonlyArray<ItemIssue> => {
  if (!isObject(raw)) return [invalid("custom_fields", "must be an object of values by api_name")]
  const values = new Map<string, CustomValue | null>()
  const issues = Object.entries(raw).flatMap(([name, each]): ReadonlyArray<ItemIssue> => {
    if (isBlankText(each, how)) return []
    const path = `custom_fields.${name}`
    const field = how.fields.get(name)
    if (field === undefined) {
      return [{ path, code: "unknown_custom_field", message: "is not a custom field of this workspace" }]
    }
    if (field.status === "archived") {
      return [{ path, code: "unknown_custom_field", message: "is archived: restore the field to write its values" }]
    }
    if (!field.isEditable && !how.allowNotEditable) {
      return [{ path, code: "field_not_editable", message: "can't be edited manually" }]
    }
    const value = readValue(field.valueType, each, how.values)
    if (Result.isFailure(value)) return [{ path, code: "invalid_custom_field_value", message: value.failure }]
    values.set(name, value.success)
    return []
  })
  patch.customFields = values
  return issues.slice(0, issues_max)
}
