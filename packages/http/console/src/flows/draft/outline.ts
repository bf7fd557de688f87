// A flow as a nested list: each step once, in the order in which members reach it. Pure.
import { edgesOf, entry, type Place, type Step, stepOf, type Structure, targetOf, type Way, waysOf } from "./steps.ts"

export interface Branch {
  readonly way: Way
  readonly items: ReadonlyArray<Item>
}

export type Item =
  | { readonly kind: "step"; readonly step: Step; readonly branches: ReadonlyArray<Branch> }
  /** A place at which a step can be added. */
  | { readonly kind: "place"; readonly place: Place }
  /** The way leads to a step that is elsewhere in the list. */
  | { readonly kind: "go"; readonly to: Step }
  | { readonly kind: "end" }

export interface Outline {
  readonly items: ReadonlyArray<Item>
  /** Steps that no way leads to. */
  readonly loose: ReadonlyArray<Item>
}

type Targets = ReadonlyMap<string | null, ReadonlyArray<string>>

const targetsOf = (structure: Structure): Targets => {
  const targets = new Map<string | null, Array<string>>()
  for (const { from, to } of edgesOf(structure)) targets.set(from, [...(targets.get(from) ?? []), to])
  return targets
}

/** Steps from this one on, the near ones first. */
const onwards = (targets: Targets, from: string): ReadonlyArray<string> => {
  const found = [from]
  const seen = new Set(found)
  for (let at = 0; at < found.length; at++) {
    for (const to of targets.get(found[at] ?? null) ?? []) {
      if (!seen.has(to)) found.push(to)
      seen.add(to)
    }
  }
  return found
}

class Writer {
  readonly #structure: Structure
  readonly #targets: Targets
  readonly #shown = new Set<string>()

  constructor(structure: Structure) {
    this.#structure = structure
    this.#targets = targetsOf(structure)
  }

  /** The steps from `id` on, until one of `stops`, which the list has further on. */
  chain(id: string | null, stops: ReadonlySet<string>): Array<Item> {
    const items: Array<Item> = []
    for (let at = id; ;) {
      const step = stepOf(this.#structure, at)
      if (step === undefined) return [...items, { kind: "end" }]
      if (stops.has(step.step_id)) return items
      if (this.#shown.has(step.step_id)) return [...items, { kind: "go", to: step }]
      this.#shown.add(step.step_id)
      const ways = waysOf(step).filter((way) => way === "true" || way === "false" || this.#leads(step, way))
      if (ways.length <= 1) {
        items.push({ kind: "step", step, branches: [] }, { kind: "place", place: { from: step.step_id, way: "next" } })
        at = targetOf(step, "next")
        continue
      }
      const join = this.#joinOf(step, ways, stops)
      items.push({ kind: "step", step, branches: this.#branches(step, ways, join, stops) })
      if (join === null) return items
      at = join
    }
  }

  loose(): Array<Item> {
    return this.#structure.steps.flatMap(({ step_id }) =>
      this.#shown.has(step_id) ? [] : this.chain(step_id, new Set()),
    )
  }

  #leads(step: Step, way: Way): boolean {
    return way === "next" || targetOf(step, way) !== null
  }

  #branches(step: Step, ways: ReadonlyArray<Way>, join: string | null, stops: ReadonlySet<string>) {
    const inner = join === null ? stops : new Set([...stops, join])
    return ways.map((way): Branch => {
      const place = { from: step.step_id, way }
      const to = targetOf(step, way)
      const rest = to === null ? [{ kind: "end" } as const] : this.chain(to, inner)
      return { way, items: [{ kind: "place", place }, ...rest] }
    })
  }

  /** The first step at which two branches meet again: the list goes on with it after the branches. */
  #joinOf(step: Step, ways: ReadonlyArray<Way>, stops: ReadonlySet<string>): string | null {
    const [first, ...others] = ways.flatMap((way) => {
      const to = targetOf(step, way)
      return to === null ? [] : [onwards(this.#targets, to)]
    })
    const isFree = (id: string) => !this.#shown.has(id) && !stops.has(id)
    return first?.find((id) => isFree(id) && others.some((ids) => ids.includes(id))) ?? null
  }
}

export const outlineOf = (structure: Structure): Outline => {
  const writer = new Writer(structure)
  const [first] = structure.steps
  const items: ReadonlyArray<Item> = [
    { kind: "place", place: entry },
    ...(first === undefined ? [] : writer.chain(first.step_id, new Set())),
  ]
  return { items, loose: writer.loose() }
}
