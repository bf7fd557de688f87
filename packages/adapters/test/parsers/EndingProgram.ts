// A program that parses once on a thread and does not close its pool.
import { layer } from "@tentpole/adapters/parsers/ParserPool"
import { Parsers } from "@tentpole/core/ports/Parsers"
import { plainTextParser } from "@tentpole/core/rendering/PlainText"
import { Effect, Layer, Scope } from "effect"

const program = Effect.gen(function* () {
  const context = yield* Layer.buildWithScope(layer({ threads_max: 1, time_max_ms: 60_000 }), yield* Scope.make())
  const parsers = yield* Effect.provideContext(Parsers, context)
  yield* parsers.run(plainTextParser, "<p>word</p>".repeat(1_000), null)
  process.stdout.write("parsed\n")
})

void Effect.runPromise(program)
