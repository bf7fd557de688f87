// Reader of a multipart body with exactly one file. Other parts are refused. The file is streamed.
import { AssetTooLarge } from "@tentpole/core/tents/assets/Asset"
import type { UploadedFile } from "@tentpole/core/tents/assets/Assets"
import { Invalid } from "@tentpole/core/kernel/Refusal"
import { ByteSize, Effect, Pull, Stream } from "effect"
import { HttpIncomingMessage, Multipart } from "effect/http"

/** The name of the part that holds the file. */
export const part_name = "file"

/** Size of boundaries and part headers. */
const around_bytes_max = 64 * 2 ** 10

type Refusal = Invalid | AssetTooLarge

/** The file can be read while the scope is open. Its stream fails if another part follows. */
export const soleFile = Effect.fnUntraced(function* (
  parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>,
  bytes_max: number,
) {
  const bounded = Stream.provideService(
    parts,
    HttpIncomingMessage.MaxBodySize,
    ByteSize.fromInputUnsafe(bytes_max + around_bytes_max),
  )
  const pull = yield* Stream.toPull(Stream.mapError(bounded, toRefusal(bytes_max)))
  const next = pull.pipe(Pull.catchDone(() => Effect.succeed([])))
  const [part, ...more] = yield* next
  if (part === undefined) return yield* Invalid.at(part_name, "is required: send one part of that name with a file")
  if (!Multipart.isFile(part) || part.key !== part_name) return yield* misnamed(part)
  if (more.length > 0) return yield* alone
  const end = Effect.flatMap(next, (others) => (others.length > 0 ? Effect.fail(alone) : Effect.void))
  const bytes: UploadedFile["bytes"] = part.content.pipe(
    Stream.mapError(toRefusal(bytes_max)),
    Stream.concat(Stream.drain(Stream.fromEffect(end))),
  )
  return { fileName: part.name, bytes }
})

const alone = Invalid.at(part_name, "must be the only part: send one file per request")

const misnamed = (part: Multipart.Part) =>
  part.key === part_name
    ? Invalid.at(part_name, "must be a file: its part needs a filename")
    : Invalid.at(part_name, `is required: the part is named "${part.key.slice(0, 100)}"`)

const toRefusal =
  (bytes_max: number) =>
  ({ reason }: Multipart.MultipartError): Refusal => {
    switch (reason._tag) {
      case "FileTooLarge":
      case "FieldTooLarge":
      case "BodyTooLarge":
        return new AssetTooLarge({ bytes_max })
      case "TooManyParts":
        return alone
      case "Parse":
        return Invalid.at(part_name, "can't be read: the multipart body is malformed or incomplete")
      case "InternalError":
        return Invalid.at(part_name, "can't be read: the upload was interrupted")
    }
  }
