// The port to blobs of any size: uploads, exports, page assets. The service chooses the keys, never the user.
import { Context, type Duration, Effect, Schema, Stream } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"

export class BlobNotFound extends Schema.TaggedError<BlobNotFound>()("BlobNotFound", { key: Schema.String }) {}
export class BlobTooLarge extends Schema.TaggedError<BlobTooLarge>()("BlobTooLarge", { bytes_max: Schema.Int }) {}

/** The store does not answer, or the stream broke off. */
export class BlobUnavailable extends refusalClass<BlobUnavailable>()("BlobUnavailable", {
  code: "unavailable",
  fields: { cause: Schema.Defect() },
  message: () => "The file store does not answer. Try again in a few seconds",
}) {}

export interface BlobInfo {
  readonly size_bytes: number
  readonly contentType: string
}

export class BlobStore extends Context.Service<
  BlobStore,
  {
    /** Replaces the blob when all bytes are stored: a failed stream or too many bytes leave the former one. */
    readonly put: <E, R>(
      key: string,
      bytes: Stream.Stream<Uint8Array, E, R>,
      options: { readonly contentType: string; readonly bytes_max: number },
    ) => Effect.Effect<BlobInfo, E | BlobTooLarge | BlobUnavailable, R>
    readonly get: (key: string) => Stream.Stream<Uint8Array, BlobNotFound | BlobUnavailable>
    readonly info: (key: string) => Effect.Effect<BlobInfo, BlobNotFound | BlobUnavailable>
    /** Copies a blob without moving bytes. A later put under `from` does not change the copy. */
    readonly copy: (from: string, to: string) => Effect.Effect<BlobInfo, BlobNotFound | BlobUnavailable>
    /** Removing a missing blob is not an error. */
    readonly delete: (key: string) => Effect.Effect<void, BlobUnavailable>
    /** Keys below a folder: those that begin with `<folder>/`. In no order; without what is put or deleted meanwhile. */
    readonly list: (folder: string) => Stream.Stream<string, BlobUnavailable>
    /** Removes all blobs of an owner: keys `<room>/<owner>/…` in every room. */
    readonly deleteAllOf: (owner: string) => Effect.Effect<void, BlobUnavailable>
    /** A URL that accepts a PUT without an API key. Null: the store signs none, and the API offers its own path. */
    readonly uploadUrl: (
      key: string,
      options: { readonly contentType: string; readonly validFor: Duration.Input },
    ) => Effect.Effect<string | null, BlobUnavailable>
    /** A URL for downloads; browsers save it as `fileName`. */
    readonly downloadUrl: (
      key: string,
      options: { readonly fileName: string; readonly validFor: Duration.Input },
    ) => Effect.Effect<string | null, BlobUnavailable>
  }
>()("tentpole/BlobStore") {}

const key_length_max = 500
const segment = "[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}"
const keyPattern = new RegExp(`^${segment}(/${segment})*$`)

const owner = new RegExp(`^${segment}$`)

/** Whether a text can be the second segment of a key. */
const isBlobOwner = (text: string): boolean => owner.test(text)

/**
 * Whether a text can be a key: segments of letters, digits, `.`, `_`, `-`, joined by `/`, none of which begins with a dot,
 * so that a key is always a path below one folder. The store dies on any other text. No key may be a path prefix of another
 * (`a` beside `a/b`).
 */
export const isBlobKey = (key: string): boolean => key.length <= key_length_max && keyPattern.test(key)

type Service = BlobStore["Service"]

/** What an adapter does. `blobStore` adds the checks of keys and sizes. */
export interface BlobAdapter
  extends
    Pick<Service, "get" | "info" | "delete" | "list" | "deleteAllOf">,
    Partial<Pick<Service, "uploadUrl" | "downloadUrl">> {
  readonly put: <E, R>(
    key: string,
    bytes: Stream.Stream<Uint8Array, E, R>,
    contentType: string,
  ) => Effect.Effect<unknown, E | BlobUnavailable, R>
  readonly copy: (from: string, to: string) => Effect.Effect<unknown, BlobNotFound | BlobUnavailable>
}

const unsigned = () => Effect.succeed(null)

export const blobStore = (adapter: BlobAdapter): Service => {
  const { uploadUrl = unsigned, downloadUrl = unsigned } = adapter
  const on = <A, E, R>(keys: ReadonlyArray<string>, work: () => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const wrong = keys.find((key) => !isBlobKey(key))
      return wrong === undefined ? work() : Effect.die(new Error(`"${wrong}" is no key of a blob`))
    })
  return BlobStore.of({
    put: (key, bytes, { contentType, bytes_max }) =>
      on([key], () => {
        let size_bytes = 0
        const limited = Stream.tap(bytes, (chunk): Effect.Effect<void, BlobTooLarge> => {
          size_bytes += chunk.length
          return size_bytes > bytes_max ? Effect.fail(new BlobTooLarge({ bytes_max })) : Effect.void
        })
        return Effect.map(adapter.put(key, limited, contentType), () => ({ size_bytes, contentType }))
      }),
    get: (key) => Stream.unwrap(on([key], () => Effect.succeed(adapter.get(key)))),
    info: (key) => on([key], () => adapter.info(key)),
    copy: (from, to) => on([from, to], () => Effect.andThen(adapter.copy(from, to), adapter.info(to))),
    delete: (key) => on([key], () => adapter.delete(key)),
    list: (folder) => Stream.unwrap(on([folder], () => Effect.succeed(adapter.list(folder)))),
    deleteAllOf: (of) =>
      isBlobOwner(of) ? adapter.deleteAllOf(of) : Effect.die(new Error(`"${of}" is no owner of blobs`)),
    uploadUrl: (key, options) => on([key], () => uploadUrl(key, options)),
    downloadUrl: (key, options) => on([key], () => downloadUrl(key, options)),
  })
}
