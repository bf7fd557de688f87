// The progress of work in the service: its state is read until it is final, and drawn on a terminal meanwhile.
import { Clock, type Duration, Effect } from "effect"
import { counted, lasting } from "./Figures.ts"
import { Screen } from "./Screen.ts"

export interface Progress {
  /** What goes on: `Sending`. */
  readonly doing: string
  readonly done: number
  /** Null while it is unknown. */
  readonly total: number | null
  /** As the service measures it; null while it is unknown. Default: measured here. */
  readonly pace?: MeasuredPace | null
  /** What else there is to know. */
  readonly notes?: ReadonlyArray<string>
}

export interface MeasuredPace {
  readonly perSecond: number
  /** Null if it is unknown. */
  readonly rest_s: number | null
}

/** The rate covers this time. */
const window_ms = 60_000

/** The rate of progress, from its newest samples. */
export class Pace {
  readonly #samples: Array<{ readonly at_ms: number; readonly done: number }> = []

  add(at_ms: number, done: number): void {
    this.#samples.push({ at_ms, done })
    while ((this.#samples[1]?.at_ms ?? at_ms) <= at_ms - window_ms) this.#samples.shift()
  }

  /** Null until two samples differ. */
  get perSecond(): number | null {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)]
    if (first === undefined || last === undefined) return null
    return last.at_ms > first.at_ms && last.done > first.done
      ? ((last.done - first.done) * 1000) / (last.at_ms - first.at_ms)
      : null
  }

  /** Null while the rate is unknown. */
  of({ done, total }: Progress): MeasuredPace | null {
    const { perSecond } = this
    return perSecond === null ? null : { perSecond, rest_s: total === null ? null : (total - done) / perSecond }
  }
}

const bar_length = 20

/** One line, without the bar if it is too long, and cut to the terminal's width: a longer one would wrap, and could not be replaced. */
export const progressLine = (
  { doing, done, notes = [], total }: Progress,
  pace: MeasuredPace | null,
  columns: number,
): string => {
  const [bar, parts] = [[] as Array<string>, [] as Array<string>]
  if (total !== null && total > 0) {
    const filled = Math.floor((Math.min(done, total) / total) * bar_length)
    bar.push(`[${"#".repeat(filled)}${"-".repeat(bar_length - filled)}]`)
    parts.push(`${counted(done)} of ${counted(total)}`)
    if (pace !== null && done < total) {
      const { perSecond, rest_s } = pace
      parts.push(`${perSecond < 10 ? perSecond.toFixed(1) : counted(Math.round(perSecond))} per second`)
      if (rest_s !== null) parts.push(`${lasting(rest_s)} left`)
    }
  }
  const whole = [doing, ...bar, ...parts, ...notes].join("  ")
  return whole.length < columns ? whole : [doing, ...parts, ...notes].join("  ").slice(0, columns - 1)
}

/** Reads a state until it is final. */
export const follow = <State, E, R>(
  read: Effect.Effect<State, E, R>,
  {
    every,
    isFinal,
    progressOf,
  }: {
    readonly every: Duration.Input
    readonly isFinal: (state: State) => boolean
    readonly progressOf: (state: State) => Progress
  },
): Effect.Effect<State, E, R> =>
  Effect.gen(function* () {
    const { columns, draw, showsProgress } = yield* Screen
    const pace = new Pace()
    const draws = Effect.fnUntraced(function* (state: State) {
      const progress = progressOf(state)
      pace.add(yield* Clock.currentTimeMillis, progress.done)
      draw(progressLine(progress, progress.pace === undefined ? pace.of(progress) : progress.pace, columns))
    })
    const loop = Effect.gen(function* () {
      for (;;) {
        const state = yield* read
        if (showsProgress) yield* draws(state)
        if (isFinal(state)) return state
        yield* Effect.sleep(every)
      }
    })
    return yield* showsProgress
      ? Effect.ensuring(
          loop,
          Effect.sync(() => draw("")),
        )
      : loop
  })
