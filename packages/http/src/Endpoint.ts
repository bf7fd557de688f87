// Constructors of endpoints and their groups. One object has an endpoint's texts, schemas and error codes.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import type { Schema } from "effect"
import type { HttpMethod, HttpRouter } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { type Errors, errors } from "./edge/Errors.ts"

const constructor =
  <Method extends HttpMethod.HttpMethod>(method: Method) =>
  <
    const Identifier extends string,
    const Path extends HttpRouter.PathInput,
    Params extends Schema.Top | Schema.Struct.Fields = never,
    Query extends Schema.Top | Schema.Struct.Fields = never,
    Payload extends HttpApiEndpoint.PayloadConstraintCodecs<Method> = never,
    const Success extends HttpApiEndpoint.SuccessConstraint = HttpApiSchema.NoContent,
    const Codes extends ReadonlyArray<ErrorCode> = readonly [],
  >(
    identifier: Identifier,
    path: Path,
    options: {
      readonly summary: string
      readonly description: string
      readonly params?: Params
      readonly query?: Query
      readonly payload?: Payload
      readonly success?: Success
      readonly errors?: Codes
    },
  ) => {
    const { summary, description, errors: codes, ...schemas } = options
    return HttpApiEndpoint.make(method)<Identifier, Path, Params, Query, Payload, never, Success, Errors<Codes>>(
      identifier,
      path,
      { ...schemas, error: errors(...(codes ?? [])) as never },
    )
      .annotate(OpenApi.Summary, summary)
      .annotate(OpenApi.Description, description)
  }

/** An empty group of endpoints. Its description is that of its tag in the OpenAPI document. */
export const group = <const Identifier extends string>(identifier: Identifier, description: string) =>
  HttpApiGroup.make(identifier).annotate(OpenApi.Description, description)

const get = constructor("GET")
const post = constructor("POST")
const put = constructor("PUT")
const patch = constructor("PATCH")
const del = constructor("DELETE")

export { del as delete, get, patch, post, put }
