// The API of subscription requests.
import { ContactId, TopicId } from "@tentpole/core/kernel/Ids"
import { mail_interval_s, mails_per_day_max, mails_per_request_max } from "@tentpole/core/subscriptions/MailLimits"
import { requestStatuses } from "@tentpole/core/subscriptions/SubscriptionRequest"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Endpoint from "../../Endpoint.ts"
import { cursorQuery, nothing, oneOf } from "../../Wire.ts"
import { CreateSubscription, SubscriptionsWire, SubscriptionWire } from "./SubscriptionWire.ts"

const all = "/v1/subscriptions"
const one = "/v1/subscriptions/:subscriptionRequestId"

const limits = `An address gets one confirmation mail in ${mail_interval_s} seconds, ${mails_per_day_max} in 24 hours, and ${mails_per_request_max} for one request. More is 429, with \`Retry-After\`.`

export const SubscriptionsApi = Endpoint.group(
  "subscriptions",
  "Requests of people to get mail of a topic. Those that need it wait for a confirmation by mail.",
).add(
  Endpoint.post("create", all, {
    needs: "editor",
    summary: "Subscribe a person",
    description: `Subscribes a person to topics. Those with \`double_opt_in\` wait until the person confirms by the link of a mail; others, and those that the person is subscribed to, are done at once. A person who unsubscribed from all marketing has to confirm each topic. A contact is created if there is none, not subscribed to marketing. A newer request of the same person replaces one that waits, and takes over its topics. ${limits}`,
    payload: CreateSubscription,
    success: SubscriptionWire.pipe(HttpApiSchema.status(202)),
    errors: [
      "validation_failed",
      "not_found",
      "topic_archived",
      "address_suppressed",
      "confirmation_limit_reached",
      "email_not_ready",
      "email_not_approved",
      "free_plan_email_limit",
      "message_too_large",
      "too_complex",
    ],
  }),
  Endpoint.get("list", all, {
    needs: "viewer",
    summary: "List subscription requests",
    description: "Returns the subscription requests of the workspace, the newest first.",
    query: {
      ...cursorQuery,
      status: Schema.optionalKey(oneOf(...requestStatuses)),
      topic_id: Schema.optionalKey(TopicId),
      contact_id: Schema.optionalKey(ContactId),
    },
    success: SubscriptionsWire,
    errors: ["validation_failed", "invalid_cursor"],
  }),
  Endpoint.get("find", one, {
    needs: "viewer",
    summary: "Get a subscription request",
    description: "Returns one subscription request, with the status that the person has for its topics now.",
    success: SubscriptionWire,
  }),
  Endpoint.post("resend", `${one}/resend`, {
    needs: "editor",
    summary: "Send a confirmation mail again",
    description: `Sends the confirmation mail of a request that is pending again. ${limits}`,
    payload: nothing,
    success: SubscriptionWire.pipe(HttpApiSchema.status(202)),
    errors: [
      "not_found",
      "invalid_state",
      "address_suppressed",
      "confirmation_limit_reached",
      "email_not_ready",
      "email_not_approved",
      "free_plan_email_limit",
      "message_too_large",
      "too_complex",
    ],
  }),
)
