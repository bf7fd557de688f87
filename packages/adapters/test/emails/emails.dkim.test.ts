import { assert } from "@effect/vitest"
import * as DkimSigner from "@tentpole/adapters/crypto/DkimSigner"
import { contract } from "@tentpole/core/contract"
import { Effect } from "effect"
import { dkimVerify } from "mailauth"
import { generateKeyPairSync } from "node:crypto"

const pair = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "der" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
})

const resolver = (name: string, type: string) =>
  name === "tentpole._domainkey.example.test" && type === "TXT"
    ? Promise.resolve([[`v=DKIM1; k=rsa; p=${pair.publicKey.toString("base64")}`]])
    : Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }))

contract.dkim("node's cryptography", DkimSigner.layer, {
  key: { domain: "example.test", selector: "tentpole", privateKeyPem: pair.privateKey },
  verdict: (message) =>
    Effect.promise(async () => {
      const { results } = await dkimVerify(Buffer.from(message), { resolver })
      assert.strictEqual(results.length, 1)
      return String(results[0]?.status.result)
    }),
})
