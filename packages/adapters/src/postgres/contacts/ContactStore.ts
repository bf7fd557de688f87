// `ContactStore` on PostgreSQL: contacts and their timelines.
import type { PgClient } from "@effect/sql-pg"
import type { Identities } from "@tentpole/core/contacts/batch/Batch"
import type { Contact } from "@tentpole/core/contacts/Contact"
import { contactNotFound } from "@tentpole/core/contacts/ContactErrors"
import { type ContactQuery, ContactStore } from "@tentpole/core/contacts/ContactStore"
import type { ContactId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import { advisoryLock } from "../kernel/AdvisoryLocks.ts"
import { texts } from "../kernel/Arrays.ts"
import { mergedContacts } from "./ContactMerge.ts"
import { lockForDeletion } from "./ContactDeletion.ts"
import { contactSortKeys, contactsWhere, countedPage, searchIn } from "./ContactPages.ts"
import { contactColumns, type ContactRow, toContact } from "./ContactRows.ts"
import { writeContacts } from "./ContactWrites.ts"
import { timelineOf } from "./Timeline.ts"
import { storedContactCount } from "../lists/StoredCounts.ts"
import { storeLayer } from "../StoreLayer.ts"

/** Contacts by id, in the caller's fence. Deleted contacts are missing from the map. */
export const contactsById = (sql: PgClient.PgClient, workspace: WorkspaceId, ids: ReadonlyArray<ContactId>) =>
  Effect.map(
    sql<ContactRow>`
      select ${sql.literal(contactColumns)} from contact c
      where c.workspace_id = ${workspace} and c.contact_id = any(${texts(ids)}::uuid[])`,
    (rows): ReadonlyMap<ContactId, Contact> => new Map(rows.map((row) => [row.id, toContact(row)])),
  )

type ContactKeys = Identities & { readonly ids?: ReadonlyArray<ContactId> }

const isEmpty = ({ emails, phones, ids = [] }: ContactKeys): boolean => emails.length + phones.length + ids.length === 0

/**
 * The ids of the matching contacts. Uses joins: under a prepared plan, an array in a condition is compared element by
 * element.
 */
const matching = (sql: PgClient.PgClient, workspace: WorkspaceId, { emails, phones, ids = [] }: ContactKeys) => sql`
  select e.contact_id from unnest(${texts(emails)}) as wanted (email)
  join contact e on e.workspace_id = ${workspace} and e.email_normalized = wanted.email
  union
  select p.contact_id from unnest(${texts(phones)}) as wanted (phone)
  join contact p on p.workspace_id = ${workspace} and p.phone = wanted.phone
  union
  select wanted.id from unnest(${texts(ids)}::uuid[]) as wanted (id)`

/**
 * A batch may contain thousands of identities, most of them without a row that could be locked. Each identity falls into one
 * of the workspace's 64 buckets, and the buckets are locked in order. A transaction uses at most 64 entries of the server's
 * lock table, cannot deadlock, and small batches rarely wait for each other. A second statement locks the rows in the order of
 * their ids: it sees what the previous owner of the buckets has committed.
 */
const lockByKeys = Effect.fnUntraced(function* (sql: PgClient.PgClient, workspace: WorkspaceId, keys: ContactKeys) {
  const identities = [...keys.emails, ...keys.phones]
  if (identities.length > 0) {
    yield* sql`
      select ${advisoryLock(sql, "contact_identities", sql`${workspace}::text || ' ' || bucket`)}
      from (
        select distinct hashtextextended(identity, 0) & 63 as bucket from unnest(${texts(identities)}) as identity order by 1
      ) as buckets`
  }
  return yield* sql<ContactRow>`
    select ${sql.literal(contactColumns)}
    from (${matching(sql, workspace, keys)}) as matching
    join contact c on c.workspace_id = ${workspace} and c.contact_id = matching.contact_id
    order by c.contact_id for no key update of c`
})

/** Whether a query selects all contacts, whose count is stored. */
const isUnfiltered = ({ search, updatedAfter }: ContactQuery): boolean => search === null && updatedAfter === null

export const layer = storeLayer(ContactStore, ({ sql, write, quick, long, writer }) => {
  const columns = sql.literal(contactColumns)
  const findMerged: ContactStore["Service"]["findMerged"] = (workspace, ids) =>
    quick.read(workspace, (client) => mergedContacts(client, workspace, ids))
  const missing = (workspace: WorkspaceId, id: ContactId) =>
    Effect.flatMap(findMerged(workspace, [id]), (merged) => contactNotFound(merged.get(id) ?? null))

  return {
    get: (workspace, id) =>
      quick
        .read(
          workspace,
          (client) => client<ContactRow>`
            select ${columns} from contact c where c.workspace_id = ${workspace} and c.contact_id = ${id}`,
        )
        .pipe(Effect.flatMap(([row]) => (row === undefined ? missing(workspace, id) : Effect.succeed(toContact(row))))),
    findMerged,
    findByIdentity: (workspace, identities) =>
      isEmpty(identities)
        ? Effect.succeed([])
        : quick
            .read(
              workspace,
              (client) => client<ContactRow>`
                select ${columns} from (${matching(client, workspace, identities)}) as matching
                join contact c on c.workspace_id = ${workspace} and c.contact_id = matching.contact_id`,
            )
            .pipe(Effect.map((rows) => rows.map(toContact))),
    lock: (workspace, keys) =>
      isEmpty(keys)
        ? Effect.succeed([])
        : Effect.map(write(workspace, lockByKeys(sql, workspace, keys)), (rows) => rows.map(toContact)),
    lockForDeletion: (workspace, ids) =>
      ids.length === 0
        ? Effect.succeed([])
        : write(
            workspace,
            Effect.andThen(
              lockForDeletion(sql, workspace, ids),
              Effect.map(contactsById(sql, workspace, ids), (found) => [...found.values()]),
            ),
          ),
    apply: (workspace, change) =>
      write(workspace, Effect.andThen(writeContacts(sql, workspace, change), writer.writeEffects(workspace, [change]))),
    list: (workspace, query) =>
      countedPage({ quick, long }, workspace, {
        selection: (client) => {
          const after = query.updatedAfter && DateTime.formatIso(query.updatedAfter)
          const isLater = after === null ? null : client`c.updated_at > ${after}::timestamptz`
          return Effect.succeed(contactsWhere(client, workspace, searchIn(client, query.search), isLater))
        },
        ordered: { ...query, key: contactSortKeys[query.sort] },
        total: isUnfiltered(query) ? storedContactCount(workspace) : null,
      }).pipe(Effect.map(({ items, total }) => ({ items: items.map(({ contact }) => contact), total }))),
    count: (workspace) => quick.read(workspace, storedContactCount(workspace)),
    activities: (workspace, id, query) =>
      quick
        .read(workspace, (client) => timelineOf(client, workspace, id, query))
        .pipe(Effect.catchTag("NotFound", () => missing(workspace, id))),
  }
})
