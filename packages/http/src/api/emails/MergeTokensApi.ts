// The endpoint that lists merge tokens, and its schemas.
import { tokenSources } from "@tentpole/core/flows/AvailableTokens"
import { FlowId } from "@tentpole/core/kernel/Ids"
import { formats } from "@tentpole/core/rendering/MergeTokens"
import { Schema } from "effect"
import * as Endpoint from "../../Endpoint.ts"

const TokenWire = Schema.Struct({
  token: Schema.String.annotate({
    description: "The name between the braces, without formats and fallback",
    examples: ["contact.first_name"],
  }),
  label: Schema.String,
  source: Schema.Literals(tokenSources),
  sample: Schema.NullOr(Schema.String).annotate({
    description: "The value in a preview with a sample contact; null if there is none",
  }),
}).annotate({ identifier: "AvailableToken" })

export const MergeTokensWire = Schema.Struct({
  tokens: Schema.Array(TokenWire),
  formats: Schema.Array(Schema.Literals(formats)).annotate({
    description: "Suffixes: `{{contact.first_name:capitalize}}`",
  }),
}).annotate({ identifier: "MergeTokens" })

const tokensQuery = {
  flow_id: Schema.optionalKey(FlowId).annotate({
    description:
      "Adds the tokens that the flow's `service_api` triggers declare and the pages that its steps create. The answers of forms are not listed",
  }),
}

export const MergeTokensApi = Endpoint.group("mergeTokens", "Merge tokens of messages.").add(
  Endpoint.get("list", "/v1/merge-tokens", {
    needs: "viewer",
    summary: "List merge tokens",
    description:
      "Returns the merge tokens that have a value: fields of contacts, the workspace's name, links of the message, and those of a flow.",
    query: tokensQuery,
    success: MergeTokensWire,
    errors: ["not_found"],
  }),
)
