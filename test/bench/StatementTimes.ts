// How long statements take, by what they do to which table: the client tells of each by a span.
import { Effect, type Exit, References, Tracer } from "effect"

const nanoseconds_per_ms = 1e6

/** `insert into contact`: what a statement writes first, or what it reads; `for update` writes nothing. */
const deedOf = (text: string): string => {
  const [, verb, table] =
    /\b(insert\s+into|(?<!\b(?:for|key|do)\s+)update|delete\s+from)\s+(\w+)/i.exec(text) ??
    /\b(select)\b[^]*?\bfrom\s+(\w+)/i.exec(text) ??
    []
  return verb === undefined ? "other" : `${verb.toLowerCase().replace(/\s+/, " ")} ${table}`
}

type Ended = (span: Tracer.NativeSpan, endTime: bigint) => void

class TimedSpan extends Tracer.NativeSpan {
  readonly #ended: Ended

  constructor(options: ConstructorParameters<typeof Tracer.NativeSpan>[0], ended: Ended) {
    super(options)
    this.#ended = ended
  }

  override end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    super.end(endTime, exit)
    this.#ended(this, endTime)
  }
}

export class StatementTimes {
  readonly #ms = new Map<string, number>()

  readonly #tracer = Tracer.make({ span: (options) => new TimedSpan(options, (span, at) => this.#add(span, at)) })

  /** Counts the statements of an effect. */
  of<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return effect.pipe(
      Effect.provideService(References.TracerEnabled, true),
      Effect.provideService(Tracer.Tracer, this.#tracer),
    )
  }

  /** The longest first. */
  get longest(): ReadonlyArray<{ readonly deed: string; readonly ms: number }> {
    return Array.from(this.#ms, ([deed, ms]) => ({ deed, ms })).toSorted((left, right) => right.ms - left.ms)
  }

  #add(span: Tracer.NativeSpan, endTime: bigint): void {
    const text = span.attributes.get("db.query.text")
    if (typeof text !== "string") return
    const deed = deedOf(text)
    const ms = Number(endTime - span.startTime) / nanoseconds_per_ms
    this.#ms.set(deed, (this.#ms.get(deed) ?? 0) + ms)
  }
}
