// Pages of contacts in any order, of whichever selection: a workspace's, a segment's, a list's. A page is first found as ids,
// where an index alone can do it, and only its own rows are fetched: page 10,000 costs a walk along an index.
import type { PgClient } from "@effect/sql-pg"
import type { ContactSort } from "@tentpole/core/contacts/ContactStore"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { PageRequest } from "@tentpole/core/kernel/Page"
import { fold } from "@tentpole/core/kernel/Text"
import { Effect } from "effect"
import type { SqlError, Statement } from "effect/sql"
import { contactColumns, type ContactRow } from "./ContactRows.ts"
import type { KeptCount } from "../lists/StoredCounts.ts"
import { containing } from "../kernel/Like.ts"
import type { LongReads, Reads } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient
type Fragment = Statement.Fragment

/** Contacts under the alias `c` of `fenced_contact`. */
export interface Selection {
  readonly from: Fragment
  readonly where: Fragment
  /** When each was added to the list that is asked; null where nobody was. */
  readonly addedAt: Fragment
}

interface SortKey {
  readonly column: string
  /** Whether there can be none: those stand last in both orders. */
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

type PagedRow = ContactRow & { readonly added_at: Date | null }

/** Whether an order has its nulls at the end at which an index has them, if there are any. */
const indexHasNullsLast = ({ key, order }: Ordered): boolean => order === "asc" || !key.nullable || !key.indexed

/** Ties stand by id, ascending in both orders. */
export const contactPage = (sql: Sql, workspace: WorkspaceId, selection: Selection, ordered: Ordered) => {
  // What the first page needs is fetched while it is found: to go back for it would cost more than it saves.
  if (ordered.page === 1 && indexHasNullsLast(ordered)) {
    return sql<PagedRow>`
      select ${sql.literal(contactColumns)}, ${selection.addedAt} as added_at
      from ${selection.from} where ${selection.where} ${inOrder(sql, ordered)} limit ${ordered.limit}`
  }
  const order = sql.literal(ordered.order)
  return sql<PagedRow>`
    with page as (${pageIds(sql, selection, ordered)})
    select ${sql.literal(contactColumns)}, page.added_at
    from page join contact c on c.workspace_id = ${workspace} and c.contact_id = page.contact_id
    order by page.key ${order} nulls last, c.contact_id`
}

const inOrder = (sql: Sql, { key, order }: Ordered): Fragment =>
  sql.literal(`order by ${key.column} ${order}${key.nullable ? " nulls last" : ""}, c.contact_id`)

/**
 * An index has its nulls at one end, and which one turns with the direction. So whoever has no key is asked for apart when
 * an index is walked backwards: either half of the question then follows the index.
 */
const pageIds = (sql: Sql, selection: Selection, ordered: Ordered): Fragment => {
  const { key, page, limit } = ordered
  const column = sql.literal(key.column)
  const offset = (page - 1) * limit
  const ids = sql`select c.contact_id, ${column} as key, ${selection.addedAt} as added_at
    from ${selection.from} where ${selection.where}`
  if (indexHasNullsLast(ordered)) return sql`${ids} ${inOrder(sql, ordered)} limit ${limit} offset ${offset}`
  return sql`
    select contact_id, key, added_at from (
      (${ids} and ${column} is not null order by ${column} desc, c.contact_id limit ${offset + limit})
      union all
      (${ids} and ${column} is null order by ${column}, c.contact_id limit ${offset + limit})
    ) as either
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
 * A page, and how many there are in all, asked for at once. `total` is a count that is kept, if there is one; else all are
 * counted, by a long read, which keeps nobody waiting.
 */
export const countedPage = (
  { quick, long }: Readers,
  workspace: WorkspaceId,
  ask: {
    readonly selection: (sql: Sql) => Effect.Effect<Selection, SqlError.SqlError>
    /** The same, as it is counted best; `selection` if there is none. */
    readonly counting?: (sql: Sql) => Effect.Effect<Pick<Selection, "from" | "where">, SqlError.SqlError>
    readonly ordered: Ordered
    readonly total: KeptCount | null
  },
) =>
  Effect.all(
    {
      rows: quick.read(workspace, (client) =>
        Effect.flatMap(ask.selection(client), (selection) => contactPage(client, workspace, selection, ask.ordered)),
      ),
      total:
        ask.total === null
          ? long.read(workspace, (client) =>
              Effect.flatMap((ask.counting ?? ask.selection)(client), (counted) => countSelection(client, counted)),
            )
          : quick.read(workspace, ask.total),
    },
    { concurrency: 2 },
  )

/** What a search of contacts looks through. */
export const searchedColumns = [
  "display_name_folded",
  "first_name_folded",
  "last_name_folded",
  "email_folded",
  "phone",
  "company_folded",
]

/** A literal substring of one of these columns, compared folded. */
export const searchIn = (sql: Sql, columns: ReadonlyArray<string>, search: string): Fragment =>
  sql.or(columns.map((column) => containing(sql, sql.literal(`c.${column}`), fold(search))))
