// The handlers of subscription requests.
import type { ConfirmationLimitReached } from "@tentpole/core/subscriptions/SubscriptionErrors"
import { Subscriptions } from "@tentpole/core/subscriptions/Subscriptions"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { withHeaders } from "../../edge/RateLimit.ts"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, toCamelCase, toListing } from "../../Wire.ts"
import { toNewSubscription, toSubscriptionWire } from "./SubscriptionWire.ts"

const saysWhen = ({ wait_s }: ConfirmationLimitReached) => withHeaders({ "retry-after": String(wait_s) })

export const layer = handlersOf("subscriptions", Subscriptions, (subscriptions) => ({
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
