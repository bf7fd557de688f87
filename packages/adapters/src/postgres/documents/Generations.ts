// Generations on PostgreSQL, written together with the changes of their documents.
import type { PgClient } from "@effect/sql-pg"
import { type Generation, generation_credits, type GenerationStep } from "@tentpole/core/documents/Generation"
import type { GenerationId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Cursor } from "@tentpole/core/kernel/Page"
import { Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { fromRow, requireRow, type RowOf, toColumns } from "../kernel/Instants.ts"
import { newestRows, slicedByAge } from "../kernel/Slices.ts"
import { takeCredits } from "../workspaces/WorkspaceStore.ts"

type Sql = PgClient.PgClient

const columns = `g.generation_id as id, g.status, g.prompt, g.version, g.error, g.created_by_name as "createdByName",
  g.created_by as "createdBy",
  g.created_at as "createdAt", g.completed_at as "completedAt"`

/** One generation of a document, in the caller's fence. */
export const findGeneration = (sql: Sql, workspace: WorkspaceId, document: string, id: GenerationId) =>
  sql<RowOf<Generation>>`
    select ${sql.literal(columns)} from generation g
    where g.workspace_id = ${workspace} and g.document_id = ${document} and g.generation_id = ${id}`.pipe(
    Effect.flatMap(requireRow("generation")),
    Effect.map(fromRow<Generation>),
  )

/** A slice of the generations of a document, newest first, in the caller's fence. */
export const generationsOf = (
  sql: Sql,
  workspace: WorkspaceId,
  document: string,
  query: { readonly after: Cursor | null; readonly limit: number },
) =>
  Effect.map(
    newestRows<RowOf<Generation>>(sql, query, {
      columns,
      from: "generation g",
      where: sql`g.workspace_id = ${workspace} and g.document_id = ${document}`,
      at: "g.created_at",
      id: "g.generation_id",
    }),
    (rows) => slicedByAge(rows.map(fromRow<Generation>), query.limit),
  )

/** The latest generation of a document, in the caller's fence. */
export const latestGeneration = (sql: Sql, workspace: WorkspaceId, document: string) =>
  Effect.map(
    sql<RowOf<Generation>>`
      select ${sql.literal(columns)} from generation g
      where g.workspace_id = ${workspace} and g.document_id = ${document}
      order by g.created_at desc, g.generation_id desc limit 1`,
    ([row]) => (row === undefined ? null : fromRow<Generation>(row)),
  )

/** Writes a step of a document's generation, in the caller's transaction. */
export const writeGeneration = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  document: string,
  { before, after }: GenerationStep,
) {
  const { id, status, version, error, completedAt, ...request } = after
  const outcome = toColumns({ status, version, error, completedAt })
  const rows =
    before === null
      ? yield* sql`
          insert into generation ${sql.insert({
            workspace_id: workspace,
            generation_id: id,
            document_id: document,
            ...toColumns(request),
            ...outcome,
          })} returning 1`
      : yield* sql`
          update generation set ${sql.update(outcome)}
          where workspace_id = ${workspace} and generation_id = ${id} and document_id = ${document}
            and status = ${before.status}
          returning 1`
  if (rows.length !== 1)
    return yield* Effect.die("the generation is not what the change was decided on: lock its document first")
})

/** Deletes the generations of these emails, and returns the credits of those in progress. */
export const deleteGenerationsOfEmails = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  emails: ReadonlyArray<string>,
) {
  const [deleted] = yield* sql<{ readonly generating: number }>`
    with deleted as (
      delete from generation where workspace_id = ${workspace} and document_id = any(${texts(emails)}::uuid[])
      returning status)
    select count(*)::int as generating from deleted where status = 'generating'`
  const returned = (deleted?.generating ?? 0) * generation_credits
  yield* takeCredits(sql, workspace, { credits: 0 - returned, kind: "email" })
})

/** Deletes a document's generations, in the caller's transaction. */
export const deleteGenerations = (sql: Sql, workspace: WorkspaceId, document: string) =>
  sql`delete from generation where workspace_id = ${workspace} and document_id = ${document}`
