// Tests of the OpenAPI documents: they are valid and complete, and their examples match their schemas.
import { AccountsApi } from "@tentpole/http/accounts/AccountsApi"
import { AdminApi } from "@tentpole/http/admin/AdminApi"
import { Api } from "@tentpole/http/Api"
import { isObject, type Json, listIn, objectIn } from "@tentpole/http/description/Json"
import { bodies } from "@tentpole/http/description/ExampleValues"
import { codesOf } from "@tentpole/http/description/ErrorResponses"
import { parameterNames } from "@tentpole/http/edge/Validation"
import { batch_type } from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import { eventTypeNames } from "@tentpole/core/webhooks/EventCatalogue"
import { Validator } from "@seriousme/openapi-schema-validator"
import { assert, describe, it } from "@effect/vitest"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { Schema, Result } from "effect"
import {
  accounts,
  administration,
  type DescribedOperation,
  judge,
  operationsIn,
  parametersIn,
  tenants,
} from "../fixtures/Described.ts"

const endpointsOf = (
  api: typeof Api | typeof AdminApi | typeof AccountsApi,
): ReadonlyMap<string, HttpApiEndpoint.Top> => {
  const found = new Map<string, HttpApiEndpoint.Top>()
  HttpApi.reflect<string, never>(api as never, {
    onGroup: () => undefined,
    onEndpoint: ({ group, endpoint }) => void found.set(`${group.identifier}.${endpoint.identifier}`, endpoint),
  })
  return found
}

const isText = (value: unknown): boolean => typeof value === "string" && value.length > 0

/** All issues of all operations, reported together. */
const lacking = (description: Json, look: (operation: DescribedOperation) => ReadonlyArray<string>) =>
  operationsIn(description).flatMap((operation) =>
    look(operation).map((what) => `${operation.method} ${operation.path}: ${what}`),
  )

const jsonOf = (message: unknown): Json => objectIn(objectIn(message, "content"), "application/json")

for (const [name, description, endpoints] of [
  ["tenants", tenants, endpointsOf(Api)],
  ["the administration", administration, endpointsOf(AdminApi)],
  ["accounts", accounts, endpointsOf(AccountsApi)],
] as const) {
  describe(`the description for ${name}`, () => {
    const says = judge(description)

    it("is a valid OpenAPI document", async () => {
      const { valid, errors } = await new Validator().validate(structuredClone(description))
      assert.isTrue(valid, JSON.stringify(errors))
      assert.strictEqual(description["openapi"], "3.1.0")
      assert.isTrue(isText(objectIn(description, "info")["description"]))
    })

    it("has a summary and a description for every operation, and a description for every tag", () => {
      const ids = operationsIn(description).map(({ described }) => String(described["operationId"]))
      assert.strictEqual(new Set(ids).size, ids.length)
      const summaries = operationsIn(description).map(({ described }) => String(described["summary"]))
      assert.strictEqual(new Set(summaries).size, summaries.length, "two operations have the same summary")
      const wrong = lacking(description, ({ described }) =>
        ["summary", "description"].filter((key) => !isText(described[key])),
      )
      assert.deepStrictEqual(wrong, [], "give the endpoint a summary and a description")
      const untold = listIn(description, "tags").filter((tag) => !isObject(tag) || !isText(tag["description"]))
      assert.deepStrictEqual(untold, [], "annotate the group with OpenApi.Description")
    })

    it("describes every parameter, with a valid example", () => {
      const wrong = lacking(description, (operation) => {
        const parameters = parametersIn(operation)
        const { path, method } = operation
        return parameters.flatMap((parameter, at) => {
          const place = ["paths", path, method.toLowerCase(), "parameters", String(at), "schema"] as const
          const why = "example" in parameter ? says(parameter["example"], ...place) : null
          return [
            ...(isText(parameter["description"]) ? [] : [`${String(parameter["name"])} is not described`]),
            ...(why === null ? [] : [`${String(parameter["name"])}: its example ${why}`]),
          ]
        })
      })
      assert.deepStrictEqual(wrong, [], "add it to the schema, or in description/ParameterDocs.ts")
    })

    it("lists exactly the parameters of the endpoints", () => {
      const wrong = lacking(description, (operation) => {
        const endpoint = endpoints.get(String(operation.described["operationId"]))
        if (endpoint === undefined) return ["has no endpoint"]
        const described = parametersIn(operation)
          .filter((each) => each["in"] === "query")
          .map((each) => String(each["name"]))
        const taken = parameterNames(endpoint)
        return [
          ...described.filter((each) => !taken.includes(each)),
          ...taken.filter((each) => !described.includes(each)),
        ]
      })
      assert.deepStrictEqual(wrong, [])
    })

    it("has an example for every request body that matches its schema and its endpoint", () => {
      const wrong = lacking(description, ({ described, method, path }) => {
        const body = described["requestBody"]
        const content = objectIn(body, "content")
        if (!isObject(body) || !("application/json" in content)) return []
        const { example } = jsonOf(body)
        if (example === undefined) return ["has no example"]
        const place = ["paths", path, method.toLowerCase(), "requestBody", "content", "application/json", "schema"]
        const why = says(example, ...place)
        const endpoint = endpoints.get(String(described["operationId"]))
        const schemas = endpoint?.payload.get("application/json")?.schemas ?? []
        const decode = Schema.decodeUnknownResult(Schema.Union(schemas) as unknown as Schema.Codec<unknown>, {
          errors: "all",
          onExcessProperty: "error",
        })
        const taken = decode(example)
        return [
          ...(why === null ? [] : [`its example ${JSON.stringify(example)}: ${why}`]),
          ...(Result.isSuccess(taken)
            ? []
            : [`its example ${JSON.stringify(example)} is refused: ${String(taken.failure)}`]),
        ]
      })
      assert.deepStrictEqual(wrong, [], "annotate the body's schema with `examples`")
    })

    it("has a valid example for every response", () => {
      const wrong = lacking(description, ({ described, method, path }) =>
        Object.entries(objectIn(described, "responses")).flatMap(([status, response]) => {
          if (Number(status) >= 300) return []
          const content = objectIn(response, "content")
          if (!("application/json" in content)) return []
          const { example } = jsonOf(response)
          const place = [
            "paths",
            path,
            method.toLowerCase(),
            "responses",
            status,
            "content",
            "application/json",
            "schema",
          ]
          const why = example === undefined ? "is not there" : says(example, ...place)
          return why === null ? [] : [`${status}: its example ${JSON.stringify(example).slice(0, 300)}: ${why}`]
        }),
      )
      assert.deepStrictEqual(wrong, [], "annotate the answer's schema with `examples`")
    })

    it("describes every error code of every operation", () => {
      const wrong = lacking(description, ({ described }) => {
        const responses = objectIn(described, "responses")
        const isOpen = String(described["description"]).endsWith("Needs no session.")
        const missing = ["400", ...(isOpen ? [] : ["401"]), "500", "503"].filter((status) => !(status in responses))
        const refusals = Object.keys(responses).filter((status) => Number(status) >= 400)
        return [
          ...missing.map((status) => `does not declare ${status}`),
          ...refusals.flatMap((status) => {
            const response = objectIn(responses, status)
            const codes = codesOf(response)
            const text = String(response["description"])
            return codes.length === 0
              ? [`${status} names no code`]
              : codes
                  .filter((code) => !text.includes(`\`${code}\``))
                  .map((code) => `${status} does not describe ${code}`)
          }),
        ]
      })
      assert.deepStrictEqual(wrong, [])
    })

    it("has a valid example for every error code", () => {
      const examples = objectIn(objectIn(description, "components"), "examples")
      const listed = operationsIn(description).flatMap(({ described }) =>
        Object.values(objectIn(described, "responses")).flatMap(codesOf),
      )
      for (const code of new Set(listed)) {
        const why = says(objectIn(examples, code)["value"], "components", "schemas", `Error_${code}`)
        assert.isNull(why, code)
      }
    })
  })
}

it("every POST of the API declares the idempotency errors", () => {
  const wrong = lacking(tenants, (operation) => {
    const isPost = operation.method === "POST"
    const takesKey = parametersIn(operation).some(({ name }) => name === "Idempotency-Key")
    const codes = codesOf(objectIn(operation.described, "responses")["409"])
    const toldOf = codes.some((code) => code.startsWith("idempotency_"))
    return takesKey === isPost && toldOf === isPost ? [] : ["idempotency"]
  })
  assert.deepStrictEqual(wrong, [])
})

it("every example body belongs to a schema", () => {
  const schemas = objectIn(objectIn(tenants, "components"), "schemas")
  assert.deepStrictEqual(
    Object.keys(bodies).filter((name) => !(name in schemas)),
    [],
  )
})

it("describes the request of every type of event, and of a batch, with a valid example", () => {
  const says = judge(tenants)
  const webhooks = objectIn(tenants, "webhooks")
  assert.sameMembers(Object.keys(webhooks), [...eventTypeNames, batch_type])
  for (const type of Object.keys(webhooks)) {
    const { description, requestBody, summary } = objectIn(objectIn(webhooks, type), "post")
    assert.isTrue(isText(summary) && isText(description), type)
    const { example } = jsonOf(requestBody)
    const place = ["webhooks", type, "post", "requestBody", "content", "application/json", "schema"]
    assert.isNull(says(example, ...place), type)
    assert.isNotNull(says({ ...(example as Json), data: null }, ...place), type)
  }
})
