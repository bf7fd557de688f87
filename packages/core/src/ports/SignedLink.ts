// Signed links: addresses that need no API key, of files for blob stores that sign none, and of pages. A token has workspace, subject
// and expiry with a MAC bound to its purpose, so that no link can be forged or used for another purpose.
import { DateTime, Result, Schema } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"
import { Base64Url } from "effect/encoding"
import { concat } from "../kernel/Bytes.ts"
import { WorkspaceId } from "../kernel/Ids.ts"
import type { Secrets } from "../kernel/Secrets.ts"
import { uuidText, writeUuid } from "../kernel/values/UuidBytes.ts"

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

/** All purposes: links to files and, on the pages' host, to what a person chose. */
export type SignedPurpose = LinkPurpose | "preferences" | "subscription"

/** The end of links without one: what they lead to has its own. */
export const endless = DateTime.makeUnsafe((2 ** 32 - 1) * 1000)

/** A version, two UUIDs, seconds since 1970, and half a MAC. */
const version = 1
const seconds_start = 1 + 16 + 16
const body_length = seconds_start + 4
const tag_length = 16

/** The last part of the URL: letters, digits, `-` and `_`. */
export const signLink = (secrets: Secrets["Service"], purpose: SignedPurpose, link: SignedLink): string => {
  const body = new Uint8Array(body_length)
  body[0] = version
  writeUuid(link.workspaceId, body, 1)
  writeUuid(link.id, body, 17)
  new DataView(body.buffer).setUint32(seconds_start, Math.floor(link.expiresAt.epochMilliseconds / 1000))
  return Base64Url.encode(concat([body, secrets.mac(purpose, body).slice(0, tag_length)]))
}

/** Null: the token is forged, for another purpose, or has expired. */
export const linkOf = (
  secrets: Secrets["Service"],
  purpose: SignedPurpose,
  token: string,
  now: DateTime.Utc,
): SignedLink | null => {
  const decoded = Result.getOrElse(Base64Url.decode(token), () => null)
  if (decoded?.length !== body_length + tag_length) return null
  const body = decoded.slice(0, body_length)
  const genuine = secrets.verifies(purpose, body, decoded.subarray(body_length))
  // Only one spelling: other letters may decode to the same bytes.
  if (!genuine || Base64Url.encode(decoded) !== token || body[0] !== version) return null
  const expiresAt = DateTime.makeUnsafe(new DataView(body.buffer).getUint32(seconds_start) * 1000)
  return DateTime.isGreaterThanOrEqualTo(now, expiresAt)
    ? null
    : { workspaceId: WorkspaceId.make(uuidText(body, 1)), id: uuidText(body, 17), expiresAt }
}

export const readLink = (
  secrets: Secrets["Service"],
  purpose: LinkPurpose,
  token: string,
  now: DateTime.Utc,
): Result.Result<SignedLink, LinkRefused> => {
  const link = linkOf(secrets, purpose, token, now)
  return link === null ? Result.fail(new LinkRefused({ purpose })) : Result.succeed(link)
}
