// The API of the hosted pages: samples of them for a look.
import { TopicId } from "@tentpole/core/kernel/Ids"
import { type HostedPageSamples, hostedPageNames } from "@tentpole/core/subscriptions/HostedPage"
import { Schema } from "effect"
import * as Endpoint from "../../Endpoint.ts"
import { hostedPageHtml } from "../../subscriptions/HostedPageHtml.ts"
import { oneOf } from "../../Wire.ts"

const HostedPageWire = Schema.Struct({
  name: oneOf(...hostedPageNames).annotate({
    description:
      "`form_received`: after a form with consent. `confirmation`, `confirmed`, `confirmation_expired`: the link of a confirmation mail. `preferences`, `preferences_saved`, `unsubscribe`, `unsubscribed`: the links of marketing mail",
  }),
  html: Schema.String.annotate({
    description: "The page as people get it. Its links and forms lead nowhere",
    examples: ["<!doctype html>"],
  }),
}).annotate({ identifier: "HostedPage" })

export const HostedPagesWire = Schema.Struct({ hosted_pages: Schema.Array(HostedPageWire) }).annotate({
  identifier: "HostedPages",
  description: "In the order in which a person sees them",
})

export const toHostedPages = (samples: HostedPageSamples): typeof HostedPagesWire.Type => {
  const html = hostedPageHtml(samples)
  return { hosted_pages: hostedPageNames.map((name) => ({ name, html: html[name] })) }
}

export const HostedPagesApi = Endpoint.group(
  "hostedPages",
  "The pages on which people confirm, choose topics and unsubscribe.",
).add(
  Endpoint.get("preview", "/v1/hosted-pages", {
    needs: "viewer",
    summary: "Preview the hosted pages",
    description:
      "Returns the pages on which people confirm a subscription, choose topics and unsubscribe, in the brand of the workspace, as a sample person sees them. Nothing is stored or sent, and no link of the pages works.",
    query: {
      topic_id: Schema.optionalKey(TopicId).annotate({
        description: "The topic that the person subscribes to and leaves. Default: the first active one, or a sample",
      }),
    },
    success: HostedPagesWire,
    errors: ["not_found", "validation_failed"],
  }),
)
