// The description as others read it: by a JSON Schema validator that knows nothing of how it was made.
import { AdminApi } from "@tentpole/http/admin/AdminApi"
import { Api } from "@tentpole/http/Api"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import formats from "ajv-formats"
import { type Json, listIn, objectIn } from "@tentpole/http/description/Json"
import { OpenApi } from "effect/http-api"

const asJson = (description: object): Json => JSON.parse(JSON.stringify(description))

/** As `/openapi.json` and `/admin/v1/openapi.json` tell it. */
export const tenants = asJson(OpenApi.fromApi(Api))
export const administration = asJson(OpenApi.fromApi(AdminApi))

export interface DescribedOperation {
  /** As `PATCH`. */
  readonly method: string
  /** As `/v1/contacts/{contact_id}`. */
  readonly path: string
  readonly described: Json
}

export const methods = ["get", "post", "put", "patch", "delete"] as const

export const operationsIn = (description: Json): ReadonlyArray<DescribedOperation> =>
  Object.entries(objectIn(description, "paths")).flatMap(([path, item]) =>
    methods
      .filter((method) => method in objectIn({ item }, "item"))
      .map((method) => ({ method: method.toUpperCase(), path, described: objectIn(item, method) })),
  )

export const parametersIn = ({ described }: DescribedOperation): ReadonlyArray<Json> =>
  listIn(described, "parameters").map((each) => objectIn({ each }, "each"))

const pointer = (...parts: ReadonlyArray<string>): string =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")

/** Says of values whether they are as the schema at a place of the description says, and if not, why. */
export const judge = (description: Json) => {
  // What is no keyword of JSON Schema is OpenAPI's.
  // Schemas are shared by hundreds of places: each is compiled once, and not made the shortest that it can be.
  const sparing = { inlineRefs: false, code: { optimize: false } }
  const ajv = new Ajv2020({ strict: false, allErrors: false, logger: false, ...sparing })
  formats.default(ajv)
  ajv.addSchema(description, "api")
  const known = new Map<string, ValidateFunction>()
  return (value: unknown, ...place: ReadonlyArray<string>): string | null => {
    const $ref = `api#${pointer(...place)}`
    const validate = known.get($ref) ?? ajv.compile({ $ref })
    known.set($ref, validate)
    return validate(value) === true ? null : ajv.errorsText(validate.errors, { dataVar: "" })
  }
}
