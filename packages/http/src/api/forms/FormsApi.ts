// The endpoint of form submissions.
import { ContactId, SubmissionId } from "@tentpole/core/kernel/Ids"
import { Schema } from "effect"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, InstantWire, listing } from "../../Wire.ts"

const SubmissionWire = Schema.Struct({
  submission_id: SubmissionId,
  form_id: Schema.String.annotate({
    description: "The form's `id`, otherwise its `name`, otherwise `form-<n>` with the position on the page from 1",
  }),
  fields: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Values of the fields that the form declares. Several values of one field are joined with commas",
    examples: [{ email: "ada@example.com", message: "See you there" }],
  }),
  contact_id: Schema.NullOr(ContactId).annotate({
    description:
      "The contact that was matched or created by email or phone. null without either, or if the contact was deleted",
  }),
  created_at: InstantWire,
}).annotate({ identifier: "Submission" })

export const SubmissionsAnswer = listing({ submissions: Schema.Array(SubmissionWire) }).annotate({
  identifier: "Submissions",
  description: "The newest first",
})

export const SubmissionsQuery = Schema.Struct(cursorQuery)

export const FormsApi = Endpoint.group("forms", "Submissions of forms on published pages.").add(
  Endpoint.get("submissions", "/v1/tents/:tentId/submissions", {
    needs: "viewer",
    summary: "List a tent's form submissions",
    description:
      "Returns the submissions of the published page's forms, the newest first. Each has the contact that it matched or created.",
    query: SubmissionsQuery,
    success: SubmissionsAnswer,
    errors: ["not_found", "invalid_cursor"],
  }),
)
