// Generations in memory. The document stores write them with their own changes.
import type { Generation, GenerationStep } from "@tentpole/core/documents/Generation"
import type { GenerationId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Cursor } from "@tentpole/core/kernel/Page"
import { Effect } from "effect"
import { found, type Rows, table } from "../kernel/MemoryDatabase.ts"
import { newest } from "../kernel/Slices.ts"

interface GenerationRow extends Generation {
  readonly document: string
}

const generations = table<GenerationRow>("generation")

const later = (left: Generation, right: Generation): number =>
  right.createdAt.epochMilliseconds - left.createdAt.epochMilliseconds || (left.id > right.id ? -1 : 1)

/** One generation of a document. */
export const findGeneration = (db: Rows, workspace: WorkspaceId, document: string, id: GenerationId) =>
  Effect.flatMap(db.find(generations, workspace, id), (row) =>
    found(row?.document === document ? withoutDocument(row) : undefined, "generation"),
  )

const withoutDocument = ({ document: _, ...generation }: GenerationRow): Generation => generation

/** A slice of the generations of a document, newest first. */
export const generationsOf = (
  db: Rows,
  workspace: WorkspaceId,
  document: string,
  query: { readonly after: Cursor | null; readonly limit: number },
) =>
  Effect.map(db.all(generations, workspace), (rows) =>
    newest(rows.filter((row) => row.document === document).map(withoutDocument), query),
  )

/** The latest generation of a document. */
export const latestGeneration = (db: Rows, workspace: WorkspaceId, document: string) =>
  Effect.map(db.all(generations, workspace), (rows) => {
    const [latest] = rows.filter((row) => row.document === document).toSorted(later)
    return latest === undefined ? null : withoutDocument(latest)
  })

/** Writes a step of a document's generation, in the caller's transaction. */
export const writeGeneration = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  document: string,
  { before, after }: GenerationStep,
) {
  const row = yield* db.find(generations, workspace, after.id)
  if (row?.status !== before?.status) {
    return yield* Effect.die("a generation moved although its document was locked")
  }
  yield* db.put(generations, workspace, after.id, { ...after, document })
})

/** Deletes a document's generations, in the caller's transaction. */
export const deleteGenerations = (db: Rows, workspace: WorkspaceId, document: string) =>
  db.removeWhere(generations, workspace, (row) => row.document === document)
