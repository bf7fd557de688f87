// Compares the results of imports in two workspaces, row for row, without ids and times.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import type { Inside } from "./Inside.ts"
import { Owner } from "./Owner.ts"

/** Identifies the contact of a row without its id. */
const person = "coalesce(c.email_normalized, c.phone)"

/** Selects all rows that an import writes into the workspace `$1`, as one column `content`. */
const parts = {
  contacts: `
    select to_jsonb(c) - array['workspace_id', 'contact_id', 'created_at', 'updated_at', 'last_activity_at'] as content
    from contact c where c.workspace_id = $1`,
  "list members": `
    select jsonb_build_array(l.name, ${person}) as content
    from list_member m join list l using (workspace_id, list_id) left join contact c using (workspace_id, contact_id)
    where m.workspace_id = $1`,
  lists: `select jsonb_build_array(l.name, l.kind, l.member_count) as content from list l where l.workspace_id = $1`,
  "counts of contacts": `
    select jsonb_build_array(sum(contacts)) as content from contact_tally where workspace_id = $1`,
  figures: `
    select jsonb_build_array(figure, detail, sum(count)) as content from figure_day
    where workspace_id = $1 group by figure, detail`,
  activities: `
    select jsonb_build_array(${person}, a.type, a.metadata - 'list_id') as content
    from activity a left join contact c using (workspace_id, contact_id) where a.workspace_id = $1`,
  "outbox events": `
    select jsonb_build_array(${person}, o.type, o.data - array['list_id', 'import_run_id'], l.name,
      row_number() over (partition by o.contact_id order by o.position)) as content
    from outbox_event o left join contact c using (workspace_id, contact_id)
    left join list l on l.workspace_id = o.workspace_id and l.list_id = (o.data->>'list_id')::uuid
    where o.workspace_id = $1`,
  runs: `
    select jsonb_build_array(r.turn, r.status, r.processed_rows, r.total_rows, r.created_count, r.updated_count,
      r.skipped_count, r.error_count, r.error) as content
    from (select *, row_number() over (order by created_at) as turn from import_run where workspace_id = $1) as r`,
  "results of rows": `
    select jsonb_build_array(r.turn, i.row_number, i.status, ${person}, i.field_issues, i.record) as content
    from import_row i
    join (select *, row_number() over (order by created_at) as turn from import_run where workspace_id = $1) as r
      using (workspace_id, import_run_id)
    left join contact c using (workspace_id, contact_id)
    where i.workspace_id = $1`,
} as const

const partNames = Object.keys(parts) as ReadonlyArray<keyof typeof parts>

const shown_max = 5

/** Rows of one workspace that the other has less often. */
const only = async (inside: Inside, part: string, workspace: WorkspaceId, other: WorkspaceId) => {
  const of = (parameter: string) => part.replaceAll("$1", `${parameter}::uuid`)
  const rows = await inside.run(
    Effect.flatMap(Owner, (sql) =>
      sql.withTransaction(
        Effect.andThen(
          // The planner takes tables without statistics for empty, and would join them row by row.
          sql`set local enable_nestloop = off`,
          sql.unsafe<{ content: unknown }>(`(${of("$1")}) except all (${of("$2")}) limit ${shown_max}`, [
            workspace,
            other,
          ]),
        ),
      ),
    ),
  )
  return rows.map(({ content }) => JSON.stringify(content))
}

/** The differences as sentences. `issues`: whether the issues of a row are compared, or only its status. */
export const outcomeDifferences = async (
  inside: Inside,
  expected: WorkspaceId,
  actual: WorkspaceId,
  { issues }: { readonly issues: boolean } = { issues: true },
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const name of partNames) {
    const part = issues ? parts[name] : parts[name].replace("i.field_issues", "null")
    const lost = await only(inside, part, expected, actual)
    const invented = await only(inside, part, actual, expected)
    if (lost.length > 0) found.push(`${name} that should be there: ${lost.join(", ")}`)
    if (invented.length > 0) found.push(`${name} that should not be there: ${invented.join(", ")}`)
  }
  return found
}
