// The world that the audience is asked in: the service as a user starts it, with a mail server that takes its time, a large
// workspace, and in this process the stores over the same database.
import * as Ids from "@tentpole/adapters/crypto/Ids"
import * as Secrets from "@tentpole/adapters/crypto/Secrets"
import { runningUrl } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import * as Stores from "@tentpole/adapters/postgres/All"
import { numberColumn } from "@tentpole/adapters/postgres/contacts/NumberColumns"
import * as Postgres from "@tentpole/adapters/postgres/kernel/Postgres"
import { Contacts } from "@tentpole/core/contacts/Contacts"
import { FieldDefinitionId, ListId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect, Layer, ManagedRuntime, Redacted, References } from "effect"
import { join } from "node:path"
import * as Owner from "../../support/Owner.ts"
import { answered, type Json, Service } from "../../support/Service.ts"
import { type Sink, startSink } from "../../support/Sink.ts"
import type { Bench } from "../Benchmark.ts"
import { fill } from "./Fill.ts"

const fieldTypes = {
  plan: "string",
  region: "string",
  favourite: "string",
  note: "string",
  age: "number",
  orders: "number",
  lifetime_value: "number",
  vip: "boolean",
  birthday: "date",
  renewal: "date",
} as const
export type FieldName = keyof typeof fieldTypes
const fieldNames = Object.keys(fieldTypes) as ReadonlyArray<FieldName>

/** As the HTTP process has it. */
const product = (url: Redacted.Redacted) => {
  const options = { url, applicationName: "tentpole bench", connections_max: 20, statement_timeout_ms: 15_000 }
  return Contacts.layer.pipe(
    Layer.provideMerge(Stores.stores),
    Layer.provideMerge(Postgres.connections(options)),
    Layer.provideMerge(
      Layer.merge(Ids.layer, Secrets.layer({ secret: Redacted.make("a secret for benchmarks, long"), previous: null })),
    ),
  )
}

/** Without spans, as the processes run. */
const quiet = Layer.succeed(References.TracerEnabled, false)

export const runtimeOf = (url: Redacted.Redacted) =>
  ManagedRuntime.make(Layer.mergeAll(product(url), Owner.layer(url), quiet))

type Services = ManagedRuntime.ManagedRuntime.Services<ReturnType<typeof runtimeOf>>

export interface World {
  readonly contacts_count: number
  readonly service: Service
  readonly sink: Sink
  readonly databaseUrl: string
  readonly workspace: WorkspaceId
  readonly fields: Readonly<Record<FieldName, FieldDefinitionId>>
  /** The columns of `contact` that are lent to numbers and dates. */
  readonly columns: Readonly<Partial<Record<string, string>>>
  /** Static lists with a tenth of the contacts, and with a hundredth. */
  readonly lists: { readonly tenth: ListId; readonly hundredth: ListId }
  /** When the last contact was made: what time windows end at. */
  readonly now: DateTime.Utc
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>
  /**
   * A statement of the owner's. It is planned each time it is run: who writes it by hand has other values each time too, and
   * a plan that is kept for the very same ones would compare nothing that happens.
   */
  readonly asOwner: <Row extends object>(statement: string) => Promise<ReadonlyArray<Row>>
}

const makeFields = async (service: Service) => {
  const items = fieldNames.map((name) => ({ api_name: name, display_name: name, value_type: fieldTypes[name] }))
  const made = await answered(service, "POST", "/v1/contact-fields", { items })
  const ids = new Map<string, string>(made.items.map((each: Json) => [each.api_name, each.field_definition_id]))
  const idOf = (name: FieldName) => FieldDefinitionId.make(ids.get(name) ?? "")
  return Object.fromEntries(fieldNames.map((name) => [name, idOf(name)])) as World["fields"]
}

const makeList = async (service: Service, name: string) =>
  ListId.make((await answered(service, "POST", "/v1/contact-lists", { name, kind: "static" })).list_id)

const startService = async ({ ending, report }: Bench) => {
  // Over the 20 connections that are the default: with what a message costs besides, more than 500 a second.
  const sink = await startSink({ pause_ms: 5 })
  await ending.with(() => sink.close())
  const service = await Service.prepare({ SMTP_URL: sink.url })
  await ending.with(() => service.remove())
  report.say("starting the service …")
  await service.start()
  const url = await Effect.runPromise(runningUrl(join(service.folder, "data/database")))
  if (url === null) throw new Error("the service runs without its embedded PostgreSQL")
  return { sink, service, url }
}

export const makeWorld = async (bench: Bench): Promise<World> => {
  const { ending, quick, report } = bench
  const { sink, service, url } = await startService(bench)
  const runtime = runtimeOf(url)
  await ending.with(() => runtime.dispose())
  const asOwner: World["asOwner"] = <Row extends object>(statement: string) =>
    runtime.runPromise(Effect.flatMap(Owner.Owner, (sql) => sql.unsafe<Row>(statement).unprepared))
  const [row] = await asOwner<{ workspace_id: string; version: string }>(
    "select workspace_id, current_setting('server_version') as version from workspace",
  )
  const workspace = WorkspaceId.make(row?.workspace_id ?? "")
  const contacts_count = quick ? 50_000 : 1_000_000
  const fields = await makeFields(service)
  const lent = await asOwner<{ api_name: string; number_column: number }>(
    "select api_name, number_column::int from contact_field where number_column is not null",
  )
  const columns = Object.fromEntries(lent.map((each) => [each.api_name, numberColumn(each.number_column)]))
  const lists = { tenth: await makeList(service, "A tenth"), hundredth: await makeList(service, "A hundredth") }
  const now = DateTime.makeUnsafe(Math.floor(Date.now() / 1000) * 1000)
  const began = performance.now()
  const options = {
    workspace,
    contacts_count,
    activities_count: 3 * contacts_count,
    lists,
    now,
    say: (text: string) => report.say(text),
  }
  await Effect.runPromise(fill(url, options))
  report.fact(
    "database",
    `PostgreSQL ${row?.version}, embedded; filled in ${Math.round((performance.now() - began) / 1000)} s`,
  )
  report.fact(
    "audience",
    `${contacts_count.toLocaleString("en-US")} contacts with 10 custom fields, three activities each`,
  )
  return {
    contacts_count,
    service,
    sink,
    databaseUrl: Redacted.value(url),
    workspace,
    fields,
    columns,
    lists,
    now,
    asOwner,
    run: (effect) => runtime.runPromise(effect),
  }
}
