// The world of the campaign `imports`: a deployment, a file, and a workspace with an undisturbed import of it.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Data } from "effect"
import { join } from "node:path"
import type { Ending } from "../../support/Ending.ts"
import { beginImport, importEnded, importingWorkspace, type ImportingWorkspace } from "../../support/ImportCalls.ts"
import { outcomeDifferences } from "../../support/ImportOutcome.ts"
import { writePeople } from "../../support/PeopleFile.ts"
import { until } from "../../support/Service.ts"
import type { Trial } from "../Campaign.ts"
import { Database } from "../Database.ts"
import { Deployment } from "../Deployment.ts"

export interface World {
  readonly deployment: Deployment
  readonly rows_count: number
  readonly file: string
  /** The workspace of the undisturbed import, which all others must equal. */
  readonly undisturbed: WorkspaceId
  /** Ends all workers. */
  readonly calm: () => Promise<void>
}

const patience = { within_ms: 10 * 60_000, every_ms: 100 }

interface Parts {
  readonly world: World
  readonly workspace: ImportingWorkspace
  readonly id: string
}

/** An import run that a scenario disturbs. */
export class DisturbedRun extends Data.Class<Parts> {
  get jobId(): string {
    return `import_run:${this.id}`
  }

  async state() {
    const [row] = await this.world.deployment.inside.asOwner<{
      status: string
      processed_rows: number
      total_rows: number | null
    }>("select status, processed_rows, total_rows from import_run where import_run_id = $1::uuid", [this.id])
    if (row === undefined) throw new Error(`there is no run ${this.id}`)
    return row
  }

  /** Waits until so many rows are processed, or the run has ended. */
  async reached(rows_count: number): Promise<void> {
    await until(
      `row ${rows_count} of the import`,
      async () => {
        const { status, processed_rows } = await this.state()
        return status === "completed" || status === "failed" || processed_rows >= rows_count
      },
      { ...patience, every_ms: 5 },
    )
  }

  /** Waits for the end; returns how the result differs from the undisturbed one. */
  async judged(within_ms = patience.within_ms): Promise<ReadonlyArray<string>> {
    await importEnded(this.workspace, this.id, { ...patience, within_ms })
    const { deployment, undisturbed } = this.world
    return outcomeDifferences(deployment.inside, undisturbed, this.workspace.id)
  }
}

/** A workspace whose events are written. */
const readWorkspace = async (deployment: Deployment, name: string): Promise<ImportingWorkspace> => {
  const workspace = await importingWorkspace(deployment.inside, deployment, name)
  await deployment.inside.asOwner("select outbox_subscribe($1::uuid, 'test')", [workspace.id])
  return workspace
}

/** Starts an import of the file into its own workspace. */
export const disturbedRun = async (world: World, name: string): Promise<DisturbedRun> => {
  const { deployment, file } = world
  const workspace = await readWorkspace(deployment, name)
  return new DisturbedRun({ world, workspace, id: await beginImport(workspace, file) })
}

/** Imports a file of so many rows undisturbed. */
export const worldOf = async (deployment: Deployment, rows_count: number, ending: Ending): Promise<World> => {
  const file = join(await ending.folder(), "people.csv")
  await writePeople(file, { rows_count, edition: 1, note_chars: 0 })
  const workspace = await readWorkspace(deployment, "Undisturbed")
  await importEnded(workspace, await beginImport(workspace, file), patience)
  return { deployment, rows_count, file, undisturbed: workspace.id, calm: () => deployment.killWorkers() }
}

export const makeWorld = async ({ ending, quick, say }: Trial): Promise<World> => {
  const rows_count = quick ? 10_000 : 100_000
  const { ownerUrl } = await Database.begin(ending)
  const deployment = await Deployment.over(ending, ownerUrl)
  await deployment.startWorker()
  say(`importing ${rows_count.toLocaleString("en-US")} rows undisturbed`)
  const world = await worldOf(deployment, rows_count, ending)
  await world.calm()
  return world
}
