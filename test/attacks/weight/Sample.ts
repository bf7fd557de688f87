// Plans of a campaign, and samples by seed.
import { type Draw, drawFrom } from "@tentpole/core/contract"

export const parts = ["requests", "visitors", "worker"] as const
export type Part = (typeof parts)[number]

export interface Plan {
  readonly seed: number
  /** Operations that are tried; the others are left out. */
  readonly operations_max: number
  /** Inputs of each operation. */
  readonly inputs_max: number
  /** Inputs of visitors and hooks, and of the worker. */
  readonly others_max: number
  /** The time of each part. What is left then is reported as not tried. */
  readonly minutes_max: Readonly<Record<Part, number>>
}

/** Chooses the inputs whose operation, parameter or filling contains this text. */
const { WEIGHT_ONLY: only = "" } = process.env

export const isChosen = (input: {
  readonly operation: string
  readonly parameter: string
  readonly filling: string
}): boolean => `${input.operation}  ${input.parameter}: ${input.filling}`.includes(only)

export const minute_ms = 60_000

export const draw = ({ seed }: Plan): Draw => drawFrom(seed)

export const shuffled = <A>(by: Draw, all: ReadonlyArray<A>): ReadonlyArray<A> => {
  const left = [...all]
  return all.flatMap(() => left.splice(by.below(left.length), 1))
}
