// The whole API, as a value: what is served, described at /openapi.json, and typed for clients.
import { HttpApi, OpenApi } from "effect/http-api"
import { AnalyticsApi } from "./api/traffic/AnalyticsApi.ts"
import { ContactFieldsApi } from "./api/contacts/ContactFieldsApi.ts"
import { ListExportsApi } from "./api/lists/ListExportsApi.ts"
import { ListsApi } from "./api/lists/ListsApi.ts"
import { ContactsApi } from "./api/contacts/ContactsApi.ts"
import { BlastExportsApi } from "./api/blasts/BlastExportsApi.ts"
import { BlastsApi } from "./api/blasts/BlastsApi.ts"
import { FlowsApi } from "./api/flows/FlowsApi.ts"
import { FlowMembersApi } from "./api/flows/FlowMembersApi.ts"
import { EmailTemplatesApi } from "./api/templates/EmailTemplatesApi.ts"
import { EmailsApi } from "./api/emails/EmailsApi.ts"
import { FormsApi } from "./api/forms/FormsApi.ts"
import { ImportsApi } from "./api/imports/ImportsApi.ts"
import { SegmentsApi } from "./api/segments/SegmentsApi.ts"
import { TentTemplatesApi } from "./api/templates/TentTemplatesApi.ts"
import { AssetsApi } from "./api/tents/assets/AssetsApi.ts"
import { BulkTentsApi } from "./api/tents/bulk/BulkTentsApi.ts"
import { TentsApi } from "./api/tents/TentsApi.ts"
import { Auth } from "./edge/Auth.ts"
import { described, tenantsApi } from "./description/Description.ts"
import { Idempotent } from "./edge/Idempotency.ts"
import { Validation } from "./edge/Validation.ts"

export const Api = HttpApi.make("tentpole")
  .add(AnalyticsApi)
  .add(AssetsApi)
  .add(BlastExportsApi)
  .add(BlastsApi)
  .add(BulkTentsApi)
  .add(ContactFieldsApi)
  .add(ContactsApi)
  .add(EmailTemplatesApi)
  .add(EmailsApi)
  .add(FormsApi)
  .add(FlowsApi)
  .add(FlowMembersApi)
  .add(ImportsApi)
  .add(ListExportsApi)
  .add(ListsApi)
  .add(SegmentsApi)
  .add(TentTemplatesApi)
  .add(TentsApi)
  // Groups above this line: middleware holds for what was added before it. Added first runs last: a request is
  // authenticated, then known again if it is a repetition, then looked at, then handled.
  .middleware(Validation)
  .middleware(Idempotent)
  .middleware(Auth)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotate(OpenApi.Title, "Page Generation and Email Marketing API")
  .annotate(OpenApi.Version, "1.0.0")
  .annotate(OpenApi.Transform, described(tenantsApi))
