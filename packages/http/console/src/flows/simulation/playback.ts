// A simulation as a film: its timeline as frames, each with the step and the way that a member takes. Pure.
import type { FlowSimulation, FlowTimelineEntry } from "@tentpole/client"
import { type Edge, edgesOf, entry, type Structure, stepOf, targetOf, type Way, waysOf } from "../draft/steps.ts"

export interface Frame {
  readonly entry: FlowTimelineEntry
  /** The step at which it happens. Null: none, such as the end. */
  readonly stepId: string | null
  /** The way that the member then takes to another step. */
  readonly way: Edge | null
  /** Milliseconds since the member entered. */
  readonly after_ms: number
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** Entries that end the stay at a step. */
const leaves: ReadonlyArray<FlowTimelineEntry["type"]> = ["step_executed", "step_skipped", "step_failed"]

/** The way by which a member left a step: metadata say what the condition was, and whether the wait timed out. */
const wayFrom = (structure: Structure, { metadata, step_id }: FlowTimelineEntry): Edge | null => {
  const to = textOf(metadata["next_step_id"])
  const step = stepOf(structure, step_id)
  if (to === null || step === undefined || stepOf(structure, to) === undefined) return null
  const { result, timed_out } = metadata
  const first: ReadonlyArray<Way> = [
    ...(result === true ? (["true", "next"] as const) : []),
    ...(result === false ? (["false"] as const) : []),
    ...(timed_out === true ? (["timeout"] as const) : []),
  ]
  const way = [...first, "default" as const, ...waysOf(step)].find((each) => targetOf(step, each) === to)
  return way === undefined ? null : { from: step.step_id, way, to }
}

export const framesOf = (
  { timeline }: Pick<FlowSimulation, "timeline">,
  structure: Structure,
): ReadonlyArray<Frame> => {
  const start_ms = Date.parse(timeline[0]?.timestamp ?? "")
  return timeline.map((each) => ({
    entry: each,
    stepId: each.step_id,
    way:
      each.type === "entered_flow"
        ? (edgesOf(structure).find(({ from }) => from === entry.from) ?? null)
        : leaves.includes(each.type)
          ? wayFrom(structure, each)
          : null,
    after_ms: Date.parse(each.timestamp) - start_ms,
  }))
}

export interface Lit {
  /** Steps where the member was. */
  readonly steps: ReadonlySet<string>
  /** Ways that the member took. */
  readonly ways: ReadonlyArray<Edge>
  /** Where the member is now. */
  readonly stepId: string | null
  /** The way on which the member goes now. */
  readonly moving: Edge | null
}

export const dark: Lit = { steps: new Set(), ways: [], stepId: null, moving: null }

/** Steps and ways that are lit after the frame `at`. Before the first frame there are none. */
export const litAt = (frames: ReadonlyArray<Frame>, at: number): Lit => {
  const seen = frames.slice(0, at + 1)
  const last = seen.at(-1)
  return {
    steps: new Set(seen.flatMap(({ stepId, way }) => [stepId, way?.to ?? null]).filter((id) => id !== null)),
    ways: seen.flatMap(({ way }) => (way === null ? [] : [way])),
    stepId: last?.way?.to ?? last?.stepId ?? null,
    moving: last?.way ?? null,
  }
}

/** The largest unit of a time in a flow, such as 3 days: for "after 3 days". */
export const spanOf = (ms: number): { readonly amount: number; readonly unit: "minute" | "hour" | "day" } => {
  const minute_ms = 60_000
  const units = [
    { unit: "day", ms: 1_440 * minute_ms },
    { unit: "hour", ms: 60 * minute_ms },
  ] as const
  const found = units.find((each) => ms >= each.ms)
  return found === undefined
    ? { amount: Math.round(ms / minute_ms), unit: "minute" }
    : { amount: Math.round((ms / found.ms) * 10) / 10, unit: found.unit }
}
