// The endpoints that query contacts by rules.
import { ContactId } from "@tentpole/core/kernel/Ids"
import * as Endpoint from "../../Endpoint.ts"
import {
  ExplainContact,
  ExplanationWire,
  FoundContacts,
  PreviewSegment,
  SearchContacts,
  SegmentPreview,
} from "./SegmentWire.ts"

export const SegmentsApi = Endpoint.group("segments", "Queries of contacts by rules.").add(
  Endpoint.post("search", "/v1/contacts/search", {
    summary: "Search contacts by rules",
    description:
      "Returns a page of the contacts that match a rule tree. With `explain`, each contact lists the conditions that matched.",
    payload: SearchContacts,
    success: FoundContacts,
    errors: ["validation_failed"],
  }),
  Endpoint.post("preview", "/v1/contact-lists/preview", {
    summary: "Preview a rule tree",
    description:
      "Returns the number of contacts that match a rule tree, and the newest ten of them. Use it to check a list before you create it.",
    payload: PreviewSegment,
    success: SegmentPreview,
    errors: ["validation_failed"],
  }),
  Endpoint.post("explain", "/v1/contacts/:contact_id/explain", {
    summary: "Explain a match",
    description:
      "Returns whether a contact matches the given rules, or those of a list. For each condition, it returns the contact's value and whether the condition matched.",
    params: { contact_id: ContactId },
    payload: ExplainContact,
    success: ExplanationWire,
    errors: ["validation_failed", "not_found"],
  }),
)
