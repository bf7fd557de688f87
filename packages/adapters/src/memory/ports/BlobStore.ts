// The blob store in memory, for tests, simulations and embedding. Like files, blobs take no part in transactions.
import { concat } from "@tentpole/core/kernel/Bytes"
import {
  type BlobInfo,
  BlobNotFound,
  BlobStore,
  BlobTooLarge,
  type BlobUnavailable,
  isBlobKey,
  isBlobOwner,
} from "@tentpole/core/ports/BlobStore"
import { Effect, Layer, Stream } from "effect"

interface Blob {
  readonly bytes: Uint8Array
  readonly contentType: string
}

const infoOf = ({ bytes, contentType }: Blob): BlobInfo => ({ size_bytes: bytes.length, contentType })

const notKey = (key: string): Effect.Effect<never> => Effect.die(new Error(`"${key}" is no key of a blob`))

export const layer = Layer.sync(BlobStore, () => {
  const blobs = new Map<string, Blob>()

  const find = (key: string): Effect.Effect<Blob, BlobNotFound | BlobUnavailable> =>
    Effect.suspend(() => {
      if (!isBlobKey(key)) return notKey(key)
      const blob = blobs.get(key)
      return blob === undefined ? Effect.fail(new BlobNotFound({ key })) : Effect.succeed(blob)
    })

  return BlobStore.of({
    put: (key, bytes, { contentType, bytes_max }) =>
      Effect.suspend(() => {
        if (!isBlobKey(key)) return notKey(key)
        const parts: Array<Uint8Array> = []
        let size_bytes = 0
        return bytes.pipe(
          Stream.runForEach((chunk): Effect.Effect<void, BlobTooLarge> => {
            size_bytes += chunk.length
            if (size_bytes > bytes_max) return Effect.fail(new BlobTooLarge({ bytes_max }))
            parts.push(chunk.slice())
            return Effect.void
          }),
          Effect.map(() => {
            const blob: Blob = { bytes: concat(parts), contentType }
            blobs.set(key, blob)
            return infoOf(blob)
          }),
        )
      }),
    get: (key) => Stream.unwrap(Effect.map(find(key), ({ bytes }) => Stream.succeed(bytes.slice()))),
    info: (key) => Effect.map(find(key), infoOf),
    copy: (from, to) =>
      Effect.flatMap(find(from), (blob) => {
        if (!isBlobKey(to)) return notKey(to)
        blobs.set(to, blob)
        return Effect.succeed(infoOf(blob))
      }),
    delete: (key) => (isBlobKey(key) ? Effect.sync(() => void blobs.delete(key)) : notKey(key)),
    deleteAllOf: (owner) =>
      isBlobOwner(owner)
        ? Effect.sync(() => {
            for (const key of blobs.keys()) if (key.split("/", 3)[1] === owner) blobs.delete(key)
          })
        : notKey(owner),
    uploadUrl: () => Effect.succeed(null),
    downloadUrl: () => Effect.succeed(null),
  })
})
