// Contacts and their timelines on PostgreSQL: reading, locking, and listings by page.
import { PgClient } from "@effect/sql-pg"
import type { ActivityType } from "@tentpole/core/contacts/Activity"
import type { Identities } from "@tentpole/core/contacts/Batch"
import type { Contact } from "@tentpole/core/contacts/Contact"
import {
  type ContactQuery,
  type ContactSort,
  ContactStore,
  type RecordedActivity,
} from "@tentpole/core/contacts/ContactStore"
import { ContactId, type WorkspaceId } from "@tentpole/core/Ids"
import type { PageRequest } from "@tentpole/core/Page"
import { NotFound } from "@tentpole/core/Refusal"
import { fold } from "@tentpole/core/Text"
import { Transaction } from "@tentpole/core/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { texts } from "./Arrays.ts"
import { lockForDeletion } from "./ContactDeletion.ts"
import { writeContacts } from "./ContactsChange.ts"
import { fenced } from "./Postgres.ts"

export interface ContactRow {
  readonly contact_id: string
  readonly display_name: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly company: string | null
  readonly job_title: string | null
  readonly email: string | null
  readonly email_normalized: string | null
  readonly phone: string | null
  readonly address: string | null
  readonly address2: string | null
  readonly city: string | null
  readonly state: string | null
  readonly zip_code: string | null
  readonly country: string | null
  readonly lead_status: string | null
  readonly lifecycle_stage: string | null
  readonly service_score: number | null
  readonly unsubscribed: boolean
  readonly marketing_email_subscribed: boolean | null
  readonly marketing_sms_subscribed: boolean | null
  readonly marketing_email_invalid: boolean
  readonly original_source: string | null
  readonly original_source_detail: string | null
  readonly custom_fields: Contact["customFields"]
  readonly created_at: Date
  readonly updated_at: Date
  readonly last_activity_at: Date | null
}

/** What `toContact` reads, of table `contact` under the alias `c`. */
export const contactColumns = `c.contact_id, c.display_name, c.first_name, c.last_name, c.company, c.job_title, c.email,
  c.email_normalized, c.phone, c.address, c.address2, c.city, c.state, c.zip_code, c.country, c.lead_status,
  c.lifecycle_stage, c.service_score, c.unsubscribed, c.marketing_email_subscribed, c.marketing_sms_subscribed,
  c.marketing_email_invalid, c.original_source, c.original_source_detail, c.custom_fields, c.created_at, c.updated_at,
  c.last_activity_at`

export const toContact = (row: ContactRow): Contact => ({
  id: ContactId.make(row.contact_id),
  displayName: row.display_name,
  firstName: row.first_name,
  lastName: row.last_name,
  company: row.company,
  jobTitle: row.job_title,
  email: row.email,
  emailNormalized: row.email_normalized,
  phone: row.phone,
  address: row.address,
  address2: row.address2,
  city: row.city,
  state: row.state,
  zipCode: row.zip_code,
  country: row.country,
  leadStatus: row.lead_status,
  lifecycleStage: row.lifecycle_stage,
  serviceScore: row.service_score,
  unsubscribed: row.unsubscribed,
  marketingEmailSubscribed: row.marketing_email_subscribed,
  marketingSmsSubscribed: row.marketing_sms_subscribed,
  marketingEmailInvalid: row.marketing_email_invalid,
  originalSource: row.original_source,
  originalSourceDetail: row.original_source_detail,
  customFields: row.custom_fields,
  createdAt: DateTime.makeUnsafe(row.created_at),
  updatedAt: DateTime.makeUnsafe(row.updated_at),
  lastActivityAt: row.last_activity_at === null ? null : DateTime.makeUnsafe(row.last_activity_at),
})

/** Contacts by id, within the caller's fence; those that are gone are missing. */
export const contactsById = (sql: PgClient.PgClient, workspace: WorkspaceId, ids: ReadonlyArray<ContactId>) =>
  Effect.map(
    sql<ContactRow>`
      select ${sql.literal(contactColumns)} from contact c
      where c.workspace_id = ${workspace} and c.contact_id = any(${texts(ids)}::uuid[])`,
    (rows): ReadonlyMap<ContactId, Contact> =>
      new Map(rows.map((row) => [ContactId.make(row.contact_id), toContact(row)])),
  )

type Whom = Identities & { readonly ids?: ReadonlyArray<ContactId> }

const isNobody = ({ emails, phones, ids = [] }: Whom): boolean => emails.length + phones.length + ids.length === 0

/**
 * The ids of everybody asked for. By joins: an array in a condition is compared element by element as soon as the plan is
 * a prepared one.
 */
const known = (sql: PgClient.PgClient, workspace: WorkspaceId, { emails, phones, ids = [] }: Whom) => sql`
  select e.contact_id from unnest(${texts(emails)}) as asked (email)
  join contact e on e.workspace_id = ${workspace} and e.email_normalized = asked.email
  union
  select p.contact_id from unnest(${texts(phones)}) as asked (phone)
  join contact p on p.workspace_id = ${workspace} and p.phone = asked.phone
  union
  select asked.id from unnest(${texts(ids)}::uuid[]) as asked (id)`

/**
 * A batch may bring thousands of identities, and most of them have no row yet that could be locked. So each falls into one
 * of 64 buckets of its workspace, and the buckets are locked, in order: at most 64 entries of the server's lock table a
 * transaction, never a circle, and small batches rarely wait for each other. The rows follow in order of their ids, by a
 * statement of its own, which sees what the last holder of the buckets has committed.
 */
const lockWhom = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, whom: Whom) {
  const identities = [...whom.emails, ...whom.phones]
  if (identities.length > 0) {
    yield* sql`
      select pg_advisory_xact_lock(hashtextextended(${`contact identities of ${workspace}`}, bucket))
      from (
        select distinct hashtextextended(identity, 0) & 63 as bucket from unnest(${texts(identities)}) as identity order by 1
      ) as buckets`
  }
  return yield* sql<ContactRow>`
    select ${sql.literal(contactColumns)}
    from (${known(sql, workspace, whom)}) as known
    join contact c on c.workspace_id = ${workspace} and c.contact_id = known.contact_id
    order by c.contact_id for no key update of c`
})

export const contactSortColumns: { readonly [Sort in ContactSort]: string } = {
  created_at: "c.created_at",
  updated_at: "c.updated_at",
  last_activity_at: "c.last_activity_at",
  display_name: "c.display_name_folded",
  first_name: "c.first_name_folded",
  last_name: "c.last_name_folded",
  normalized_email: "c.email_normalized",
  original_source: "c.original_source_folded",
}

const searched = [
  "display_name_folded",
  "first_name_folded",
  "last_name_folded",
  "email_folded",
  "phone",
  "company_folded",
]

const listed = (sql: PgClient.PgClient, workspace: WorkspaceId, { search, updatedAfter }: ContactQuery) =>
  sql.and([
    sql`c.workspace_id = ${workspace}`,
    ...(search === null
      ? []
      : [sql.or(searched.map((column) => sql`strpos(c.${sql.literal(column)}, ${fold(search)}) > 0`))]),
    ...(updatedAfter === null ? [] : [sql`c.updated_at > ${DateTime.formatIso(updatedAfter)}::timestamptz`]),
  ])

const pageOf = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, query: ContactQuery) {
  const matching = listed(sql, workspace, query)
  const [all] = yield* sql<{ total: number }>`select count(*)::int as total from contact c where ${matching}`
  const rows = yield* sql<ContactRow>`
    select ${sql.literal(contactColumns)} from contact c where ${matching}
    order by ${sql.literal(`${contactSortColumns[query.sort]} ${query.order}`)} nulls last, c.contact_id
    limit ${query.limit} offset ${(query.page - 1) * query.limit}`
  return { items: rows.map(toContact), total: all?.total ?? 0 }
})

interface ActivityRow {
  readonly activity_id: string
  readonly contact_id: string
  readonly type: ActivityType
  readonly at: Date
  readonly metadata: Readonly<Record<string, unknown>>
}

const toActivity = (row: ActivityRow): RecordedActivity => ({
  id: row.activity_id,
  contactId: ContactId.make(row.contact_id),
  type: row.type,
  at: DateTime.makeUnsafe(row.at),
  metadata: row.metadata,
})

const activitiesOf = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  id: ContactId,
  { page, limit, order }: PageRequest & { readonly order: "asc" | "desc" },
) {
  const [all] = yield* sql<{ total: number }>`
    select (select count(*)::int from activity a where a.workspace_id = ${workspace} and a.contact_id = ${id}) as total
    from contact c where c.workspace_id = ${workspace} and c.contact_id = ${id}`
  if (all === undefined) return yield* new NotFound({ resource: "contact" })
  const way = sql.literal(order)
  const rows = yield* sql<ActivityRow>`
    select a.activity_id, a.contact_id, a.type, a.at, a.metadata from activity a
    where a.workspace_id = ${workspace} and a.contact_id = ${id}
    order by a.at ${way}, a.activity_id ${way}
    limit ${limit} offset ${(page - 1) * limit}`
  return { items: rows.map(toActivity), total: all.total }
})

export const layer = Layer.effect(
  ContactStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const within = fenced(sql)
    const columns = sql.literal(contactColumns)
    return ContactStore.of({
      find: (workspace, id) =>
        within(
          workspace,
          sql<ContactRow>`
            select ${columns} from contact c where c.workspace_id = ${workspace} and c.contact_id = ${id}`,
        ).pipe(
          Effect.flatMap(([row]) =>
            row === undefined ? Effect.fail(new NotFound({ resource: "contact" })) : Effect.succeed(toContact(row)),
          ),
        ),
      findByIdentity: (workspace, identities) =>
        isNobody(identities)
          ? Effect.succeed([])
          : within(
              workspace,
              sql<ContactRow>`
                select ${columns} from (${known(sql, workspace, identities)}) as known
                join contact c on c.workspace_id = ${workspace} and c.contact_id = known.contact_id`,
            ).pipe(Effect.map((rows) => rows.map(toContact))),
      lock: (workspace, whom) =>
        Effect.andThen(
          Transaction,
          isNobody(whom)
            ? Effect.succeed([])
            : Effect.map(within(workspace, lockWhom(sql, workspace, whom)), (rows) => rows.map(toContact)),
        ),
      lockForDeletion: (workspace, ids) =>
        Effect.andThen(
          Transaction,
          ids.length === 0
            ? Effect.succeed([])
            : within(
                workspace,
                Effect.andThen(
                  lockForDeletion(sql, workspace, ids),
                  Effect.map(contactsById(sql, workspace, ids), (found) => [...found.values()]),
                ),
              ),
        ),
      apply: (workspace, change) =>
        Effect.andThen(Transaction, within(workspace, writeContacts(sql, workspace, change))),
      page: (workspace, query) => within(workspace, pageOf(sql, workspace, query)),
      count: (workspace) =>
        within(
          workspace,
          sql<{ total: number }>`select count(*)::int as total from contact where workspace_id = ${workspace}`,
        ).pipe(Effect.map(([row]) => row?.total ?? 0)),
      activities: (workspace, id, query) => within(workspace, activitiesOf(sql, workspace, id, query)),
    })
  }),
)
