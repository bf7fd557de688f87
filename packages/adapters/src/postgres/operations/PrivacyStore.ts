// `PrivacyStore` on PostgreSQL: all data of a contact or workspace. Tables are found in the catalogue, so that none can be
// forgotten.
import { PgClient } from "@effect/sql-pg"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import {
  ContactBusy,
  type Erased,
  type ImportedFile,
  type StoredRow,
  PrivacyStore,
} from "@tentpole/core/operations/privacy/PrivacyStore"
import {
  formerIdentifiers,
  patternOf,
  type IdentifierPatterns,
  identifierPatternsOf,
} from "@tentpole/core/operations/privacy/IdentifierPatterns"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Effect, Layer, Stream } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { deleteMembershipsOfContact } from "../flows/MembershipDeletion.ts"
import { readThrough } from "../kernel/Cursor.ts"
import { fencedWrites, LongReads, Reads } from "../kernel/Postgres.ts"
import { eraseFromWebhooks } from "../webhooks/WebhookErasure.ts"
import { changeBetween, changeFromQueued, countChange, countedColumns } from "../sending/DeliveryCounters.ts"

/** Tables with a workspace id that hold secrets or internal state, not the workspace's data. */
const not_data = [
  "api_key",
  "delivery_queue",
  "email_message_key",
  "due_hint",
  "due_work",
  "hook_token",
  "idempotency_key",
  "outbox_consumer",
  "outbox_event",
  "outbox_stream",
  "webhook_lease",
  "webhook_reader",
  "workspace_home",
]

const tables = (sql: PgClient.PgClient, column: "contact_id" | "workspace_id") =>
  Effect.map(
    sql<{ readonly name: string }>`
      select c.relname as name from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = ${column} and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname <> all(${not_data}::text[])
      order by 1`,
    (rows) => rows.map(({ name }) => name),
  )

/** Columns that repeat others in another form, and encrypted secrets. */
const is_derived = /_folded$|^number_\d+$|^private_key|_sealed$/

const shown = (row: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !is_derived.test(name)))

interface JsonRow {
  readonly row: Readonly<Record<string, unknown>>
}

/** The ids under which rows of a contact are stored: its own, and those of the contacts that were merged into it. */
const idsOf = (sql: PgClient.PgClient, workspace: WorkspaceId, contact: ContactId) =>
  Effect.map(
    sql<{ readonly id: string }>`
      select former_id as id from contact_former_id where workspace_id = ${workspace} and contact_id = ${contact}`,
    (rows) => texts([contact, ...rows.map(({ id }) => id)]),
  )

const traces = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, contact: ContactId) {
  const ids = yield* idsOf(sql, workspace, contact)
  const mine = sql`workspace_id = ${workspace} and contact_id = any(${ids}::uuid[])`
  const people = yield* sql<{ email: string | null; email_normalized: string | null; phone: string | null }>`
    select email, email_normalized, phone from contact where ${mine}`
  if (people.length === 0) return yield* new NotFound({ resource: "contact" })
  const lines = yield* sql<{ readonly metadata: Readonly<Record<string, unknown>> }>`
    select metadata from activity where ${mine} and type in ('contact_updated', 'contact_merged')`
  const mailed = yield* sql<{ email: string | null; email_normalized: string | null }>`
    select distinct email, email_normalized from delivery where ${mine}`
  const all = identifierPatternsOf(
    [
      ...[...people, ...mailed].flatMap((row) => [row.email, row.email_normalized]),
      ...lines.flatMap(({ metadata }) => formerIdentifiers(metadata, "email")),
    ],
    [...people.map(({ phone }) => phone), ...lines.flatMap(({ metadata }) => formerIdentifiers(metadata, "phone"))],
  )
  const others = yield* sql<{ readonly email: string | null; readonly phone: string | null }>`
    select lower(email_normalized) as email, phone from contact
    where workspace_id = ${workspace} and contact_id <> ${contact}
      and (email_normalized = any(${all.emails}::text[]) or phone = any(${all.phones}::text[]))`
  return {
    emails: all.emails.filter((email) => !others.some((other) => other.email === email)),
    phones: all.phones.filter((phone) => !others.some((other) => other.phone === phone)),
  } satisfies IdentifierPatterns
})

/** The tables of single messages that a message without contact has rows in. */
const message_tables = ["delivery", "email_message", "email_message_content", "email_message_file"]

/** Single messages to the addresses that name no contact. */
const strangersRows = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  emails: ReadonlyArray<string>,
) {
  const found: Array<StoredRow> = []
  for (const table of message_tables) {
    const rows = yield* sql<JsonRow>`
      select to_jsonb(t) as row from ${sql(table)} t
      where t.workspace_id = ${workspace} and t.delivery_id = any(array(
        select d.delivery_id from delivery d
        where d.workspace_id = ${workspace} and d.message is not null and d.contact_id is null
          and d.email_normalized = any(${texts(emails)}::text[])))`
    found.push(...rows.map(({ row }) => ({ table, row: shown(row) })))
  }
  return found
})

const rowsOf = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, contact: ContactId) {
  const { emails } = yield* traces(sql, workspace, contact)
  const ids = yield* idsOf(sql, workspace, contact)
  const contactRows: Array<StoredRow> = []
  for (const table of yield* tables(sql, "contact_id")) {
    const rows = yield* sql<JsonRow>`
      select to_jsonb(t) as row from ${sql(table)} t where workspace_id = ${workspace} and contact_id = any(${ids}::uuid[])`
    contactRows.push(...rows.map(({ row }) => ({ table, row: shown(row) })))
  }
  const suppressed = yield* sql<JsonRow>`
    select to_jsonb(t) as row from suppression t
    where workspace_id = ${workspace} and email_normalized = any(${emails}::text[])`
  const requested = yield* sql<JsonRow>`
    select to_jsonb(t) as row from subscription_request t
    where workspace_id = ${workspace} and contact_id is null and email_normalized = any(${texts(emails)}::text[])`
  contactRows.push(...(yield* strangersRows(sql, workspace, emails)))
  contactRows.push(...requested.map(({ row }) => ({ table: "subscription_request", row })))
  return [...contactRows, ...suppressed.map(({ row }) => ({ table: "suppression", row }))]
})

/** Fails while a message of the contact or an export is in progress. Locks queued ones, so that none starts meanwhile. */
const requireIdle = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, contact: ContactId) {
  const open = yield* sql<{ readonly state: string }>`
    select q.state from delivery d
    join delivery_queue q on q.workspace_id = ${workspace} and q.delivery_id = d.delivery_id
    where d.workspace_id = ${workspace} and d.contact_id = ${contact} and d.state = 'queued'
    order by q.delivery_id for update of q`
  if (open.some(({ state }) => state !== "queued")) return yield* new ContactBusy({ because: "message" })
  const exports = yield* sql<{ readonly status: string }>`
    select status from export where workspace_id = ${workspace} and status in ('queued', 'running')
    order by export_id for update`
  if (exports.some(({ status }) => status === "running")) return yield* new ContactBusy({ because: "export" })
})

/** Tables with special handling. Rows of all other tables with a `contact_id` are deleted. */
const handled = [
  "activity",
  "contact",
  "delivery",
  "email_message",
  "email_message_content",
  "email_message_file",
  "flow_membership",
  "form_submission",
  "import_row",
  "list_member",
  "test_mail",
  "topic_choice",
  "webhook_payload",
]

/** A condition on deliveries `d`: those of the contact, and those to its addresses that name no contact any more, or never did. */
const erasedOnes = (
  sql: PgClient.PgClient,
  ids: ReturnType<typeof texts>,
  known: IdentifierPatterns,
) => sql`(d.contact_id = any(${ids}::uuid[])
  or (d.contact_deleted or d.contact_id is null) and d.email_normalized = any(${texts(known.emails)}::text[]))`

/** The content of single messages, before their deliveries lose the address. The rows stay: they are counted. */
const eraseMessages = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  contacts: ReturnType<typeof texts>,
  known: IdentifierPatterns,
) {
  const rows = yield* sql<{ readonly delivery_id: string }>`
    select d.delivery_id from delivery d
    where d.workspace_id = ${workspace} and d.message is not null and ${erasedOnes(sql, contacts, known)}`
  if (rows.length === 0) return
  const ids = texts(rows.map(({ delivery_id }) => delivery_id))
  yield* sql`
    delete from email_message_content where workspace_id = ${workspace} and delivery_id = any(${ids}::uuid[])`
  yield* sql`
    delete from email_message_file where workspace_id = ${workspace} and delivery_id = any(${ids}::uuid[])`
  yield* sql`
    delete from email_message_tag where workspace_id = ${workspace} and delivery_id = any(${ids}::uuid[])`
  yield* sql`
    update email_message set to_name = null, subject = '', preview_text = null, headers = '[]', attachments = '[]',
      client_item_id = null
    where workspace_id = ${workspace} and delivery_id = any(${ids}::uuid[])`
})

const erase = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  contact: ContactId,
  known: IdentifierPatterns,
) {
  yield* requireIdle(sql, workspace, contact)
  const ids = yield* idsOf(sql, workspace, contact)
  // Without identifiers, a pattern that never matches.
  const pattern = patternOf(known) ?? "(?!)"
  const mine = sql`workspace_id = ${workspace} and contact_id = any(${ids}::uuid[])`
  // Deliveries of the contact, and those of deleted contacts that had the same address.
  yield* sql`
    with ended as (
      delete from delivery_queue q using delivery d
      where q.workspace_id = ${workspace} and q.state = 'queued' and d.workspace_id = ${workspace}
        and d.delivery_id = q.delivery_id and ${erasedOnes(sql, ids, known)}
      returning q.delivery_id
    ),
    blocked as (
      update delivery d set state = 'blocked', reason = 'contact_deleted'
      where d.workspace_id = ${workspace} and d.delivery_id = any(array(select delivery_id from ended))
      returning ${sql.literal(countedColumns())}
    ),
    ${yield* countChange(sql, workspace, changeFromQueued("blocked"))}
    select from blocked limit 1`
  yield* sql`
    update delivery_queue set email_normalized = null
    where workspace_id = ${workspace} and email_normalized = any(${texts(known.emails)}::text[])`
  yield* eraseMessages(sql, workspace, ids, known)
  // Their recipient domain is unknown from now on.
  yield* sql`
    with was as materialized (
      select ${sql.literal(countedColumns())} from delivery d
      where d.workspace_id = ${workspace} and ${erasedOnes(sql, ids, known)}
      order by d.delivery_id for update
    ),
    erased as (
      update delivery d set email = null, email_normalized = null, display_name = null, display_name_folded = null,
        smtp_reply = null, clicked_url = null, contact_deleted = true,
        message = case when message is not null then '{"tags": {}, "metadata": {}}'::jsonb end
      where d.workspace_id = ${workspace} and d.delivery_id = any(array(select delivery_id from was))
      returning ${sql.literal(countedColumns())}
    ),
    ${yield* countChange(sql, workspace, { ...changeBetween("was", "erased"), readdresses: true })}
    select from erased limit 1`
  yield* sql`
    delete from form_submission where workspace_id = ${workspace} and (contact_id = any(${ids}::uuid[]) or lower(fields::text) ~ ${pattern})`
  yield* sql`
    update import_row set contact_id = null, record = null, field_issues = '[]'
    where workspace_id = ${workspace}
      and (contact_id = any(${ids}::uuid[]) or lower(record::text) ~ ${pattern} or lower(field_issues::text) ~ ${pattern})`
  yield* sql`
    delete from test_mail where workspace_id = ${workspace}
      and (contact_id = any(${ids}::uuid[]) or address_normalized = any(${texts(known.emails)}::text[]))`
  yield* sql`
    delete from outbox_event where workspace_id = ${workspace} and (contact_id = any(${ids}::uuid[]) or lower(data::text) ~ ${pattern})`
  yield* sql`
    delete from suppression where workspace_id = ${workspace} and email_normalized = any(${texts(known.emails)}::text[])`
  yield* eraseFromWebhooks(sql, workspace, ids, pattern)
  // Those that have expired, and whose contact was deleted then.
  yield* sql`
    delete from subscription_request
    where workspace_id = ${workspace} and contact_id is null and email_normalized = any(${texts(known.emails)}::text[])`
  yield* deleteMembershipsOfContact(sql, workspace, contact)
  for (const table of yield* tables(sql, "contact_id")) {
    if (!handled.includes(table)) yield* sql`delete from ${sql(table)} where ${mine}`
  }
  const exports = yield* sql<Erased["exports"][number]>`
    delete from export where workspace_id = ${workspace} and status = 'completed'
    returning export_id as id, case when of_consent then 'consent' when list_id is null then 'blast' else 'list' end as kind`
  return { exports } satisfies Erased
})

/** Longer than uploaded files are retained. */
const files_retained_days = 3

const importedFiles = (sql: PgClient.PgClient, workspace: WorkspaceId) => sql<ImportedFile>`
  select s.import_session_id as "sessionId", s.source, s.blob_key as "blobKey", case when r.import_run_id is not null then
    jsonb_build_object('id', r.import_run_id, 'status', r.status) end as run
  from import_session s
  left join import_run r on r.workspace_id = ${workspace} and r.import_session_id = s.import_session_id
  where s.workspace_id = ${workspace} and s.created_at > now() - make_interval(days => ${files_retained_days})
  order by s.import_session_id`

export const layer = Layer.effect(
  PrivacyStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const long = yield* LongReads
    const { within } = yield* Reads
    return PrivacyStore.of({
      rowsOf: (workspace, contact) => within(workspace, rowsOf(sql, workspace, contact)),
      identifierPatterns: (workspace, contact) => within(workspace, traces(sql, workspace, contact)),
      importedFiles: (workspace) => within(workspace, importedFiles(sql, workspace)),
      erase: (workspace, contact, known) => fencedWrites(sql)(workspace, erase(sql, workspace, contact, known)),
      rows: (workspace) =>
        Stream.fromIterableEffect(long.read(workspace, (client) => tables(client, "workspace_id"))).pipe(
          Stream.flatMap((table) =>
            readThrough(
              long,
              workspace,
              (client) =>
                Effect.succeed(
                  client`select to_jsonb(t) as row from ${client(table)} t where workspace_id = ${workspace}`,
                ),
              ({ row }: JsonRow): StoredRow => ({ table, row: shown(row) }),
            ),
          ),
        ),
    })
  }),
)
