// Generations on PostgreSQL, written together with the changes of their documents.
import type { PgClient } from "@effect/sql-pg"
import {
  type Generation,
  generation_credits,
  type GenerationStatus,
  type GenerationStep,
} from "@tentpole/core/documents/Generation"
import { GenerationId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { DateTime, Effect } from "effect"
import { texts } from "../kernel/Arrays.ts"
import { instant } from "../kernel/Instants.ts"
import { takeCredits } from "../workspaces/WorkspaceStore.ts"

type Sql = PgClient.PgClient

interface GenerationRow {
  readonly generation_id: string
  readonly status: GenerationStatus
  readonly prompt: string
  readonly version: number | null
  readonly error: string | null
  readonly created_by_name: string
  readonly created_at: Date
  readonly completed_at: Date | null
}

const columns = `g.generation_id, g.status, g.prompt, g.version, g.error, g.created_by_name, g.created_at, g.completed_at`

const toGeneration = (row: GenerationRow): Generation => ({
  id: GenerationId.make(row.generation_id),
  status: row.status,
  prompt: row.prompt,
  version: row.version,
  error: row.error,
  createdByName: row.created_by_name,
  createdAt: DateTime.makeUnsafe(row.created_at),
  completedAt: instant(row.completed_at),
})

/** One generation of a document, in the caller's fence. */
export const findGeneration = (sql: Sql, workspace: WorkspaceId, document: string, id: GenerationId) =>
  Effect.flatMap(
    sql<GenerationRow>`
      select ${sql.literal(columns)} from generation g
      where g.workspace_id = ${workspace} and g.document_id = ${document} and g.generation_id = ${id}`,
    ([row]) =>
      row === undefined ? Effect.fail(new NotFound({ resource: "generation" })) : Effect.succeed(toGeneration(row)),
  )

/** The latest generation of a document, in the caller's fence. */
export const latestGeneration = (sql: Sql, workspace: WorkspaceId, document: string) =>
  Effect.map(
    sql<GenerationRow>`
      select ${sql.literal(columns)} from generation g
      where g.workspace_id = ${workspace} and g.document_id = ${document}
      order by g.created_at desc, g.generation_id desc limit 1`,
    ([row]) => (row === undefined ? null : toGeneration(row)),
  )

/** Writes a step of a document's generation, in the caller's transaction. */
export const writeGeneration = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  document: string,
  { before, after }: GenerationStep,
) {
  const outcome = {
    status: after.status,
    version: after.version,
    error: after.error,
    completed_at: after.completedAt === null ? null : DateTime.formatIso(after.completedAt),
  }
  const rows =
    before === null
      ? yield* sql`
          insert into generation ${sql.insert({
            workspace_id: workspace,
            generation_id: after.id,
            document_id: document,
            prompt: after.prompt,
            created_by_name: after.createdByName,
            created_at: DateTime.formatIso(after.createdAt),
            ...outcome,
          })} returning 1`
      : yield* sql`
          update generation set ${sql.update(outcome)}
          where workspace_id = ${workspace} and generation_id = ${after.id} and document_id = ${document}
            and status = ${before.status}
          returning 1`
  if (rows.length !== 1)
    return yield* Effect.die("the generation is not what the change was decided on: lock its document first")
})

/** Deletes the generations of these documents, and returns the credits of those in progress. */
export const deleteGenerationsOf = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  documents: ReadonlyArray<string>,
) {
  const [deleted] = yield* sql<{ readonly generating: number }>`
    with deleted as (
      delete from generation where workspace_id = ${workspace} and document_id = any(${texts(documents)}::uuid[])
      returning status)
    select count(*)::int as generating from deleted where status = 'generating'`
  const credits = (deleted?.generating ?? 0) * generation_credits
  if (credits > 0) yield* takeCredits(sql, workspace, -credits)
})

/** Deletes a document's generations, in the caller's transaction. */
export const deleteGenerations = (sql: Sql, workspace: WorkspaceId, document: string) =>
  sql`delete from generation where workspace_id = ${workspace} and document_id = ${document}`
