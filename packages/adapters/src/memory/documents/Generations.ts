// Generations in memory, for the stores of whatever the AI writes: each writes them with its own changes.
import type { Generation, GenerationStep } from "@tentpole/core/documents/Generation"
import type { GenerationId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Effect } from "effect"
import { type Rows, table } from "../kernel/MemoryDatabase.ts"
import { takeCredits } from "../workspaces/WorkspaceStore.ts"

interface GenerationRow extends Generation {
  readonly document: string
}

const generations = table<GenerationRow>("generation")

const later = (left: Generation, right: Generation): number =>
  right.createdAt.epochMilliseconds - left.createdAt.epochMilliseconds || (left.id > right.id ? -1 : 1)

/** One generation of a document. */
export const findGeneration = (db: Rows, workspace: WorkspaceId, document: string, id: GenerationId) =>
  Effect.flatMap(db.find(generations, workspace, id), (row) =>
    row === undefined || row.document !== document
      ? Effect.fail(new NotFound({ resource: "generation" }))
      : Effect.succeed(withoutDocument(row)),
  )

const withoutDocument = ({ document: _, ...generation }: GenerationRow): Generation => generation

/** The latest of each of these documents that has one, by the document's id. */
export const latestGenerations = (db: Rows, workspace: WorkspaceId, documents: ReadonlyArray<string>) =>
  Effect.map(db.all(generations, workspace), (rows) => {
    const asked = new Set(documents)
    const latest = new Map<string, Generation>()
    for (const row of rows.filter(({ document }) => asked.has(document)).toSorted(later)) {
      if (!latest.has(row.document)) latest.set(row.document, withoutDocument(row))
    }
    return latest
  })

/** Writes a step of a document's generation, and takes its credits or gives them back; in the caller's transaction. */
export const writeGeneration = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  document: string,
  { before, after, credits_taken }: GenerationStep,
) {
  if (credits_taken !== 0) yield* takeCredits(db, workspace, credits_taken)
  const row = yield* db.find(generations, workspace, after.id)
  if (row?.status !== before?.status) {
    return yield* Effect.die("a generation moved although its document was locked")
  }
  yield* db.put(generations, workspace, after.id, { ...after, document })
})

/** Forgets a document's generations, and gives back what one that goes on has taken; in the caller's transaction. */
export const forgetGenerations = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  document: string,
  credits_taken: number,
) {
  if (credits_taken !== 0) yield* takeCredits(db, workspace, credits_taken)
  for (const row of yield* db.all(generations, workspace)) {
    if (row.document === document) yield* db.remove(generations, workspace, row.id)
  }
})
