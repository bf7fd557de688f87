// The endpoints that query contacts by rules, and their schemas.
import { contactSorts } from "@tentpole/core/contacts/ContactStore"
import { ListId } from "@tentpole/core/kernel/Ids"
import { page_limit_default, page_limit_max } from "@tentpole/core/kernel/Page"
import type { ContactValue, ExplainedCondition, Explanation } from "@tentpole/core/segments/Explain"
import { RuleConditionSchema, RuleInput } from "@tentpole/core/segments/RuleSchema"
import type { FoundContact } from "@tentpole/core/segments/Segments"
import { DateTime, Schema } from "effect"
import * as Endpoint from "../../Endpoint.ts"
import { iso, oneOf, orderParameter, PaginationWire, searchParameter } from "../../Wire.ts"
import { ListedContactWire, toListedContact } from "../contacts/ContactWire.ts"

const wholeNumber = (maximum: number) =>
  Schema.Int.check(
    Schema.isBetween({ minimum: 1, maximum }, { message: `must be a whole number from 1 to ${maximum}` }),
  )

const explain = Schema.optionalKey(
  Schema.Boolean.annotate({ description: "Returns the matching conditions with each contact. Default: false" }),
)

export const SearchContacts = Schema.Struct({
  rules: RuleInput,
  page: Schema.optionalKey(wholeNumber(100_000_000).annotate({ description: "Default: 1" })),
  limit: Schema.optionalKey(wholeNumber(page_limit_max).annotate({ description: `Default: ${page_limit_default}` })),
  search: searchParameter,
  sort: Schema.optionalKey(oneOf(...contactSorts).annotate({ description: "Default: created_at" })),
  order: orderParameter,
  explain,
}).annotate({ identifier: "SearchContacts" })

export const PreviewSegment = Schema.Struct({ rules: RuleInput, explain }).annotate({ identifier: "PreviewSegment" })

/** Why by these rules, or why on that list. */
export const ExplainContact = Schema.Struct({
  rules: Schema.optionalKey(RuleInput),
  list_id: Schema.optionalKey(ListId.annotate({ description: "A list of any kind" })),
})
  .check(
    Schema.makeFilter(({ rules, list_id }) =>
      (rules === undefined) !== (list_id === undefined)
        ? undefined
        : rules === undefined
          ? { path: ["rules"], issue: "is required if there is no list_id" }
          : { path: ["list_id"], issue: "can't be combined with rules" },
    ),
  )
  .annotate({ identifier: "ExplainContact", description: "Either `rules` or `list_id`" })

const path = Schema.String.annotate({
  description: "Path below the root group",
  examples: ["conditions.0.conditions.1"],
})

const { custom_fields: _, ...listed } = ListedContactWire.fields

const FoundContactWire = Schema.Struct({
  ...listed,
  matched: Schema.optionalKey(
    Schema.Array(path).annotate({ description: "The conditions that matched; only with `explain`" }),
  ),
}).annotate({ identifier: "FoundContact" })

export const FoundContacts = Schema.Struct({
  items: Schema.Array(FoundContactWire),
  pagination: PaginationWire,
}).annotate({ identifier: "FoundContacts" })

export const SegmentPreview = Schema.Struct({
  count: Schema.Int.annotate({ description: "Number of contacts that match" }),
  sample: Schema.Array(FoundContactWire).annotate({ description: "The newest ten matches" }),
}).annotate({ identifier: "SegmentPreview" })

export const toFound = ({ contact, matched }: FoundContact): typeof FoundContactWire.Type => ({
  ...toListedContact(contact),
  ...(matched === null ? {} : { matched }),
})

const ExplainedConditionWire = Schema.Struct({
  path,
  condition: RuleConditionSchema,
  value: Schema.NullOr(
    Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Array(Schema.String)]),
  ).annotate({
    description:
      "The value of the contact: of the field, the time of the last activity, or the membership in the list; null for none",
  }),
  held: Schema.Boolean,
}).annotate({ identifier: "ExplainedCondition" })

export const ExplanationWire = Schema.Struct({
  matches: Schema.Boolean,
  conditions: Schema.Array(ExplainedConditionWire).annotate({ description: "Empty for a list without rules" }),
}).annotate({ identifier: "SegmentExplanation" })

const toValue = (value: ContactValue) => (DateTime.isDateTime(value) ? iso(value) : value)

const toCondition = ({ path, condition, value, held }: ExplainedCondition): typeof ExplainedConditionWire.Type => ({
  path,
  condition,
  value: toValue(value),
  held,
})

export const toExplanation = ({ matches, conditions }: Explanation): typeof ExplanationWire.Type => ({
  matches,
  conditions: conditions.map(toCondition),
})

export const SegmentsApi = Endpoint.group("segments", "Queries of contacts by rules.").add(
  Endpoint.post("search", "/v1/contacts/search", {
    needs: "viewer",
    summary: "Search contacts by rules",
    description:
      "Returns a page of the contacts that match a rule tree. With `explain`, each contact lists the conditions that matched.",
    payload: SearchContacts,
    success: FoundContacts,
    errors: ["validation_failed"],
  }),
  Endpoint.post("preview", "/v1/contact-lists/preview", {
    needs: "viewer",
    summary: "Preview a rule tree",
    description:
      "Returns the number of contacts that match a rule tree, and the newest ten of them. Use it to check a list before you create it.",
    payload: PreviewSegment,
    success: SegmentPreview,
    errors: ["validation_failed"],
  }),
  Endpoint.post("explain", "/v1/contacts/:contact_id/explain", {
    needs: "viewer",
    summary: "Explain a match",
    description:
      "Returns whether a contact matches the given rules, or those of a list. For each condition, it returns the contact's value and whether the condition matched.",
    payload: ExplainContact,
    success: ExplanationWire,
    errors: ["validation_failed", "not_found"],
  }),
)
