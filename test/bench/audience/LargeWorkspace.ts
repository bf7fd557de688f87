// A workspace with a million contacts: what the benchmarks of the audience read and write.
import { numberColumn } from "@tentpole/adapters/postgres/contacts/NumberColumns"
import { FieldDefinitionId, ListId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect, Redacted } from "effect"
import { type Call, callsOf, type Json } from "../../support/Service.ts"
import type { Bench } from "../Benchmark.ts"
import { World } from "../World.ts"
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

export interface LargeWorkspace extends Pick<World, "databaseUrl" | "inside" | "smtp"> {
  readonly workspace: WorkspaceId
  readonly call: Call
  readonly port: number
  readonly fields: Readonly<Record<FieldName, FieldDefinitionId>>
  /** Columns of `contact` that store the values of number and date fields. */
  readonly columns: Readonly<Partial<Record<string, string>>>
  /** Static lists with a tenth of the contacts, and with a hundredth. */
  readonly lists: { readonly tenth: ListId; readonly hundredth: ListId }
  /** When the last contact was created; time windows end then. */
  readonly now: DateTime.Utc
  readonly byHand: <Row extends object>(statement: string) => Promise<ReadonlyArray<Row>>
}

const createFields = async (call: Call): Promise<LargeWorkspace["fields"]> => {
  const items = fieldNames.map((name) => ({ api_name: name, display_name: name, value_type: fieldTypes[name] }))
  const created = await call("POST", "/v1/contact-fields", { items })
  const ids = new Map<string, string>(created.items.map((each: Json) => [each.api_name, each.field_definition_id]))
  const entries = fieldNames.map((name) => [name, FieldDefinitionId.make(ids.get(name) ?? "")])
  return Object.fromEntries(entries) as LargeWorkspace["fields"]
}

const createList = async (call: Call, name: string): Promise<ListId> =>
  ListId.make((await call("POST", "/v1/contact-lists", { name, kind: "static" })).list_id)

export const largeWorkspace = async (bench: Bench): Promise<LargeWorkspace> => {
  const world = await World.begin(bench)
  // With 20 connections and what a message costs besides, more than 500 messages a second.
  await world.smtp.behave({ pause_ms: 5 })
  await world.worker()
  return filledWorkspace(bench, world, bench.quick ? 50_000 : 1_000_000)
}

interface Filling {
  readonly call: Call
  readonly databaseUrl: string
  readonly workspace: WorkspaceId
  readonly contacts_count: number
  readonly report: Bench["report"]
}

/** Creates custom fields and two lists, and fills the workspace with contacts. */
export const fillWorkspace = async ({ call, contacts_count, databaseUrl, report, workspace }: Filling) => {
  const fields = await createFields(call)
  const lists = { tenth: await createList(call, "A tenth"), hundredth: await createList(call, "A hundredth") }
  const now = DateTime.makeUnsafe(Math.floor(Date.now() / 1000) * 1000)
  const say = (text: string) => report.say(text)
  const options = { workspace, contacts_count, activities_count: 3 * contacts_count, lists, now, say }
  await Effect.runPromise(fill(Redacted.make(databaseUrl), options))
  report.fact(
    "audience",
    `${contacts_count.toLocaleString("en-US")} contacts with 10 custom fields, three activities each`,
  )
  return { fields, lists, now }
}

/** The first workspace of the service, filled with contacts. */
export const filledWorkspace = async (
  { report }: Bench,
  world: World,
  contacts_count: number,
): Promise<LargeWorkspace> => {
  const { databaseUrl, deployment, inside, smtp } = world
  const call = callsOf(deployment)
  const workspace = await world.firstWorkspace()
  const { fields, lists, now } = await fillWorkspace({ call, contacts_count, databaseUrl, report, workspace })
  const stored = await world.byHand<{ api_name: string; number_column: number }>(
    "select api_name, number_column::int from contact_field where number_column is not null",
  )
  const columns = Object.fromEntries(stored.map((each) => [each.api_name, numberColumn(each.number_column)]))
  const byHand: LargeWorkspace["byHand"] = (statement) => world.byHand(statement)
  return { workspace, call, port: deployment.port, databaseUrl, inside, smtp, fields, columns, lists, now, byHand }
}
