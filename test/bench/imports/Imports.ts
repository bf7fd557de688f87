// How fast a file of people is imported, new ones and known ones, beside an import by hand that writes the same rows; where
// the time goes; and how much memory the worker takes for it.
import { outcomeDifferences } from "../../support/ImportOutcome.ts"
import { peakMemory_bytes } from "../../support/ProcessFacts.ts"
import type { Bench, Benchmark } from "../Benchmark.ts"
import { megabytesAtMost, ratioAtLeast, type Row } from "../Report.ts"
import { rateSpreadOf, spreadOf } from "../Timing.ts"
import { type Imported, importBare, importOurs, newWorkspace, type OursImported } from "./Sides.ts"
import { type Stages, stagesOf } from "./Stages.ts"
import { makeWorld, type World } from "./World.ts"

const cases = [
  { what: "all new", file: "first" },
  { what: "all known, a column changed", file: "second" },
] as const

interface Seen {
  readonly ours: Array<OursImported>
  readonly bare: Array<Imported>
}

/** Whoever comes first in a round comes second in the next one. */
const round = async (world: World, turn: number, seen: ReadonlyArray<Seen>): Promise<void> => {
  const places = {
    ours: await newWorkspace(world, `Ours ${turn}`),
    bare: await newWorkspace(world, `Bare ${turn}`),
  }
  for (const [at, { file }] of cases.entries()) {
    for (const side of turn % 2 === 0 ? (["ours", "bare"] as const) : (["bare", "ours"] as const)) {
      if (side === "ours") seen[at]?.ours.push(await importOurs(world, places.ours, world.files[file]))
      else seen[at]?.bare.push(await importBare(world, places.bare, world.files[file]))
    }
  }
  if (turn > 0) return
  const told = await outcomeDifferences(world.inside, places.bare.id, places.ours.id, { issues: false })
  if (told.length > 0) throw new Error(`the import by hand did not write the same:\n${told.join("\n")}`)
}

const rates = ({ rows_count }: World, seen: ReadonlyArray<Seen>): ReadonlyArray<Row> =>
  cases.flatMap(({ what }, at): ReadonlyArray<Row> => {
    const { ours = [], bare = [] } = seen[at] ?? {}
    const rate = (all: ReadonlyArray<Imported>) =>
      rateSpreadOf(all.map(({ elapsed_ms }) => (rows_count / elapsed_ms) * 1000))
    const chunk = (all: ReadonlyArray<Imported>) => spreadOf(all.flatMap(({ chunks_ms }) => chunks_ms))
    const whole = { reference: rate(bare), ours: rate(ours) }
    const each = { reference: chunk(bare), ours: chunk(ours) }
    const ratio = whole.ours.median / whole.reference.median
    return [
      { what: `${what}: rows`, unit: "/s", ...whole, ratio, bars: [ratioAtLeast(0.5, ratio)] },
      {
        what: `${what}: a chunk of 1,000`,
        unit: "ms",
        ...each,
        ratio: each.ours.median / each.reference.median,
        bars: [],
      },
    ]
  })

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

/** Of the run whose time is the median. */
const median = (all: ReadonlyArray<OursImported>): OursImported | undefined =>
  all.toSorted((left, right) => left.elapsed_ms - right.elapsed_ms)[Math.floor(all.length / 2)]

const statements_shown = 7

const told = (what: string, stages: Stages, imported: OursImported | undefined): ReadonlyArray<string> => {
  const { parse_ms, normalise_ms, decide_ms, lock_ms, write_ms, commit_ms } = stages
  const database_ms = lock_ms + write_ms + commit_ms
  const worked_ms = 2 * parse_ms + normalise_ms + decide_ms + database_ms
  const { elapsed_ms = Number.NaN, start_ms = Number.NaN, processor_ms = null } = imported ?? {}
  return [
    `${what}, by themselves: reading, decoding and parsing ${seconds(parse_ms)} (done twice, to count and to apply), normalising ${seconds(normalise_ms)}, deciding ${seconds(decide_ms)}, statements ${seconds(database_ms)} (finding and locking ${seconds(lock_ms)}, writing ${seconds(write_ms)}, transactions ${seconds(commit_ms)}): together ${seconds(worked_ms)}`,
    `${what}, the statements: ${stages.statements
      .slice(0, statements_shown)
      .map(({ deed, ms }) => `${deed} ${seconds(ms)}`)
      .join(", ")}`,
    `${what}, in the worker: ${seconds(elapsed_ms)} from queued to completed, ${seconds(start_ms)} of it until the first chunk; ${
      processor_ms === null
        ? ""
        : `it computed for ${seconds(processor_ms)} and waited for ${seconds(Math.max(0, elapsed_ms - processor_ms))}; `
    }${elapsed_ms < worked_ms ? `${seconds(worked_ms - elapsed_ms)} less than its stages one after the other` : `${seconds(elapsed_ms - worked_ms)} more than its stages`}`,
  ]
}

const stages = async (world: World, seen: ReadonlyArray<Seen>): Promise<ReadonlyArray<string>> => {
  const place = await newWorkspace(world, "Stages")
  const lines: Array<string> = []
  for (const [at, { what, file }] of cases.entries()) {
    const measured = await stagesOf(world, place, world.files[file])
    lines.push(...told(what, measured, median(seen[at]?.ours ?? [])))
  }
  return lines
}

const peak_max_mb = 512

const memory = async ({ report }: Bench, { service }: World, atRest_bytes: number | null): Promise<void> => {
  const { worker } = await service.pids()
  const peak_bytes = await peakMemory_bytes(worker)
  if (peak_bytes === null || atRest_bytes === null) return report.say("memory: nobody tells of it on this system")
  const spread = (bytes: number) => ({ median: bytes / 2 ** 20, p95: bytes / 2 ** 20 })
  report.section("Memory of the worker: before its first import (as reference), and the most while it imported", [
    {
      what: "resident",
      unit: "MB",
      reference: spread(atRest_bytes),
      ours: spread(peak_bytes),
      ratio: peak_bytes / atRest_bytes,
      bars: [megabytesAtMost(peak_max_mb, peak_bytes / 2 ** 20)],
    },
  ])
}

const roundsOf = ({ full, quick }: Bench): number => (full || quick ? 1 : 3)

export const imports: Benchmark = {
  run: async (bench) => {
    const world = await makeWorld(bench)
    const { worker } = await world.service.pids()
    const atRest_bytes = await peakMemory_bytes(worker)
    const seen = cases.map((): Seen => ({ ours: [], bare: [] }))
    for (let turn = 0; turn < roundsOf(bench); turn++) {
      bench.report.say(`round ${turn + 1} of ${roundsOf(bench)} …`)
      await round(world, turn, seen)
    }
    bench.report.section(
      "A file of people, imported by the worker, beside an import by hand (csv-parse, unnest) that writes the same rows",
      rates(world, seen),
    )
    await memory(bench, world, atRest_bytes)
    bench.report.section("Where the time goes", [], await stages(world, seen))
  },
}
