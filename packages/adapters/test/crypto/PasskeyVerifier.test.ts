// Tests of the verification of passkeys, with a device in this process.
import { layer } from "@tentpole/adapters/crypto/PasskeyVerifier"
import { Authenticator } from "@tentpole/adapters/test/Authenticator"
import type { PasskeyAssertion, PasskeyRegistration } from "@tentpole/core/accounts/passkeys/Passkey"
import { PasskeyVerifier } from "@tentpole/core/accounts/passkeys/PasskeyVerifier"
import { tagged } from "@tentpole/core/contract"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const origin = "https://console.example.org"
const challenge = "c".repeat(43)
const asked = { challenge, host: "console.example.org", origin }

/** The text with another last byte. */
const changed = (text: string): string => {
  const bytes = Buffer.from(text, "base64url")
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  return bytes.toString("base64url")
}

const begin = Effect.gen(function* () {
  const { readRegistration, verify } = yield* PasskeyVerifier
  const device = new Authenticator(origin)
  const created = device.create(challenge, "dXNlcg")
  const passkey = yield* readRegistration(created, asked)
  return { created, device, passkey, publicKey: passkey?.publicKey ?? new Uint8Array(), readRegistration, verify }
})

describe("a new passkey", () => {
  it.effect("has the id, the public key and the counter of its device", () =>
    Effect.gen(function* () {
      const { device, passkey } = yield* begin
      assert.deepInclude(passkey, { credentialId: device.id, counter: 0 })
      assert.isAbove(passkey?.publicKey.length ?? 0, 70)
    }).pipe(Effect.provide(layer)),
  )

  tagged(it.effect, "attack/ssrf")("is taken from every maker: no certificate is read", () =>
    Effect.gen(function* () {
      const { device, readRegistration } = yield* begin
      for (const format of ["packed", "apple", "android-key", "tpm", "fido-u2f"]) {
        device.format = format
        assert.isNotNull(yield* readRegistration(device.create(challenge, "dXNlcg"), asked), format)
      }
    }).pipe(Effect.provide(layer)),
  )

  it.effect(
    "is refused for another challenge, origin, host or id, unless its user was verified, and if it is no CBOR",
    () =>
      Effect.gen(function* () {
        const { created, device, readRegistration } = yield* begin
        const refused = (registration: PasskeyRegistration, about = asked) =>
          Effect.map(readRegistration(registration, about), (read) => assert.isNull(read))
        yield* refused(created, { ...asked, challenge: "d".repeat(43) })
        yield* refused(created, { ...asked, origin: "https://evil.example" })
        yield* refused(created, { ...asked, host: "example.org" })
        yield* refused({ ...created, id: new Authenticator(origin).id })
        for (const bytes of [
          Buffer.alloc(3),
          Buffer.alloc(37_000, 0x81),
          Buffer.alloc(37_000, 0xa1),
          Buffer.alloc(5, 0x9f),
        ]) {
          yield* refused({ ...created, attestation: bytes.toString("base64url") })
        }
        yield* refused({ ...created, clientData: "bm8ganNvbg" })
        device.verifiesUser = false
        yield* refused(device.create(challenge, "dXNlcg"))
      }).pipe(Effect.provide(layer)),
  )
})

describe("a sign-in by passkey", () => {
  it.effect("returns the counter of the device, also a smaller one", () =>
    Effect.gen(function* () {
      const { device, publicKey, verify } = yield* begin
      const counters: Array<number | null> = []
      for (const counter of [0, 7, 3]) {
        device.counter = counter
        counters.push(yield* verify(device.sign(challenge), asked, publicKey))
      }
      assert.deepStrictEqual(counters, [0, 7, 3])
    }).pipe(Effect.provide(layer)),
  )

  it.effect(
    "is refused for another challenge, origin, host or key, for changed data, and without a verified user",
    () =>
      Effect.gen(function* () {
        const { created, device, publicKey, verify } = yield* begin
        const signed = device.sign(challenge)
        const refused = (assertion: PasskeyAssertion, about = asked, key = publicKey) =>
          Effect.map(verify(assertion, about, key), (counter) => assert.isNull(counter))
        yield* refused(signed, { ...asked, challenge: "d".repeat(43) })
        yield* refused(device.sign(challenge, "https://evil.example"))
        yield* refused(signed, { ...asked, host: "evil.example" })
        yield* refused({ ...signed, signature: changed(signed.signature) })
        yield* refused({ ...signed, authenticatorData: changed(signed.authenticatorData) })
        yield* refused({ ...signed, clientData: created.clientData })
        yield* refused(new Authenticator(origin).sign(challenge))
        yield* refused(signed, asked, new Uint8Array([1, 2, 3]))
        device.verifiesUser = false
        yield* refused(device.sign(challenge))
      }).pipe(Effect.provide(layer)),
  )
})
