import { ImportSessionId, WorkspaceId } from "@tentpole/core/Ids"
import { readUploadToken, uploadToken } from "@tentpole/core/imports/UploadLink"
import { Secrets } from "@tentpole/core/Secrets"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result, Schema } from "effect"

/** No cryptography: a sum over purpose and message that changes with every byte. */
const macOf = (purpose: string, message: Uint8Array): Uint8Array => {
  const tag = new Uint8Array(32)
  let sum = 7
  const bytes = [...Array.from(purpose, (character) => character.charCodeAt(0)), ...message]
  for (let round = 0; round < 4; round++) {
    for (const [at, byte] of bytes.entries()) {
      sum = (Math.imul(sum, 31) + byte + at) >>> 0
      tag[(at + round * 8) % 32] = (tag[(at + round * 8) % 32] ?? 0) ^ (sum >>> 11)
    }
  }
  return tag
}

const secrets = Secrets.of({
  randomBytes: () => Effect.die("not here"),
  sha256: (bytes) => bytes,
  mac: macOf,
  verifies: (purpose, message, tag) => tag.every((byte, at) => byte === macOf(purpose, message)[at]),
  seal: () => Effect.die("not here"),
  open: () => Effect.die("not here"),
  rsaKeyPair: Effect.die("not here"),
})

const target = {
  workspaceId: WorkspaceId.make("0193a1b2-0000-4000-8000-00000000abcd"),
  sessionId: ImportSessionId.make("0193a1b2-ffff-7fff-bfff-0123456789ab"),
  expiresAt: DateTime.makeUnsafe(4_000_000_000_000),
}
const token = uploadToken(secrets, target)
const before = DateTime.makeUnsafe(3_999_999_999_999)

describe("an upload address", () => {
  it("names its session until it expires, and not a moment longer", () => {
    assert.deepStrictEqual(Result.getOrThrow(readUploadToken(secrets, token, before)), target)
    const late = readUploadToken(secrets, token, target.expiresAt)
    assert.strictEqual(Result.getOrThrow(Result.flip(late)).code, "link_refused")
    assert.match(token, /^[A-Za-z0-9_-]{71}$/)
  })

  it.prop(
    "is refused when any character of it is another",
    {
      at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 70 })),
      by: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]$/)),
    },
    ({ at, by }) => {
      if (token[at] === by) return
      const forged = token.slice(0, at) + by + token.slice(at + 1)
      assert.isTrue(Result.isFailure(readUploadToken(secrets, forged, before)))
    },
  )

  it.prop("is refused when it is anything else", [Schema.String], ([text]) => {
    assert.isTrue(Result.isFailure(readUploadToken(secrets, text, before)))
    assert.isTrue(Result.isFailure(readUploadToken(secrets, `${token}${text}=`, before)))
  })
})
