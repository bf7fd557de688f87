// The handlers of subscription requests, and of the pages for them.
import { HostedPages } from "@tentpole/core/subscriptions/HostedPages"
import type { ConfirmationLimitReached } from "@tentpole/core/subscriptions/SubscriptionErrors"
import { Subscriptions } from "@tentpole/core/subscriptions/Subscriptions"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { withHeaders } from "../../edge/RateLimit.ts"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, toCamelCase, toListing } from "../../Wire.ts"
import { toHostedPages } from "./HostedPagesApi.ts"
import { toNewSubscription, toSubscriptionWire } from "./SubscriptionWire.ts"

const saysWhen = ({ wait_s }: ConfirmationLimitReached) => withHeaders({ "retry-after": String(wait_s) })

const subscriptionsLayer = handlersOf("subscriptions", Subscriptions, (subscriptions) => ({
  create: ({ payload, request }, { id }) =>
    subscriptions
      .create(id, toNewSubscription(payload))
      .pipe(
        Effect.tapErrorTag("ConfirmationLimitReached", saysWhen),
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        answer(toSubscriptionWire),
      ),
  list: ({ query }, { id }) =>
    subscriptions.list(id, toCamelCase(query)).pipe(answer(toListing("subscriptions", toSubscriptionWire))),
  find: ({ params }, { id }) => subscriptions.get(id, params.subscriptionRequestId).pipe(answer(toSubscriptionWire)),
  resend: ({ params, request }, { id }) =>
    subscriptions
      .resend(id, params.subscriptionRequestId)
      .pipe(
        Effect.tapErrorTag("ConfirmationLimitReached", saysWhen),
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        answer(toSubscriptionWire),
      ),
}))

const hostedPagesLayer = handlersOf("hostedPages", HostedPages, (pages) => ({
  preview: ({ query: { topic_id = null } }, { id }) => pages.preview(id, topic_id).pipe(answer(toHostedPages)),
}))

export const layer = Layer.merge(subscriptionsLayer, hostedPagesLayer)
