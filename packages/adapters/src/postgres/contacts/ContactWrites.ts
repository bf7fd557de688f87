// The rows of a contacts change. The number of statements does not depend on its size: a few for deletes, one each for
// updates, inserts and timelines. Other rooms call `writeContacts` in their transaction, and write the effects of the change.
import type { PgClient } from "@effect/sql-pg"
import { type Activity, ownActivityTypes } from "@tentpole/core/contacts/Activity"
import { type Contact, type CustomValue, isTags } from "@tentpole/core/contacts/Contact"
import { type StandardField, standardFields } from "@tentpole/core/contacts/ContactFields"
import type { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import { IdentityTaken } from "@tentpole/core/contacts/ContactStore"
import { foldTags } from "@tentpole/core/contacts/values/Tags"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { countsOfContacts } from "@tentpole/core/figures/DayFigures"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import { addDayCounts } from "../figures/DayFigures.ts"
import { booleans, floats, texts } from "../kernel/Arrays.ts"
import { homeOf } from "../citus/Home.ts"
import { deleteContacts } from "./ContactDeletion.ts"
import { assignedColumns, numberValues } from "./NumberColumns.ts"
import { moveContactCount } from "../lists/StoredCounts.ts"
import { moveUnsubscribed } from "../topics/TopicCounts.ts"

/**
 * Writes the rows of a change in the caller's fence and transaction. Fails with `IdentityTaken` when the change was decided without
 * `lock`; the transaction must then be rolled back.
 */
export const writeContacts = (sql: PgClient.PgClient, workspace: WorkspaceId, change: ContactsChange) =>
  Effect.gen(function* () {
    yield* deleteContacts(sql, workspace, change.deletes)
    yield* parkMovedIdentities(sql, workspace, change)
    yield* updateContacts(sql, workspace, change.updates)
    yield* insertContacts(sql, workspace, change.creates)
    yield* writeActivities(sql, workspace, change.activities)
    yield* liftSuppressions(sql, workspace, change.resubscribed)
  }).pipe(
    Effect.catchReason(
      "SqlError",
      "UniqueViolation",
      () => Effect.fail(new IdentityTaken()),
      (_, error) => Effect.fail(error),
    ),
  )

/**
 * Adds activities to timelines, and moves `last_activity_at` by the contact's own ones, in the caller's fence and transaction.
 * Activities of deleted contacts are skipped.
 */
export const writeActivities = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  activities: ReadonlyArray<Activity>,
) {
  if (activities.length === 0) return
  yield* sql`
    insert into activity (workspace_id, contact_id, at, type, metadata)
    select ${workspace}, added.contact_id, added.at, added.type, added.metadata
    from unnest(${texts(activities.map((activity) => activity.contactId))}::uuid[],
      ${texts(activities.map((activity) => DateTime.formatIso(activity.at)))}::timestamptz[],
      ${texts(activities.map((activity) => activity.type))}::text[],
      ${texts(activities.map((activity) => JSON.stringify(activity.metadata)))}::jsonb[])
      with ordinality as added (contact_id, at, type, metadata, nth)
    -- one index lookup for each activity, whatever the table statistics are
    cross join lateral (
      select from contact c where c.workspace_id = ${workspace} and c.contact_id = added.contact_id limit 1) as found
    order by added.nth
    returning 1`
  const own = activities.filter((activity) => ownActivityTypes.has(activity.type))
  if (own.length === 0) return
  yield* sql`
    update contact c set last_activity_at = greatest(c.last_activity_at, u.at)
    from (
      select contact_id, max(at) as at from unnest(${texts(own.map((activity) => activity.contactId))}::uuid[],
        ${texts(own.map((activity) => DateTime.formatIso(activity.at)))}::timestamptz[]) as each (contact_id, at)
      group by contact_id
    ) as u
    where c.workspace_id = ${workspace} and c.contact_id = u.contact_id`
})

/** A column of `contact` and how to build an array of its values for many contacts. */
interface Column {
  readonly name: string
  readonly type: string
  /** The source of the value: while it is identical, the value has not changed. */
  readonly of: (contact: Contact) => unknown
  readonly values: (contacts: ReadonlyArray<Contact>) => ReturnType<typeof texts>
}

const column = (
  name: string,
  type: string,
  write: (contact: Contact) => string | null,
  of: Column["of"] = write,
): Column => ({ name, type, of, values: (contacts) => texts(contacts.map(write)) })

/** A text column and its folded twin. */
const folded = (name: string, of: (contact: Contact) => string | null): ReadonlyArray<Column> => [
  column(name, "text", of),
  column(
    `${name}_folded`,
    "text",
    (contact) => {
      const text = of(contact)
      return text === null ? null : fold(text)
    },
    of,
  ),
]

/** Custom fields for comparison by equality. Numbers are left out: they are compared in their own columns. */
const foldedFields = (contact: Contact): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(contact.customFields).flatMap(([name, value]) =>
        typeof value === "number" ? [] : [[name, foldedValue(value)]],
      ),
    ),
  )

const foldedValue = (value: Exclude<CustomValue, number>) => {
  if (isTags(value)) return foldTags(value)
  return typeof value === "string" ? fold(value) : value
}

const customFieldsOf = (contact: Contact): unknown => contact.customFields

const idColumn = column("contact_id", "uuid", (contact) => contact.id)

const columnsOf = (field: StandardField): ReadonlyArray<Column> => {
  switch (field.kind) {
    case "text":
    case "email":
      return folded(field.apiName, (contact) => contact[field.key])
    case "phone":
      return [column("phone", "text", (contact) => contact.phone)]
    case "number": {
      const of = (contact: Contact) => contact[field.key]
      return [{ name: field.apiName, type: "double precision", of, values: (contacts) => floats(contacts.map(of)) }]
    }
    case "boolean": {
      const of = (contact: Contact) => contact[field.key]
      return [{ name: field.apiName, type: "boolean", of, values: (contacts) => booleans(contacts.map(of)) }]
    }
    case "instant":
      return []
  }
}

/** The columns that an update writes. `created_at` and `last_activity_at` are never part of a change. */
const updatedColumns: ReadonlyArray<Column> = [
  ...standardFields.flatMap(columnsOf),
  column("email_normalized", "text", (contact) => contact.emailNormalized),
  column("custom_fields", "jsonb", (contact) => JSON.stringify(contact.customFields), customFieldsOf),
  column("custom_fields_folded", "jsonb", foldedFields, customFieldsOf),
  column("updated_at", "timestamptz", (contact) => DateTime.formatIso(contact.updatedAt)),
]

const insertedColumns = [
  idColumn,
  ...updatedColumns,
  column("created_at", "timestamptz", (contact) => DateTime.formatIso(contact.createdAt)),
]

const names = (columns: ReadonlyArray<{ readonly name: string }>): string => columns.map(({ name }) => name).join(", ")
const numbers = numberValues.map(({ value }) => value).join(", ")

/**
 * The parts of a WITH that insert the contacts. The workspace's field columns are read once for all of them. `end`: of the INSERT. A
 * distributed database refuses the INSERT as the main statement of a WITH that also writes to other tables.
 */
const insertOf = (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  columns: ReadonlyArray<Column>,
  contacts: ReadonlyArray<Contact>,
  end: Statement.Fragment,
) => sql`
  assigned as materialized (select names, types from ${assignedColumns(sql, workspace)}),
  written as (
    insert into contact as c (workspace_id, ${sql.literal(names([...columns, ...numberValues]))})
    select home.workspace_id, u.*, ${sql.literal(numbers)} from ${homeOf(sql, workspace)}
    cross join assigned cross join unnest(${sql.csv(
      columns.map(({ type, values }) => sql`${values(contacts)}::${sql.literal(type)}[]`),
    )}) as u (${sql.literal(names(columns))})
    ${end})`

/** Columns that every upsert carries, also when they are unchanged. */
const requiredColumns = new Set([
  "contact_id",
  "email",
  "email_folded",
  "email_normalized",
  "phone",
  "unsubscribed",
  "marketing_email_invalid",
  "custom_fields",
  "custom_fields_folded",
  "updated_at",
  "created_at",
])

/**
 * Updates only columns that change for at least one contact. It is an upsert: each contact is found by its primary key
 * whatever the statistics are. An update from a list is a join, which may read all contacts.
 */
const updateContacts = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  updates: ContactsChange["updates"],
) {
  if (updates.length === 0) return
  const isChanged = ({ of }: Column): boolean => updates.some(({ before, after }) => of(before) !== of(after))
  const columns = insertedColumns.filter((each) => requiredColumns.has(each.name) || isChanged(each))
  const assigned = [...columns.filter((each) => updatedColumns.includes(each)), ...numberValues]
  const contacts = updates.map(({ after }) => after)
  const flipped = (to: boolean) =>
    updates.flatMap(({ after, before }) => (before.unsubscribed !== to && after.unsubscribed === to ? [after.id] : []))
  yield* moveUnsubscribed(sql, workspace, { left: flipped(true), returned: flipped(false) })
  const counts = countsOfContacts({ updates })
  const counted = counts.length === 0 ? sql`` : sql`, counted as (${yield* addDayCounts(sql, workspace, counts)})`
  const end = sql`
    on conflict (workspace_id, contact_id) do update
      set ${sql.literal(assigned.map(({ name }) => `${name} = excluded.${name}`).join(", "))}
    returning c.xmax = 0 as missing`
  const rows = yield* sql<{ readonly missing: boolean }>`
    with ${insertOf(sql, workspace, columns, contacts, end)}${counted}
    select missing from written`
  const missing_count = rows.filter(({ missing }) => missing).length
  if (missing_count > 0) return yield* Effect.die(`${missing_count} contacts of a change are deleted: lock them first`)
})

const insertContacts = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  creates: ReadonlyArray<Contact>,
) {
  if (creates.length === 0) return
  const moved = yield* moveContactCount(sql, workspace, {
    contacts: creates.length,
    unsubscribed: creates.filter(({ unsubscribed }) => unsubscribed).length,
  })
  const counted = yield* addDayCounts(sql, workspace, countsOfContacts({ creates }))
  yield* sql`
    with ${insertOf(sql, workspace, insertedColumns, creates, sql`returning 1`)}, moved as (${moved}), counted as (${counted})
    select count(*) from written`
})

const liftSuppressions = (sql: PgClient.PgClient, workspace: WorkspaceId, emails: ReadonlyArray<string>) =>
  emails.length === 0
    ? Effect.void
    : sql`
        delete from suppression
        where workspace_id = ${workspace} and reason = 'unsubscribe' and email_normalized = any(${texts(emails)})`

/**
 * Unique keys are checked after each row. When an email or phone moves from one contact to another within a change, the
 * previous owner first gets a temporary value that no contact can have.
 */
const parkMovedIdentities = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  { updates }: ContactsChange,
) {
  const previousOwners = (key: "emailNormalized" | "phone"): ReadonlyArray<string> => {
    const taken = new Set(updates.flatMap(({ before, after }) => (before[key] === after[key] ? [] : [after[key]])))
    return updates.flatMap(({ before, after }) =>
      before[key] !== null && before[key] !== after[key] && taken.has(before[key]) ? [before.id] : [],
    )
  }
  const [emails, phones] = [previousOwners("emailNormalized"), previousOwners("phone")]
  if (emails.length + phones.length === 0) return
  yield* sql`
    update contact c set
      email_normalized = case when c.contact_id = any(${texts(emails)}::uuid[]) then 'parked ' || c.contact_id
        else c.email_normalized end,
      phone = case when c.contact_id = any(${texts(phones)}::uuid[]) then 'parked ' || c.contact_id else c.phone end
    where c.workspace_id = ${workspace} and c.contact_id = any(${texts([...emails, ...phones])}::uuid[])`
})
