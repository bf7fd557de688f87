// A program that parses once on a thread and does not close its pool.
import { layer } from "@tentpole/adapters/parsers/ParserPool"
import { in_place_size_max, Parsers } from "@tentpole/core/ports/Parsers"
import { Effect, Layer, Scope } from "effect"

const module = new URL("TestThread.ts", import.meta.url)
const onThread = { name: "thread", run: () => 0, sizeOf: () => in_place_size_max + 1 }

const program = Effect.gen(function* () {
  const context = yield* Layer.buildWithScope(
    layer({ threads_max: 1, time_max_ms: 60_000, module }),
    yield* Scope.make(),
  )
  const parsers = yield* Effect.provideContext(Parsers, context)
  yield* parsers.run(onThread, null, null)
  process.stdout.write("parsed\n")
})

void Effect.runPromise(program)
