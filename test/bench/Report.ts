// Report: the tables of a benchmark, printed section by section.
import { availableParallelism, cpus, loadavg, totalmem } from "node:os"
import { stripVTControlCharacters, styleText } from "node:util"
import type { Bench } from "./Benchmark.ts"
import type { Compared, Spread } from "./Timing.ts"

/** The promise that a figure must meet. */
export interface Bar {
  /** As a formula: `≤ 1.3×`. */
  readonly says: string
  readonly met: boolean
}

export interface Row {
  readonly what: string
  readonly unit: "ms" | "µs" | "/s" | "MB"
  /** Null without a comparison. */
  readonly reference: Spread | null
  readonly ours: Spread
  readonly ratio: number | null
  readonly bars: ReadonlyArray<Bar>
}

/** A row without a comparison. */
export const figure = (what: string, unit: Row["unit"], ours: Spread, ...bars: Row["bars"]): Row => ({
  what,
  unit,
  reference: null,
  ours,
  ratio: null,
  bars,
})

/** A row beside a reference. The ratio is that of the medians, or of the p95. */
export const comparison = (
  what: string,
  unit: Row["unit"],
  { ours, reference }: Compared,
  barsOf: (ratio: number) => Row["bars"] = () => [],
  by: keyof Spread = "median",
): Row => {
  const ratio = ours[by] / reference[by]
  return { what, unit, reference, ours, ratio, bars: barsOf(ratio) }
}

export const ratioAtMost = (max: number, ratio: number): Bar => ({ says: `≤ ${max}×`, met: ratio <= max })
export const ratioAtLeast = (min: number, ratio: number): Bar => ({ says: `≥ ${min}×`, met: ratio >= min })
export const rateAtLeast = (min: number, rate: number): Bar => ({
  says: `≥ ${min.toLocaleString("en-US")}/s`,
  met: rate >= min,
})
export const timeAtMost = (max_ms: number, ms: number): Bar => ({ says: `≤ ${max_ms} ms`, met: ms <= max_ms })
export const megabytesAtMost = (max: number, megabytes: number): Bar => ({
  says: `≤ ${max} MB`,
  met: megabytes <= max,
})

const digits = (value: number): string =>
  value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 })

const shown = (spread: Spread | null, unit: Row["unit"]): string =>
  spread === null ? "–" : `${digits(spread.median)}${unit === "/s" ? "/s" : ` ${unit}`} (p95 ${digits(spread.p95)})`

const verdict = ({ bars }: Row): string => {
  if (bars.length === 0) return "–"
  const missed = bars.filter(({ met }) => !met)
  return missed.length === 0
    ? styleText("green", "met")
    : styleText("red", `NOT MET: ${missed.map(({ says }) => says).join(", ")}`)
}

const heads = ["what", "reference", "ours", "ratio", "bar", ""]

const cellsOf = (row: Row): ReadonlyArray<string> => [
  row.what,
  shown(row.reference, row.unit),
  shown(row.ours, row.unit),
  row.ratio === null ? "–" : `${digits(row.ratio)}×`,
  row.bars.map(({ says }) => says).join(", ") || "–",
  verdict(row),
]

const widthOf = (text: string): number => stripVTControlCharacters(text).length

const table = (lines: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = heads.map((_, at) => Math.max(...lines.map((cells) => widthOf(cells[at] ?? ""))))
  return lines
    .map((cells) => cells.map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - widthOf(cell))).join("  "))
    .map((line) => `  ${line.trimEnd()}`)
    .join("\n")
}

export class Report {
  readonly #began_ms = performance.now()
  readonly #bars: Array<Bar> = []

  constructor({ full, quick }: Pick<Bench, "full" | "quick">) {
    const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GB`
    this.fact("machine", `${machine}, ${process.platform}, Node ${process.versions.node}`)
    this.fact(
      "load at the start",
      loadavg()
        .map((each) => each.toFixed(1))
        .join(", "),
    )
    if (quick) this.fact("size", "quick: it shows that the benchmark works, not how fast the product is")
    if (full) this.fact("size", "full")
  }

  /** A circumstance that the figures depend on. */
  fact(name: string, value: string): void {
    this.say(`${name}: ${value}`)
  }

  /** Prints a line of progress. */
  say(text: string): void {
    process.stdout.write(`${styleText("dim", text)}\n`)
  }

  section(title: string, rows: ReadonlyArray<Row>, notes: ReadonlyArray<string> = []): void {
    this.#bars.push(...rows.flatMap(({ bars }) => bars))
    process.stdout.write(`\n${styleText("bold", title)}\n`)
    if (rows.length > 0) {
      process.stdout.write(`${table([heads.map((head) => styleText("dim", head)), ...rows.map(cellsOf)])}\n`)
    }
    for (const note of notes) process.stdout.write(`  ${styleText("dim", note.replaceAll("\n", "\n  "))}\n`)
  }

  /** Prints how many bars were met. */
  close(): void {
    const met = this.#bars.filter((bar) => bar.met).length
    const took_s = Math.round((performance.now() - this.#began_ms) / 1000)
    this.say(`\n${met} of ${this.#bars.length} bars met, in ${took_s} s`)
  }
}
