// Helpers of the commands: their output as text or JSON.
import { type Listed, type ListedBy, page_limit_max } from "@tentpole/core/kernel/Page"
import { Console, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"

export interface Result {
  readonly document: unknown
  readonly text: string
}

export const print = (json: boolean, { document, text }: Result) => (json ? show(document) : Console.log(text))

/** A command that only has subcommands. */
export const commandGroup = <const Name extends string, const Commands extends ReadonlyArray<Command.Command.Any>>(
  name: Name,
  description: string,
  commands: Commands,
) => Command.make(name).pipe(Command.withDescription(description), Command.withSubcommands(commands))

/** All entries of a listing by cursor. */
export const allOf = <A, E, R>(
  list: (by: ListedBy) => Effect.Effect<Listed<A>, E, R>,
): Effect.Effect<ReadonlyArray<A>, E, R> =>
  Effect.gen(function* () {
    const items: Array<A> = []
    let next: string | null = ""
    while (next !== null) {
      const slice: Listed<A> = yield* list({ limit: page_limit_max, ...(next === "" ? {} : { cursor: next }) })
      items.push(...slice.items)
      next = slice.next
    }
    return items
  })

export const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2)

/** Prints one JSON document. */
export const show = (value: unknown) => Console.log(jsonOf(value))

export const jsonFlag = Flag.Boolean("json").pipe(
  Flag.withDescription("Prints one JSON document instead of a table"),
  Flag.withDefault(false),
)

/** The reason for exit code 1. */
export class ChecksFailed extends Schema.TaggedError<ChecksFailed>()("ChecksFailed", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** Prints the results of checks, and fails if one of them failed. */
export const report = Effect.fnUntraced(function* (
  printed: { readonly json: boolean; readonly document: unknown; readonly table: string },
  { failed, total }: { readonly failed: number; readonly total: number },
) {
  yield* printed.json ? show(printed.document) : Console.log(printed.table)
  if (failed > 0) return yield* new ChecksFailed({ reason: `${failed} of ${total} checks failed.` })
})
