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
import {
  BlobNotFound,
  BlobStore,
  BlobTooLarge,
  BlobUnavailable,
  isBlobKey,
  isBlobOwner,
} from "@tentpole/core/ports/BlobStore"
import { attachment } from "@tentpole/core/ports/ContentDisposition"
import { type Cause, Duration, Effect, Layer, Redacted, Stream } from "effect"
import { Readable } from "node:stream"
import { upload as send } from "./Upload.ts"

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

const attemptOn = <A>(
  key: string,
  run: (signal: AbortSignal) => Promise<A>,
): Effect.Effect<A, BlobNotFound | BlobUnavailable> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => (isMissing(cause) ? new BlobNotFound({ key }) : new BlobUnavailable({ cause })),
  })

const expiresIn_s = (validFor: Duration.Input): number =>
  Math.max(1, Math.floor(Duration.toMillis(Duration.fromInputUnsafe(validFor)) / 1000))

const keyed = (key: string): Effect.Effect<string> =>
  isBlobKey(key) ? Effect.succeed(key) : Effect.die(new Error(`"${key}" is no key of a blob`))

/** Uploads the stream in parts. A failure of the stream is returned unchanged, and the upload is aborted. */
const upload = <E, R>(
  client: S3Client,
  Bucket: string,
  Key: string,
  bytes: Stream.Stream<Uint8Array, E, R>,
  { contentType, bytes_max }: { readonly contentType: string; readonly bytes_max: number },
): Effect.Effect<number, E | BlobTooLarge | BlobUnavailable, R> =>
  Effect.suspend(() => {
    let size_bytes = 0
    let failure: Cause.Cause<E | BlobTooLarge> | undefined
    const counted = bytes.pipe(
      Stream.tap((chunk): Effect.Effect<void, BlobTooLarge> => {
        size_bytes += chunk.length
        return size_bytes > bytes_max ? Effect.fail(new BlobTooLarge({ bytes_max })) : Effect.void
      }),
      Stream.tapCause((cause) => Effect.sync(() => void (failure = cause))),
    )
    return NodeStream.toReadable(counted).pipe(
      Effect.flatMap((Body) =>
        attempt((signal) => {
          signal.addEventListener("abort", () => Body.destroy())
          return send({ client, Bucket, Key, ContentType: contentType }, Body, signal).finally(() => Body.destroy())
        }),
      ),
      Effect.map(() => size_bytes),
      Effect.catch((error): Effect.Effect<never, E | BlobTooLarge | BlobUnavailable> =>
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

const make = Effect.fnUntraced(function* (options: S3Options) {
  const Bucket = options.bucket
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => clientOf(options)),
    (client) => Effect.sync(() => client.destroy()),
  )

  const info = Effect.fnUntraced(function* (key: string) {
    const Key = yield* keyed(key)
    const about = yield* attemptOn(key, (abortSignal) =>
      client.send(new HeadObjectCommand({ Bucket, Key }), { abortSignal }),
    )
    return {
      size_bytes: about.ContentLength ?? 0,
      contentType: about.ContentType ?? "application/octet-stream",
    }
  })

  const read = Effect.fnUntraced(function* (key: string) {
    const Key = yield* keyed(key)
    const { Body } = yield* attemptOn(key, (abortSignal) =>
      client.send(new GetObjectCommand({ Bucket, Key }), { abortSignal }),
    )
    if (!(Body instanceof Readable)) return yield* Effect.die(new Error("S3 answered without a stream"))
    return NodeStream.fromReadable<Uint8Array, BlobNotFound | BlobUnavailable>({
      evaluate: () => Body,
      chunkSize: 1,
      onError: (cause) => new BlobUnavailable({ cause }),
    })
  })

  return BlobStore.of({
    put: (key, bytes, put) =>
      keyed(key).pipe(
        Effect.flatMap((Key) => upload(client, Bucket, Key, bytes, put)),
        Effect.map((size_bytes) => ({ size_bytes, contentType: put.contentType })),
      ),
    get: (key) => Stream.unwrap(read(key)),
    info,
    copy: (from, to) =>
      Effect.gen(function* () {
        const CopySource = `${Bucket}/${yield* keyed(from)}`
        const Key = yield* keyed(to)
        yield* attemptOn(from, (abortSignal) =>
          client.send(new CopyObjectCommand({ Bucket, Key, CopySource }), { abortSignal }),
        )
        return yield* info(to)
      }),
    delete: (key) =>
      Effect.flatMap(keyed(key), (Key) =>
        Effect.asVoid(attempt((abortSignal) => client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal }))),
      ),
    deleteAllOf: (owner) =>
      isBlobOwner(owner)
        ? attempt((abortSignal) => removeOf({ client, Bucket, abortSignal }, owner))
        : Effect.die(new Error(`"${owner}" is no owner of blobs`)),
    uploadUrl: (key, { contentType, validFor }) =>
      Effect.flatMap(keyed(key), (Key) =>
        attempt(() =>
          getSignedUrl(client, new PutObjectCommand({ Bucket, Key, ContentType: contentType }), {
            expiresIn: expiresIn_s(validFor),
          }),
        ),
      ),
    downloadUrl: (key, { fileName, validFor }) =>
      Effect.flatMap(keyed(key), (Key) =>
        attempt(() =>
          getSignedUrl(
            client,
            new GetObjectCommand({ Bucket, Key, ResponseContentDisposition: attachment(fileName) }),
            { expiresIn: expiresIn_s(validFor) },
          ),
        ),
      ),
  })
})

export const layer = (options: S3Options) => Layer.effect(BlobStore, make(options))
