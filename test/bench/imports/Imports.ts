// The benchmark `imports`: a file of new contacts and one of known contacts, beside an import by hand that writes the same rows;
// and the memory of the worker.
import { join } from "node:path"
import { importingWorkspace } from "../../support/ImportCalls.ts"
import { outcomeDifferences } from "../../support/ImportOutcome.ts"
import { writePeople } from "../../support/PeopleFile.ts"
import { peakMemory_bytes } from "../../support/ProcessFacts.ts"
import type { Bench, Benchmark } from "../Benchmark.ts"
import { comparison, megabytesAtMost, ratioAtLeast, type Row } from "../Report.ts"
import { rateSpreadOf, spreadOf } from "../Timing.ts"
import { importBare, importOurs, type Imports, type OursImported } from "./Sides.ts"
import { World } from "../World.ts"

const cases = [
  { what: "all new", file: "first" },
  { what: "all known, a column changed", file: "second" },
] as const

interface Seen {
  readonly ours: Array<OursImported>
  /** Milliseconds. */
  readonly bare: Array<number>
}

/** The order of the sides changes with each round. */
const round = async (world: Imports, turn: number, seen: ReadonlyArray<Seen>): Promise<void> => {
  const places = {
    ours: await importingWorkspace(world.inside, world.deployment, `Ours ${turn}`),
    bare: await importingWorkspace(world.inside, world.deployment, `Bare ${turn}`),
  }
  for (const [at, { file }] of cases.entries()) {
    for (const side of turn % 2 === 0 ? (["ours", "bare"] as const) : (["bare", "ours"] as const)) {
      if (side === "ours") seen[at]?.ours.push(await importOurs(world, places.ours, world.files[file]))
      else seen[at]?.bare.push(await importBare(world, places.bare, world.files[file]))
    }
  }
  if (turn > 0) return
  const differences = await outcomeDifferences(world.inside, places.bare.id, places.ours.id, { issues: false })
  if (differences.length > 0) throw new Error(`the import by hand did not write the same:\n${differences.join("\n")}`)
}

const rates = ({ rows_count }: Imports, seen: ReadonlyArray<Seen>): ReadonlyArray<Row> =>
  cases.map(({ what }, at) => {
    const { ours = [], bare = [] } = seen[at] ?? {}
    const rate = (times_ms: ReadonlyArray<number>) => rateSpreadOf(times_ms.map((ms) => (rows_count / ms) * 1000))
    const both = { reference: rate(bare), ours: rate(ours.map(({ elapsed_ms }) => elapsed_ms)) }
    return comparison(`${what}: rows`, "/s", both, (ratio) => [ratioAtLeast(0.5, ratio)])
  })

const spent = (what: string, ours: ReadonlyArray<OursImported>): string => {
  const median_s = (of: (imported: OursImported) => number | null) =>
    (spreadOf(ours.map((each) => of(each) ?? Number.NaN)).median / 1000).toFixed(2)
  return `${what}, in the worker: ${median_s(({ start_ms }) => start_ms)} s until the first chunk, ${median_s(({ processor_ms }) => processor_ms)} s of processor time`
}

const peak_max_mb = 512

const memory = async ({ report }: Bench, { worker }: Imports, atRest_bytes: number | null): Promise<void> => {
  const peak_bytes = await peakMemory_bytes(worker.pid)
  if (peak_bytes === null || atRest_bytes === null) return report.say("memory: this system does not report it")
  const spread = (bytes: number) => ({ median: bytes / 2 ** 20, p95: bytes / 2 ** 20 })
  report.section("Memory of the worker: before its first import (as reference), and the most while it imported", [
    comparison("resident", "MB", { reference: spread(atRest_bytes), ours: spread(peak_bytes) }, () => [
      megabytesAtMost(peak_max_mb, peak_bytes / 2 ** 20),
    ]),
  ])
}

/** The full size is a million rows of 300 MB. */
const sizeOf = ({ full, quick }: Bench) => ({
  rows_count: full ? 1_000_000 : quick ? 20_000 : 200_000,
  note_chars: full ? 215 : 0,
})

const prepared = async (bench: Bench): Promise<Imports> => {
  const { ending, report } = bench
  const size = sizeOf(bench)
  const folder = await ending.folder()
  const files = { first: join(folder, "first.csv"), second: join(folder, "second.csv") }
  report.say("writing the files …")
  const { size_bytes } = await writePeople(files.first, { ...size, edition: 1 })
  await writePeople(files.second, { ...size, edition: 2 })
  report.fact("file", `${size.rows_count.toLocaleString("en-US")} rows, ${(size_bytes / 1e6).toFixed(1)} MB`)
  const world = await World.begin(bench)
  const worker = await world.worker()
  const { databaseUrl, deployment, inside } = world
  return { databaseUrl, deployment, inside, worker, rows_count: size.rows_count, files }
}

const roundsOf = ({ full, quick }: Bench): number => (full || quick ? 1 : 3)

export const imports: Benchmark = async (bench) => {
  const world = await prepared(bench)
  const atRest_bytes = await peakMemory_bytes(world.worker.pid)
  const seen = cases.map((): Seen => ({ ours: [], bare: [] }))
  for (let turn = 0; turn < roundsOf(bench); turn++) {
    bench.report.say(`round ${turn + 1} of ${roundsOf(bench)} …`)
    await round(world, turn, seen)
  }
  bench.report.section(
    "A file of people, imported by the worker, beside an import by hand (csv-parse, unnest) that writes the same rows",
    rates(world, seen),
    cases.map(({ what }, at) => spent(what, seen[at]?.ours ?? [])),
  )
  await memory(bench, world, atRest_bytes)
}
