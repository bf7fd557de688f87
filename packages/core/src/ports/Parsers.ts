// The port to parsers: pure functions that read HTML, images or mail of strangers. Their time and memory depend on the input, so
// a service runs them on parsing threads with limits.
import { Cause, Context, Effect, Predicate, Result, Schema } from "effect"
import type { WorkspaceId } from "../kernel/Ids.ts"
import { refusalClass } from "../kernel/Refusal.ts"

/** Input and output are plain data: they are copied between threads. */
export interface Parser<Input, Output> {
  /** Unique. Threads find the parser by it. */
  readonly name: string
  readonly run: (input: Input) => Output | Promise<Output>
  /** The size of what is parsed, in characters or bytes. */
  readonly sizeOf: (input: Input) => number
}

export type AnyParser = Parser<never, unknown>

/** Thrown by parsers. The message completes a sentence that begins with what was parsed. */
export class ParserLimitExceeded extends Error {}

/** The input exceeds the limits of parsing. `reason` completes a sentence that begins with what was parsed. */
export class TooComplex extends refusalClass<TooComplex>()("TooComplex", {
  code: "too_complex",
  fields: { reason: Schema.String },
  message: ({ reason }) => `The content is too complex: it ${reason}. Make it smaller or simpler`,
}) {}

export interface Parsers {
  /**
   * The parser's output. Dies with `Unavailable` when too many inputs wait. Waiting inputs are served in turn of their workspaces;
   * null is the service itself.
   */
  readonly run: <Input, Output>(
    parser: Parser<Input, Output>,
    input: Input,
    workspace: WorkspaceId | null,
  ) => Effect.Effect<Output, TooComplex>
}

export type Parsed<Output> = { readonly output: Output } | { readonly tooComplex: string }

const tooComplexIn = (error: unknown): { readonly tooComplex: string } => {
  if (error instanceof ParserLimitExceeded) return { tooComplex: error.message }
  // The stack or the longest possible string was exceeded.
  if (error instanceof RangeError) return { tooComplex: "nests too deeply or is too large" }
  throw error
}

/** Runs a parser in this thread. */
export const parse = <Input, Output>(
  parser: Parser<Input, Output>,
  input: Input,
): Parsed<Output> | Promise<Parsed<Output>> => {
  try {
    const output = parser.run(input)
    return output instanceof Promise ? output.then((output) => ({ output }), tooComplexIn) : { output }
  } catch (error) {
    return tooComplexIn(error)
  }
}

export const fromParsed = <Output>(parsed: Parsed<Output>): Effect.Effect<Output, TooComplex> =>
  "output" in parsed ? Effect.succeed(parsed.output) : Effect.fail(new TooComplex({ reason: parsed.tooComplex }))

/** Runs parsers in the calling thread, without limits. */
export const inProcess: Parsers = {
  run: (parser, input) =>
    Effect.suspend(() => {
      const parsed = parse(parser, input)
      return parsed instanceof Promise
        ? Effect.flatMap(
            Effect.promise(() => parsed),
            fromParsed,
          )
        : fromParsed(parsed)
    }),
}

/** The parsers of a service. Programs that set none run them in the calling thread. */
export const Parsers = Context.Reference<Parsers>("tentpole/Parsers", { defaultValue: () => inProcess })

/** Applies a parser to an input inside a decision. */
export type Parse = <Input, Output>(parser: SyncParser<Input, Output>, input: Input) => Output

/** A parser that a decision can run itself. */
export interface SyncParser<Input, Output> extends Parser<Input, Output> {
  readonly run: (input: Input) => Output
}

export const parseNow: Parse = (parser, input) => parser.run(input)

/** Parsing this much takes a few milliseconds for any input, which is about as long as handing it to a thread. */
export const in_place_size_max = 4096

/** Ends a decision at a parser whose result is not known yet, and its transaction if it has one. */
class Pending extends Error {
  readonly parser: string
  readonly input: unknown
  readonly isSmall: boolean
  readonly run: Effect.Effect<unknown, TooComplex>
  constructor({ parser, input, isSmall, run }: Pick<Pending, "parser" | "input" | "isSmall" | "run">) {
    super()
    this.parser = parser
    this.input = input
    this.isSmall = isSmall
    this.run = run
  }
}

/** Inputs are texts, and lists and objects of them. */
const isSame = (left: unknown, right: unknown): boolean => {
  if (!Predicate.isObjectOrArray(left) || !Predicate.isObjectOrArray(right)) return left === right
  const [entries, others] = [Object.entries(left), new Map(Object.entries(right))]
  return (
    entries.length === others.size &&
    entries.every(([name, value]) => others.has(name) && isSame(value, others.get(name)))
  )
}

/** What was parsed before the transaction that is open. */
interface ParsedBefore {
  readonly results: ReadonlyArray<{ readonly of: Pending; readonly result: Result.Result<unknown, TooComplex> }>
}

const ParsedBefore = Context.Reference<ParsedBefore | null>("tentpole/ParsedBefore", { defaultValue: () => null })

/** A transaction is begun again at most this often. It then parses while it is open. */
const parsed_before_max = 8

const resultOf = (pending: Pending): Effect.Effect<unknown, TooComplex> =>
  Effect.flatMap(ParsedBefore, (before) => {
    if (before === null || pending.isSmall) return pending.run
    const known = before.results.find(({ of }) => of.parser === pending.parser && isSame(of.input, pending.input))
    if (known !== undefined) return Effect.fromResult(known.result)
    return before.results.length < parsed_before_max ? Effect.die(pending) : pending.run
  })

/**
 * For adapters: the outermost transaction, which does not wait for parsing threads while it is open. It is rolled back when a
 * decision needs a parser. The input is parsed, and the transaction begins again. A result is used for an equal input only: what
 * changed meanwhile is parsed again.
 */
export const parsingBefore = <A, E, R>(
  transaction: Effect.Effect<A, E, R>,
  before: ParsedBefore = { results: [] },
): Effect.Effect<A, E, R> =>
  Effect.catchCause(Effect.provideService(transaction, ParsedBefore, before), (cause) => {
    const pending = Cause.squash(cause)
    if (!(pending instanceof Pending)) return Effect.failCause(cause)
    return Effect.flatMap(Effect.result(pending.run), (result) =>
      parsingBefore(transaction, { results: [...before.results, { of: pending, result }] }),
    )
  })

/**
 * Runs a pure decision whose parsers run on parsing threads: the decision ends at a result that is not known, and runs again
 * when it is. In a transaction, see `parsingBefore`.
 */
export const decideWith =
  (parsers: Parsers, workspace: WorkspaceId) =>
  <A>(decide: (parse: Parse) => A): Effect.Effect<A, TooComplex> =>
    Effect.suspend(() => {
      const known: Array<unknown> = []
      const attempt: Effect.Effect<A, TooComplex> = Effect.suspend(() => {
        let next = 0
        try {
          return Effect.succeed(
            decide(<Input, Output>(parser: SyncParser<Input, Output>, input: Input) => {
              if (next === known.length) {
                const isSmall = parser.sizeOf(input) <= in_place_size_max
                const run = parsers.run(parser, input, workspace)
                throw new Pending({ parser: parser.name, input, isSmall, run })
              }
              // A pure decision makes the same calls again.
              return known[next++] as Output
            }),
          )
        } catch (pending) {
          if (!(pending instanceof Pending)) throw pending
          return Effect.flatMap(resultOf(pending), (output) => {
            known.push(output)
            return attempt
          })
        }
      })
      return attempt
    })
