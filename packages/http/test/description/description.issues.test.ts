// Tests of the issues of malformed bodies: they never show names of schemas or the library's own words.
import { Api } from "@tentpole/http/Api"
import { AdminApi } from "@tentpole/http/admin/AdminApi"
import { issuesOf } from "@tentpole/core/kernel/Refusal"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"

interface Payload {
  readonly name: string
  readonly schema: Schema.Top
}

const payloadsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
  const found: Array<Payload> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const json = endpoint.payload.get("application/json")
      if (json !== undefined) {
        found.push({ name: `${endpoint.method} ${endpoint.path}`, schema: Schema.Union(json.schemas) })
      }
    },
  })
  return found
}

const values = [5, "text", true, [], {}, null] as const

/** Bodies that are wrong as a whole, or in one of their fields or items. */
const bodiesOf = (schema: Schema.Top): ReadonlyArray<unknown> => {
  const names = [...JSON.stringify(Schema.toJsonSchemaDocument(schema)).matchAll(/"([a-z][a-z_]*)":\{/g)].map(
    ([, name = ""]) => name,
  )
  return [
    ...values,
    ...[...new Set(names)].flatMap((name) => [
      ...values.map((value) => ({ [name]: value })),
      ...values.map((value) => ({ [name]: [value] })),
      ...values.map((value) => ({ items: [{ [name]: value }] })),
    ]),
  ]
}

for (const { name, schema } of [...payloadsOf(Api), ...payloadsOf(AdminApi)]) {
  it.effect(`${name} reports issues in plain words`, () =>
    Effect.gen(function* () {
      const options = { errors: "all", onExcessProperty: "error" } as const
      const decode = Schema.decodeUnknownEffect(schema, options) as (
        body: unknown,
      ) => Effect.Effect<unknown, Schema.SchemaError>
      for (const body of bodiesOf(schema)) {
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
