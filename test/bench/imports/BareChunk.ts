// The statements of an import by hand: a chunk with one statement for each table, and the run before and after.
import type { PgClient } from "@effect/sql-pg"
import { floats, ints, texts } from "@tentpole/adapters/postgres/kernel/Arrays"
import { numberColumn } from "@tentpole/adapters/postgres/contacts/NumberColumns"
import { fold } from "@tentpole/core/kernel/Text"
import { Effect } from "effect"
import { type BareColumn, recordActivities, type Statement, writeContacts } from "../BareStatements.ts"
import type { BarePerson, BareRow, People } from "./BarePeople.ts"

export interface BareTarget {
  readonly workspace: string
  readonly list: string
  readonly session: string
  readonly run: string
}

/** A column of text, of the same name unless it has another. */
const text = (
  key: Exclude<keyof BarePerson, "custom_fields">,
  { name = key, type = "text" }: { readonly name?: string; readonly type?: string } = {},
): BareColumn<BarePerson> => ({ name, type, values: (people) => texts(people.map((person) => person[key])) })

const foldedText = (name: "email" | "first_name" | "last_name" | "company" | "city"): BareColumn<BarePerson> => ({
  name: `${name}_folded`,
  type: "text",
  values: (people) => texts(people.map((person) => (person[name] === null ? null : fold(person[name])))),
})

const json = (name: string, of: (person: BarePerson) => unknown): BareColumn<BarePerson> => ({
  name,
  type: "jsonb",
  values: (people) => texts(people.map((person) => JSON.stringify(of(person)))),
})

const columnsOf = (lent: string): ReadonlyArray<BareColumn<BarePerson>> => [
  text("id", { name: "contact_id", type: "uuid" }),
  text("email"),
  foldedText("email"),
  text("email_normalized"),
  ...(["first_name", "last_name", "company", "city"] as const).flatMap((key) => [text(key), foldedText(key)]),
  text("phone"),
  json("custom_fields", ({ custom_fields }) => custom_fields),
  json("custom_fields_folded", ({ custom_fields }) => ({ note: fold(String(custom_fields["note"])) })),
  {
    name: lent,
    type: "double precision",
    values: (people) => floats(people.map(({ custom_fields }) => Number(custom_fields["orders"]))),
  },
]

/** The column that stores the field `orders`. */
export const lentColumn = (sql: PgClient.PgClient, { workspace }: BareTarget) =>
  Effect.map(
    sql.unsafe<{ number_column: number }>(
      "select number_column::int from contact_field where workspace_id = $1 and api_name = 'orders'",
      [workspace],
    ),
    ([field]) => numberColumn(field?.number_column ?? 0),
  )

export const existingOf = (
  sql: PgClient.PgClient,
  { workspace }: BareTarget,
  rows: ReadonlyArray<ReadonlyArray<string>>,
) =>
  sql.unsafe<BarePerson>(
    `select contact_id as id, email, email_normalized, first_name, last_name, company, phone, city, custom_fields
      from contact where workspace_id = $1 and email_normalized = any($2::text[])`,
    [workspace, texts(rows.map(([email = ""]) => email.toLowerCase()))],
  )

/** The columns of a new contact that the file does not have. */
const added = {
  original_source: "'import'",
  original_source_folded: "'import'",
  unsubscribed: "false",
  marketing_email_invalid: "false",
  created_at: "now()",
  updated_at: "now()",
}

const addMembers = ({ workspace, list }: BareTarget, results: ReadonlyArray<BareRow>): Statement => ({
  text: `
    with added as (
      insert into list_member (workspace_id, list_id, contact_id, added_at)
      select $1::uuid, $2::uuid, u.contact_id, now() from unnest($3::uuid[]) as u (contact_id)
      on conflict do nothing
      returning contact_id
    ), counted as (
      update list set member_count = member_count + (select count(*) from added)
      where workspace_id = $1::uuid and list_id = $2::uuid
    )
    insert into activity (workspace_id, contact_id, at, type, metadata)
    select $1::uuid, contact_id, now(), 'list_added', jsonb_build_object('list_id', $2::uuid, 'list_name', 'Imported')
    from added`,
  parameters: [workspace, list, texts([...new Set(results.flatMap(({ contact_id }) => contact_id ?? []))])],
})

interface Chunk {
  readonly people: People
  readonly results: ReadonlyArray<BareRow>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  /** How many rows of the file come before it; the header is row 1. */
  readonly before: number
  readonly lent: string
}

const writeRows = ({ workspace, run }: BareTarget, { results, rows, before }: Chunk): Statement => ({
  text: `insert into import_row (workspace_id, import_run_id, row_number, status, contact_id, record)
    select $1::uuid, $2::uuid, u.* from unnest($3::int[], $4::text[], $5::uuid[], $6::jsonb[]) as u`,
  parameters: [
    workspace,
    run,
    ints(results.map((_, at) => before + at + 2)),
    texts(results.map(({ status }) => status)),
    texts(results.map(({ contact_id }) => contact_id)),
    texts(results.map(({ status }, at) => (status === "failed" ? JSON.stringify(rows[at]) : null))),
  ],
})

const moveOn = ({ workspace, run }: BareTarget, { results, before }: Chunk): Statement => {
  const count = (status: BareRow["status"]) => results.filter((row) => row.status === status).length
  return {
    text: `update import_run set processed_rows = $3, created_count = created_count + $4,
        updated_count = updated_count + $5, error_count = error_count + $6
      where workspace_id = $1::uuid and import_run_id = $2::uuid`,
    parameters: [workspace, run, before + results.length, count("created"), count("updated"), count("failed")],
  }
}

const countCreated = ({ workspace }: BareTarget, { created }: People): Statement => ({
  text: `insert into figure_day as f (workspace_id, day, figure, detail, shard, count)
      values ($1::uuid, (now() at time zone 'UTC')::date, 'contacts_created', 'import', 0, $2)
      on conflict (workspace_id, day, figure, detail, shard) do update set count = f.count + excluded.count`,
  parameters: [workspace, created.length],
})

export const writeChunk = (target: BareTarget, chunk: Chunk): ReadonlyArray<Statement> => {
  const { people, results, lent } = chunk
  const { created, updated } = people
  const columns = columnsOf(lent)
  return [
    ...(updated.length === 0
      ? []
      : [writeContacts("update", target.workspace, columns, updated, { updated_at: "now()" })]),
    ...(created.length === 0
      ? []
      : [writeContacts("insert", target.workspace, columns, created, added), countCreated(target, people)]),
    ...(people.activities.length === 0 ? [] : [recordActivities(target.workspace, people.activities)]),
    addMembers(target, results),
    writeRows(target, chunk),
    moveOn(target, chunk),
  ]
}

export const beginRun = ({ workspace, session, run, list }: BareTarget): ReadonlyArray<Statement> => [
  {
    text: `insert into import_session (workspace_id, import_session_id, source, content_type, blob_key, created_at, expires_at,
        executed_at)
      values ($1::uuid, $2::uuid, 'upload', 'text/csv', 'none', now(), now(), now())`,
    parameters: [workspace, session],
  },
  {
    text: `insert into import_run (workspace_id, import_run_id, import_session_id, status, mappings, duplicate_strategy,
        overwrite_blank_only, list_ids, created_at, started_at)
      values ($1::uuid, $2::uuid, $3::uuid, 'running', '[]', 'update', false, array[$4::uuid], now(), now())`,
    parameters: [workspace, run, session, list],
  },
]

export const endRun = ({ workspace, run }: BareTarget, total_rows: number): ReadonlyArray<Statement> => [
  {
    text: `update import_run set status = 'completed', total_rows = $3, completed_at = now()
      where workspace_id = $1::uuid and import_run_id = $2::uuid`,
    parameters: [workspace, run, total_rows],
  },
]
