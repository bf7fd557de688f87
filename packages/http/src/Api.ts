// The API of tenants. The server, the OpenAPI document and the typed client are derived from this value.
import { HttpApi, OpenApi } from "effect/http-api"
import { BlastExportsApi, BlastsApi } from "./api/blasts/BlastsApi.ts"
import { ChangesApi } from "./api/changes/ChangesApi.ts"
import { ContactFieldsApi } from "./api/contacts/ContactFieldsApi.ts"
import { ContactsApi } from "./api/contacts/ContactsApi.ts"
import { EmailsApi } from "./api/emails/EmailsApi.ts"
import { MergeTokensApi } from "./api/emails/MergeTokensApi.ts"
import { ConsentExportsApi } from "./api/exports/ConsentExportsApi.ts"
import { FlowMembersApi } from "./api/flows/FlowMembersApi.ts"
import { FlowsApi } from "./api/flows/FlowsApi.ts"
import { FormsApi } from "./api/forms/FormsApi.ts"
import { ImportsApi } from "./api/imports/ImportsApi.ts"
import { ListExportsApi, ListsApi } from "./api/lists/ListsApi.ts"
import { SuppressionsApi } from "./api/sending/SuppressionsApi.ts"
import { SegmentsApi } from "./api/segments/SegmentsApi.ts"
import { EventsApi } from "./api/webhooks/EventsApi.ts"
import { WebhookDeliveriesApi } from "./api/webhooks/WebhookDeliveriesApi.ts"
import { WebhookEndpointsApi } from "./api/webhooks/WebhookEndpointsApi.ts"
import { EmailMessagesApi } from "./api/messages/EmailMessagesApi.ts"
import { HostedPagesApi } from "./api/subscriptions/HostedPagesApi.ts"
import { SubscriptionsApi } from "./api/subscriptions/SubscriptionsApi.ts"
import { OutboxApi } from "./api/outbox/OutboxApi.ts"
import { EmailTemplatesApi, TentTemplatesApi } from "./api/templates/TemplatesApi.ts"
import { ConsentRecordsApi, TopicsApi } from "./api/topics/TopicsApi.ts"
import { TentsApi } from "./api/tents/TentsApi.ts"
import { AssetsApi } from "./api/tents/assets/AssetsApi.ts"
import { BulkTentsApi } from "./api/tents/bulk/BulkTentsApi.ts"
import { AnalyticsApi } from "./api/traffic/AnalyticsApi.ts"
import { WorkspaceApi } from "./api/workspaces/WorkspaceApi.ts"
import { completeDocument, documentOrigin } from "./description/Description.ts"
import { withEventWebhooks } from "./description/EventWebhooks.ts"
import { Auth } from "./edge/Auth.ts"
import { Idempotent } from "./edge/Idempotency.ts"
import { Validation } from "./edge/Validation.ts"

export const Api = HttpApi.make("tentpole")
  // The order of the guides in the README. The API reference lists the groups so.
  .add(ContactsApi)
  .add(ContactFieldsApi)
  .add(SegmentsApi)
  .add(TopicsApi)
  .add(ConsentRecordsApi)
  .add(ConsentExportsApi)
  .add(ListsApi)
  .add(ListExportsApi)
  .add(ImportsApi)
  .add(EmailsApi)
  .add(EmailTemplatesApi)
  .add(MergeTokensApi)
  .add(BlastsApi)
  .add(BlastExportsApi)
  .add(EmailMessagesApi)
  .add(SubscriptionsApi)
  .add(HostedPagesApi)
  .add(SuppressionsApi)
  .add(FlowsApi)
  .add(FlowMembersApi)
  .add(TentsApi)
  .add(TentTemplatesApi)
  .add(AssetsApi)
  .add(BulkTentsApi)
  .add(FormsApi)
  .add(AnalyticsApi)
  .add(EventsApi)
  .add(WebhookEndpointsApi)
  .add(WebhookDeliveriesApi)
  .add(WorkspaceApi)
  .add(ChangesApi)
  .add(OutboxApi)
  // Groups come before middleware, which applies only to groups that were added before it. The last one added runs first:
  // authentication, then idempotency, then validation, then the handler.
  .middleware(Validation)
  .middleware(Idempotent)
  .middleware(Auth)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotate(OpenApi.Title, "Tentpole API")
  .annotate(OpenApi.Version, "1.0.0")
  .annotate(
    OpenApi.Description,
    [
      "Landing pages (tents) that AI generates, contacts, email blasts and flows of one workspace. The API key determines the workspace.",
      "Every request needs the header `Authorization: Bearer <API key>`. Requests and responses are JSON with keys in snake_case. Timestamps are ISO 8601 in UTC. If a request is not valid, `details.issues` lists all problems, each with its path. Long-running work returns 202: poll every 10 seconds.",
      "Every POST accepts the header `Idempotency-Key`, which makes it safe to retry. Listings are paged with `page` and `limit`, or with `cursor` if the response has `next_cursor`.",
    ].join("\n\n"),
  )
  .annotateMerge(documentOrigin)
  .annotate(OpenApi.Transform, (document) => withEventWebhooks(completeDocument({ limited: true })(document)))
