// Random values, MACs and sealing by node:crypto, under keys derived from APP_SECRET, one for each purpose.
import { Secrets, Unsealable } from "@tentpole/core/kernel/Secrets"
import { Effect, Layer, Redacted } from "effect"
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  generateKeyPair,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from "node:crypto"
import { promisify } from "node:util"

export interface SecretsOptions {
  readonly secret: Redacted.Redacted
  /** Verifies and opens older values, but signs and seals nothing new. */
  readonly previous: Redacted.Redacted | null
}

const tag_length_min = 8
const piece_length_min = 12
const piece_length_max = 43
const nonce_length = 12
const auth_length = 16

/** The key of a purpose: HKDF (RFC 5869), so that a signature for one purpose is invalid for another. */
const keysOf = (secret: Redacted.Redacted): ((purpose: string) => KeyObject) => {
  const derived = new Map<string, KeyObject>()
  return (purpose) => {
    const known = derived.get(purpose)
    if (known !== undefined) return known
    const key = createSecretKey(Buffer.from(hkdfSync("sha256", Redacted.value(secret), "tentpole", purpose, 32)))
    derived.set(purpose, key)
    return key
  }
}

const hmac = (key: KeyObject, message: Uint8Array): Buffer => createHmac("sha256", key).update(message).digest()

/**
 * The message's HMAC is the key of all further bytes, as in NIST SP 800-108; SHAKE256 expands it. That takes 6 µs for a
 * message with all its links. An HMAC for each link takes 40 µs, and AES 20 µs because a cipher is expensive to set up.
 */
const expand = (key: KeyObject, message: Uint8Array, length: number): string =>
  hash("shake256", createHmac("sha256", key).update(message).digest("base64url"), {
    outputEncoding: "base64url",
    outputLength: Math.ceil((length * 3) / 4),
  }).slice(0, length)

const generate = promisify(generateKeyPair)

export const layer = ({ secret, previous }: SecretsOptions) => {
  const current = keysOf(secret)
  const accepted = previous === null ? [current] : [current, keysOf(previous)]

  const decrypt = (purpose: string, sealed: Uint8Array): Uint8Array | undefined => {
    for (const keys of accepted) {
      try {
        const cipher = createDecipheriv("aes-256-gcm", keys(`seal:${purpose}`), sealed.subarray(0, nonce_length))
        cipher.setAuthTag(sealed.subarray(sealed.length - auth_length))
        return Buffer.concat([
          cipher.update(sealed.subarray(nonce_length, sealed.length - auth_length)),
          cipher.final(),
        ])
      } catch {
        // Sealed with another secret, or modified: the next key may fit.
      }
    }
    return undefined
  }

  return Layer.succeed(
    Secrets,
    Secrets.of({
      randomBytes: (length) => Effect.sync(() => randomBytes(length)),
      sha256: (bytes) => hash("sha256", bytes, "buffer"),
      mac: (purpose, message) => hmac(current(`mac:${purpose}`), message),
      verifies: (purpose, message, tag) =>
        tag.length >= tag_length_min &&
        tag.length <= 32 &&
        accepted.some((keys) => timingSafeEqual(hmac(keys(`mac:${purpose}`), message).subarray(0, tag.length), tag)),
      longMac: (purpose, message, length) => expand(current(`mac:long:${purpose}`), message, length),
      verifiesPiece: (purpose, message, start, piece) =>
        piece.length >= piece_length_min &&
        piece.length <= piece_length_max &&
        /^[\w-]*$/.test(piece) &&
        accepted.some((keys) => {
          const expected = expand(keys(`mac:long:${purpose}`), message, start + piece.length)
          return timingSafeEqual(Buffer.from(expected.slice(start)), Buffer.from(piece))
        }),
      seal: (purpose, plain) =>
        Effect.sync(() => {
          const nonce = randomBytes(nonce_length)
          const cipher = createCipheriv("aes-256-gcm", current(`seal:${purpose}`), nonce)
          return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
        }),
      open: (purpose, sealed) =>
        Effect.suspend(() => {
          const plain = sealed.length < nonce_length + auth_length ? undefined : decrypt(purpose, sealed)
          return plain === undefined ? Effect.fail(new Unsealable({ purpose })) : Effect.succeed(plain)
        }),
      rsaKeyPair: Effect.promise(async () => {
        const { publicKey, privateKey } = await generate("rsa", { modulusLength: 2048 })
        return {
          privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
          publicKeyDer: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
        }
      }),
    }),
  )
}
