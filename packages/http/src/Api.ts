// The whole API, as a value: what is served, described at /openapi.json, and typed for clients.
import { HttpApi, OpenApi } from "effect/http-api"
import { Auth } from "./Auth.ts"
import { Validation } from "./Validation.ts"

export const Api = HttpApi.make("tentpole")
  // Groups above this line: middleware holds for what was added before it. Added first runs last: a request is
  // authenticated, then looked at, then handled.
  .middleware(Validation)
  .middleware(Auth)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotate(OpenApi.Title, "Page Generation and Email Marketing API")
  .annotate(OpenApi.Version, "1.0.0")
