// Tests of the client's verification of webhooks, against the service's signatures.
import { verifyWebhook, WebhookRefused, type WebhookRequest } from "@tentpole/client"
import { keyOf, secretOf, signedHeaders } from "@tentpole/core/webhooks/Signature"
import { assert, it } from "@effect/vitest"
import { createHmac, randomBytes } from "node:crypto"

const hmac = (key: Uint8Array, message: Uint8Array) => createHmac("sha256", key).update(message).digest()
const [key, other] = [randomBytes(32), randomBytes(24)]
const event = { id: "e", type: "flow.paused", data: { flow_id: "é \u{1f600}" } }
const body = JSON.stringify(event)
const now_s = () => Math.floor(Date.now() / 1000)

const signed = (time_s = now_s(), keys: ReadonlyArray<Uint8Array> = [key]) =>
  signedHeaders(hmac, { id: "e", time_s, body, keys })

const reasonOf = async (request: Partial<WebhookRequest>) => {
  try {
    await verifyWebhook({ body, headers: signed(), secrets: [secretOf(key)], ...request })
    return "valid"
  } catch (error) {
    assert.instanceOf(error, WebhookRefused)
    return error.reason
  }
}

it("the service signs as the library standardwebhooks 1.1.1 does", () => {
  const known = keyOf("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLw2w")
  assert(known !== null)
  const id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
  const headers = signedHeaders(hmac, { id, time_s: 1_614_265_330, body: '{"test": 2432232314}', keys: [known] })
  assert.deepStrictEqual(headers, {
    "webhook-id": id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,vRZwAibVrzGp8/My8DiuhEHE6ipx93UAn54yBXkVIqE=",
  })
})

it("a signed request is valid, with its headers and body in each form that servers have", async () => {
  const secrets = [secretOf(key)]
  for (const headers of [signed(), new Headers(signed())]) {
    for (const each of [body, new TextEncoder().encode(body)]) {
      assert.deepStrictEqual<unknown>(await verifyWebhook({ body: each, headers, secrets }), event)
    }
  }
})

it("one of the secrets and one of the signatures must fit, while a secret is replaced", async () => {
  const both = signed(now_s(), [other, key])
  assert.strictEqual(await reasonOf({ headers: both }), "valid")
  assert.strictEqual(await reasonOf({ headers: both, secrets: [secretOf(other)] }), "valid")
  assert.strictEqual(await reasonOf({ secrets: [secretOf(other), secretOf(key)] }), "valid")
  assert.strictEqual(await reasonOf({ secrets: [secretOf(other)] }), "signature")
  assert.strictEqual(await reasonOf({ secrets: [] }), "signature")
  const unknown = `v1a,AAAA v1, ${signed()["webhook-signature"]}`
  assert.strictEqual(await reasonOf({ headers: { ...signed(), "webhook-signature": unknown } }), "valid")
})

it("another body, id, time or signature is refused", async () => {
  const headers = signed()
  assert.strictEqual(await reasonOf({ body: `${body} ` }), "signature")
  assert.strictEqual(await reasonOf({ headers: { ...headers, "webhook-id": "f" } }), "signature")
  assert.strictEqual(await reasonOf({ headers: { ...headers, "webhook-timestamp": String(now_s() - 9) } }), "signature")
  const signature = headers["webhook-signature"]
  for (const wrong of ["v1,", `v2${signature.slice(2)}`, signature.slice(0, -1), `${signature}A`, signature.slice(3)]) {
    assert.strictEqual(await reasonOf({ headers: { ...headers, "webhook-signature": wrong } }), "signature", wrong)
  }
})

it("a time that is too far from now is refused, before and after", async () => {
  for (const away_s of [-310, 310]) {
    assert.strictEqual(await reasonOf({ headers: signed(now_s() + away_s) }), "timestamp")
    assert.strictEqual(await reasonOf({ headers: signed(now_s() + away_s), tolerance_s: 400 }), "valid")
  }
  for (const wrong of ["x", "-1", "1e9", "1.5", " 1"]) {
    assert.strictEqual(await reasonOf({ headers: { ...signed(), "webhook-timestamp": wrong } }), "timestamp", wrong)
  }
})

it("a request without one of the headers is refused", async () => {
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
    assert.strictEqual(await reasonOf({ headers: { ...signed(), [name]: undefined } }), "headers")
    assert.strictEqual(await reasonOf({ headers: { ...signed(), [name]: ["a", "b"] } }), "headers")
  }
})
