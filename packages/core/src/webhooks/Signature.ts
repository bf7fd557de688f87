// Signatures of webhooks by Standard Webhooks 1.0.0: HMAC-SHA256 of id, time and body. Pure: the caller brings the HMAC.
import { Result } from "effect"
import { Base64 } from "effect/encoding"
import { encodeText } from "../kernel/Bytes.ts"

/** HMAC-SHA256. */
export type Hmac = (key: Uint8Array, message: Uint8Array) => Uint8Array

const secret_prefix = "whsec_"
const secret_bytes_min = 24
const secret_bytes_max = 64
/** The size of a secret that the service makes. */
export const secret_bytes = 32

/** The secret as receivers have it. */
export const secretOf = (key: Uint8Array): string => secret_prefix + Base64.encode(key)

/** The key of a secret; null: the text is no secret. */
export const keyOf = (secret: string): Uint8Array | null => {
  const text = secret.slice(secret_prefix.length)
  if (!secret.startsWith(secret_prefix) || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null
  const key = Result.getOrElse(Base64.decode(text), () => new Uint8Array())
  return key.length >= secret_bytes_min && key.length <= secret_bytes_max ? key : null
}

export const secretMessage = `must be ${secret_prefix} and ${secret_bytes_min} to ${secret_bytes_max} bytes in base64`

/** The headers of one attempt. While a secret is replaced there are two keys, the new one first. */
export const signedHeaders = (
  hmac: Hmac,
  {
    body,
    id,
    keys,
    time_s,
  }: {
    readonly id: string
    /** Unix seconds of the attempt. */
    readonly time_s: number
    readonly body: string
    readonly keys: ReadonlyArray<Uint8Array>
  },
) => {
  const signed = encodeText(`${id}.${time_s}.${body}`)
  return {
    "webhook-id": id,
    "webhook-timestamp": String(time_s),
    "webhook-signature": keys.map((key) => `v1,${Base64.encode(hmac(key, signed))}`).join(" "),
  }
}
