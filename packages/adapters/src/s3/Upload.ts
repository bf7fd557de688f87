// The upload of a stream to S3: one request if it fits in a part, else a multipart upload.
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3"

/** A multipart upload has at most 10,000 parts. */
const part_bytes = 8 * 2 ** 20
const parts_at_once = 2

export interface Target {
  readonly client: S3Client
  readonly Bucket: string
  readonly Key: string
  readonly ContentType: string
}

/** Holds at most `parts_at_once` parts in memory. When it fails or is aborted, no part stays in the bucket. */
export const upload = async (target: Target, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> => {
  const { client, Bucket, Key, ContentType } = target
  const parts = partsOf(body)
  const first = await parts.next()
  const bytes = first.done === true ? new Uint8Array() : first.value.bytes
  if (bytes.length < part_bytes) {
    await client.send(new PutObjectCommand({ Bucket, Key, ContentType, Body: bytes }), { abortSignal: signal })
    return
  }
  const started = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ContentType }), {
    abortSignal: signal,
  })
  const of = { Bucket, Key, UploadId: started.UploadId }
  const ending = new AbortController()
  const abortSignal = AbortSignal.any([signal, ending.signal])
  const sent: Array<CompletedPart> = []
  const send = async ({ number: PartNumber, bytes: Body }: Part): Promise<void> => {
    const { ETag } = await client.send(new UploadPartCommand({ ...of, PartNumber, Body }), { abortSignal })
    sent[PartNumber - 1] = { PartNumber, ETag }
  }
  const sendNext = async (): Promise<void> => {
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) await send(next.value)
  }
  try {
    const others = Array.from({ length: parts_at_once - 1 }, sendNext)
    await Promise.all([send({ number: 1, bytes }).then(sendNext), ...others])
    await client.send(new CompleteMultipartUploadCommand({ ...of, MultipartUpload: { Parts: sent } }), { abortSignal })
  } catch (error) {
    ending.abort()
    await client.send(new AbortMultipartUploadCommand(of)).catch(() => undefined)
    throw error
  }
}

interface Part {
  readonly number: number
  readonly bytes: Uint8Array
}

async function* partsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Part, void> {
  let [number, size, chunks] = [0, 0, Array<Uint8Array>()]
  for await (const chunk of body) {
    for (let from = 0; from < chunk.length;) {
      const taken = chunk.subarray(from, from + part_bytes - size)
      chunks.push(taken)
      size += taken.length
      from += taken.length
      if (size < part_bytes) continue
      yield { number: ++number, bytes: Buffer.concat(chunks) }
      ;[size, chunks] = [0, []]
    }
  }
  if (size > 0) yield { number: ++number, bytes: Buffer.concat(chunks) }
}
