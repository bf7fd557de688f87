// The schema of a flow's triggers. Types, decoding and OpenAPI follow from it. A part that is null is not set yet: activation
// reports what is missing. Triggers have the same names in requests, in the domain and in storage.
import { DateTime, Effect, Option, Schema, SchemaGetter } from "effect"
import { standardFieldByKey, type ValueType } from "../../contacts/ContactFields.ts"
import { ListId, TentId } from "../../kernel/Ids.ts"
import { below, type Decoded, decoderOf, isObject, type Json, refused } from "../../kernel/Decoding.ts"
import type { Issue } from "../../kernel/Refusal.ts"
import { everyValueOperator, operatorAliases, valueless } from "../../segments/Operators.ts"
import { isNoValue } from "../../segments/Parse.ts"
import type { RuleField } from "../../segments/RuleFacts.ts"
import { ComparedValue } from "../../segments/RuleSchema.ts"
import type { ValueOperator } from "../../segments/RuleTree.ts"
import { flag, part, text, wholeNumber, words } from "./Parts.ts"

const ListTrigger = Schema.Struct({
  type: Schema.Literals(["added_to_static_list", "removed_from_static_list"]),
  list_id: part(ListId, { description: "A static list" }),
}).annotate({ identifier: "ListTrigger" })
export type ListTrigger = typeof ListTrigger.Type

const ContactCreatedTrigger = Schema.Struct({ type: Schema.Literal("contact_created") }).annotate({
  identifier: "ContactCreatedTrigger",
})

/** Operators of a trigger: `changed`, and those of rules. */
const changeOperators: ReadonlyArray<"changed" | ValueOperator> = ["changed", ...everyValueOperator]
const operatorMessage = `must be one of ${changeOperators.join(", ")}`

/** Fires when the field changed and its new value satisfies the operator; any value satisfies `changed`. */
const ContactUpdatedTrigger = Schema.Struct({
  type: Schema.Literal("contact_updated"),
  field: text(255, "A standard field in camelCase, or a custom field's `api_name`", ["leadStatus"]),
  operator: Schema.String.annotate({
    message: operatorMessage,
    description: "`changed`, the default, fires on any change; the others of rules when the new value satisfies them",
    examples: ["equals"],
  }).pipe(
    Schema.decodeTo(Schema.Literals(changeOperators).annotate({ message: operatorMessage }), {
      decode: SchemaGetter.transform((name) => (operatorAliases.get(name) ?? name) as "changed" | ValueOperator),
      encode: SchemaGetter.passthroughSupertype(),
    }),
    Schema.withDecodingDefaultKey(Effect.succeed("changed")),
  ),
  value: part(ComparedValue),
}).annotate({ identifier: "ContactUpdatedTrigger" })
export type ContactUpdatedTrigger = typeof ContactUpdatedTrigger.Type

export const dateModes = ["on_date", "before_date", "after_date"] as const
export type DateMode = (typeof dateModes)[number]

/** A century. */
export const offset_days_max = 36_500

const offset = (mode: DateMode) =>
  wholeNumber(0, offset_days_max)
    .annotate({ description: `0 to ${offset_days_max}; counts with ${mode}` })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(0)))

const checked = (message: string, isRight: (value: string) => boolean) =>
  Schema.String.check(Schema.makeFilter((value: string) => isRight(value) || message)).annotate({ message })

/** Fires once for each contact and date, at a local time of a zone. */
const DateTrigger = Schema.Struct({
  type: Schema.Literal("date_based"),
  field: text(255, "`createdAt`, or the `api_name` of a custom field that holds dates"),
  mode: part(words(dateModes)),
  days_before: offset("before_date"),
  days_after: offset("after_date"),
  include_anniversaries: flag(false, "Fires in every later year, too"),
  trigger_time: checked("must be a full or a half hour, such as 09:00 or 17:30", (time) =>
    /^([01]\d|2[0-3]):[03]0$/.test(time),
  )
    .annotate({ description: "A full or a half hour; 09:00 by default", examples: ["17:30"] })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("09:00"))),
  // `Intl` also accepts offsets, but these have no daylight saving time.
  timezone: checked(
    "must be a time zone of the IANA database, such as Europe/Berlin",
    (zone) => /^[A-Za-z]/.test(zone) && Option.isSome(DateTime.zoneMakeNamed(zone)),
  )
    .annotate({ description: "Of the IANA database; UTC by default", examples: ["Europe/Berlin"] })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("UTC"))),
}).annotate({ identifier: "DateTrigger", description: "Once for each contact and date" })
export type DateTrigger = typeof DateTrigger.Type

export const form_id_length_max = 200

const FormTrigger = Schema.Struct({
  type: Schema.Literal("form_submitted"),
  tent_id: part(TentId).annotateKey({ description: "Null: any page of the workspace" }),
  form_id: text(form_id_length_max, `Null: any form. At most ${form_id_length_max} characters`),
}).annotate({ identifier: "FormTrigger", description: "Answers become `{{campaign.dynamic.<field_name>}}`" })
export type FormTrigger = typeof FormTrigger.Type

export const token_declarations_max = 100
export const token_name_length_max = 100

/** Whether a token may have this name. `trigger` is reserved. */
export const isTokenName = (name: string): boolean =>
  /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && name !== "trigger" && name.length <= token_name_length_max

const tokenNameFault = (name: string): string | undefined =>
  name === "trigger" ? "trigger is reserved; choose another name" : isTokenName(name) ? undefined : tokenNameMessage
const tokenNameMessage = `must begin with a letter and have only letters, digits and underscores, at most ${token_name_length_max}`

export const tokenTypes = ["string", "number", "boolean"] as const

const TokenDeclaration = Schema.Struct({
  name: Schema.String.check(Schema.makeFilter(tokenNameFault))
    .annotate({ message: tokenNameMessage })
    .annotateKey({ messageMissingKey: tokenNameMessage }),
  type: words(tokenTypes).annotateKey({ messageMissingKey: `is required: one of ${tokenTypes.join(", ")}` }),
}).annotate({ message: "must be an object" })
export type TokenDeclaration = typeof TokenDeclaration.Type

const ApiTrigger = Schema.Struct({
  type: Schema.Literal("service_api"),
  fields: Schema.Array(TokenDeclaration)
    .annotate({ message: "must be an array", description: "The tokens that callers may pass; empty: any" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
}).annotate({ identifier: "ApiTrigger", description: "Fired by POST …/trigger" })
export type ApiTrigger = typeof ApiTrigger.Type

export const TriggerSchema = Schema.Union([
  ListTrigger,
  ContactCreatedTrigger,
  ContactUpdatedTrigger,
  DateTrigger,
  FormTrigger,
  ApiTrigger,
]).annotate({ identifier: "FlowTrigger", description: "What enrolls contacts, after activation" })
export type Trigger = typeof TriggerSchema.Type
export type TriggerType = Trigger["type"]

const list = decoderOf(ListTrigger)
const decoders = {
  added_to_static_list: list,
  removed_from_static_list: list,
  contact_created: decoderOf(ContactCreatedTrigger),
  contact_updated: decoderOf(ContactUpdatedTrigger),
  date_based: decoderOf(DateTrigger),
  form_submitted: decoderOf(FormTrigger),
  service_api: decoderOf(ApiTrigger),
}

export const triggerTypes = [
  "added_to_static_list",
  "removed_from_static_list",
  "contact_created",
  "contact_updated",
  "date_based",
  "form_submitted",
  "service_api",
] as const satisfies ReadonlyArray<TriggerType>

/** Decodes a trigger without a check of its references. */
export const decodeTrigger = (json: unknown, path: string): Decoded<Trigger> => {
  if (!isObject(json)) return refused(path, "must be an object")
  const type = triggerTypes.find((each) => each === json["type"])
  if (type === undefined) {
    const isMissing = json["type"] === undefined || json["type"] === null
    return refused(below(path, "type"), `${isMissing ? "is required:" : "must be"} one of ${triggerTypes.join(", ")}`)
  }
  const { fields } = json
  if (type === "service_api" && Array.isArray(fields) && fields.length > token_declarations_max) {
    return refused(below(path, "fields"), `must have at most ${token_declarations_max} members, got ${fields.length}`)
  }
  const decoded = decoders[type](type === "contact_updated" ? withUsedValue(json) : json, path)
  if (decoded.value?.type !== "service_api") return decoded
  const names = decoded.value.fields.map(({ name }) => name)
  const issues = names.flatMap((name, index): ReadonlyArray<Issue> =>
    names.indexOf(name) === index
      ? []
      : [{ path: `${path}.fields.${index}.name`, message: `declares ${name} a second time` }],
  )
  return issues.length > 0 ? { value: null, issues } : decoded
}

/** Removes an empty value, and a value that the operator does not take. */
const withUsedValue = (json: Json): Json => {
  const { value, ...others } = json
  const { operator = "changed" } = json
  const needless: ReadonlySet<unknown> = new Set(["changed", ...valueless])
  const name = typeof operator === "string" ? (operatorAliases.get(operator) ?? operator) : "changed"
  return isNoValue(value) || needless.has(name) ? others : json
}

/** The field of a trigger: a standard field, or a custom field. */
export interface NamedField {
  readonly kind: "standard" | "custom"
  /** Its name in events. */
  readonly eventName: string
  readonly valueType: ValueType
  readonly isArchived: boolean
  /** An instant that changes with every update, so that no trigger uses it. */
  readonly moves: boolean
}

/** The field of that name, if there is one. */
export const fieldNamed = (name: string, custom: ReadonlyArray<RuleField>): NamedField | undefined => {
  const standard = standardFieldByKey.get(name)
  if (standard !== undefined) {
    const { apiName: eventName, valueType } = standard
    return { kind: "standard", eventName, valueType, isArchived: false, moves: standard.kind === "instant" }
  }
  const field = custom.find(({ apiName }) => apiName === name)
  if (field === undefined) return undefined
  const { status, valueType } = field
  const isArchived = status === "archived"
  return { kind: "custom", eventName: `custom_fields.${name}`, valueType, isArchived, moves: false }
}
