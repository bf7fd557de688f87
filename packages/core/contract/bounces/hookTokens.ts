// Contract tests of webhook tokens: each is valid for one body.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { HookTokenStore } from "../../src/bounces/providers/HookTokenStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "../kernel/fresh.ts"

const bytes = (of: number): Uint8Array => new Uint8Array(32).fill(of)
const call = (token: number, body: number, keep_s = 3600) =>
  ({ provider: "mailgun", token: bytes(token), body: bytes(body), keep_s }) as const

const begin = Effect.gen(function* () {
  const { transact } = yield* Transactor
  const tokens = yield* HookTokenStore
  const workspace = yield* (yield* Fresh).workspace()
  const use = (...of: Parameters<typeof call>) => transact(tokens.use(workspace, call(...of)))
  return { transact, tokens, workspace, use }
})

export const hookTokens = <E>(name: string, live: Layer.Layer<HookTokenStore | Transactor | Fresh, E>) =>
  layer(live, { excludeTestServices: true })(`HookTokenStore (${name})`, (it) => {
    it.effect("accepts a token again with the same body and rejects it with another", () =>
      Effect.gen(function* () {
        const { use } = yield* begin
        assert.isTrue(yield* use(1, 1))
        assert.isTrue(yield* use(1, 1))
        assert.isFalse(yield* use(1, 2))
        assert.isTrue(yield* use(2, 2))
      }),
    )

    it.effect("rejects one of two concurrent requests with the same token and different bodies", () =>
      Effect.gen(function* () {
        const { use } = yield* begin
        const answers = yield* Effect.all(
          [1, 2, 3, 4, 5].map((body) => use(1, body)),
          { concurrency: "unbounded" },
        )
        assert.strictEqual(answers.filter((may) => may).length, 1)
      }),
    )

    it.effect("does not use up the token of a request that fails", () =>
      Effect.gen(function* () {
        const { tokens, transact, use, workspace } = yield* begin
        yield* Effect.exit(transact(Effect.andThen(tokens.use(workspace, call(1, 1)), Effect.fail("no"))))
        assert.isTrue(yield* use(1, 2))
      }),
    )

    it.effect("separates the tokens of workspaces and of providers", () =>
      Effect.gen(function* () {
        const { tokens, transact, use, workspace } = yield* begin
        const other = yield* begin
        assert.isTrue(yield* use(1, 1))
        assert.isTrue(yield* other.use(1, 2))
        assert.isTrue(yield* transact(tokens.use(workspace, { ...call(1, 2), provider: "sendgrid" })))
      }),
    )

    it.effect("deletes tokens that are older than the given time", () =>
      Effect.gen(function* () {
        const { use } = yield* begin
        assert.isTrue(yield* use(1, 1))
        yield* Effect.sleep("5 millis")
        assert.isTrue(yield* use(1, 2, 0))
      }),
    )
  })
