// Verification of webhooks (Standard Webhooks 1.0.0), with WebCrypto only.
import type { PublicEvent } from "./generated/Api.ts"

/** Why a request is refused: headers are missing, the time is too far from now, or no signature fits. */
export type WebhookRefusal = "headers" | "timestamp" | "signature"

/** The request is no webhook of this service, or an old one. Answer it with 400, and process nothing. */
export class WebhookRefused extends Error {
  readonly reason: WebhookRefusal

  constructor(reason: WebhookRefusal, message: string) {
    super(message)
    this.name = "WebhookRefused"
    this.reason = reason
  }
}

type HeaderRecord = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface WebhookRequest {
  /** The body as it was received: parsing and printing it again changes its bytes. */
  readonly body: string | Uint8Array
  /** Of a web `Request`, or Node's `request.headers`. */
  readonly headers: Headers | HeaderRecord
  /** `whsec_…`: the current secret, and the old one while it is replaced. */
  readonly secrets: ReadonlyArray<string>
  /** The largest difference of the request's time from now, in seconds. Default: 300. */
  readonly tolerance_s?: number
}

const tolerance_default_s = 300

/** Several events in one request, to an endpoint with `batch`. */
export interface EventBatch extends Pick<PublicEvent, "timestamp" | "sequence" | "workspace_id" | "test"> {
  /** Of the batch. */
  readonly id: string
  readonly type: "event.batch"
  /** In the order of `sequence`. */
  readonly data: { readonly events: ReadonlyArray<PublicEvent> }
}

/** Checks signature and time of a request, and returns its event or batch. Rejects with `WebhookRefused`. */
export const verifyWebhook = async ({
  body,
  headers,
  secrets,
  tolerance_s = tolerance_default_s,
}: WebhookRequest): Promise<PublicEvent | EventBatch> => {
  const id = headerOf(headers, "webhook-id")
  const time = headerOf(headers, "webhook-timestamp")
  const signatures = headerOf(headers, "webhook-signature")
  if (!/^\d{1,12}$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > tolerance_s) {
    throw new WebhookRefused("timestamp", `webhook-timestamp is not within ${tolerance_s} seconds of now`)
  }
  const encoder = new TextEncoder()
  const bytes = typeof body === "string" ? encoder.encode(body) : body
  const signed = joined(encoder.encode(`${id}.${time}.`), bytes)
  const received = signatures.split(" ").map((each) => encoder.encode(each))
  let isValid = false
  for (const secret of secrets) {
    const expected = encoder.encode(`v1,${await signatureOf(secret, signed)}`)
    for (const each of received) isValid = isSame(each, expected) || isValid
  }
  if (!isValid) throw new WebhookRefused("signature", "no signature of webhook-signature fits a secret and the body")
  return JSON.parse(new TextDecoder().decode(bytes)) as PublicEvent | EventBatch
}

const headerOf = (headers: Headers | HeaderRecord, name: string): string => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value !== "string" || value === "") throw new WebhookRefused("headers", `the header ${name} is missing`)
  return value
}

const joined = (start: Uint8Array, end: Uint8Array): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(start.length + end.length)
  whole.set(start)
  whole.set(end, start.length)
  return whole
}

const signatureOf = async (secret: string, signed: Uint8Array<ArrayBuffer>): Promise<string> => {
  const key = Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (byte) => byte.charCodeAt(0))
  const hmac = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.sign("HMAC", hmac, signed))))
}

/** In constant time for texts of one length. */
const isSame = (left: Uint8Array, right: Uint8Array): boolean => {
  if (left.length !== right.length) return false
  let difference = 0
  for (let at = 0; at < left.length; at++) difference |= (left[at] ?? 0) ^ (right[at] ?? 0)
  return difference === 0
}
