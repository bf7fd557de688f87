// Pages of contacts of a workspace, segment or list, in any order. The ids of a page are found first, by an index alone where
// possible, and only the rows of the page are fetched: page 10,000 costs one index scan.
import type { PgClient } from "@effect/sql-pg"
import type { ContactSort } from "@tentpole/core/contacts/ContactStore"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { PageRequest } from "@tentpole/core/kernel/Page"
import { fold } from "@tentpole/core/kernel/Text"
import { Effect, Predicate } from "effect"
import type { SqlError, Statement } from "effect/sql"
import { contactColumns, type ContactRow, toContact } from "./ContactRows.ts"
import { instant } from "../kernel/Instants.ts"
import type { StoredCount } from "../lists/StoredCounts.ts"
import { containing } from "../kernel/Like.ts"
import type { LongReads, Reads } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient
type Fragment = Statement.Fragment

/** A selection of contacts, under the alias `c` of `fenced_contact`. */
export interface Selection {
  readonly from: Fragment
  readonly where: Fragment
  /** When each contact was added to the list; null outside lists. */
  readonly addedAt: Fragment
}

/** The contacts of the workspace that satisfy all conditions. Null is no condition. */
export const contactsWhere = (
  sql: Sql,
  workspace: WorkspaceId,
  ...conditions: ReadonlyArray<Fragment | null>
): Selection => ({
  from: sql.literal("fenced_contact c"),
  where: sql.and([sql`c.workspace_id = ${workspace}`, ...conditions.filter(Predicate.isNotNull)]),
  addedAt: sql.literal("null::timestamptz"),
})

interface SortKey {
  readonly column: string
  /** Whether the column can be null. Nulls are last in both orders. */
  readonly nullable: boolean
  readonly indexed: boolean
}

export const contactSortKeys: { readonly [Sort in ContactSort]: SortKey } = {
  created_at: { column: "c.created_at", nullable: false, indexed: true },
  updated_at: { column: "c.updated_at", nullable: false, indexed: true },
  last_activity_at: { column: "c.last_activity_at", nullable: true, indexed: false },
  display_name: { column: "c.display_name_folded", nullable: true, indexed: true },
  first_name: { column: "c.first_name_folded", nullable: true, indexed: true },
  last_name: { column: "c.last_name_folded", nullable: true, indexed: true },
  normalized_email: { column: "c.email_normalized", nullable: true, indexed: true },
  original_source: { column: "c.original_source_folded", nullable: true, indexed: false },
}

export interface Ordered extends PageRequest {
  readonly key: SortKey
  readonly order: "asc" | "desc"
}

type PagedRow = ContactRow & { readonly addedAt: Date | null }

/** Whether the index has its nulls where this order needs them, or the column has none. */
const indexHasNullsLast = ({ key, order }: Ordered): boolean => order === "asc" || !key.nullable || !key.indexed

/** Contacts with equal keys are ordered by id, ascending in both orders. */
export const contactPage = (sql: Sql, workspace: WorkspaceId, selection: Selection, ordered: Ordered) => {
  // The first page reads its columns directly: a second access to the rows would cost more than it saves.
  if (ordered.page === 1 && indexHasNullsLast(ordered)) {
    return sql<PagedRow>`
      select ${sql.literal(contactColumns)}, ${selection.addedAt} as "addedAt"
      from ${selection.from} where ${selection.where} ${orderBy(sql, ordered)} limit ${ordered.limit}`
  }
  const order = sql.literal(ordered.order)
  return sql<PagedRow>`
    with page as (${pageIds(sql, selection, ordered)})
    select ${sql.literal(contactColumns)}, page.added_at as "addedAt"
    from page join contact c on c.workspace_id = ${workspace} and c.contact_id = page.contact_id
    order by page.key ${order} nulls last, c.contact_id`
}

const orderBy = (sql: Sql, { key, order }: Ordered): Fragment =>
  sql.literal(`order by ${key.column} ${order}${key.nullable ? " nulls last" : ""}, c.contact_id`)

/**
 * An index has its nulls at one end, at the wrong one when it is scanned backwards. Rows without a key are then selected
 * separately, so that each half of the query follows the index.
 */
const pageIds = (sql: Sql, selection: Selection, ordered: Ordered): Fragment => {
  const { key, page, limit } = ordered
  const column = sql.literal(key.column)
  const offset = (page - 1) * limit
  const ids = sql`select c.contact_id, ${column} as key, ${selection.addedAt} as added_at
    from ${selection.from} where ${selection.where}`
  if (indexHasNullsLast(ordered)) return sql`${ids} ${orderBy(sql, ordered)} limit ${limit} offset ${offset}`
  return sql`
    select contact_id, key, added_at from (
      (${ids} and ${column} is not null order by ${column} desc, c.contact_id limit ${offset + limit})
      union all
      (${ids} and ${column} is null order by ${column}, c.contact_id limit ${offset + limit})
    ) as halves
    order by key desc nulls last, contact_id limit ${limit} offset ${offset}`
}

export const countSelection = (sql: Sql, { from, where }: Pick<Selection, "from" | "where">) =>
  Effect.map(
    sql<{ readonly total: number }>`select count(*)::int as total from ${from} where ${where}`,
    ([row]) => row?.total ?? 0,
  )

export interface Readers {
  readonly quick: Reads["Service"]
  readonly long: LongReads["Service"]
}

/**
 * A page and the total, read concurrently. `total` is a stored count where there is one. Otherwise a long read counts the
 * contacts without blocking quick reads.
 */
export const countedPage = (
  { quick, long }: Readers,
  workspace: WorkspaceId,
  request: {
    readonly selection: (sql: Sql) => Effect.Effect<Selection, SqlError.SqlError>
    /** A selection of the same contacts that is faster to count; `selection` when omitted. */
    readonly counting?: (sql: Sql) => Effect.Effect<Pick<Selection, "from" | "where">, SqlError.SqlError>
    readonly ordered: Ordered
    readonly total: StoredCount | null
  },
) =>
  Effect.all(
    {
      items: quick.read(workspace, (client) =>
        request.selection(client).pipe(
          Effect.flatMap((selection) => contactPage(client, workspace, selection, request.ordered)),
          Effect.map((rows) =>
            rows.map(({ addedAt, ...row }) => ({ contact: toContact(row), addedAt: instant(addedAt) })),
          ),
        ),
      ),
      total:
        request.total === null
          ? long.read(workspace, (client) =>
              Effect.flatMap((request.counting ?? request.selection)(client), (counted) =>
                countSelection(client, counted),
              ),
            )
          : quick.read(workspace, request.total),
    },
    { concurrency: 2 },
  )

/** The columns that a search of list members reads. */
export const searchedNames = ["display_name_folded", "first_name_folded", "last_name_folded", "email_folded"]

/** The columns that a search of contacts reads. */
const searchedColumns = [...searchedNames, "phone", "company_folded"]

/** Matches a literal substring of any of these columns, compared folded. Null without a search. */
export const searchIn = (sql: Sql, search: string | null, columns = searchedColumns): Fragment | null =>
  search === null ? null : sql.or(columns.map((column) => containing(sql, sql.literal(`c.${column}`), fold(search))))
