// The address that takes a file's bytes where the store of files signs none of its own: it names workspace, session and
// expiry, and carries a MAC over them, so that it needs no API key and can't be made by anybody else.
import { DateTime, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { concat } from "../Bytes.ts"
import type { ErrorCode } from "../ErrorCode.ts"
import { ImportSessionId, WorkspaceId } from "../Ids.ts"
import type { Secrets } from "../Secrets.ts"

/** Tampered with, expired, or for a session that takes no bytes any more: not told apart. */
export class LinkRefused extends Schema.TaggedError<LinkRefused>()("LinkRefused", {}) {
  readonly code = "link_refused" satisfies ErrorCode
  override get message(): string {
    return "This upload address is not valid, has expired, or its import was executed. Start the import again for a new one"
  }
}

export interface UploadTarget {
  readonly workspaceId: WorkspaceId
  readonly sessionId: ImportSessionId
  readonly expiresAt: DateTime.Utc
}

const purpose = "import_upload"
/** A version, two UUIDs, seconds since 1970; and half a MAC. */
const version = 1
const body_length = 1 + 16 + 16 + 4
const tag_length = 16

const uuidBytes = (id: string): Uint8Array =>
  Uint8Array.from(id.replaceAll("-", "").match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

const uuidOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/** The last part of the address: letters, digits, `-` and `_`. */
export const uploadToken = (secrets: Secrets["Service"], target: UploadTarget): string => {
  const seconds = Math.floor(target.expiresAt.epochMilliseconds / 1000)
  const body = concat([
    Uint8Array.of(version),
    uuidBytes(target.workspaceId),
    uuidBytes(target.sessionId),
    Uint8Array.of(seconds >>> 24, (seconds >>> 16) & 0xff, (seconds >>> 8) & 0xff, seconds & 0xff),
  ])
  return Base64Url.encode(concat([body, secrets.mac(purpose, body).slice(0, tag_length)]))
}

export const readUploadToken = (
  secrets: Secrets["Service"],
  token: string,
  now: DateTime.Utc,
): Result.Result<UploadTarget, LinkRefused> => {
  const decoded = Base64Url.decode(token)
  if (Result.isFailure(decoded) || decoded.success.length !== body_length + tag_length) {
    return Result.fail(new LinkRefused())
  }
  const body = decoded.success.subarray(0, body_length)
  const genuine = secrets.verifies(purpose, body, decoded.success.subarray(body_length))
  // One spelling only: other letters may decode to the same bytes.
  if (!genuine || Base64Url.encode(decoded.success) !== token || body[0] !== version) {
    return Result.fail(new LinkRefused())
  }
  const seconds = body.subarray(33).reduce((sum, byte) => sum * 256 + byte, 0)
  const expiresAt = Option.getOrThrow(DateTime.make(seconds * 1000))
  return DateTime.isGreaterThanOrEqualTo(now, expiresAt)
    ? Result.fail(new LinkRefused())
    : Result.succeed({
        workspaceId: WorkspaceId.make(uuidOf(body.subarray(1, 17))),
        sessionId: ImportSessionId.make(uuidOf(body.subarray(17, 33))),
        expiresAt,
      })
}
