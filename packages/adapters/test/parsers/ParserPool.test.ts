// Tests of the pool of parsing threads: its limits on time, memory and waiting inputs.
import { emailCleaner, pageCleaner } from "@tentpole/adapters/ai/html/SanitizeHtml"
import { layer, type ParserPoolOptions } from "@tentpole/adapters/parsers/ParserPool"
import { parsersByName } from "@tentpole/adapters/parsers/Table"
import { contract, sampled, until } from "@tentpole/core/contract"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { waiting_max, waiting_share_max } from "@tentpole/core/kernel/runtime/FairLimit"
import { in_place_size_max, type Parser, Parsers, TooComplex } from "@tentpole/core/ports/Parsers"
import { plainTextParser } from "@tentpole/core/rendering/PlainText"
import { assert, describe, it, layer as withLayer } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { threadId } from "node:worker_threads"
import { forWorker } from "../support/TestDatabase.ts"

contract.parsers("in the calling thread", Layer.empty)
/** The start of a thread with all parsers takes the processor a second. */
const shared = Layer.effectContext(forWorker(Layer.build(layer({ threads_max: 2, time_max_ms: 60_000 }))))
contract.parsers("pool", shared)

const workspaceId = (at: number) => WorkspaceId.make(`0190a0de-0000-7000-8000-${String(at).padStart(12, "0")}`)
const [ours, others] = [workspaceId(1), workspaceId(2)]

/** A parser of `TestThread`. The input counts as large. */
const named = <Output>(name: string, inThisThread: () => Output): Parser<unknown, Output> => ({
  name,
  run: inThisThread,
  sizeOf: () => in_place_size_max + 1,
})
const never = (): never => assert.fail("ran in the calling thread")
const thread = named("thread", () => threadId)
const held = named("held", never)

const module = new URL("TestThread.ts", import.meta.url)
const pool = (options: Partial<ParserPoolOptions> = {}) =>
  Effect.provide(layer({ threads_max: 1, time_max_ms: 60_000, module, ...options }))

const inputThatWaits = () => {
  const shared = new Int32Array(new SharedArrayBuffer(8))
  return {
    input: shared.buffer,
    hasBegun: () => Atomics.load(shared, 0) === 1,
    release: Effect.sync(() => {
      Atomics.store(shared, 1, 1)
      Atomics.notify(shared, 1)
    }),
  }
}

const isUnavailable = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && Cause.squash(exit.cause) instanceof Unavailable

describe("the pool of parsing threads", () => {
  it.live("parses small inputs in the calling thread, and all others in another one", () =>
    Effect.gen(function* () {
      const parsers = yield* Parsers
      const small = { ...thread, sizeOf: () => in_place_size_max }
      assert.strictEqual(yield* parsers.run(small, null, ours), threadId)
      assert.notStrictEqual(yield* parsers.run(thread, null, ours), threadId)
    }).pipe(pool()),
  )

  it.effect("ends an input that takes too long, and replaces its thread", () =>
    Effect.gen(function* () {
      const parsers = yield* Parsers
      const { input, hasBegun } = inputThatWaits()
      const endless = yield* Effect.forkChild(Effect.flip(parsers.run(named("endless", never), input, ours)))
      yield* TestClock.withLive(until(hasBegun))
      // The pool learns a moment later that the thread has begun.
      while (endless.pollUnsafe() === undefined) {
        yield* TestClock.adjust(5_000)
        yield* TestClock.withLive(Effect.sleep("5 millis"))
      }
      const { message } = yield* Fiber.join(endless)
      assert.strictEqual(
        message,
        "The content is too complex: it takes longer than 5 s to read. Make it smaller or simpler",
      )
      assert.notStrictEqual(yield* parsers.run(thread, null, ours), threadId)
    }).pipe(pool({ time_max_ms: 5_000 })),
  )

  it.live("ends an input that needs too much memory, and replaces its thread", () =>
    Effect.gen(function* () {
      const parsers = yield* Parsers
      const error = yield* Effect.flip(parsers.run(named("hog", never), null, ours))
      assert.include(error.message, "needs more than 192 MB of memory")
      assert.notStrictEqual(yield* parsers.run(thread, null, ours), threadId)
    }).pipe(pool()),
  )

  it.live("reuses a thread, unless an input made its heap large", () =>
    Effect.gen(function* () {
      const parsers = yield* Parsers
      const run = (name: string) => parsers.run(named(name, never), null, ours)
      const first = yield* run("thread")
      assert.strictEqual(yield* run("thread"), first)
      assert.strictEqual(yield* run("large"), first)
      assert.notStrictEqual(yield* run("thread"), first)
    }).pipe(pool()),
  )

  it.live("dies when a parser is broken, and parses the next input", () =>
    Effect.gen(function* () {
      const parsers = yield* Parsers
      const exit = yield* Effect.exit(parsers.run(named("broken", never), null, ours))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.notStrictEqual(yield* parsers.run(thread, null, ours), threadId)
    }).pipe(pool()),
  )

  it.live("frees the thread of a caller that was interrupted", () =>
    Effect.gen(function* () {
      const parsers = yield* Parsers
      const waits = inputThatWaits()
      const fiber = yield* Effect.forkChild(parsers.run(held, waits.input, ours))
      yield* until(waits.hasBegun)
      yield* Fiber.interrupt(fiber)
      assert.notStrictEqual(yield* parsers.run(thread, null, ours), threadId)
    }).pipe(pool()),
  )

  it.live("refuses an input when too many of its workspace wait, but not one of another workspace", () =>
    Effect.gen(function* () {
      const parsers = yield* Parsers
      const waits = inputThatWaits()
      const run = (workspace: WorkspaceId) => Effect.forkChild(Effect.exit(parsers.run(thread, null, workspace)))
      yield* Effect.forkChild(parsers.run(held, waits.input, ours))
      yield* until(waits.hasBegun)
      const waiting = yield* Effect.replicateEffect(run(ours), waiting_share_max)
      yield* Effect.yieldNow
      assert.isTrue(isUnavailable(yield* Fiber.join(yield* run(ours))))
      const accepted = yield* run(others)
      yield* waits.release
      for (const fiber of [...waiting, accepted]) assert.isTrue(Exit.isSuccess(yield* Fiber.join(fiber)))
    }).pipe(pool()),
  )

  it.live("refuses every input while the queue is full", () =>
    Effect.gen(function* () {
      const parsers = yield* Parsers
      const waits = inputThatWaits()
      yield* Effect.forkChild(parsers.run(held, waits.input, ours))
      yield* until(waits.hasBegun)
      for (let at = 0; at < waiting_max; at++) yield* Effect.forkChild(parsers.run(thread, null, workspaceId(at)))
      yield* Effect.yieldNow
      assert.isTrue(isUnavailable(yield* Effect.exit(parsers.run(thread, null, workspaceId(waiting_max)))))
      yield* waits.release
    }).pipe(pool()),
  )

  it.live("serves the workspaces in turn", () =>
    Effect.gen(function* () {
      const parsers = yield* Parsers
      const waits = inputThatWaits()
      const done: Array<WorkspaceId> = []
      const run = (workspace: WorkspaceId) =>
        Effect.forkChild(
          Effect.tap(parsers.run(thread, null, workspace), () => Effect.sync(() => done.push(workspace))),
        )
      yield* Effect.forkChild(parsers.run(held, waits.input, ours))
      yield* until(waits.hasBegun)
      const fibers = yield* Effect.forEach([ours, ours, ours, others], run)
      yield* Effect.yieldNow
      yield* waits.release
      yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(done, [ours, others, ours, ours])
    }).pipe(pool()),
  )
})

/** Inputs at the maximum size of HTML that cost a parser much. `npm test` takes the first ones. */
const scraps = ["<p onclick=x>", "{{a}}", "<p>x", "<b>", "<a>", "<table>", "<!--[if mso]><v:a onclick=x><![endif]-->"]
const worst = scraps
  .slice(0, sampled(scraps.length))
  .map((scrap): [string, string] => [scrap, scrap.repeat(Math.floor(2 ** 21 / scrap.length))])

const short = layer({ threads_max: 1, time_max_ms: 3_000 })
withLayer(short, { excludeTestServices: true })("the largest HTML", (it) => {
  it.effect.each(worst)("2 MB of %s are parsed or refused on a thread", ([, html]) =>
    Effect.gen(function* () {
      const parsers = yield* Parsers
      for (const parser of [pageCleaner, emailCleaner, plainTextParser] as ReadonlyArray<Parser<string, unknown>>) {
        const exit = yield* Effect.exit(parsers.run({ ...parser, run: never }, html, ours))
        const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : null
        assert.isTrue(error === null || error instanceof TooComplex, String(error))
      }
    }),
  )
})

it.live("one thread parses many inputs, also after a large one", () =>
  Effect.gen(function* () {
    const parsers = yield* Parsers
    const letter = "<p style='color:red'>Hello <a href='https://example.com'>Ann</a></p>"
    const parseAll = (times: number) =>
      Effect.forEach([emailCleaner, plainTextParser], (parser) =>
        parsers.run({ ...parser, run: never }, letter.repeat(times), ours),
      )
    yield* parseAll(100)
    let started = 0
    const onThread = () => void started++
    process.on("worker", onThread)
    for (const times of [5_000, 100, 100]) yield* parseAll(times)
    process.off("worker", onThread)
    assert.strictEqual(started, 0)
  }).pipe(Effect.provide(shared)),
)

it("each parser has a name of its own, under which a thread finds it", () => {
  for (const [name, parser] of parsersByName) assert.strictEqual(parser.name, name)
  assert.isAbove(parsersByName.size, 15)
})

it("a process ends by itself while its pool has an idle thread", async () => {
  const program = fileURLToPath(new URL("EndingProgram.ts", import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  assert.strictEqual(stdout, "parsed\n")
})
