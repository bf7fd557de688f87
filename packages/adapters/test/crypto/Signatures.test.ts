import * as SignaturesAdapter from "@tentpole/adapters/crypto/Signatures"
import * as SnsAdapter from "@tentpole/adapters/sns/Sns"
import { Signatures, Sns } from "@tentpole/core/bounces/providers/Signatures"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { assert, describe, it } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Effect } from "effect"
import { createHmac, generateKeyPairSync, sign } from "node:crypto"
import { readFileSync } from "node:fs"

const fixture = (name: string) =>
  readFileSync(new URL(`../../../../test/fixtures/sns/${name}`, import.meta.url), "utf8")
const certificate = fixture("certificate.pem")
const key = fixture("key.pem").replace(/^[^-].*\n/, "")
const valid_ms = Date.UTC(2050, 0, 1)

const checked = <A>(check: (signatures: Signatures["Service"]) => A) =>
  Effect.map(Signatures, check).pipe(Effect.provide(SignaturesAdapter.layer))

describe("Signatures", () => {
  /** The example that SendGrid publishes with its libraries. */
  const published = {
    key: "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==",
    signature: "MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=",
    message: `1600112502[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address","sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA","sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0","smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]\r\n`,
  }

  it.effect("verifies SendGrid's published example, and rejects a changed character", () =>
    checked(({ isEcdsa }) => {
      assert.isTrue(isEcdsa(published.key, encodeText(published.message), published.signature))
      assert.isFalse(
        isEcdsa(published.key, encodeText(published.message.replace("dropped", "Dropped")), published.signature),
      )
      assert.isFalse(
        isEcdsa(published.key, encodeText(published.message), published.signature.replace("MEUCIGH", "MEUCIGG")),
      )
    }),
  )

  it.effect("rejects another curve and undecodable values", () =>
    checked(({ isByCertificate, isEcdsa, isHmac }) => {
      const other = generateKeyPairSync("ec", { namedCurve: "secp256k1" })
      const spki = other.publicKey.export({ type: "spki", format: "der" }).toString("base64")
      const message = encodeText("hello")
      assert.isFalse(isEcdsa(spki, message, sign("sha256", message, other.privateKey).toString("base64")))
      for (const nonsense of ["", "AAAA", "!", "-----BEGIN PUBLIC KEY-----"]) {
        assert.isFalse(isEcdsa(nonsense, message, published.signature))
        assert.isFalse(isEcdsa(published.key, message, nonsense))
        assert.isFalse(isByCertificate(nonsense, "sha256", message, "AAAA", valid_ms))
        assert.isFalse(isByCertificate(certificate, "sha256", message, nonsense, valid_ms))
        assert.isFalse(isHmac("key", message, nonsense))
      }
    }),
  )

  it.effect("accepts a certificate within its validity and with the stated algorithm only", () =>
    checked(({ isByCertificate }) => {
      const message = encodeText("hello")
      const signature = sign("sha256", message, key).toString("base64")
      assert.isTrue(isByCertificate(certificate, "sha256", message, signature, valid_ms))
      assert.isFalse(isByCertificate(certificate, "sha1", message, signature, valid_ms))
      assert.isFalse(isByCertificate(certificate, "sha256", message, signature, 0))
      assert.isFalse(isByCertificate(certificate, "sha256", message, signature, Date.UTC(2200, 0, 1)))
      assert.isFalse(isByCertificate(certificate, "sha256", encodeText("hullo"), signature, valid_ms))
    }),
  )

  it.effect("verifies an HMAC in upper or lower case, for its key and message only", () =>
    checked(({ isHmac, isSame }) => {
      const tag = createHmac("sha256", "key").update("message").digest("hex")
      assert.isTrue(isHmac("key", encodeText("message"), tag))
      assert.isTrue(isHmac("key", encodeText("message"), tag.toUpperCase()))
      assert.isFalse(isHmac("kez", encodeText("message"), tag))
      assert.isFalse(isHmac("key", encodeText("message"), tag.slice(2)))
      assert.isTrue(isSame("a", "a"))
      assert.isFalse(isSame("a", "ab"))
    }),
  )
})

describe("Sns", () => {
  const asking = (answer: () => Response, asked: Array<RequestInit | undefined> = []) =>
    SnsAdapter.layer({
      answer_bytes_max: 1000,
      fetch: (_, init) => {
        asked.push(init)
        return Promise.resolve(answer())
      },
    })
  const url = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0.pem"
  const certificateOf = Effect.flatMap(Sns, (sns) => sns.certificate(url))

  const redirectTest = tagged(it.effect, "attack/redirect")
  redirectTest("follows no redirects, has a time limit, and requests a certificate once", () =>
    Effect.gen(function* () {
      const asked: Array<RequestInit | undefined> = []
      yield* Effect.gen(function* () {
        assert.strictEqual(yield* certificateOf, "pem")
        assert.strictEqual(yield* certificateOf, "pem")
      }).pipe(Effect.provide(asking(() => new Response("pem"), asked)))
      assert.strictEqual(asked.length, 1)
      assert.strictEqual(asked[0]?.redirect, "error")
      assert.instanceOf(asked[0]?.signal, AbortSignal)
    }),
  )

  redirectTest("rejects errors and endless answers", () =>
    Effect.gen(function* () {
      for (const answer of [
        () => new Response("no", { status: 404 }),
        () => new Response("x".repeat(1001)),
        () => new Response(null),
      ]) {
        const failure = yield* Effect.flip(Effect.provide(certificateOf, asking(answer)))
        assert.strictEqual(failure._tag, "SnsUnavailable")
      }
    }),
  )
})
