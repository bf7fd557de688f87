// The blob store in memory, for tests, simulations and embedding. Like files, blobs take no part in transactions.
import { concat } from "@tentpole/core/kernel/Bytes"
import { BlobNotFound, BlobStore, blobStore } from "@tentpole/core/ports/BlobStore"
import { Effect, Layer, Stream } from "effect"

interface Blob {
  readonly bytes: Uint8Array
  readonly contentType: string
}

export const layer = Layer.sync(BlobStore, () => {
  const blobs = new Map<string, Blob>()

  const find = (key: string): Effect.Effect<Blob, BlobNotFound> =>
    Effect.suspend(() => {
      const blob = blobs.get(key)
      return blob === undefined ? Effect.fail(new BlobNotFound({ key })) : Effect.succeed(blob)
    })

  return blobStore({
    put: (key, bytes, contentType) =>
      Effect.map(Stream.runCollect(Stream.map(bytes, (chunk) => chunk.slice())), (parts) =>
        blobs.set(key, { bytes: concat(parts), contentType }),
      ),
    get: (key) => Stream.unwrap(Effect.map(find(key), ({ bytes }) => Stream.succeed(bytes.slice()))),
    info: (key) => Effect.map(find(key), ({ bytes, contentType }) => ({ size_bytes: bytes.length, contentType })),
    copy: (from, to) => Effect.map(find(from), (blob) => blobs.set(to, blob)),
    delete: (key) => Effect.sync(() => void blobs.delete(key)),
    list: (folder) =>
      Stream.suspend(() => Stream.fromIterable([...blobs.keys()].filter((key) => key.startsWith(`${folder}/`)))),
    deleteAllOf: (owner) =>
      Effect.sync(() => {
        for (const key of blobs.keys()) if (key.split("/", 3)[1] === owner) blobs.delete(key)
      }),
  })
})
