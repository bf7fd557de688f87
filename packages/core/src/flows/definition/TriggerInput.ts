// Reads triggers from JSON. What was not said is null; what was said has to be right.
import { DateTime, Option, Result } from "effect"
import type { ValueType } from "../../contacts/ContactFields.ts"
import { readValue } from "../../contacts/values/FieldValue.ts"
import { ListId, TentId } from "../../kernel/Ids.ts"
import { NotFound } from "../../kernel/Refusal.ts"
import { operatorAliases, valueless, valueOperators } from "../../segments/Operators.ts"
import type { ValueOperator } from "../../segments/RuleTree.ts"
import { type FlowReading, idOf, isArchived } from "./FlowReading.ts"
import { JsonFields, objectAt } from "./JsonFields.ts"
import {
  type ApiTrigger,
  changeOperators,
  type ContactUpdatedTrigger,
  dateModes,
  type DateTrigger,
  fieldNamed,
  form_id_length_max,
  type FormTrigger,
  isTokenName,
  type ListTrigger,
  type NamedField,
  offset_days_max,
  token_declarations_max,
  token_name_length_max,
  type TokenDeclaration,
  tokenTypes,
  type Trigger,
  triggerTypes,
} from "./Trigger.ts"

/** The trigger at `path`; null when it is none of the known ones. Whether it may be kept, the reading's notes say. */
export const readTrigger = (reading: FlowReading, value: unknown, path: string): Trigger | null => {
  const node = objectAt(reading, value, path)
  if (node === null) return null
  const fields = new JsonFields(reading, node, path)
  const type = fields.oneOf("type", triggerTypes)
  switch (type) {
    case null:
      return fields.raw("type") === undefined
        ? fields.refuse("type", `is required: one of ${triggerTypes.join(", ")}`)
        : null
    case "added_to_static_list":
    case "removed_from_static_list":
      return readList(reading, fields, type)
    case "contact_created":
      fields.only(["type"])
      return { type }
    case "contact_updated":
      return readUpdated(reading, fields)
    case "date_based":
      return readDateBased(reading, fields)
    case "form_submitted":
      return readForm(reading, fields)
    case "service_api":
      return readApi(fields)
  }
}

const readList = (reading: FlowReading, fields: JsonFields, type: ListTrigger["type"]): ListTrigger => {
  fields.only(["type", "list_id"])
  const listId = fields.id("list_id", ListId)
  if (listId !== null && reading.named !== "kept" && !reading.named.staticLists.has(listId)) {
    if (reading.named.otherLists.has(listId)) {
      fields.refuse("list_id", "must be a static list: nobody is added to another, its rules say who is in it")
    } else reading.missing.push(new NotFound({ resource: "contact list", path: fields.at("list_id") }))
  }
  return { type, listId }
}

/** The field under `field`, if there is one of that name that can be used. */
const readField = (
  reading: FlowReading,
  fields: JsonFields,
): { readonly name: string | null; readonly field: NamedField | undefined } => {
  const name = fields.text("field", 255)
  if (name === null) return { name, field: undefined }
  const field = fieldNamed(name, reading.named === "kept" ? [] : reading.named.fields)
  if (reading.named !== "kept") {
    if (field === undefined) {
      fields.refuse(
        "field",
        `"${name}" is neither a standard field in camelCase, as leadStatus, nor a custom field's api_name`,
      )
    } else if (field.kind === "custom" && field.field.status === "archived") fields.refuse("field", isArchived(name))
  }
  return { name, field }
}

const typeOf = (field: NamedField | undefined): ValueType | undefined =>
  field?.kind === "custom" ? field.field.valueType : field?.valueType

const readUpdated = (reading: FlowReading, fields: JsonFields): ContactUpdatedTrigger => {
  fields.only(["type", "field", "operator", "value"])
  const { name, field } = readField(reading, fields)
  if (field?.kind === "standard" && field.moves) {
    fields.refuse("field", `${name} moves by itself; no update changes it, and this trigger would never fire`)
  }
  const operator = readOperator(fields, typeOf(field))
  const value = operator === "changed" || valueless.has(operator) ? null : readOperand(fields, typeOf(field))
  return { type: "contact_updated", field: name, operator, value }
}

const readOperator = (fields: JsonFields, type: ValueType | undefined): "changed" | ValueOperator => {
  const said = fields.raw("operator") ?? "changed"
  const canonical = typeof said === "string" ? (operatorAliases.get(said) ?? said) : said
  const known: typeof changeOperators = type === undefined ? changeOperators : ["changed", ...valueOperators[type]]
  const operator = known.find((each) => each === canonical)
  if (operator === undefined) fields.refuse("operator", `must be one of ${known.join(", ")}`)
  return operator ?? "changed"
}

const readOperand = (fields: JsonFields, type: ValueType | undefined): string | number | null => {
  const value = fields.raw("value")
  if (value === undefined || value === "") return null
  const read = type === undefined ? null : readValue(type, value, "json")
  if (read !== null && Result.isFailure(read)) return fields.refuse("value", read.failure)
  return typeof value === "string" || typeof value === "number"
    ? value
    : fields.refuse("value", "must be text or a number")
}

const readDateBased = (reading: FlowReading, fields: JsonFields): DateTrigger => {
  fields.only([
    "type",
    "field",
    "mode",
    "days_before",
    "days_after",
    "include_anniversaries",
    "trigger_time",
    "timezone",
  ])
  const { name, field } = readField(reading, fields)
  const dated = field?.kind === "standard" ? name === "createdAt" : field?.field.valueType === "date"
  if (field !== undefined && !dated) fields.refuse("field", "must be createdAt or a custom field that holds dates")
  return {
    type: "date_based",
    field: name,
    mode: fields.oneOf("mode", dateModes),
    daysBefore: fields.whole("days_before", 0, offset_days_max) ?? 0,
    daysAfter: fields.whole("days_after", 0, offset_days_max) ?? 0,
    includeAnniversaries: fields.flag("include_anniversaries", false),
    triggerTime: readTime(fields),
    timezone: readZone(fields),
  }
}

const readTime = (fields: JsonFields): string => {
  const value = fields.raw("trigger_time") ?? "09:00"
  if (typeof value === "string" && /^([01]\d|2[0-3]):[03]0$/.test(value)) return value
  fields.refuse("trigger_time", "must be a full or a half hour, as 09:00 or 17:30")
  return "09:00"
}

const readZone = (fields: JsonFields): string => {
  const value = fields.raw("timezone") ?? "UTC"
  // `Intl` takes offsets too: they are no zones, and change with no season.
  const named = typeof value === "string" && /^[A-Za-z]/.test(value) ? value : null
  if (named !== null && Option.isSome(DateTime.zoneMakeNamed(named))) return named
  fields.refuse("timezone", "must be a time zone of the IANA database, as Europe/Berlin")
  return "UTC"
}

const readForm = (reading: FlowReading, fields: JsonFields): FormTrigger => {
  fields.only(["type", "tent_id", "form_id"])
  return {
    type: "form_submitted",
    tentId: idOf(reading, fields, "tent_id", TentId, "tents"),
    formId: fields.text("form_id", form_id_length_max),
  }
}

const readApi = (fields: JsonFields): ApiTrigger => {
  fields.only(["type", "fields"])
  const names = new Set<string>()
  const declared: Array<TokenDeclaration> = []
  for (const { value, path } of fields.members("fields", token_declarations_max)) {
    const node = objectAt(fields.notes, value, path)
    if (node === null) continue
    const member = new JsonFields(fields.notes, node, path)
    member.only(["name", "type"])
    const name = readTokenName(member, names)
    const type = member.oneOf("type", tokenTypes)
    if (member.raw("type") === undefined) member.refuse("type", `is required: one of ${tokenTypes.join(", ")}`)
    if (name !== null && type !== null) declared.push({ name, type })
  }
  return { type: "service_api", fields: declared }
}

const readTokenName = (member: JsonFields, names: Set<string>): string | null => {
  const name = member.raw("name")
  if (typeof name !== "string" || !isTokenName(name)) {
    return member.refuse(
      "name",
      name === "trigger"
        ? "trigger is a word of the service's own; choose another name"
        : `must begin with a letter and have only letters, digits and underscores, at most ${token_name_length_max}`,
    )
  }
  if (names.has(name)) return member.refuse("name", `declares ${name} a second time`)
  names.add(name)
  return name
}
