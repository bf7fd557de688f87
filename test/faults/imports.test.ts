// A sample of the campaign `imports`: a worker is killed in the middle of a file, and another one finishes the import.
import { Effect } from "effect"
import { afterAll, assert, it } from "vitest"
import { clone } from "@tentpole/adapters/test/TestDatabase"
import { Ending } from "../support/Ending.ts"
import { outcomeDifferences } from "../support/ImportOutcome.ts"
import { Deployment } from "./Deployment.ts"
import { killAtMoments } from "./imports/Imports.ts"
import { disturbedRun, worldOf } from "./imports/World.ts"

const rows_count = 2_500
const ending = new Ending()
afterAll(() => ending.all())

/** For each part that is compared, a statement that breaks it. */
const tamperings = {
  contacts:
    "update contact set city = 'elsewhere' where ctid = (select max(ctid) from contact where workspace_id = $1)",
  "list members": "delete from list_member where ctid = (select max(ctid) from list_member where workspace_id = $1)",
  lists: "update list set member_count = member_count + 2 where workspace_id = $1 and kind = 'static'",
  "counts of contacts":
    "update contact_tally set contacts = contacts + 1 where ctid = (select max(ctid) from contact_tally where workspace_id = $1)",
  figures:
    "update figure_day set count = count + 1 where ctid = (select max(ctid) from figure_day where workspace_id = $1)",
  activities: `insert into activity (workspace_id, contact_id, at, type, metadata)
    select workspace_id, contact_id, at, type, metadata from activity where workspace_id = $1 limit 1`,
  "outbox events": "delete from outbox_event where ctid = (select max(ctid) from outbox_event where workspace_id = $1)",
  runs: "update import_run set total_rows = total_rows + 1 where workspace_id = $1",
  "results of rows":
    "update import_row set record = '[]' where ctid = (select max(ctid) from import_row where workspace_id = $1)",
}

it(
  "an import whose worker is killed leaves what an undisturbed one leaves, row for row",
  { timeout: 300_000 },
  async () => {
    const deployment = await Deployment.over(ending, await Effect.runPromise(clone("faults")))
    const worker = await deployment.startWorker()
    const world = await worldOf(deployment, rows_count, ending)
    const run = await disturbedRun(world, "Killed")
    const met = await killAtMoments(deployment, worker, run, [{ at: "row", row: 1, delay_ms: 0 }], {
      say: () => undefined,
    })
    assert.deepStrictEqual(met, ["running"])
    assert.deepStrictEqual(await run.judged(240_000), [])
    // The judge finds each broken part.
    for (const statement of Object.values(tamperings)) {
      await deployment.inside.asOwner(statement.replaceAll("$1", "$1::uuid"), [run.workspace.id])
    }
    const found = await outcomeDifferences(deployment.inside, world.undisturbed, run.workspace.id)
    for (const part of Object.keys(tamperings))
      assert.isTrue(
        found.some((each) => each.startsWith(`${part} that`)),
        part,
      )
  },
)
