// The calls that ask by rules.
import { ContactId } from "@tentpole/core/Ids"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { errors } from "../../Errors.ts"
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
    }),
  )
  .add(
    HttpApiEndpoint.post("preview", "/v1/contact-lists/preview", {
      payload: PreviewSegment,
      success: SegmentPreview,
      error: errors("validation_failed"),
    }),
  )
  .add(
    HttpApiEndpoint.post("explain", "/v1/contacts/:contact_id/explain", {
      params: { contact_id: ContactId },
      payload: ExplainContact,
      success: ExplanationWire,
      error: errors("validation_failed", "not_found"),
    }),
  )
