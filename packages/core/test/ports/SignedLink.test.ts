import { type LinkPurpose, readLink, signLink } from "@tentpole/core/ports/SignedLink"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"

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
  longMac: () => assert.fail("not here"),
  verifiesPiece: () => assert.fail("not here"),
  seal: () => Effect.die("not here"),
  open: () => Effect.die("not here"),
  rsaKeyPair: Effect.die("not here"),
})

const link = {
  workspaceId: WorkspaceId.make("0193a1b2-0000-4000-8000-00000000abcd"),
  id: "0193a1b2-ffff-7fff-bfff-0123456789ab",
  expiresAt: DateTime.makeUnsafe(4_000_000_000_000),
}
const purpose = "export" satisfies LinkPurpose
const token = signLink(secrets, purpose, link)
const before = DateTime.makeUnsafe(3_999_999_999_999)

const isRefused = (forged: string, as: LinkPurpose = purpose): boolean =>
  Result.isFailure(readLink(secrets, as, forged, before))

describe("Signed link", () => {
  it("names its target until it expires, and not a moment longer", { tags: ["attack/signed-link"] }, () => {
    assert.deepStrictEqual(Result.getOrThrow(readLink(secrets, purpose, token, before)), link)
    const late = Result.getOrThrow(Result.flip(readLink(secrets, purpose, token, link.expiresAt)))
    assert.deepStrictEqual([late.code, late.purpose], ["link_refused", purpose])
    assert.match(token, /^[A-Za-z0-9_-]{71}$/)
  })

  it("opens only its own target", { tags: ["attack/signed-link"] }, () => {
    assert.isTrue(isRefused(token, "import_upload"))
    assert.isFalse(isRefused(signLink(secrets, "import_upload", link), "import_upload"))
    assert.isTrue(isRefused(signLink(secrets, "import_upload", link)))
  })

  it("is refused when any bit is changed", { tags: ["attack/signed-link", "attack/token-forgery"] }, () => {
    const bytes = Result.getOrThrow(Base64Url.decode(token))
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const forged = bytes.slice()
      forged[bit >> 3] = (forged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.isTrue(isRefused(Base64Url.encode(forged)), `bit ${bit}`)
    }
  })

  it("is refused when it is shorter or longer, in letters or in bytes", () => {
    const bytes = Result.getOrThrow(Base64Url.decode(token))
    for (let length = 0; length < token.length; length++) assert.isTrue(isRefused(token.slice(0, length)))
    for (let length = 0; length < bytes.length; length++) {
      assert.isTrue(isRefused(Base64Url.encode(bytes.slice(0, length))))
      assert.isTrue(isRefused(Base64Url.encode(bytes.slice(length))) || length === 0)
    }
    assert.isTrue(isRefused(Base64Url.encode(Uint8Array.of(...bytes, 0))))
  })

  it.prop(
    "is refused when any letter is changed, also to one that decodes to the same bytes",
    {
      at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 70 })),
      by: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]$/)),
    },
    ({ at, by }) => {
      if (token[at] === by) return
      assert.isTrue(isRefused(token.slice(0, at) + by + token.slice(at + 1)))
    },
  )

  it.prop("is refused for any other text", [Schema.String], ([text]) => {
    assert.isTrue(isRefused(text))
    assert.isTrue(isRefused(`${token}${text}=`))
  })
})
