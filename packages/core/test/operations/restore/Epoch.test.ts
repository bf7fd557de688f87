// Tests of the epoch: no order of crashes looks like a restore, and a restore of an older database is recognised.
import { assert, describe, it } from "@effect/vitest"
import { compareEpochs } from "@tentpole/core/operations/restore/Epoch"
import { Schema } from "effect"

/** What a worker does next; each of its three steps may be its last. */
type Step = "read" | "increment" | "write"
const steps: ReadonlyArray<Step> = ["read", "increment", "write"]

interface Service {
  readonly database: number
  readonly copy: number
  /** Verdicts, in order. */
  readonly verdicts: ReadonlyArray<string>
}

/** Runs interleaved workers: each entry lets one worker take its next step, or crash and start again. */
const run = (from: Service, turns: ReadonlyArray<readonly [worker: number, crash: boolean]>): Service => {
  const workers = new Map<number, { readonly at: number; readonly seen: number; readonly mine: number }>()
  let { copy, database } = from
  const verdicts = [...from.verdicts]
  for (const [worker, crash] of turns) {
    const state = workers.get(worker) ?? { at: 0, seen: 0, mine: 0 }
    if (crash) {
      workers.delete(worker)
      continue
    }
    switch (steps[state.at]) {
      case "read":
        workers.set(worker, { ...state, at: 1, seen: copy })
        break
      case "increment":
        verdicts.push(compareEpochs(database, state.seen))
        database += 1
        workers.set(worker, { ...state, at: 2, mine: database })
        break
      default:
        copy = state.mine
        workers.delete(worker)
    }
  }
  return { database, copy, verdicts }
}

/** The worker of each turn, and whether it crashes. */
const Turns = Schema.Array(Schema.Tuple([Schema.Literals([0, 1, 2, 3]), Schema.Boolean]))
/** One undisturbed worker. */
const beat = [0, 0, 0].map((worker) => [worker, false] as const)
const fresh: Service = { database: 0, copy: 0, verdicts: [] }

describe("Epoch", () => {
  it.prop("no interleaving of workers and crashes looks like a restore", { turns: Turns }, ({ turns }) => {
    assert.notInclude(run(fresh, turns).verdicts, "restored")
  })

  it.prop(
    "an older database is recognised after a complete beat, whatever happened before and after the backup",
    { before: Turns, after: Turns },
    ({ after, before }) => {
      const backup = run(run(fresh, before), beat)
      const last = run(run(backup, after), beat)
      const restored = run({ ...last, database: backup.database, verdicts: [] }, beat)
      assert.deepStrictEqual(restored.verdicts, ["restored"])
    },
  )

  it("a database on which no worker has run is new", () => {
    assert.strictEqual(compareEpochs(0, 7), "new")
    assert.strictEqual(compareEpochs(0, 0), "current")
  })
})
