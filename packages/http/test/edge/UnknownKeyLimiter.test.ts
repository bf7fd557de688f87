// Tests of the limit of unknown API keys.
import * as TokenBucketStore from "@tentpole/adapters/memory/kernel/TokenBucketStore"
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { tagged } from "@tentpole/core/contract"
import { newKey } from "@tentpole/core/workspaces/ApiKey"
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { UnknownKeysPerMinute, wrongKeys } from "@tentpole/http/edge/UnknownKeyLimiter"
import { assert, it } from "@effect/vitest"
import { Context, DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { listening, listeningOn, listeningOver, raw, rawHead, statusOf } from "../fixtures/Listening.ts"
import { postgresWorld } from "../fixtures/PostgresWorld.ts"
import { testKey, world } from "../fixtures/World.ts"

const few = { addresses_max: 10, right_keys_max: 10 }

const limiter = (perMinute: number) => Effect.provide(wrongKeys(perMinute, few), TokenBucketStore.layer)

it.effect(
  "looks up only the allowed number of forged keys per minute and address",
  () =>
    Effect.gen(function* () {
      const admit = yield* limiter(300)
      const lookedUp = Effect.fnUntraced(function* (address: (each: number) => string) {
        let count = 0
        for (let each = 0; each < 10_000; each++) {
          const { settled, wait_s } = yield* admit(address(each), `forged ${each}`)
          if (wait_s === 0) {
            settled(false)
            count++
          }
          yield* TestClock.adjust(6)
        }
        return count
      })
      const allowed = 300 + 299
      assert.strictEqual(
        yield* lookedUp(() => "192.0.2.1"),
        allowed,
        "a minute's allowance at once, and the refill of the next minute",
      )
      assert.strictEqual(
        yield* lookedUp((each) => `2001:db8::${each.toString(16)}`),
        allowed,
        "the addresses of one /64 share a limit",
      )
    }),
  { tags: ["attack/key-guessing"] },
)

it.effect("does not limit a valid key behind the same address until it becomes invalid", () =>
  Effect.gen(function* () {
    const admit = yield* limiter(3)
    const wait = (address: string, key: string) => Effect.map(admit(address, key), ({ wait_s }) => wait_s)
    ;(yield* admit("a", "right")).settled(true)
    const others = [yield* wait("a", "1"), yield* wait("a", "2"), yield* wait("a", "3")]
    assert.deepStrictEqual([others[0], others[1], (others[2] ?? 0) > 0], [0, 0, true])
    for (let each = 0; each < 10; each++) assert.strictEqual(yield* wait("a", "right"), 0)
    assert.strictEqual(yield* wait("b", "new"), 0, "another address has its own limit")
    ;(yield* admit("a", "right")).settled(false)
    assert.isAbove(yield* wait("a", "right"), 0, "it was revoked")
    yield* TestClock.adjust(20_000)
    assert.strictEqual(yield* wait("a", "new"), 0, "the limit refills over time")
  }),
)

/** Both listeners; the API looks up one unknown key per minute. Returns the answer to a key. */
const strict = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>> = {}) {
  const context = Context.add(yield* Layer.build(world), UnknownKeysPerMinute, 1)
  yield* Context.get(context, Workspaces).bootstrap({ apiKey: testKey })
  const { api } = yield* listeningOver(context, environment)
  const forge = Effect.provideService(newKey, Secrets, Context.get(context, Secrets))
  const ask = (key: string, address: string) =>
    rawHead(
      api,
      "GET /v1/contact-lists HTTP/1.1",
      "Host: api.test",
      `Authorization: Bearer ${key}`,
      `X-Forwarded-For: ${address}`,
    )
  return { ask, forge }
})

const keyGuessingTest = tagged(it.live, "attack/key-guessing", "attack/header-spoofing")
keyGuessingTest(
  "answers 429 with Retry-After above the limit regardless of X-Forwarded-For, but not to a known key",
  () =>
    Effect.gen(function* () {
      const { ask, forge } = yield* strict()
      assert.strictEqual(statusOf(yield* ask(testKey, "192.0.2.1")), 200)
      const refused = yield* ask(yield* forge, "192.0.2.2")
      assert.strictEqual(statusOf(refused), 429)
      assert.match(refused, /retry-after: [1-9]\d?\r\n/i)
      assert.match(refused, /"error_code":"rate_limited"/)
      assert.strictEqual(statusOf(yield* ask(testKey, "192.0.2.2")), 200)
    }).pipe(Effect.scoped),
)

const keyGuessingTooTest = tagged(it.live, "attack/key-guessing")
keyGuessingTooTest("limits each client address behind a trusted proxy", () =>
  Effect.gen(function* () {
    const { ask, forge } = yield* strict({ TRUST_PROXY: "127.0.0.1" })
    const statuses = yield* Effect.forEach(["192.0.2.1", "192.0.2.1", "192.0.2.2", "1.2.3.4, 192.0.2.2"], (address) =>
      Effect.flatMap(forge, (key) => Effect.map(ask(key, address), statusOf)),
    )
    assert.deepStrictEqual(statuses, [401, 429, 401, 429])
  }).pipe(Effect.scoped),
)

keyGuessingTooTest("refuses a revoked key at once, also if it was in use", () =>
  Effect.gen(function* () {
    const { api, context, workspace } = yield* listening
    const request = (key: string) =>
      raw(api, `GET /v1/contact-lists HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`)
    const { createKey, revokeKey } = Context.get(context, Workspaces)
    const { key, raw: secret } = yield* createKey(workspace, { name: "k" })
    assert.match(yield* request(secret), /^HTTP\/1\.1 200 /)
    yield* revokeKey(workspace, key.id)
    assert.match(yield* request(secret), /^HTTP\/1\.1 401 /)
  }).pipe(Effect.scoped),
)

const deadKeyTest = tagged(it.live, "attack/dead-key")
deadKeyTest("refuses unknown, similar, revoked and expired keys with identical bytes", () =>
  Effect.gen(function* () {
    const { api, context, workspace } = yield* listeningOn(postgresWorld)
    const { createKey, revokeKey } = Context.get(context, Workspaces)
    const live = yield* createKey(workspace, { name: "live" })
    const revoked = yield* createKey(workspace, { name: "revoked" })
    yield* revokeKey(workspace, revoked.key.id)
    const expired = yield* createKey(workspace, { name: "expired", expiresAt: DateTime.makeUnsafe(1) })
    const unknown = yield* Effect.provideService(newKey, Secrets, Context.get(context, Secrets))
    const answers = yield* Effect.forEach(
      [unknown, live.key.prefix + unknown.slice(live.key.prefix.length), `${live.raw}x`, revoked.raw, expired.raw, "x"],
      (key) =>
        raw(
          api,
          `GET /v1/contact-lists HTTP/1.1\r\nHost: x\r\nX-Request-Id: same\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
        ),
    )
    assert.match(answers[0] ?? "", /^HTTP\/1\.1 401 .*www-authenticate: Bearer\r\n/is)
    assert.strictEqual(new Set(answers).size, 1, answers.join("\n\n"))
    const { items } = yield* Context.get(context, Administration).keys(workspace, {})
    for (const { id, lastUsedAt } of items) assert.isNull(lastUsedAt, id)
  }).pipe(Effect.scoped),
)
