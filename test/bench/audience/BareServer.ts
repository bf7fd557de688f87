// The program of a bare server that answers `GET /v1/contacts/{id}` with the same statements, client and JSON as the service.
import { PgClient } from "@effect/sql-pg"
import * as Postgres from "@tentpole/adapters/postgres/kernel/Postgres"
import { standardFields } from "@tentpole/core/contacts/ContactFields"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { listening } from "../../support/Service.ts"

interface Field {
  readonly api_name: string
  readonly status: string
}

interface Row {
  readonly custom_fields: Readonly<Record<string, unknown>>
  readonly [column: string]: unknown
}

const columns = ["contact_id", "custom_fields", ...standardFields.map(({ apiName }) => apiName)]
  .map((name) => `c.${name}`)
  .join(", ")

const runtime = ManagedRuntime.make(
  Postgres.client({
    url: Redacted.make(process.env["DATABASE_URL"] ?? ""),
    applicationName: "tentpole bench bare",
    connections_max: 20,
    statement_timeout_ms: 15_000,
  }),
)

const found = Effect.fnUntraced(function* (key: string, id: string) {
  const sql = yield* PgClient.PgClient
  const hash = createHash("sha256").update(key).digest()
  const [caller] = yield* sql<{ workspace_id: string }>`
    select k.*, w.* from api_key k join workspace w on w.workspace_id = k.workspace_id where k.hash = ${hash}`
  if (caller === undefined) return undefined
  const workspace = caller.workspace_id
  const { row, fields } = yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select set_config('tentpole.workspace_id', ${workspace}, true)`
      const [row] = yield* sql<Row>`
        select ${sql.literal(columns)} from contact c where c.workspace_id = ${workspace} and c.contact_id = ${id}`
      const fields = yield* sql<Field>`
        select f.* from contact_field f where f.workspace_id = ${workspace} order by f.created_at, f.field_definition_id`
      return { row, fields }
    }),
  )
  if (row === undefined) return undefined
  const { custom_fields, ...contact } = row
  const shown = fields.filter(({ status }) => status === "active")
  return {
    ...contact,
    custom_fields: Object.fromEntries(shown.map(({ api_name }) => [api_name, custom_fields[api_name] ?? null])),
  }
})

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const key = (request.headers.authorization ?? "").slice("Bearer ".length)
  const answer = await runtime.runPromise(found(key, (request.url ?? "").slice("/v1/contacts/".length)))
  const body = Buffer.from(JSON.stringify(answer ?? null))
  response
    .writeHead(answer === undefined ? 404 : 200, {
      "content-type": "application/json",
      "content-length": body.length,
    })
    .end(body)
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: unknown) => {
    console.error(error)
    response.writeHead(500).end()
  })
})
process.send?.(`port ${await listening(server)}`)
process.once("disconnect", () => process.exit(0))
