// The calls on the definitions of custom contact fields.
import { FieldDefinitionId } from "@tentpole/core/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { errors } from "../../Errors.ts"
import { oneOf } from "../../Wire.ts"
import { CreateFields, EditField, FieldsWire, FieldWire } from "./FieldWire.ts"
import { RuleMetadataWire } from "./RuleMetadataWire.ts"

const params = { fieldDefinitionId: FieldDefinitionId }

export const ContactFieldsApi = HttpApiGroup.make("contactFields")
  .add(
    HttpApiEndpoint.get("list", "/v1/contact-fields", {
      query: { status: Schema.optionalKey(oneOf("active", "archived", "any")) },
      success: FieldsWire,
    }),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/contact-fields", {
      payload: CreateFields,
      success: FieldsWire.pipe(HttpApiSchema.status(201)),
      error: errors("validation_failed", "field_definition_collision", "field_definition_cap_exceeded"),
    }),
  )
  .add(
    HttpApiEndpoint.get("ruleMetadata", "/v1/contact-fields/rule-metadata", {
      success: RuleMetadataWire,
    }),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/contact-fields/:fieldDefinitionId", {
      params,
      success: FieldWire,
      error: errors("not_found"),
    }),
  )
  .add(
    HttpApiEndpoint.patch("edit", "/v1/contact-fields/:fieldDefinitionId", {
      params,
      payload: EditField,
      success: FieldWire,
      error: errors("validation_failed", "not_found", "field_definition_cap_exceeded"),
    }),
  )
  .add(
    HttpApiEndpoint.delete("archive", "/v1/contact-fields/:fieldDefinitionId", {
      params,
      success: HttpApiSchema.NoContent,
      error: errors("not_found"),
    }),
  )
