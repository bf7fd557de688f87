// The call on what visitors sent by the forms of a tent's page.
import { ContactId, SubmissionId, TentId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import { cursorQuery, InstantWire } from "../../Wire.ts"

const SubmissionWire = Schema.Struct({
  submission_id: SubmissionId,
  form_id: Schema.String.annotate({
    description: "The form's `id`, else its `name`, else `form-<n>`, n counting the page's forms from 1",
  }),
  fields: Schema.Record(Schema.String, Schema.String).annotate({
    description:
      "What was sent by field, of the fields that the form declares; values sent under one name stand with commas between",
    examples: [{ email: "ada@example.com", message: "See you there" }],
  }),
  contact_id: Schema.NullOr(ContactId).annotate({
    description: "Whom it found or created by email or phone. null: it had neither, or the contact is deleted",
  }),
  created_at: InstantWire,
}).annotate({ identifier: "Submission" })

export const SubmissionsAnswer = Schema.Struct({
  submissions: Schema.Array(SubmissionWire),
  next_cursor: Schema.NullOr(Schema.String),
}).annotate({ identifier: "Submissions", description: "Newest first" })

export const SubmissionsQuery = Schema.Struct(cursorQuery)

export const FormsApi = HttpApiGroup.make("forms").add(
  HttpApiEndpoint.get("submissions", "/v1/tents/:tentId/submissions", {
    params: { tentId: TentId },
    query: SubmissionsQuery,
    success: SubmissionsAnswer,
    error: errors("not_found", "invalid_cursor"),
  })
    .annotate(OpenApi.Summary, "List a tent's form submissions")
    .annotate(
      OpenApi.Description,
      "What visitors sent by the forms of the published page, the newest first, with the contact that each one found or made.",
    ),
)
