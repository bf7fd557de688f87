// `SearchStore` on PostgreSQL: one statement for all types. Its work has a limit whatever a workspace has: the newest names of a type
// are read along an index, and contacts are five index entries for each of their names.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import {
  names_max,
  results_of_type_max,
  type SearchedType,
  type SearchResult,
} from "@tentpole/core/operations/search/Search"
import { SearchStore } from "@tentpole/core/operations/search/SearchStore"
import { storeLayer } from "../StoreLayer.ts"

type Sql = PgClient.PgClient

interface Named {
  readonly type: Exclude<SearchedType, "contact">
  readonly table: string
  readonly key: string
  readonly detail: string
  readonly where?: string
}

const named: ReadonlyArray<Named> = [
  { type: "list", table: "list", key: "list_id", detail: "kind", where: "owner_blast_id is null" },
  { type: "email", table: "email", key: "email_id", detail: "status" },
  { type: "blast", table: "blast", key: "blast_id", detail: "status", where: "purpose = 'blast'" },
  { type: "flow", table: "flow", key: "flow_id", detail: "status" },
  { type: "tent", table: "tent", key: "tent_id", detail: "status" },
  { type: "email_template", table: "email_template", key: "template_id", detail: "status" },
  { type: "tent_template", table: "tent_template", key: "template_id", detail: "status" },
]

const namesWith = (sql: Sql, workspace: WorkspaceId, folded: string, { detail, key, table, type, where }: Named) => sql`
  (select ${sql.literal(`'${type}'`)} as type, n.id, n.name, n.detail
  from (
    select t.${sql.literal(key)} as id, t.name, t.name_folded, t.${sql.literal(detail)} as detail
    from ${sql.literal(table)} t
    where t.workspace_id = ${workspace} and ${sql.literal(where === undefined ? "true" : `t.${where}`)}
    order by t.created_at desc limit ${names_max}
  ) as n
  where strpos(n.name_folded, ${folded}) > 0
  order by strpos(n.name_folded, ${folded}) > 1, n.name_folded, n.id limit ${results_of_type_max})`

/** Each has an index that begins with the workspace and this column. */
const prefixed = ["email_normalized", "display_name_folded", "first_name_folded", "last_name_folded"]

/** The last code point: greater than what follows the text in any name. */
const last = "\u{10ffff}"

const contactsBy = (sql: Sql, workspace: WorkspaceId, folded: string, column: string) => {
  const at = sql.literal(`c.${column}`)
  return sql`
    (select c.contact_id from fenced_contact c
    where c.workspace_id = ${workspace} and ${at} >= ${folded} and ${at} < ${`${folded}${last}`}
    order by ${at}, c.contact_id limit ${results_of_type_max})`
}

const contactsWith = (sql: Sql, workspace: WorkspaceId, folded: string) => sql`
  select 'contact' as type, c.contact_id as id,
    coalesce(c.display_name, nullif(concat_ws(' ', c.first_name, c.last_name), ''), c.email, c.phone) as name,
    coalesce(c.email, c.phone) as detail
  from (${sql.join(" union ", false)(prefixed.map((column) => contactsBy(sql, workspace, folded, column)))}) as found
  join contact c on c.workspace_id = ${workspace} and c.contact_id = found.contact_id`

const find = (sql: Sql, workspace: WorkspaceId, folded: string) => sql<SearchResult>`
  ${contactsWith(sql, workspace, folded)}
  union all
  ${sql.join(" union all ", false)(named.map((each) => namesWith(sql, workspace, folded, each)))}`

/** A long read: a workspace that searches without a pause waits for its turn. */
export const layer = storeLayer(SearchStore, ({ long }) => ({
  list: (workspace, folded) => long.read(workspace, (sql) => find(sql, workspace, folded)),
}))
