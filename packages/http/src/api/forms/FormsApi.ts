// The endpoint of form submissions.
import { field_name_length_max } from "@tentpole/core/forms/Form"
import { ContactId, SubmissionId, TentId, TopicId } from "@tentpole/core/kernel/Ids"
import { request_topics_max } from "@tentpole/core/subscriptions/SubscriptionRequest"
import { Schema } from "effect"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, InstantWire, listing, oneOf, Text } from "../../Wire.ts"

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

const topics_message = `must have 1 to ${request_topics_max} topics`

export const ReplaceFormConsent = Schema.Struct({
  topic_ids: Schema.NullOr(
    Schema.Array(TopicId).check(
      Schema.isMinLength(1, { message: topics_message }),
      Schema.isMaxLength(request_topics_max, { message: topics_message }),
    ),
  ).annotate({ description: "null: nothing is set any more, and what the HTML says counts again" }),
  consent_field: Schema.optionalKey(Schema.NullOr(Text(field_name_length_max, 1))).annotate({
    description: "The name of a check box. null or omitted: sending the form is consent",
    examples: ["newsletter"],
  }),
  double_opt_in: Schema.optionalKey(Schema.NullOr(Schema.Boolean)).annotate({
    description: "Whether visitors confirm by mail. null or omitted: as each topic says",
  }),
}).annotate({ identifier: "ReplaceFormConsent" })

const FormWire = Schema.Struct({
  form_id: Schema.String,
  fields: Schema.Array(Schema.String).annotate({ description: "The names of its fields" }),
  consent: Schema.NullOr(
    Schema.Struct({
      topic_ids: Schema.Array(TopicId),
      consent_field: Schema.NullOr(Schema.String),
      double_opt_in: Schema.NullOr(Schema.Boolean),
      text: Schema.NullOr(Schema.String).annotate({
        description:
          "What consent records say that visitors agreed to: the label of the check box, otherwise the text of the form with the words of its button. null: the form has no such check box any more, so that no visitor can agree",
        examples: ["Yes, send me the monthly letter"],
      }),
      set_by: oneOf("api", "page").annotate({
        description: "`page`: the attributes `data-topics` and `data-consent-field` of the form",
      }),
    }).annotate({ identifier: "FormConsent" }),
  ).annotate({ description: "What visitors subscribe to. null: nothing" }),
}).annotate({ identifier: "Form" })

const FormsAnswer = Schema.Struct({ forms: Schema.Array(FormWire) }).annotate({ identifier: "Forms" })

const form_id_length_max = 200

export const FormsApi = Endpoint.group(
  "forms",
  "Forms of pages: their submissions, and what visitors subscribe to.",
).add(
  Endpoint.get("list", "/v1/tents/:tentId/forms", {
    needs: "viewer",
    summary: "List a tent's forms",
    description:
      "Returns the forms of the tent's present HTML, in their order, each with the topics that visitors subscribe to by it.",
    success: FormsAnswer,
    errors: ["not_found", "too_complex"],
  }),
  Endpoint.put("setConsent", "/v1/tents/:tentId/forms/:formId/consent", {
    needs: "editor",
    summary: "Set what a form subscribes to",
    description:
      "Sets the topics that visitors subscribe to by this form, and the check box with which they agree. It wins over the attributes of the HTML; `topic_ids: null` clears it. The form has to be on the tent's present HTML.",
    params: { tentId: TentId, formId: Text(form_id_length_max, 1) },
    payload: ReplaceFormConsent,
    success: FormWire,
    errors: ["validation_failed", "not_found", "topic_archived", "too_complex"],
  }),
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
