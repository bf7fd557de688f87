// Tests of the rules of passkeys.
import {
  challengeIn,
  checkPasskeyRemoval,
  isCounterAhead,
  type Passkey,
  relyingPartyOf,
} from "@tentpole/core/accounts/passkeys/Passkey"
import { PasskeyId, UserId } from "@tentpole/core/kernel/Ids"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import { Base64Url } from "effect/encoding"

const passkey = (digit: number): Passkey => ({
  id: PasskeyId.make(`7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e1${digit}`),
  userId: UserId.make("7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"),
  credentialId: `id${digit}`,
  publicKey: Uint8Array.of(1),
  counter: 0,
  transports: [],
  name: "Laptop",
  createdAt: DateTime.makeUnsafe(0),
  usedAt: null,
})

describe("the relying party", () => {
  it("is the host of the console's address", () => {
    const hosts = (urls: ReadonlyArray<string>) => urls.map((url) => relyingPartyOf(url)?.host ?? null)
    assert.deepStrictEqual(
      hosts([
        "http://localhost:8083",
        "https://console.example.org",
        "https://console.example.org:8443",
        "https://tentpole",
      ]),
      ["localhost", "console.example.org", "console.example.org", "tentpole"],
    )
  })

  it("is no IP address, and no other machine over plain HTTP", () => {
    for (const url of [
      "http://127.0.0.1:8083",
      "https://192.0.2.7",
      "https://[2001:db8::1]",
      "http://[::1]:8083",
      "http://console.example.org",
      "http://localhost.example.org",
    ]) {
      assert.isNull(relyingPartyOf(url), url)
    }
  })
})

describe("the counter of a device", () => {
  it("grows, or stays 0", () => {
    const pairs = [
      [0, 0],
      [0, 1],
      [5, 6],
      [5, 5],
      [5, 4],
      [5, 0],
    ] as const
    assert.deepStrictEqual(
      pairs.map(([before, after]) => isCounterAhead(before, after)),
      [true, true, true, false, false, false],
    )
  })
})

describe("the challenge of an answer", () => {
  it("is in its client data, unless that is no JSON with one", () => {
    const encoded = (data: string) => challengeIn(Base64Url.encode(data))
    assert.strictEqual(encoded('{"type":"webauthn.get","challenge":"abc"}'), "abc")
    for (const broken of ["{}", "[]", "null", '{"challenge":7}', "no json"]) assert.isNull(encoded(broken), broken)
    assert.isNull(challengeIn("not base64!"))
  })
})

describe("removing a passkey", () => {
  it("needs another passkey or a password", () => {
    const [one, two] = [passkey(1), passkey(2)]
    const tag = (passkeys: ReadonlyArray<Passkey>, hasPassword: boolean) =>
      Result.match(checkPasskeyRemoval(passkeys, one.id, hasPassword), {
        onSuccess: ({ id }) => id,
        onFailure: ({ _tag }) => _tag,
      })
    assert.deepStrictEqual(
      [tag([one], true), tag([one, two], false), tag([one], false), tag([two], true)],
      [one.id, one.id, "LastPasskey", "NotFound"],
    )
  })
})
