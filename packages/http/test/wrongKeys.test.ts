// Who tries keys: asked to wait after some, without anybody else being locked out; and told nothing by how it is refused.
import { Secrets } from "@tentpole/core/Secrets"
import { newKey } from "@tentpole/core/workspaces/ApiKey"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { unknown_keys_per_minute_max, wrongKeys } from "@tentpole/http/WrongKeys"
import { assert, it } from "@effect/vitest"
import { Context, DateTime, Effect } from "effect"
import { listening, raw } from "./Listening.ts"
import { testKey } from "./World.ts"

it("of 10,000 forged keys a minute those of one address are looked up that it has a right to, and no more", () => {
  const admit = wrongKeys({ perMinute: 300, addresses_max: 10, right_keys_max: 10 })
  const lookedUp = (address: (each: number) => string) =>
    Array.from({ length: 10_000 }, (_, each) => {
      const { settled, wait_s } = admit(address(each), `forged ${each}`, each * 6)
      if (wait_s === 0) settled(false)
      return wait_s
    }).filter((wait_s) => wait_s === 0).length
  assert.strictEqual(
    lookedUp(() => "192.0.2.1"),
    300 + 299,
    "a minute's worth at once, and what flows in during the minute",
  )
  assert.strictEqual(
    lookedUp((each) => `2001:db8::${each.toString(16)}`),
    300 + 299,
    "the addresses of one /64 are one",
  )
})

it("a key that was right goes on beside whoever tries others, until it is wrong", () => {
  const admit = wrongKeys({ perMinute: 3, addresses_max: 10, right_keys_max: 10 })
  admit("a", "right", 0).settled(true)
  const others = ["1", "2", "3"].map((key) => admit("a", key, 0).wait_s)
  assert.deepStrictEqual([others[0], others[1], (others[2] ?? 0) > 0], [0, 0, true])
  for (let each = 0; each < 10; each++) assert.strictEqual(admit("a", "right", 0).wait_s, 0)
  assert.strictEqual(admit("b", "new", 0).wait_s, 0, "another address has its own")
  admit("a", "right", 0).settled(false)
  assert.isAbove(admit("a", "right", 0).wait_s, 0, "it was revoked")
  assert.strictEqual(admit("a", "new", 20_000).wait_s, 0, "after a while there is one again")
})

it.live("forged keys with a right checksum are 401, then 429 with how long to wait; the key in use goes on", () =>
  Effect.gen(function* () {
    const { api, context } = yield* listening
    const forge = Effect.provideService(newKey, Secrets, Context.get(context, Secrets))
    const request = (key: string, more = "") =>
      `GET /v1/contact-lists HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer ${key}\r\n${more}\r\n`
    const statuses = (answers: string) =>
      [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
    const first = yield* raw(api, request(testKey, "Connection: close\r\n"))
    assert.deepStrictEqual(statuses(first), [200])
    const forged = yield* Effect.all(Array.from({ length: unknown_keys_per_minute_max }, () => forge))
    // Anybody can write whose request it is: where no proxy is ours, nobody is believed.
    const all = forged.map((key, each) => request(key, `X-Forwarded-For: 203.0.113.${each % 250}\r\n`)).join("")
    const tried = statuses(yield* raw(api, all + request(testKey, "Connection: close\r\n")))
    assert.deepStrictEqual([tried.length, tried.at(0), tried.at(-1)], [forged.length + 1, 401, 200])
    const late = yield* raw(api, all + request(yield* forge, "Connection: close\r\n"))
    assert.include(statuses(late), 429)
    assert.match(late, /retry-after: [1-9]\d*\r\n/i)
    assert.match(late, /"error_code":"rate_limited"/)
    assert.deepStrictEqual(statuses(yield* raw(api, request(testKey, "Connection: close\r\n"))), [200])
  }).pipe(Effect.scoped),
)

it.live("a key is asked of the store each time: revoked, it ends at once, also where it was in use", () =>
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

it.live("unknown, nearly right, revoked and expired keys are refused by the same bytes, and leave no trace", () =>
  Effect.gen(function* () {
    const { api, context, workspace } = yield* listening
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
    for (const { id, lastUsedAt } of yield* Context.get(context, WorkspaceStore).keys(workspace)) {
      assert.isNull(lastUsedAt, id)
    }
  }).pipe(Effect.scoped),
)
