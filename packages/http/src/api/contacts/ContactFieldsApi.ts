// The endpoints of custom contact fields.
import { FieldDefinitionId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { oneOf } from "../../Wire.ts"
import { CreateFields, EditField, FieldsWire, FieldWire } from "./FieldWire.ts"
import { RuleMetadataWire } from "../segments/RuleMetadataWire.ts"

const params = { fieldDefinitionId: FieldDefinitionId }

export const ContactFieldsApi = Endpoint.group(
  "contactFields",
  "Custom fields of contacts, and the metadata for rules.",
).add(
  Endpoint.get("list", "/v1/contact-fields", {
    summary: "List custom fields",
    description:
      "Returns the custom fields in the order of their creation. Only active fields are included, unless `status` asks for others.",
    query: { status: Schema.optionalKey(oneOf("active", "archived", "any")) },
    success: FieldsWire,
  }),
  Endpoint.post("create", "/v1/contact-fields", {
    summary: "Create custom fields",
    description:
      "Creates one field (the field is the body) or up to 50 fields (`items`). Either all of them are created or none. A workspace has at most 200 active fields.",
    payload: CreateFields,
    success: FieldsWire.pipe(HttpApiSchema.status(201)),
    errors: ["validation_failed", "field_definition_collision", "field_definition_cap_exceeded"],
  }),
  Endpoint.get("ruleMetadata", "/v1/contact-fields/rule-metadata", {
    summary: "Get rule metadata",
    description:
      "Returns all fields, activities and operators that rules can use in this workspace, with aliases and limits. Use it to build a rule editor.",
    success: RuleMetadataWire,
  }),
  Endpoint.get("find", "/v1/contact-fields/:fieldDefinitionId", {
    summary: "Get a custom field",
    description: "Returns one custom field, active or archived.",
    params,
    success: FieldWire,
    errors: ["not_found"],
  }),
  Endpoint.patch("edit", "/v1/contact-fields/:fieldDefinitionId", {
    summary: "Update a custom field",
    description:
      "Changes the labels, the editability or the status of a field. `api_name` and `value_type` cannot change. A restored field has its previous values.",
    params,
    payload: EditField,
    success: FieldWire,
    errors: ["validation_failed", "not_found", "field_definition_cap_exceeded"],
  }),
  Endpoint.delete("archive", "/v1/contact-fields/:fieldDefinitionId", {
    summary: "Archive a custom field",
    description:
      "Archives the field and hides its values. Set `status` to `active` to restore both. Rule conditions on an archived field match no contact.",
    params,
    success: HttpApiSchema.NoContent,
    errors: ["not_found"],
  }),
)
