// The transformation of a generated OpenAPI document: plain names, conventions, parameters, errors and examples.
import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import { conventions } from "./Conventions.ts"
import { withExamples } from "./Examples.ts"
import { type Json, isObject, mapped, objectIn, withComponents } from "./Json.ts"
import { withParameterDescriptions } from "./ParameterDocs.ts"
import { withErrorResponses } from "./ErrorResponses.ts"

/** Annotations that both documents have: the license, and the server that serves the document. */
export const documentOrigin = Context.make(OpenApi.License, { name: "Apache-2.0", identifier: "Apache-2.0" }).pipe(
  Context.add(OpenApi.Servers, [{ url: "/", description: "The server of this document" }]),
)

const prefix = "#/components/schemas/"

const withoutSuffix = (name: string): string => name.replace(/Encoded\d*$/, "")

/** Removes the suffix `Encoded` from names of schemas, unless two names would become the same. */
const withPlainNames = (description: Json): Json => {
  const components = objectIn(description, "components")
  const names = Map.groupBy(Object.keys(objectIn(components, "schemas")), withoutSuffix)
  const plain = (name: string) => (names.get(withoutSuffix(name))?.length === 1 ? withoutSuffix(name) : name)
  const renamed = (value: unknown): unknown => {
    if (typeof value === "string" && value.startsWith(prefix)) return prefix + plain(value.slice(prefix.length))
    if (Array.isArray(value)) return value.map(renamed)
    return isObject(value) ? mapped(value, (_, inner) => renamed(inner)) : value
  }
  const schemas: Json = {}
  for (const [name, schema] of Object.entries(objectIn(components, "schemas"))) schemas[plain(name)] = schema
  return mapped({ ...description, components: { ...components, schemas } }, (_, inner) => renamed(inner))
}

/** Names the scheme of the key in lower case, as readers of descriptions expect it. */
const withBearer = (description: Json): Json => {
  const schemes = objectIn(objectIn(description, "components"), "securitySchemes")
  return withComponents(
    description,
    "securitySchemes",
    mapped(schemes, (_, scheme) =>
      isObject(scheme) && scheme["scheme"] === "Bearer" ? { ...scheme, scheme: "bearer" } : scheme,
    ),
  )
}

/**
 * Completes the OpenAPI document of an API. `limited`: whether its keys are rate limited and its POSTs accept an idempotency
 * key, as in the API of tenants and not in that of the administration.
 */
export const completeDocument =
  (options: { readonly limited: boolean }) =>
  (document: Json): Json =>
    withExamples(
      withErrorResponses(withParameterDescriptions(conventions(withBearer(withPlainNames(document)), options))),
    )
