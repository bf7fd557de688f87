// Links to the preference page of a contact, for the caller's own app: a token with workspace, contact and end, and a MAC over
// all of them.
import { DateTime, Effect, Option, Result } from "effect"
import { Base64Url } from "effect/encoding"
import { ContactId, WorkspaceId } from "../kernel/Ids.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Settings } from "../kernel/Settings.ts"
import { paths, uuidText, writeUuid } from "../rendering/Links.ts"
import { preferences_end } from "../rendering/message/Message.ts"

export const link_hours_max = 720
export const link_hours_default = 24

export interface PreferenceTarget {
  readonly workspaceId: WorkspaceId
  readonly contactId: ContactId
}

const purpose = "preferences"
/** Workspace, contact, and the end in seconds. The token of a message is shorter. */
const named_bytes = 36
const named_length = 48
const tag_length = 20

export const preferenceLinks = Effect.gen(function* () {
  const secrets = yield* Secrets
  const { publicPagesUrl } = yield* Settings
  return {
    /** `expiresAt` is cut to whole seconds. */
    urlOf: ({ contactId, workspaceId }: PreferenceTarget, expiresAt: DateTime.Utc): string => {
      const named = new Uint8Array(named_bytes)
      writeUuid(workspaceId, named, 0)
      writeUuid(contactId, named, 16)
      new DataView(named.buffer).setUint32(32, Math.floor(expiresAt.epochMilliseconds / 1000))
      const token = Base64Url.encode(named) + secrets.longMac(purpose, named, tag_length)
      return `${publicPagesUrl}/${paths.unsubscribe}/${token}${preferences_end}`
    },
    /** None: the token is forged, of another kind, or has expired. */
    read: (token: string, now: DateTime.Utc): Option.Option<PreferenceTarget> => {
      if (token.length !== named_length + tag_length || !/^[\w-]*$/.test(token)) return Option.none()
      const read = Base64Url.decode(token.slice(0, named_length))
      if (Result.isFailure(read)) return Option.none()
      const named = Uint8Array.from(read.success)
      const expires_s = new DataView(named.buffer).getUint32(32)
      return expires_s * 1000 > now.epochMilliseconds &&
        secrets.verifiesPiece(purpose, named, 0, token.slice(named_length))
        ? Option.some({
            workspaceId: WorkspaceId.make(uuidText(named, 0)),
            contactId: ContactId.make(uuidText(named, 16)),
          })
        : Option.none()
    },
  }
})
