// The blob store on S3 or a compatible service. Bytes are streamed: an upload holds two parts in memory, a download none.
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3"
import { getSignedUrl } from "@aws-sdk/s3-request-presigner"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { BlobNotFound, BlobStore, blobStore, BlobUnavailable } from "@tentpole/core/ports/BlobStore"
import { attachment } from "@tentpole/core/ports/ContentDisposition"
import { type Cause, Duration, Effect, Layer, Option, Redacted, Stream } from "effect"
import { Readable } from "node:stream"
import { type Target, upload as send } from "./Upload.ts"

export interface S3Options {
  readonly bucket: string
  readonly region: string
  /** Unset for Amazon S3. Other services are addressed by path (`<endpoint>/<bucket>/<key>`). */
  readonly endpoint: string | undefined
  /** Unset: found as AWS clients find them (variables, profile, role of the machine). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: Redacted.Redacted } | undefined
}

const clientOf = (options: S3Options): S3Client =>
  new S3Client({
    region: options.region,
    // The SDK's default checksums reach servers that don't support them as part of the bytes.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 60_000 },
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint, forcePathStyle: true }),
    ...(options.credentials === undefined
      ? {}
      : {
          credentials: {
            accessKeyId: options.credentials.accessKeyId,
            secretAccessKey: Redacted.value(options.credentials.secretAccessKey),
          },
        }),
  })

const isMissing = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404

const attempt = <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, BlobUnavailable> =>
  Effect.tryPromise({ try: run, catch: (cause) => new BlobUnavailable({ cause }) })

const attemptOn = <A>(key: string, run: (signal: AbortSignal) => Promise<A>) =>
  Effect.mapError(attempt(run), (error) => (isMissing(error.cause) ? new BlobNotFound({ key }) : error))

const expiresIn_s = (validFor: Duration.Input): number =>
  Math.max(1, Math.floor(Duration.toMillis(Duration.fromInputUnsafe(validFor)) / 1000))

/** Uploads the stream in parts. A failure of the stream is returned unchanged, and the upload is aborted. */
const upload = <E, R>(
  target: Target,
  bytes: Stream.Stream<Uint8Array, E, R>,
): Effect.Effect<void, E | BlobUnavailable, R> =>
  Effect.suspend(() => {
    let failure: Cause.Cause<E> | undefined
    const followed = Stream.tapCause(bytes, (cause) => Effect.sync(() => void (failure = cause)))
    return NodeStream.toReadable(followed).pipe(
      Effect.flatMap((body) =>
        attempt((signal) => {
          signal.addEventListener("abort", () => body.destroy())
          return send(target, body, signal).finally(() => body.destroy())
        }),
      ),
      Effect.catch((error): Effect.Effect<never, E | BlobUnavailable> =>
        failure === undefined ? Effect.fail(error) : Effect.failCause(failure),
      ),
    )
  })

/** Requests to a bucket. An abort ends all of them. */
interface Calls {
  readonly client: S3Client
  readonly Bucket: string
  readonly abortSignal: AbortSignal
}

/** The first segments of all keys. It skips from one to the next, since not every server groups keys. */
async function* roomsOf({ client, Bucket, abortSignal }: Calls) {
  let StartAfter = ""
  for (;;) {
    const after = StartAfter === "" ? {} : { StartAfter }
    const page = await client.send(new ListObjectsV2Command({ Bucket, ...after }), { abortSignal })
    const room = page.Contents?.[0]?.Key?.split("/", 1)[0]
    if (room === undefined) return
    yield room
    // The character after the slash sorts behind every key of this segment.
    StartAfter = `${room}0`
  }
}

const removeOf = async (calls: Calls, owner: string): Promise<void> => {
  const { client, Bucket, abortSignal } = calls
  for await (const room of roomsOf(calls)) {
    const list = new ListObjectsV2Command({ Bucket, Prefix: `${room}/${owner}/` })
    // Listed keys are deleted before the next listing, so it starts at the beginning again.
    for (;;) {
      const { Contents = [] } = await client.send(list, { abortSignal })
      if (Contents.length === 0) break
      for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal })
    }
  }
}

/** The keys that begin with a prefix, a page of the listing in memory at a time. Every server can begin after a key. */
const keysOf = ({ client, Bucket }: Omit<Calls, "abortSignal">, Prefix: string) =>
  Stream.paginate<string | undefined, string, BlobUnavailable>(undefined, (StartAfter) =>
    Effect.map(
      attempt((abortSignal) => client.send(new ListObjectsV2Command({ Bucket, Prefix, StartAfter }), { abortSignal })),
      ({ Contents = [], IsTruncated = false }) => {
        const keys = Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key]))
        return [keys, IsTruncated ? Option.fromNullishOr(keys.at(-1)) : Option.none()]
      },
    ),
  )

const make = Effect.fnUntraced(function* (options: S3Options) {
  const Bucket = options.bucket
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => clientOf(options)),
    (client) => Effect.sync(() => client.destroy()),
  )

  const read = Effect.fnUntraced(function* (key: string) {
    const { Body } = yield* attemptOn(key, (abortSignal) =>
      client.send(new GetObjectCommand({ Bucket, Key: key }), { abortSignal }),
    )
    if (!(Body instanceof Readable)) return yield* Effect.die(new Error("S3 answered without a stream"))
    return NodeStream.fromReadable<Uint8Array, BlobNotFound | BlobUnavailable>({
      evaluate: () => Body,
      chunkSize: 1,
      onError: (cause) => new BlobUnavailable({ cause }),
    })
  })

  const signed = (command: GetObjectCommand | PutObjectCommand, validFor: Duration.Input) =>
    attempt(() => getSignedUrl(client, command, { expiresIn: expiresIn_s(validFor) }))

  return blobStore({
    put: (Key, bytes, ContentType) => upload({ client, Bucket, Key, ContentType }, bytes),
    get: (key) => Stream.unwrap(read(key)),
    info: (Key) =>
      Effect.map(
        attemptOn(Key, (abortSignal) => client.send(new HeadObjectCommand({ Bucket, Key }), { abortSignal })),
        ({ ContentLength, ContentType }) => ({
          size_bytes: ContentLength ?? 0,
          contentType: ContentType ?? "application/octet-stream",
        }),
      ),
    copy: (from, Key) =>
      attemptOn(from, (abortSignal) =>
        client.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${from}` }), { abortSignal }),
      ),
    delete: (Key) =>
      Effect.asVoid(attempt((abortSignal) => client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal }))),
    list: (folder) => keysOf({ client, Bucket }, `${folder}/`),
    deleteAllOf: (owner) => attempt((abortSignal) => removeOf({ client, Bucket, abortSignal }, owner)),
    uploadUrl: (Key, { contentType, validFor }) =>
      signed(new PutObjectCommand({ Bucket, Key, ContentType: contentType }), validFor),
    downloadUrl: (Key, { fileName, validFor }) =>
      signed(new GetObjectCommand({ Bucket, Key, ResponseContentDisposition: attachment(fileName) }), validFor),
  })
})

export const layer = (options: S3Options) => Layer.effect(BlobStore, make(options))
