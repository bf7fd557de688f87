// The two that import the same file: the service, asked over HTTP, and the import by hand. What is read of either is read
// from what it has written.
import { fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { fileURLToPath } from "node:url"
import { beginImport, importEnded, importingWorkspace, type ImportingWorkspace } from "../../support/ImportCalls.ts"
import { processorTime_ms } from "../../support/ProcessFacts.ts"
import type { BareImport, BareResult } from "./BareImport.ts"
import type { World } from "./World.ts"

export interface Imported {
  readonly elapsed_ms: number
  /** From a chunk's beginning to the next one's, as the database saw them. */
  readonly chunks_ms: ReadonlyArray<number>
}

export interface OursImported extends Imported {
  /** Until the file was counted and the first chunk could come: the wait for a worker is in it. */
  readonly start_ms: number
  readonly processor_ms: number | null
}

const ours_within_ms = 60 * 60_000

/** All events of a chunk are recorded at the beginning of its transaction. */
const chunksOf = async ({ inside }: World, { id }: ImportingWorkspace, run: string): Promise<ReadonlyArray<number>> => {
  const rows = await inside.asOwner<{ ms: number }>(
    `select extract(epoch from recorded_at - lag(recorded_at) over (order by recorded_at))::float8 * 1000 as ms
      from (
        select distinct recorded_at from outbox_event where workspace_id = $1::uuid and recorded_at >=
          (select created_at from import_run where workspace_id = $1::uuid and import_run_id = $2::uuid)
      ) as chunk`,
    [id, run],
  )
  return rows.flatMap(({ ms }) => (ms === null ? [] : [ms]))
}

const checkRun = async ({ inside, rows_count }: World, run: string): Promise<void> => {
  const [counts] = await inside.asOwner<{ rows: number }>(
    "select count(*)::int as rows from import_row where import_run_id = $1::uuid",
    [run],
  )
  if (counts?.rows !== rows_count) throw new Error(`${counts?.rows} of ${rows_count} rows have a result`)
}

export const newWorkspace = (world: World, name: string): Promise<ImportingWorkspace> =>
  importingWorkspace(world.inside, world.service, name)

export const importOurs = async (world: World, workspace: ImportingWorkspace, file: string): Promise<OursImported> => {
  const { worker } = await world.service.pids()
  const before_ms = await processorTime_ms(worker)
  const run = await beginImport(workspace, file)
  await importEnded(workspace, run, { within_ms: ours_within_ms, every_ms: 250 })
  const after_ms = await processorTime_ms(worker)
  const [times] = await world.inside.asOwner<{ elapsed_ms: number; start_ms: number }>(
    `select extract(epoch from completed_at - created_at)::float8 * 1000 as elapsed_ms,
        extract(epoch from started_at - created_at)::float8 * 1000 as start_ms
      from import_run where workspace_id = $1::uuid and import_run_id = $2::uuid`,
    [workspace.id, run],
  )
  if (times === undefined) throw new Error("a run that has ended is gone")
  await checkRun(world, run)
  const processor_ms = before_ms === null || after_ms === null ? null : after_ms - before_ms
  return { ...times, processor_ms, chunks_ms: await chunksOf(world, workspace, run) }
}

export const importBare = async (world: World, workspace: ImportingWorkspace, path: string): Promise<Imported> => {
  const run = randomUUID()
  const wanted: BareImport = {
    databaseUrl: world.databaseUrl,
    path,
    workspace: workspace.id,
    list: workspace.listId,
    session: randomUUID(),
    run,
  }
  const child = fork(fileURLToPath(new URL("BareImport.ts", import.meta.url)), [JSON.stringify(wanted)])
  const { elapsed_ms } = await new Promise<BareResult>((resolve, reject) => {
    child.once("message", (result) => resolve(result as BareResult))
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`the import by hand ended with ${code} before it had a result`)))
  })
  await checkRun(world, run)
  return { elapsed_ms, chunks_ms: await chunksOf(world, workspace, run) }
}
