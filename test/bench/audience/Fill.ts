// Fills a workspace by SQL: contacts, a year of their timelines, the members of two lists. Every value follows from the number of
// its row, so that each run has the same data.
import { PgClient } from "@effect/sql-pg"
import { recount } from "@tentpole/adapters/test/Recount"
import type { ListId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect, type Redacted } from "effect"
import type { FieldName } from "./LargeWorkspace.ts"

export interface FillOptions {
  readonly workspace: WorkspaceId
  readonly contacts_count: number
  readonly activities_count: number
  readonly lists: { readonly tenth: ListId; readonly hundredth: ListId }
  readonly now: DateTime.Utc
  readonly say: (text: string) => void
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A pseudo-random number from `number` and `salt`, from 0 up. */
const drawn = (number: string, salt: number): string => `(hashint4((${number}) + ${salt * 100_000_000}) & 2147483647)`

const pick = (draw: string, words: ReadonlyArray<string>): string =>
  `(array[${words.map(quoted).join(", ")}])[1 + ${draw} % ${words.length}]`

const first = "Ann Bob Carla Dmitri Edith Fatima Goran Hiro Ingrid Kim Lars Noor".split(" ")
const last = "Smith Jones Müller García Novak Rossi Silva Tanaka Okafor Lindqvist Dubois".split(" ")
const firms = "Acme Globex Initech Umbrella Hooli Stark Wayne Wonka Tyrell Cyberdyne".split(" ")
const forms = ["Ltd", "GmbH", "Inc", "SA", "BV"]
/** Each has a fiftieth of the addresses; three large hosts have the rest. */
const small_hosts = "northwind harbour meadow granite lantern orchard saffron juniper cobalt willow".split(" ")

/** The creation time of contact `i`: evenly over three years, the last one now. */
const createdAt = (i: string, { contacts_count, now }: FillOptions): string =>
  `(${quoted(DateTime.formatIso(now))}::timestamptz - (${contacts_count} - (${i})) * interval '1 second' * ${(3 * 365 * 86_400) / contacts_count})`

/** A UUID v7, as the service creates them: ids follow the time. */
const idOf = (i: string, options: FillOptions): string => {
  const milliseconds = `(extract(epoch from ${createdAt(i, options)}) * 1000)::bigint`
  const chance = `md5((${i})::text)`
  return `(lpad(to_hex(${milliseconds}), 12, '0') || '7' || substr(${chance}, 1, 3) || '8' || substr(${chance}, 4, 15))::uuid`
}

/** Columns that have a folded twin. */
const texts: Readonly<Record<string, string>> = {
  display_name: "first || ' ' || last",
  first_name: "first",
  last_name: "last",
  company: "company",
  job_title: pick("h3", ["Engineer", "Buyer", "Head of Sales", "Teacher"]),
  email: "email",
  address: "i || ' Main Street'",
  city: pick("h1", ["Berlin", "Paris", "Oslo", "Lisbon", "Austin", "Kyoto"]),
  zip_code: "lpad((i % 99999)::text, 5, '0')",
  country: pick("h1", ["DE", "FR", "NO", "PT", "US", "JP"]),
  lead_status: pick("h2", ["new", "open", "won", "lost"]),
  lifecycle_stage: pick("h3", [...Array<string>(6).fill("lead"), ...Array<string>(3).fill("customer"), "churned"]),
  original_source: pick("h2", ["api", "import", "form"]),
}

const columns: Readonly<Record<string, string>> = {
  workspace_id: "workspace_id",
  contact_id: "contact_id",
  ...texts,
  ...Object.fromEntries(Object.entries(texts).map(([name, value]) => [`${name}_folded`, `lower(${value})`])),
  email_normalized: "email",
  phone: "case when i % 3 = 0 then '+1415' || lpad(i::text, 7, '0') end",
  service_score: "(h1 & 1023) / 10.0",
  unsubscribed: "(h4 / 50) % 20 = 0",
  marketing_email_subscribed: "case when i % 4 = 0 then true end",
  marketing_email_invalid: "false",
  created_at: "at",
  updated_at: "at + (h3 & 65535) * interval '1 second'",
  last_activity_at: "case when i % 2 = 0 then at + (h3 & 32767) * interval '1 second' end",
}

const customValues: Readonly<Record<FieldName, string>> = {
  plan: pick("h1", ["Free", "Pro", "Max"]),
  region: pick("h2", ["EMEA", "APAC", "AMER", "LATAM"]),
  favourite: `${pick("h3", ["Red", "Green", "Blue", "Black", "White", "Orange"])} || (i % 300)`,
  note: "'Customer note no ' || i",
  age: "18 + (h1 & 63)",
  orders: "h2 & 255",
  lifetime_value: "(h3 & 1048575) / 100.0",
  vip: "i % 10 = 0",
  birthday: "to_char(date '1950-01-01' + (h1 & 16383), 'YYYY-MM-DD')",
  renewal: "to_char(date '2026-01-01' + (h2 & 511), 'YYYY-MM-DD')",
}

const numbers: ReadonlyArray<FieldName> = ["age", "orders", "lifetime_value"]
const plainTexts: ReadonlyArray<FieldName> = ["plan", "region", "favourite", "note"]

const built = (values: ReadonlyArray<readonly [string, string]>): string =>
  `jsonb_build_object(${values.map(([name, value]) => `${quoted(name)}, ${value}`).join(", ")})`

/** As the service stores it: numbers are in columns of their own. */
const foldedValues = (): string =>
  built(
    Object.entries(customValues)
      .filter(([name]) => !numbers.some((each) => each === name))
      .map(([name, value]) => [name, plainTexts.some((each) => each === name) ? `lower(${value})` : value]),
  )

interface LentColumn {
  readonly api_name: string
  readonly value_type: string
  readonly number_column: number
}

/** Prevents that an expression is computed again at each use. */
const once = "offset 0"

const contacts = (options: FillOptions, lent: ReadonlyArray<LentColumn>): string => {
  const all: Readonly<Record<string, string>> = {
    ...columns,
    custom_fields: "fields",
    custom_fields_folded: foldedValues(),
    ...Object.fromEntries(
      lent.map(({ api_name, value_type, number_column }) => [
        `number_${number_column}`,
        `contact_number(fields, ${quoted(api_name)}, ${quoted(value_type)})`,
      ]),
    ),
  }
  const host = `case when h4 % 50 < 20 then 'mail' when h4 % 50 < 32 then 'post' when h4 % 50 < 40 then 'office' else ${pick("(h4 % 50)", small_hosts)} end`
  return `
    insert into contact (${Object.keys(all).join(", ")})
    select ${Object.values(all).join(", ")} from (
      select *, lower(first) || '.' || i || '@' || host || '.example' as email, ${built(Object.entries(customValues))} as fields
      from (
        select *, ${pick("h1", first)} as first, ${pick("h2", last)} || (i % 1000) as last,
          ${pick("h3", firms)} || ' ' || ${pick("h4", forms)} || ' ' || (i % 5000) as company, ${host} as host
        from (
          select i, ${quoted(options.workspace)}::uuid as workspace_id, ${idOf("i", options)} as contact_id,
            ${createdAt("i", options)} as at, ${[1, 2, 3, 4].map((salt) => `${drawn("i", salt)} as h${salt}`).join(", ")}
          from generate_series(1, ${options.contacts_count}) as i ${once}
        ) as drawn ${once}
      ) as named ${once}
    ) as whole`
}

/** How often each type occurs in twenty activities. */
const happenings = [
  ...Array<string>(11).fill("email_opened"),
  ...Array<string>(6).fill("email_clicked"),
  "form_submission",
  "contact_updated",
  "list_added",
]

/** In order of time, over the year that ends now, for random contacts. */
const activities = (options: FillOptions): string => `
  insert into activity (workspace_id, contact_id, at, type, metadata)
  select ${quoted(options.workspace)}, ${idOf(`1 + ${drawn("k", 5)} % ${options.contacts_count}`, options)},
    ${quoted(DateTime.formatIso(options.now))}::timestamptz
      - (${options.activities_count} - k) * interval '1 second' * ${(365 * 86_400) / options.activities_count},
    ${pick(drawn("k", 6), happenings)}, '{"blast_id": "00000000-0000-4000-8000-000000000009"}'
  from generate_series(1, ${options.activities_count}) as k`

const members = (options: FillOptions, list: ListId, each: number): string => `
  insert into list_member (workspace_id, list_id, contact_id, added_at)
  select ${quoted(options.workspace)}, ${quoted(list)}, ${idOf("i", options)}, ${quoted(DateTime.formatIso(options.now))}
  from generate_series(${each}, ${options.contacts_count}, ${each}) as i`

/** A service that has run for a year has a partition a month; this one was started today. */
const partitions = (now: DateTime.Utc): ReadonlyArray<string> =>
  Array.from({ length: 13 }, (_, back) => {
    const month = DateTime.startOf(DateTime.subtract(now, { months: back }), "month")
    const [from, to] = [month, DateTime.add(month, { months: 1 })].map(DateTime.formatIso)
    const name = `activity_${from?.slice(0, 7).replace("-", "_")}`
    return `create table if not exists ${name} partition of activity for values from (${quoted(from ?? "")}) to (${quoted(to ?? "")})`
  })

interface Index {
  readonly name: string
  readonly definition: string
}

/** Indexes without a constraint: creating them after the rows takes a tenth of the time. */
const looseIndexes = (sql: PgClient.PgClient) =>
  sql<Index>`
    select c.relname as name, replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ') as definition
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid in ('contact'::regclass, 'activity'::regclass)
      and not exists (select from pg_constraint where conindid = i.indexrelid)`

export const fill = (owner: Redacted.Redacted, options: FillOptions): Effect.Effect<void, unknown> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const run = (statement: string) => sql.unsafe(statement).unprepared
    yield* Effect.forEach(["set synchronous_commit = off", "set maintenance_work_mem = '512MB'"], run)
    const lent = yield* sql<LentColumn>`
      select api_name, value_type, number_column::int from contact_field
      where workspace_id = ${options.workspace} and number_column is not null`
    const indexes = yield* looseIndexes(sql)
    yield* Effect.forEach(partitions(options.now), run)
    yield* Effect.forEach(indexes, ({ name }) => run(`drop index ${name}`))
    options.say(`${options.contacts_count.toLocaleString("en-US")} contacts …`)
    yield* run(contacts(options, lent))
    options.say(`${options.activities_count.toLocaleString("en-US")} activities …`)
    yield* run(activities(options))
    options.say("their indexes …")
    for (const { definition } of indexes) yield* run(definition)
    options.say("lists and statistics …")
    // Vacuum marks only pages on disk as all-visible, which index-only scans need.
    yield* run("set synchronous_commit = on")
    yield* run(members(options, options.lists.tenth, 10))
    yield* run(members(options, options.lists.hundredth, 100))
    yield* sql.unsafe(recount, [options.workspace])
    yield* run("vacuum (analyze) contact, activity, list_member, list, contact_tally")
  }).pipe(
    Effect.provide(
      PgClient.layer({ url: owner, maxConnections: 1, startupParameters: { timezone: "UTC", search_path: "public" } }),
    ),
  )
