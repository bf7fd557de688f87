// What imports have left in a workspace, row for row: two workspaces that were given the same files must hold the same, ids
// and instants aside.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import type { Inside } from "./Inside.ts"
import { Owner } from "./Owner.ts"

/** Rows are told by whom they are about instead of by ids. */
const person = "coalesce(c.email_normalized, c.phone)"

/** For a workspace that stands for `$1`, everything that an import writes: each a select of one column `told`. */
const parts = {
  contacts: `
    select to_jsonb(c) - array['workspace_id', 'contact_id', 'created_at', 'updated_at', 'last_activity_at'] as told
    from contact c where c.workspace_id = $1`,
  "list members": `
    select jsonb_build_array(l.name, ${person}) as told
    from list_member m join list l using (workspace_id, list_id) left join contact c using (workspace_id, contact_id)
    where m.workspace_id = $1`,
  lists: `select jsonb_build_array(l.name, l.kind, l.member_count) as told from list l where l.workspace_id = $1`,
  "counts of contacts": `
    select jsonb_build_array(sum(contacts)) as told from contact_tally where workspace_id = $1`,
  activities: `
    select jsonb_build_array(${person}, a.type, a.metadata - 'list_id') as told
    from activity a left join contact c using (workspace_id, contact_id) where a.workspace_id = $1`,
  "outbox events": `
    select jsonb_build_array(${person}, o.type, o.data - 'list_id', l.name,
      row_number() over (partition by o.contact_id order by o.transaction_id, o.position)) as told
    from outbox_event o left join contact c using (workspace_id, contact_id)
    left join list l on l.workspace_id = o.workspace_id and l.list_id = (o.data->>'list_id')::uuid
    where o.workspace_id = $1`,
  runs: `
    select jsonb_build_array(r.turn, r.status, r.processed_rows, r.total_rows, r.created_count, r.updated_count,
      r.skipped_count, r.error_count, r.error) as told
    from (select *, row_number() over (order by created_at) as turn from import_run where workspace_id = $1) as r`,
  "results of rows": `
    select jsonb_build_array(r.turn, i.row_number, i.status, ${person}, i.field_issues, i.record) as told
    from import_row i
    join (select *, row_number() over (order by created_at) as turn from import_run where workspace_id = $1) as r
      using (workspace_id, import_run_id)
    left join contact c using (workspace_id, contact_id)
    where i.workspace_id = $1`,
} as const

const partNames = Object.keys(parts) as ReadonlyArray<keyof typeof parts>

const shown_max = 5

/** Rows of one that the other has not, each as often as it has it more. */
const only = async (inside: Inside, part: string, workspace: WorkspaceId, other: WorkspaceId) => {
  const of = (parameter: string) => part.replaceAll("$1", `${parameter}::uuid`)
  const rows = await inside.run(
    Effect.flatMap(Owner, (sql) =>
      sql.withTransaction(
        Effect.andThen(
          // Tables that nobody has analysed yet are taken for empty, and joined row by row.
          sql`set local enable_nestloop = off`,
          sql.unsafe<{ told: unknown }>(`(${of("$1")}) except all (${of("$2")}) limit ${shown_max}`, [
            workspace,
            other,
          ]),
        ),
      ),
    ),
  )
  return rows.map(({ told }) => JSON.stringify(told))
}

export interface OutcomeOptions {
  /** Whether what is said to be wrong with a row counts, or only that something is. */
  readonly issues: boolean
}

/** What one has and the other has not, as sentences; none when they hold the same. */
export const outcomeDifferences = async (
  inside: Inside,
  expected: WorkspaceId,
  actual: WorkspaceId,
  { issues }: OutcomeOptions = { issues: true },
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
