// How every use case of the room writes a blast: the change, and the jobs that it asks for, in one transaction.
import { Effect } from "effect"
import type { WorkspaceId } from "../kernel/Ids.ts"
import { Jobs } from "../kernel/Jobs.ts"
import type { BlastChange } from "./BlastChange.ts"
import { BlastStore } from "./BlastStore.ts"

export const writing = Effect.gen(function* () {
  const store = yield* BlastStore
  const jobs = yield* Jobs

  /** Only an inline audience brings a name that could be taken. */
  const write = Effect.fnUntraced(function* (ws: WorkspaceId, change: BlastChange) {
    yield* store.apply(ws, change)
    for (const { id, ...job } of change.jobs) yield* jobs.enqueue({ ...job, workspaceId: ws }, { id })
  })
  const writeNameless = (ws: WorkspaceId, change: BlastChange) =>
    Effect.catchTag(write(ws, change), "ListNameExists", Effect.die)

  return { write, writeNameless }
})
