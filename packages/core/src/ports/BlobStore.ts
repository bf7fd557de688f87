// Where bytes of any size lie: uploaded files, exports, page assets. Keys are made by the service, never by users.
import { Context, type Duration, type Effect, Schema, type Stream } from "effect"

export class BlobNotFound extends Schema.TaggedError<BlobNotFound>()("BlobNotFound", { key: Schema.String }) {}
export class BlobTooLarge extends Schema.TaggedError<BlobTooLarge>()("BlobTooLarge", { bytes_max: Schema.Int }) {}

/** The store does not answer, or broke off. */
export class BlobUnavailable extends Schema.TaggedError<BlobUnavailable>()("BlobUnavailable", {
  cause: Schema.Defect(),
}) {
  readonly code = "unavailable" as const
  override get message(): string {
    return "The store of files does not answer at the moment. Try again in a few seconds"
  }
}

export interface BlobInfo {
  readonly size_bytes: number
  readonly contentType: string
}

export class BlobStore extends Context.Service<
  BlobStore,
  {
    /**
     * Streams the bytes in; visible under the key only when all of them are. More than `bytes_max` leaves nothing, and
     * neither does a stream that fails: what lay there before stays.
     */
    readonly put: <E, R>(
      key: string,
      bytes: Stream.Stream<Uint8Array, E, R>,
      options: { readonly contentType: string; readonly bytes_max: number },
    ) => Effect.Effect<BlobInfo, E | BlobTooLarge | BlobUnavailable, R>
    readonly get: (key: string) => Stream.Stream<Uint8Array, BlobNotFound | BlobUnavailable>
    readonly info: (key: string) => Effect.Effect<BlobInfo, BlobNotFound | BlobUnavailable>
    /** Freezes what lies under `from` under `to` as well: a later put under `from` does not touch it. Moves no bytes. */
    readonly copy: (from: string, to: string) => Effect.Effect<BlobInfo, BlobNotFound | BlobUnavailable>
    /** Removing what is not there is no error. */
    readonly remove: (key: string) => Effect.Effect<void, BlobUnavailable>
    /** Removes every blob of an owner: those whose keys are `<room>/<owner>/…`, whatever the room. */
    readonly removeOf: (owner: string) => Effect.Effect<void, BlobUnavailable>
    /**
     * An address that takes a PUT of the bytes, without an API key. S3 signs it itself; the filesystem answers null, and
     * the API offers a signed path of its own.
     */
    readonly uploadUrl: (
      key: string,
      options: { readonly contentType: string; readonly validFor: Duration.Input },
    ) => Effect.Effect<string | null, BlobUnavailable>
    /** The same for reading; `fileName` is what a browser saves it as. */
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
export const isBlobOwner = (text: string): boolean => owner.test(text)

/**
 * Whether a text can be a key: segments of letters, digits, `.`, `_`, `-`, joined by `/`, none of which begins with a dot,
 * so that a key is a path below a folder and nothing else. Adapters die on any other: it is our mistake. A key must not
 * be the beginning of another's path (`a` beside `a/b`).
 */
export const isBlobKey = (key: string): boolean => key.length <= key_length_max && keyPattern.test(key)
