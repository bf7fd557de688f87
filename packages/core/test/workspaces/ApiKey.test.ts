import * as SecretsLayer from "./secrets.ts"
import { type ApiKey, checkChosenKey, isLive, newKey, isWellFormed } from "@tentpole/core/workspaces/ApiKey"
import { ApiKeyId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"

const { sha256 } = SecretsLayer

const key = (over: Partial<ApiKey>): ApiKey => ({
  id: ApiKeyId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"),
  workspaceId: WorkspaceId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"),
  name: "a key",
  prefix: "tp_live_abcd",
  role: "owner",
  hash: Uint8Array.of(1),
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  createdAt: DateTime.makeUnsafe(0),
  ...over,
})

describe("API keys", () => {
  it.effect("have the documented form and a correct checksum", () =>
    Effect.gen(function* () {
      const raw = yield* newKey
      assert.match(raw, /^tp_live_[0-9A-Za-z]{38}$/)
      assert.isTrue(isWellFormed(sha256, raw))
    }).pipe(Effect.provide(SecretsLayer.layer)),
  )

  it.effect("differ from each other", () =>
    Effect.gen(function* () {
      assert.notStrictEqual(yield* newKey, yield* newKey)
    }).pipe(Effect.provide(SecretsLayer.layer)),
  )

  it("are refused without a look-up when their form is wrong", { tags: ["attack/key-guessing"] }, () => {
    for (const text of [
      "",
      "tp_live_short",
      "a".repeat(31),
      "a".repeat(129),
      `${"a".repeat(40)} `,
      "ключ".repeat(10),
    ]) {
      assert.isFalse(isWellFormed(sha256, text), text)
    }
  })

  it("of an operator may have 32 to 128 plain characters", () => {
    assert.isTrue(Result.isSuccess(checkChosenKey("a-b_C".repeat(7))))
    assert.isTrue(Result.isFailure(checkChosenKey("short")))
    assert.isTrue(Result.isFailure(checkChosenKey(`${"a".repeat(40)}!`)))
  })

  it("are valid until they are revoked or expire", { tags: ["attack/dead-key"] }, () => {
    assert.isTrue(isLive(key({}), 1_000))
    assert.isTrue(isLive(key({ expiresAt: DateTime.makeUnsafe(1_001) }), 1_000))
    assert.isFalse(isLive(key({ expiresAt: DateTime.makeUnsafe(1_000) }), 1_000))
    assert.isFalse(isLive(key({ revokedAt: DateTime.makeUnsafe(5_000) }), 1_000))
  })
})
