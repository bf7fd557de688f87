// The calls that ask by rules.
import { ContactId } from "@tentpole/core/kernel/Ids"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { errors } from "../../edge/Errors.ts"
import {
  ExplainContact,
  ExplanationWire,
  FoundContacts,
  PreviewSegment,
  SearchContacts,
  SegmentPreview,
} from "./SegmentWire.ts"

export const SegmentsApi = HttpApiGroup.make("segments")
  .add(
    HttpApiEndpoint.post("search", "/v1/contacts/search", {
      payload: SearchContacts,
      success: FoundContacts,
      error: errors("validation_failed"),
    })
      .annotate(OpenApi.Summary, "Search contacts by rules")
      .annotate(
        OpenApi.Description,
        "Pages of the contacts that a rule tree picks. With `explain` each tells which of the conditions held.",
      ),
  )
  .add(
    HttpApiEndpoint.post("preview", "/v1/contact-lists/preview", {
      payload: PreviewSegment,
      success: SegmentPreview,
      error: errors("validation_failed"),
    })
      .annotate(OpenApi.Summary, "Count whom rules pick")
      .annotate(
        OpenApi.Description,
        "How many contacts a rule tree picks, and the newest ten of them: a list before it is made.",
      ),
  )
  .add(
    HttpApiEndpoint.post("explain", "/v1/contacts/:contact_id/explain", {
      params: { contact_id: ContactId },
      payload: ExplainContact,
      success: ExplanationWire,
      error: errors("validation_failed", "not_found"),
    })
      .annotate(OpenApi.Summary, "Explain why a contact is picked or not")
      .annotate(
        OpenApi.Description,
        "Whether rules, or a list's rules, pick the contact, and for each condition whether it held and what the contact's own value is.",
      ),
  )
