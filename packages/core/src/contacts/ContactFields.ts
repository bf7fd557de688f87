// The standard fields of a contact, as data: the source of API schemas, imports, rules, exports and merge tokens.
import { String } from "effect"
import { FieldDefinitionId } from "../kernel/Ids.ts"
import type { Contact } from "./Contact.ts"

export const valueTypes = ["string", "number", "boolean", "date", "tags"] as const
export type ValueType = (typeof valueTypes)[number]

type KeysOf<Value> = { [Key in keyof Contact]-?: Contact[Key] extends Value ? Key : never }[keyof Contact]

/** The keys of free text fields. */
export type TextKey = Exclude<KeysOf<string | null>, "id" | "email" | "emailNormalized" | "phone">
export type InstantKey = "createdAt" | "updatedAt" | "lastActivityAt"
export type BooleanKey = KeysOf<boolean | null>

interface FieldBase {
  /** The key as the name in the API, imports and exports: `zip_code`. */
  readonly apiName: string
  readonly displayName: string
  /** A UUID v5 of the `api_name` under `standard_fields_namespace`, the same in every workspace. */
  readonly fieldDefinitionId: FieldDefinitionId
  /** Whether a caller may set it. */
  readonly writable: boolean
  /** Whether the field can be empty. Then `null` clears it. */
  readonly nullable: boolean
}

/** `key` is the property of `Contact` and the name in rule trees and triggers; `kind` decides how a value is checked. */
export type StandardField = FieldBase &
  (
    | { readonly kind: "text"; readonly key: TextKey; readonly valueType: "string"; readonly length_max: number }
    | { readonly kind: "email"; readonly key: "email"; readonly valueType: "string" }
    | { readonly kind: "phone"; readonly key: "phone"; readonly valueType: "string" }
    | { readonly kind: "number"; readonly key: "serviceScore"; readonly valueType: "number" }
    | { readonly kind: "boolean"; readonly key: BooleanKey; readonly valueType: "boolean" }
    | { readonly kind: "instant"; readonly key: InstantKey; readonly valueType: "date" }
  )

/** The namespace of the UUIDs below. It never changes: imports refer to fields by these ids. @public */
export const standard_fields_namespace = "8f0b7c52-6d1e-4c63-9a5f-2b7d3e4a9c10"

interface Rights {
  readonly writable: boolean
  readonly nullable: boolean
}
const open: Rights = { writable: true, nullable: true }
const required: Rights = { writable: true, nullable: false }
const readOnly: Rights = { writable: false, nullable: false }

const field = (key: string, displayName: string, id: string, rights = open) => ({
  apiName: String.camelToSnake(key),
  displayName,
  fieldDefinitionId: FieldDefinitionId.make(id),
  ...rights,
})

const text = (key: TextKey, displayName: string, length_max: number, id: string): StandardField => ({
  ...field(key, displayName, id),
  kind: "text",
  key,
  valueType: "string",
  length_max,
})

const boolean = (key: BooleanKey, displayName: string, id: string, rights: Rights): StandardField => ({
  ...field(key, displayName, id, rights),
  kind: "boolean",
  key,
  valueType: "boolean",
})

const instant = (key: InstantKey, displayName: string, id: string): StandardField => ({
  ...field(key, displayName, id, { writable: false, nullable: key === "lastActivityAt" }),
  kind: "instant",
  key,
  valueType: "date",
})

/** Every standard field, in the order of the API description. */
export const standardFields: ReadonlyArray<StandardField> = [
  text("displayName", "Display name", 255, "e854d73b-a9f9-55f4-8e52-334496a0cad4"),
  text("firstName", "First name", 255, "4fcee867-fb18-57cf-ae4b-d3d5594ba5be"),
  text("lastName", "Last name", 255, "eac67e71-bf8c-5c17-87d2-1954edfe8795"),
  text("company", "Company", 255, "2318bc64-c4ef-51c4-93e8-6c288fad75ea"),
  text("jobTitle", "Job title", 255, "6ea1bbe9-94f0-5597-9bbc-9f57372bf61b"),
  text("city", "City", 255, "9c925a28-bc4e-5bdf-8d1a-38c27e755411"),
  text("state", "State", 255, "69268c1c-700c-5a0c-bc2a-56f533e60554"),
  text("country", "Country", 255, "89751e2a-028f-51d2-98a1-4110e02a14e9"),
  {
    ...field("email", "Email", "57a60fb5-f525-5dbe-b56a-d3b2c12e9eee"),
    kind: "email",
    key: "email",
    valueType: "string",
  },
  {
    ...field("phone", "Phone", "fa07b03b-6385-5017-a485-47cd3f4ecc55"),
    kind: "phone",
    key: "phone",
    valueType: "string",
  },
  text("address", "Address", 500, "7539e37c-1a81-568d-b112-1a8bd8367a80"),
  text("address2", "Address line 2", 255, "c2a28843-2f7e-57b5-acb9-f91c72d1f310"),
  text("zipCode", "ZIP code", 50, "93b2fd4e-c813-5ea8-8265-20b779701d1a"),
  text("leadStatus", "Lead status", 100, "125364ad-0540-5f4a-81e6-75ca2b188099"),
  text("lifecycleStage", "Lifecycle stage", 100, "1e7fe503-5021-540b-a6e4-4f309ee4fea9"),
  {
    ...field("serviceScore", "Score", "a69a5151-e52b-5646-a660-4739175165f4"),
    kind: "number",
    key: "serviceScore",
    valueType: "number",
  },
  boolean("unsubscribed", "Unsubscribed", "649db331-63c1-54b3-a5fa-4bd0933805f9", required),
  boolean("marketingEmailSubscribed", "Marketing email subscribed", "fb5482fd-9014-571c-a92e-254c90347f08", open),
  boolean("marketingSmsSubscribed", "Marketing SMS subscribed", "f5514a96-900a-5963-a22c-1eee343938a3", open),
  boolean("marketingEmailInvalid", "Marketing email invalid", "b88bde8b-71df-5223-a651-c4aa2e6cdef2", readOnly),
  text("originalSource", "Original source", 255, "78de1771-f3fc-5c89-95fe-5641363617a2"),
  text("originalSourceDetail", "Original source detail", 255, "cdc15341-1619-5ad0-b1bd-053214d166ae"),
  instant("createdAt", "Created at", "4bde02ed-a350-5505-b65d-e02a8e6cf1c1"),
  instant("updatedAt", "Updated at", "4abb2f16-5995-5541-9bc6-1874c26d6cb6"),
  instant("lastActivityAt", "Last activity at", "bbece3e2-180f-54b6-babd-fc166278f8c7"),
]

/** Keyed by API name: `zip_code`. */
export const standardFieldByName: ReadonlyMap<string, StandardField> = new Map(
  standardFields.map((field) => [field.apiName, field]),
)

/** Keyed by camelCase key, as in rule trees and triggers: `zipCode`. */
export const standardFieldByKey: ReadonlyMap<string, StandardField> = new Map(
  standardFields.map((field) => [field.key, field]),
)

/**
 * Names that no custom field may have: the standard fields, and the other keys of a contact in the API and in merge tokens.
 */
export const reservedNames: ReadonlySet<string> = new Set([
  ...standardFields.map((field) => field.apiName),
  "contact_id",
  "client_item_id",
  "custom_fields",
])
