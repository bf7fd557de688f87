// A device with a passkey, as browsers reach it: WebAuthn with ES256, without attestation.
import type { PasskeyAssertion, PasskeyRegistration } from "@tentpole/core/accounts/passkeys/Passkey"
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto"

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest()

/** CBOR (RFC 8949): the head of a value of a major type, with its length or number. */
const head = (major: number, count: number): Buffer => {
  const type = major << 5
  if (count < 24) return Buffer.from([type | count])
  return count < 256 ? Buffer.from([type | 24, count]) : Buffer.from([type | 25, count >> 8, count & 255])
}
const number = (value: number): Buffer => (value >= 0 ? head(0, value) : head(1, -1 - value))
const bytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value])
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)])
const map = (...entries: ReadonlyArray<readonly [Buffer, Buffer]>): Buffer =>
  Buffer.concat([head(5, entries.length), ...entries.flat()])

const user_present = 1
const user_verified = 4
const has_credential = 64

export class Authenticator {
  readonly id = randomBytes(16).toString("base64url")
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" })
  readonly origin: string
  host: string
  counter = 0
  verifiesUser = true
  /** The format of the maker's statement. */
  format = "none"
  userHandle = ""

  constructor(origin: string) {
    this.origin = origin
    this.host = new URL(origin).hostname
  }

  #clientData(type: string, challenge: string, origin: string): string {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString("base64url")
  }

  #data(flags: number, credential: ReadonlyArray<Buffer> = []): Buffer {
    const verified = this.verifiesUser ? user_verified : 0
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.counter)
    return Buffer.concat([sha256(this.host), Buffer.from([user_present | verified | flags]), counter, ...credential])
  }

  /** Answers the options of a registration. */
  create(challenge: string, userHandle: string, origin = this.origin): PasskeyRegistration {
    this.userHandle = userHandle
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" })
    const key = map(
      [number(1), number(2)],
      [number(3), number(-7)],
      [number(-1), number(1)],
      [number(-2), bytes(Buffer.from(x, "base64url"))],
      [number(-3), bytes(Buffer.from(y, "base64url"))],
    )
    const id = Buffer.from(this.id, "base64url")
    const authData = this.#data(has_credential, [Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
    const attestation = map(
      [text("fmt"), text(this.format)],
      [text("attStmt"), map()],
      [text("authData"), bytes(authData)],
    )
    return {
      name: "Ann's laptop",
      id: this.id,
      clientData: this.#clientData("webauthn.create", challenge, origin),
      attestation: attestation.toString("base64url"),
      transports: ["internal"],
    }
  }

  /** Answers the options of a sign-in. */
  sign(challenge: string, origin = this.origin): PasskeyAssertion {
    const clientData = this.#clientData("webauthn.get", challenge, origin)
    const data = this.#data(0)
    const signed = Buffer.concat([data, sha256(Buffer.from(clientData, "base64url"))])
    return {
      id: this.id,
      clientData,
      authenticatorData: data.toString("base64url"),
      signature: sign("sha256", signed, this.#keys.privateKey).toString("base64url"),
      userHandle: this.userHandle,
    }
  }
}
