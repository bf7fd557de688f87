// Flows drawn at random from a seed, for property tests.
import { addStep, connect, removeStep, renameStep } from "../../src/flows/draft/edits.ts"
import {
  edgesOf,
  emptyStep,
  entry,
  freeId,
  openPlacesOf,
  type Place,
  type Step,
  stepTypes,
  type Structure,
  waysOf,
  withMode,
} from "../../src/flows/draft/steps.ts"

/** Seeded random numbers: mulberry32. */
export const drawFrom = (seed: number) => {
  let state = seed >>> 0
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  const of = <Each>(pool: ReadonlyArray<Each>): Each => {
    const drawn = pool[below(pool.length)]
    if (drawn === undefined) throw new Error("drawn from an empty pool")
    return drawn
  }
  return { below, of }
}

type Draw = ReturnType<typeof drawFrom>

export const empty: Structure = { triggers: [], steps: [] }

export const idsOf = ({ steps }: Structure): ReadonlyArray<string> => steps.map(({ step_id }) => step_id)

const newStep = (draw: Draw, structure: Structure): Step => {
  const type = draw.of(stepTypes)
  const step = emptyStep(type, freeId(type, new Set(idsOf(structure))))
  return step.type === "wait" && draw.below(2) === 0 ? withMode(step, "condition") : step
}

export const anyPlace = (draw: Draw, structure: Structure): Place =>
  draw.of([entry, ...edgesOf(structure), ...openPlacesOf(structure)])

/** One edit of any kind. */
export const anyEdit = (draw: Draw, structure: Structure): Structure => {
  const { steps } = structure
  const kind = steps.length === 0 ? 0 : draw.below(6)
  if (kind <= 1) return addStep(structure, newStep(draw, structure), anyPlace(draw, structure))
  const step = draw.of(steps)
  switch (kind) {
    case 2:
      return { ...structure, steps: [...steps, newStep(draw, structure)] }
    case 3:
      return removeStep(structure, step.step_id)
    case 4:
      return renameStep(structure, step.step_id, draw.of([...idsOf(structure), `other_${draw.below(1_000)}`]))
    default: {
      const to = draw.of([null, ...idsOf(structure)])
      return connect(structure, draw.of([entry, { from: step.step_id, way: draw.of(waysOf(step)) }]), to)
    }
  }
}

export const anyStructure = (draw: Draw): Structure => {
  let structure = empty
  for (let count = draw.below(30); count > 0; count--) structure = anyEdit(draw, structure)
  return structure
}

export const newStepFor = newStep
