// `PasswordHasher` by node:crypto: argon2id where this version of Node has it, else scrypt. The stored text names the algorithm.
import { PasswordHasher } from "@tentpole/core/accounts/Password"
import { Effect, Layer } from "effect"
import * as crypto from "node:crypto"
import { promisify } from "node:util"

const salt_bytes = 16
const key_bytes = 32

interface Algorithm {
  /** The start of its texts: `argon2id$19456$2$1`. */
  readonly prefix: string
  readonly derive: (password: string, salt: Uint8Array) => Promise<Uint8Array>
}

/** 19 MiB, two passes, one lane. */
const argon2id: Algorithm = {
  prefix: "argon2id$19456$2$1",
  derive: (message, nonce) =>
    promisify(crypto.argon2)("argon2id", {
      message,
      nonce,
      memory: 19_456,
      passes: 2,
      parallelism: 1,
      tagLength: key_bytes,
    }),
}

/** `cost`: N of RFC 7914, a power of two. One hash needs N KiB of memory. */
export const scryptOf = (cost: number): Algorithm => ({
  prefix: `scrypt$${cost}$8$1`,
  derive: (password, salt) =>
    new Promise((resolve, reject) => {
      const options = { N: cost, r: 8, p: 1, maxmem: 256 * 2 ** 20 }
      crypto.scrypt(password, salt, key_bytes, options, (error, key) => (error === null ? resolve(key) : reject(error)))
    }),
})

export const scrypt = scryptOf(2 ** 17)

/** One password has several Unicode forms, depending on the keyboard. */
const plain = (password: string): string => password.normalize("NFKC")

const hash = async ({ derive, prefix }: Algorithm, password: string): Promise<string> => {
  const salt = crypto.randomBytes(salt_bytes)
  const key = await derive(plain(password), salt)
  return [prefix, salt.toString("base64url"), Buffer.from(key).toString("base64url")].join("$")
}

const verify = async (algorithms: ReadonlyArray<Algorithm>, password: string, text: string): Promise<boolean> => {
  const parts = text.split("$")
  const [salt = "", key = ""] = parts.slice(-2)
  const algorithm = algorithms.find(({ prefix }) => prefix === parts.slice(0, -2).join("$"))
  if (algorithm === undefined) throw new Error(`no algorithm of this process made the password hash ${parts[0]}`)
  const derived = await algorithm.derive(plain(password), Buffer.from(salt, "base64url"))
  const expected = Buffer.from(key, "base64url")
  return derived.length === expected.length && crypto.timingSafeEqual(derived, expected)
}

/** The first algorithm hashes, all of them verify. */
export const layerOf = (algorithms: readonly [Algorithm, ...ReadonlyArray<Algorithm>]) => {
  const [algorithm] = algorithms
  return Layer.succeed(
    PasswordHasher,
    PasswordHasher.of({
      hash: (password) => Effect.promise(() => hash(algorithm, password)),
      verify: (password, text) =>
        Effect.promise(async () => {
          if (text !== null) return verify(algorithms, password, text)
          await hash(algorithm, password)
          return false
        }),
      isOutdated: (text) => !text.startsWith(`${algorithm.prefix}$`),
    }),
  )
}

export const layer = layerOf("argon2" in crypto ? [argon2id, scrypt] : [scrypt])
