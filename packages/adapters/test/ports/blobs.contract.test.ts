// @module-tag attack/path-traversal
import * as Filesystem from "@tentpole/adapters/filesystem/BlobStore"
import * as Memory from "@tentpole/adapters/memory/ports/BlobStore"
import * as S3 from "@tentpole/adapters/s3/BlobStore"
import * as Ids from "@tentpole/adapters/crypto/Ids"
import { contract, type Send } from "@tentpole/core/contract"
import { Effect, Layer, Redacted } from "effect"
import crypto from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import S3rver from "s3rver"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "tentpole-blobs-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true })),
)

const filesystem = Layer.unwrap(Effect.map(folder, (path) => Filesystem.layer({ folder: path })))

// s3rver signs continuation tokens with DES, which OpenSSL 3 has only as the equal case of triple DES: the key three times.
const { createCipheriv } = crypto
crypto.createCipheriv = ((algorithm: string, key: Buffer, iv: Buffer) =>
  algorithm === "des"
    ? createCipheriv("des-ede3-cbc", Buffer.concat([key, key, key]), iv)
    : createCipheriv(algorithm, key, iv)) as typeof createCipheriv

/** S3 lists 1,000 keys in one answer. This server lists fewer, so that a test of several answers uploads fewer files. */
const page_size = 5

/** A server on loopback that speaks S3's protocol, with the SDK as its client. */
const s3 = Layer.unwrap(
  Effect.gen(function* () {
    const directory = yield* folder
    const server = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets: [{ name: "laws" }] }),
      ),
      (started) => Effect.promise(() => started.close()),
    )
    const { store } = server
    const listObjects = store.listObjects.bind(store)
    store.listObjects = (bucket, options) => listObjects(bucket, { ...options, maxKeys: page_size })
    const { port } = yield* Effect.promise(() => server.run())
    return S3.layer({
      bucket: "laws",
      region: "us-east-1",
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { accessKeyId: "S3RVER", secretAccessKey: Redacted.make("S3RVER") },
    })
  }),
)

const send: Send = ({ method, url, body }) =>
  Effect.promise(async () => {
    const answer = await fetch(url, {
      method,
      ...(body === undefined ? {} : { body, headers: { "content-type": "text/csv" } }),
    })
    return {
      status: answer.status,
      body: await answer.text(),
      disposition: answer.headers.get("content-disposition"),
    }
  })

contract.blobs("memory", Layer.merge(Memory.layer, Ids.layer))
contract.blobs("filesystem", Layer.merge(filesystem, Ids.layer))
contract.blobs("s3", Layer.merge(s3, Ids.layer), {
  send,
  page_size,
  notTwoAtOnce: "s3rver writes both into one file; S3 itself keeps the last whole one",
})
