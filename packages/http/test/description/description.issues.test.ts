// Tests of the issues of malformed bodies and parameters: they never show names of schemas or the library's own words.
import { Api } from "@tentpole/http/Api"
import { AccountsApi } from "@tentpole/http/accounts/AccountsApi"
import { AdminApi } from "@tentpole/http/admin/AdminApi"
import { issuesOf } from "@tentpole/core/kernel/Refusal"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"

interface Input {
  readonly name: string
  readonly schema: Schema.Top
  readonly wrong: (schema: Schema.Top) => ReadonlyArray<unknown>
}

const inputsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
  const found: Array<Input> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const of = `${endpoint.method} ${endpoint.path}`
      const json = endpoint.payload.get("application/json")
      if (json !== undefined) found.push({ name: of, schema: Schema.Union(json.schemas), wrong: bodiesOf })
      const { params, query } = endpoint
      if (params !== undefined) found.push({ name: `the path of ${of}`, schema: params, wrong: parametersOf })
      if (query !== undefined) found.push({ name: `the query of ${of}`, schema: query, wrong: parametersOf })
    },
  })
  return found
}

const values = [5, "text", true, [], {}, null] as const

const texts = ["", " ", "x", "-1", "1.5", "1e9", "true", "null", "[]", "2026-02-30", "x".repeat(2_000), "\u0000"]

/** Names of fields or parameters. */
const namesIn = (schema: Schema.Top): ReadonlyArray<string> => [
  ...new Set(
    [...JSON.stringify(Schema.toJsonSchemaDocument(schema)).matchAll(/"([a-z][A-Za-z_]*)":\{/g)].map(
      ([, name = ""]) => name,
    ),
  ),
]

/** Parameters of which one or all are wrong, or missing. */
const parametersOf = (schema: Schema.Top): ReadonlyArray<unknown> => {
  const names = namesIn(schema)
  return [
    {},
    ...texts.map((text) => Object.fromEntries(names.map((name) => [name, text]))),
    ...names.flatMap((name) => texts.map((text) => ({ [name]: text }))),
  ]
}

/** Bodies that are wrong as a whole, or in one of their fields or items. */
const bodiesOf = (schema: Schema.Top): ReadonlyArray<unknown> => {
  return [
    ...values,
    ...namesIn(schema).flatMap((name) => [
      ...values.map((value) => ({ [name]: value })),
      ...values.map((value) => ({ [name]: [value] })),
      ...values.map((value) => ({ items: [{ [name]: value }] })),
    ]),
  ]
}

for (const { name, schema, wrong } of [...inputsOf(Api), ...inputsOf(AdminApi), ...inputsOf(AccountsApi)]) {
  it.effect(`${name} reports issues in plain words`, () =>
    Effect.gen(function* () {
      const options = { errors: "all", onExcessProperty: "error" } as const
      const decode = Schema.decodeUnknownEffect(schema, options) as (
        body: unknown,
      ) => Effect.Effect<unknown, Schema.SchemaError>
      for (const body of wrong(schema)) {
        const issues = yield* Effect.match(decode(body), { onSuccess: () => [], onFailure: issuesOf })
        for (const { message, path } of issues) {
          const where = `${JSON.stringify(body)}: ${path} ${message}`
          assert.notMatch(message, /^(Expected|Missing|Invalid|Unexpected)\b/, where)
          // Quoted values are the caller's words.
          assert.notMatch(
            message.replace(/"[^"]*"/g, ""),
            /\b[A-Z][a-z]+[A-Z]|\b(undefined|Struct|Union|Schema)\b/,
            where,
          )
        }
      }
    }),
  )
}
