// Contract tests of `Transactor`: parsers run while no transaction is open.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, type Layer } from "effect"
import { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { Transaction, Transactor } from "../../src/kernel/changes/Transactor.ts"
import { decideWith, in_place_size_max, type Parsers, type SyncParser, TooComplex } from "../../src/ports/Parsers.ts"
import { Fresh, test_consumer } from "./fresh.ts"

const upper: SyncParser<{ readonly text: string }, string> = {
  name: "upper",
  run: ({ text }) => text.toUpperCase(),
  sizeOf: () => in_place_size_max + 1,
}

const joined: SyncParser<ReadonlyArray<string | null>, string> = {
  name: "joined",
  run: (texts) => texts.join(""),
  sizeOf: () => in_place_size_max + 1,
}

export const transactor = <E>(name: string, live: Layer.Layer<Transactor | Outbox | Fresh, E>) =>
  layer(live, { excludeTestServices: true })(`Transactor (${name})`, (it) => {
    /** A transaction that parses, and parsers that write down whether a transaction is open. */
    const begin = Effect.gen(function* () {
      const { transact } = yield* Transactor
      const parsedIn: Array<"transaction" | "nothing"> = []
      const parsers: Parsers = {
        run: (parser, input) =>
          Effect.flatMap(Effect.serviceOption(Transaction), (open) =>
            Effect.promise(async () => {
              parsedIn.push(open._tag === "Some" ? "transaction" : "nothing")
              return parser.run(input)
            }),
          ),
      }
      const workspace = yield* (yield* Fresh).workspace()
      const outbox = yield* Outbox
      const write = outbox.append(workspace, [{ type: "parsed", contactId: null, at: yield* DateTime.now, data: {} }])
      const written = Effect.map(outbox.read(workspace, test_consumer, 10), (all) => all.length)
      return { transact, decide: decideWith(parsers, workspace), parsedIn, write, written }
    })

    it.effect("parses while no transaction is open, and commits once", () =>
      Effect.gen(function* () {
        const { decide, parsedIn, transact, write, written } = yield* begin
        const text = yield* transact(
          Effect.gen(function* () {
            yield* write
            return yield* transact(decide((parse) => parse(upper, { text: "a" }) + parse(joined, ["b", null])))
          }),
        )
        assert.strictEqual(text, "Ab")
        assert.deepStrictEqual(parsedIn, ["nothing", "nothing"])
        assert.strictEqual(yield* written, 1)
      }),
    )

    it.effect("parses again what changed before the transaction began again, at most a few times", () =>
      Effect.gen(function* () {
        const { decide, parsedIn, transact } = yield* begin
        let count = 0
        const changing = Effect.suspend(() => {
          const text = `a${Math.min(++count, 2)}`
          return decide((parse) => parse(upper, { text }))
        })
        assert.strictEqual(yield* transact(changing), "A2")
        assert.deepStrictEqual(parsedIn, ["nothing", "nothing"])
        const always = Effect.suspend(() => decide((parse) => parse(upper, { text: `a${++count}` })))
        yield* transact(always)
        assert.strictEqual(parsedIn.at(-1), "transaction")
      }),
    )

    it.effect("gives the transaction the refusal of a parser", () =>
      Effect.gen(function* () {
        const { transact } = yield* begin
        const refusing: Parsers = { run: () => Effect.fail(new TooComplex({ reason: "is too long" })) }
        const decide = decideWith(refusing, yield* (yield* Fresh).workspace())
        const refused = decide((parse) => parse(upper, { text: "a" }))
        const caught = transact(Effect.catchTag(refused, "TooComplex", ({ reason }) => Effect.succeed(reason)))
        assert.strictEqual(yield* caught, "is too long")
        assert.isTrue(Exit.isFailure(yield* Effect.exit(transact(refused))))
      }),
    )
  })
