// The endpoints of custom contact fields, and their schemas.
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
import { sizeIssues } from "@tentpole/core/kernel/SizeIssues"
import { hasTooManyUnknownKeys, unknown_keys_max } from "@tentpole/core/kernel/UnknownKeys"
import { FieldUser, type FieldUses } from "@tentpole/core/contacts/FieldUse"
import { Result, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
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
import { RuleMetadataWire } from "../segments/RuleMetadataWire.ts"

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
        const meant = isMany(body) ? NewFieldsWire : NewFieldWire
        if (hasTooManyUnknownKeys(meant, body)) return `has more than ${unknown_keys_max} unknown keys`
        const [oversized] = sizeIssues(meant, body)
        if (oversized !== undefined) return { path: oversized.path.split("."), issue: oversized.message }
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

const FieldUsageWire = Schema.Struct({ used_by: Schema.Array(FieldUser), used_by_count: Schema.Int }).annotate({
  identifier: "ContactFieldUsage",
})

export const toUsageWire = ({ count, users }: FieldUses): typeof FieldUsageWire.Type => ({
  used_by: users,
  used_by_count: count,
})

export const ContactFieldsApi = Endpoint.group(
  "contactFields",
  "Custom fields of contacts, and the metadata for rules.",
).add(
  Endpoint.get("list", "/v1/contact-fields", {
    needs: "viewer",
    summary: "List custom fields",
    description:
      "Returns the custom fields in the order of their creation. Only active fields are included, unless `status` asks for others.",
    query: { status: Schema.optionalKey(oneOf("active", "archived", "any")) },
    success: FieldsWire,
  }),
  Endpoint.post("create", "/v1/contact-fields", {
    needs: "editor",
    summary: "Create custom fields",
    description:
      "Creates one field (the field is the body) or up to 50 fields (`items`). Either all of them are created or none. A workspace has at most 200 active fields.",
    payload: CreateFields,
    success: FieldsWire.pipe(HttpApiSchema.status(201)),
    errors: ["validation_failed", "field_definition_collision", "field_definition_cap_exceeded"],
  }),
  Endpoint.get("ruleMetadata", "/v1/contact-fields/rule-metadata", {
    needs: "viewer",
    summary: "Get rule metadata",
    description:
      "Returns all fields, activities and operators that rules can use in this workspace, with aliases and limits. Use it to build a rule editor.",
    success: RuleMetadataWire,
  }),
  Endpoint.get("find", "/v1/contact-fields/:fieldDefinitionId", {
    needs: "viewer",
    summary: "Get a custom field",
    description: "Returns one custom field, active or archived.",
    success: FieldWire,
  }),
  Endpoint.get("usage", "/v1/contact-fields/:fieldDefinitionId/usage", {
    needs: "viewer",
    summary: "Get the usage of a custom field",
    description:
      "Returns the dynamic lists and the flows, except archived ones, whose rules or triggers name the field: up to 20 of them, and the number of all.",
    success: FieldUsageWire,
  }),
  Endpoint.patch("edit", "/v1/contact-fields/:fieldDefinitionId", {
    needs: "editor",
    summary: "Update a custom field",
    description:
      "Changes the labels, the editability or the status of a field. `api_name` and `value_type` cannot change. A restored field has its previous values.",
    payload: EditField,
    success: FieldWire,
    errors: ["validation_failed", "not_found", "field_definition_cap_exceeded"],
  }),
  Endpoint.delete("archive", "/v1/contact-fields/:fieldDefinitionId", {
    needs: "editor",
    summary: "Archive a custom field",
    description:
      "Archives the field and hides its values. Set `status` to `active` to restore both. Rule conditions on an archived field match no contact.",
  }),
)
