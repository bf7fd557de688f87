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
    /** Streams the bytes in; visible under the key only when all of them are. More than `bytes_max` leaves nothing. */
    readonly put: <E, R>(
      key: string,
      bytes: Stream.Stream<Uint8Array, E, R>,
      options: { readonly contentType: string; readonly bytes_max: number },
    ) => Effect.Effect<BlobInfo, E | BlobTooLarge | BlobUnavailable, R>
    readonly get: (key: string) => Stream.Stream<Uint8Array, BlobNotFound | BlobUnavailable>
    readonly info: (key: string) => Effect.Effect<BlobInfo, BlobNotFound | BlobUnavailable>
    /** Removing what is not there is no error. */
    readonly remove: (key: string) => Effect.Effect<void, BlobUnavailable>
    /**
     * An address that takes one PUT of the bytes, without an API key. S3 signs it itself; the filesystem answers null, and
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
