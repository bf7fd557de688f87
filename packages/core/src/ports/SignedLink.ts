// Signed links: addresses that need no API key, for blob stores that sign none. A token has workspace, subject and expiry with
// a MAC bound to its purpose, so that no link can be forged or used for another purpose.
import { DateTime, Result, Schema } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"
import { Base64Url, Hex } from "effect/encoding"
import { concat } from "../kernel/Bytes.ts"
import { WorkspaceId } from "../kernel/Ids.ts"
import type { Secrets } from "../kernel/Secrets.ts"

/** Purposes of links. The names are part of the MAC: renaming one invalidates its links. */
const purposes = ["import_upload", "export"] as const
export type LinkPurpose = (typeof purposes)[number]

const refusals: { readonly [Purpose in LinkPurpose]: string } = {
  import_upload:
    "This upload address is not valid, has expired, or its import was executed. Start the import again for a new one",
  export: "This download address is not valid or has expired. Read the export again for a new one",
}

/** Forged, expired, or for something that no longer exists; the cases look the same. */
export class LinkRefused extends refusalClass<LinkRefused>()("LinkRefused", {
  code: "link_refused",
  fields: { purpose: Schema.Literals(purposes) },
  message: ({ purpose }) => refusals[purpose],
}) {}

export interface SignedLink {
  readonly workspaceId: WorkspaceId
  /** UUID of the subject. */
  readonly id: string
  /** Rounded to whole seconds. */
  readonly expiresAt: DateTime.Utc
}

/** A version, two UUIDs, seconds since 1970, and half a MAC. */
const version = 1
const body_length = 1 + 16 + 16 + 4
const tag_length = 16

const uuidBytes = (id: string): Uint8Array => Result.getOrThrow(Hex.decode(id.replaceAll("-", "")))

const uuidOf = (bytes: Uint8Array): string =>
  Hex.encode(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")

/** The last part of the URL: letters, digits, `-` and `_`. */
export const signLink = (secrets: Secrets["Service"], purpose: LinkPurpose, link: SignedLink): string => {
  const seconds = Math.floor(link.expiresAt.epochMilliseconds / 1000)
  const body = concat([
    Uint8Array.of(version),
    uuidBytes(link.workspaceId),
    uuidBytes(link.id),
    Uint8Array.of(seconds >>> 24, (seconds >>> 16) & 0xff, (seconds >>> 8) & 0xff, seconds & 0xff),
  ])
  return Base64Url.encode(concat([body, secrets.mac(purpose, body).slice(0, tag_length)]))
}

export const readLink = (
  secrets: Secrets["Service"],
  purpose: LinkPurpose,
  token: string,
  now: DateTime.Utc,
): Result.Result<SignedLink, LinkRefused> => {
  const refused = Result.fail(new LinkRefused({ purpose }))
  const decoded = Base64Url.decode(token)
  if (Result.isFailure(decoded) || decoded.success.length !== body_length + tag_length) return refused
  const body = decoded.success.subarray(0, body_length)
  const genuine = secrets.verifies(purpose, body, decoded.success.subarray(body_length))
  // Only one spelling: other letters may decode to the same bytes.
  if (!genuine || Base64Url.encode(decoded.success) !== token || body[0] !== version) return refused
  const seconds = body.subarray(33).reduce((sum, byte) => sum * 256 + byte, 0)
  const expiresAt = DateTime.makeUnsafe(seconds * 1000)
  return DateTime.isGreaterThanOrEqualTo(now, expiresAt)
    ? refused
    : Result.succeed({
        workspaceId: WorkspaceId.make(uuidOf(body.subarray(1, 17))),
        id: uuidOf(body.subarray(17, 33)),
        expiresAt,
      })
}
