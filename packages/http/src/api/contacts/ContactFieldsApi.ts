// The calls on the definitions of custom contact fields.
import { FieldDefinitionId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import { oneOf } from "../../Wire.ts"
import { CreateFields, EditField, FieldsWire, FieldWire } from "./FieldWire.ts"
import { RuleMetadataWire } from "../segments/RuleMetadataWire.ts"

const params = { fieldDefinitionId: FieldDefinitionId }

export const ContactFieldsApi = HttpApiGroup.make("contactFields")
  .add(
    HttpApiEndpoint.get("list", "/v1/contact-fields", {
      query: { status: Schema.optionalKey(oneOf("active", "archived", "any")) },
      success: FieldsWire,
    })
      .annotate(OpenApi.Summary, "List custom fields")
      .annotate(
        OpenApi.Description,
        "The workspace's custom fields in the order in which they were made, those in use unless `status` asks for archived ones.",
      ),
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/contact-fields", {
      payload: CreateFields,
      success: FieldsWire.pipe(HttpApiSchema.status(201)),
      error: errors("validation_failed", "field_definition_collision", "field_definition_cap_exceeded"),
    })
      .annotate(OpenApi.Summary, "Create custom fields")
      .annotate(
        OpenApi.Description,
        "Makes one field (the field itself as body) or up to 50 (`items`), all of them or none. A workspace has at most 200 in use.",
      ),
  )
  .add(
    HttpApiEndpoint.get("ruleMetadata", "/v1/contact-fields/rule-metadata", {
      success: RuleMetadataWire,
    })
      .annotate(OpenApi.Summary, "Read what rules can say")
      .annotate(
        OpenApi.Description,
        "Every field, activity and operator that rule trees know in this workspace, the spellings that are read besides, and the limits of a tree: for whoever builds an editor of rules.",
      ),
  )
  .add(
    HttpApiEndpoint.get("find", "/v1/contact-fields/:fieldDefinitionId", {
      params,
      success: FieldWire,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Read a custom field")
      .annotate(OpenApi.Description, "The definition of one custom field, archived or not."),
  )
  .add(
    HttpApiEndpoint.patch("edit", "/v1/contact-fields/:fieldDefinitionId", {
      params,
      payload: EditField,
      success: FieldWire,
      error: errors("validation_failed", "not_found", "field_definition_cap_exceeded"),
    })
      .annotate(OpenApi.Summary, "Edit a custom field")
      .annotate(
        OpenApi.Description,
        "Changes how the field is shown, whether people may edit its values, and whether it is in use. Its `api_name` and `value_type` never change. A field that is taken back into use shows the values that it had.",
      ),
  )
  .add(
    HttpApiEndpoint.delete("archive", "/v1/contact-fields/:fieldDefinitionId", {
      params,
      success: HttpApiSchema.NoContent,
      error: errors("not_found"),
    })
      .annotate(OpenApi.Summary, "Archive a custom field")
      .annotate(
        OpenApi.Description,
        "Takes the field out of use. Its values are hidden, and come back when its `status` is set to `active`. Rules that name it match nobody by that condition.",
      ),
  )
