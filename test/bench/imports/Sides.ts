// The two sides that import the same file: the service, over HTTP, and the import by hand.
import { fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { fileURLToPath } from "node:url"
import { beginImport, importEnded, type ImportingWorkspace } from "../../support/ImportCalls.ts"
import { processorTime_ms } from "../../support/ProcessFacts.ts"
import type { BareImport } from "./BareImport.ts"
import type { ServiceProcess } from "../../support/ServiceProcess.ts"
import type { World } from "../World.ts"

/** What both sides import. */
export interface Imports extends Pick<World, "databaseUrl" | "deployment" | "inside"> {
  readonly worker: ServiceProcess
  readonly rows_count: number
  /** New contacts, and the same ones again with other companies. */
  readonly files: { readonly first: string; readonly second: string }
}

export interface OursImported {
  readonly elapsed_ms: number
  /** Until the first chunk, the wait for a worker included. */
  readonly start_ms: number
  readonly processor_ms: number | null
}

const ours_within_ms = 60 * 60_000

const checkRun = async ({ inside, rows_count }: Imports, run: string): Promise<void> => {
  const [counts] = await inside.asOwner<{ rows: number }>(
    "select count(*)::int as rows from import_row where import_run_id = $1::uuid",
    [run],
  )
  if (counts?.rows !== rows_count) throw new Error(`${counts?.rows} of ${rows_count} rows have a result`)
}

export const importOurs = async (
  world: Imports,
  workspace: ImportingWorkspace,
  file: string,
): Promise<OursImported> => {
  const { pid } = world.worker
  const before_ms = await processorTime_ms(pid)
  const run = await beginImport(workspace, file)
  await importEnded(workspace, run, { within_ms: ours_within_ms, every_ms: 250 })
  const after_ms = await processorTime_ms(pid)
  const [times] = await world.inside.asOwner<{ elapsed_ms: number; start_ms: number }>(
    `select extract(epoch from completed_at - created_at)::float8 * 1000 as elapsed_ms,
        extract(epoch from started_at - created_at)::float8 * 1000 as start_ms
      from import_run where workspace_id = $1::uuid and import_run_id = $2::uuid`,
    [workspace.id, run],
  )
  if (times === undefined) throw new Error("a run that has ended is not found")
  await checkRun(world, run)
  const processor_ms = before_ms === null || after_ms === null ? null : after_ms - before_ms
  return { ...times, processor_ms }
}

/** Returns how long it took, in milliseconds. */
export const importBare = async (world: Imports, workspace: ImportingWorkspace, path: string): Promise<number> => {
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
  const elapsed_ms = await new Promise<number>((resolve, reject) => {
    child.once("message", (result) => resolve(Number(result)))
    child.once("error", reject)
    child.once("exit", (code) => reject(new Error(`the import by hand ended with ${code} before it had a result`)))
  })
  await checkRun(world, run)
  return elapsed_ms
}
