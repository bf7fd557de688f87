// Wire schemas of custom contact fields.
import { valueTypes } from "@tentpole/core/contacts/ContactFields"
import {
  type CustomField,
  FieldApiName,
  FieldDescription,
  FieldDisplayName,
  type FieldPatch,
  fields_per_request_max,
  fieldStatuses,
  type NewField,
} from "@tentpole/core/contacts/CustomField"
import { FieldDefinitionId } from "@tentpole/core/kernel/Ids"
import { Result, Schema } from "effect"
import {
  documentOf,
  InstantWire,
  namesSomething,
  oneOf,
  readOnly,
  readOnlyKeys,
  toCamelCase,
  toSnakeCase,
} from "../../Wire.ts"

const optionalText = Schema.NullOr(Schema.String)

export const FieldWire = Schema.Struct({
  field_definition_id: FieldDefinitionId,
  type: Schema.Literals(["standard", "custom"]),
  api_name: Schema.String,
  display_name: Schema.String,
  value_type: Schema.Literals(valueTypes),
  is_editable: Schema.Boolean.annotate({ description: "Whether values can be edited manually" }),
  description: optionalText,
  status: Schema.Literals(fieldStatuses),
  management_mode: Schema.String,
  provenance_kind: Schema.String,
  provenance_provider: optionalText,
  provenance_reference: optionalText,
  created_by_user_id: optionalText,
  created_from_import_session_id: optionalText,
  show_in_people_list_default: Schema.Boolean,
  created_at: InstantWire,
  updated_at: InstantWire,
}).annotate({ identifier: "ContactField" })

export const toFieldWire = ({ id, ...field }: CustomField): typeof FieldWire.Type => ({
  field_definition_id: id,
  type: "custom",
  ...toSnakeCase(field),
})

const NewFieldWire = Schema.Struct({
  display_name: FieldDisplayName,
  api_name: FieldApiName,
  value_type: oneOf(...valueTypes),
  is_editable: Schema.optionalKey(Schema.Boolean),
  description: Schema.optionalKey(Schema.NullOr(FieldDescription)),
  show_in_people_list_default: Schema.optionalKey(Schema.Boolean),
})

const size = { message: `must have 1 to ${fields_per_request_max} items` }

const NewFieldsWire = Schema.Struct({
  items: Schema.Array(NewFieldWire).check(
    Schema.isMinLength(1, size),
    Schema.isMaxLength(fields_per_request_max, size),
  ),
})

const strict = { errors: "all", onExcessProperty: "error" } as const
const readOne = Schema.decodeUnknownResult(NewFieldWire, strict)
const readMany = Schema.decodeUnknownResult(NewFieldsWire, strict)
const isMany = (body: unknown): boolean => typeof body === "object" && body !== null && "items" in body

/** One field or several. A union would report the issues of both shapes; this reports those of the shape that is meant. */
const oneOrMany: Schema.Codec<typeof NewFieldWire.Type | typeof NewFieldsWire.Type> = Schema.Any

export const CreateFields = oneOrMany
  .check(
    Schema.makeFilter(
      (body: unknown) => {
        const read: Result.Result<unknown, Schema.SchemaError> = isMany(body) ? readMany(body) : readOne(body)
        return Result.isFailure(read) ? read.failure.issue : undefined
      },
      {
        toJsonSchema: () => ({
          anyOf: [NewFieldWire, NewFieldsWire].map(documentOf),
        }),
      },
    ),
  )
  .annotate({ identifier: "CreateContactFields" })

/** The requested fields, and the path of each in the body. */
export const toNewFields = (
  body: typeof CreateFields.Type,
): readonly [fields: ReadonlyArray<NewField>, pathOf: (index: number) => string] =>
  "items" in body ? [body.items.map(toNewField), (index) => `items.${index}.`] : [[toNewField(body)], () => ""]

const toNewField = (field: typeof NewFieldWire.Type): NewField => ({
  isEditable: true,
  description: null,
  showInPeopleListDefault: false,
  ...toCamelCase(field),
})

const edited = {
  display_name: Schema.optionalKey(FieldDisplayName),
  description: Schema.optionalKey(Schema.NullOr(FieldDescription)).annotate({ description: "null clears it" }),
  is_editable: Schema.optionalKey(Schema.Boolean),
  show_in_people_list_default: Schema.optionalKey(Schema.Boolean),
  status: Schema.optionalKey(oneOf(...fieldStatuses)).annotate({
    description: "`archived` archives the field, `active` restores it with its values",
  }),
}

export const EditField = Schema.Struct({
  ...edited,
  api_name: readOnly("can't change: create another field instead"),
  value_type: readOnly("can't change: create another field instead"),
  ...readOnlyKeys(
    "field_definition_id",
    "type",
    "management_mode",
    "provenance_kind",
    "provenance_provider",
    "provenance_reference",
    "created_by_user_id",
    "created_from_import_session_id",
    "created_at",
    "updated_at",
  ),
})
  .check(namesSomething(edited))
  .annotate({ identifier: "EditContactField", description: "Omitted fields stay unchanged" })

export const toFieldPatch = (body: typeof EditField.Type): FieldPatch => toCamelCase(body)

export const FieldsWire = Schema.Struct({ items: Schema.Array(FieldWire) }).annotate({ identifier: "ContactFields" })

export const toFieldsWire = (fields: ReadonlyArray<CustomField>): typeof FieldsWire.Type => ({
  items: fields.map(toFieldWire),
})
