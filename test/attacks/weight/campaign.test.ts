// Every parameter of every operation at its maximum size, with the worst characters of its kind, against real processes. `npm test`
// sends a sample; `npm run test:attacks -- --weight` sends all and prints the longest block of the event loop for each operation.
import { Effect } from "effect"
import { afterAll, assert, it } from "vitest"
import { clone } from "@tentpole/adapters/test/TestDatabase"
import { Ending } from "../../support/Ending.ts"
import { Report } from "./Report.ts"
import { tryRequests } from "./Requests.ts"
import type { Plan } from "./Sample.ts"
import { tryVisitors } from "./Visitors.ts"
import { read, Weighed } from "./Weighed.ts"
import { tryWorker } from "./WorkerInputs.ts"

const ending = new Ending()
afterAll(() => ending.all())

const plans: Readonly<Record<string, Plan>> = {
  sample: { seed: 1, operations_max: 12, inputs_max: 4, others_max: 12, minutes_max: Infinity },
  quick: { seed: 1, operations_max: Infinity, inputs_max: 3, others_max: 80, minutes_max: 4 },
  full: { seed: 1, operations_max: Infinity, inputs_max: Infinity, others_max: Infinity, minutes_max: 90 },
}
const { SEED, WEIGHT: size = "sample" } = process.env

it(
  "an input of maximum size has an answer of the description, and takes little memory",
  { timeout: 14_400_000, tags: ["attack/slow-input", "attack/json-bomb", "attack/csv-bomb"] },
  async () => {
    const weighed = await Weighed.over(ending, await Effect.runPromise(clone("weight")))
    const http = await weighed.http()
    await read(http)
    const report = new Report()
    report.idles("http", (await read(http)).rss_bytes)
    const known = plans[size] ?? assert.fail(`WEIGHT must be one of ${Object.keys(plans).join(", ")}`)
    const plan = SEED === undefined ? known : { ...known, seed: Number(SEED) }
    try {
      await tryRequests(weighed, report, plan)
      // The sample of `npm test` has requests only.
      if (size !== "sample") {
        await tryVisitors(weighed, report, plan)
        await tryWorker(weighed, report, plan)
      }
    } finally {
      if (size !== "sample") console.log(report.text())
    }
    assert.deepStrictEqual(report.wrong, [])
    assert.deepStrictEqual(report.heavy, [])
    // A crash is no large block, and no machine is slow enough for a minute.
    assert.isTrue(report.rows.every(({ block_ms }) => block_ms < 60_000))
  },
)
