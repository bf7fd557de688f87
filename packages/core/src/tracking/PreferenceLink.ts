// Links to the preference page of a contact, for the caller's own app.
import { type DateTime, Effect } from "effect"
import { ContactId, type WorkspaceId } from "../kernel/Ids.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Settings } from "../kernel/Settings.ts"
import { linkOf, signLink } from "../ports/SignedLink.ts"
import { paths } from "../rendering/Links.ts"
import { preferences_end } from "../rendering/message/Message.ts"

export const link_hours_max = 720
export const link_hours_default = 24

export interface PreferenceTarget {
  readonly workspaceId: WorkspaceId
  readonly contactId: ContactId
}

export const preferenceLinks = Effect.gen(function* () {
  const secrets = yield* Secrets
  const { publicPagesUrl } = yield* Settings
  return {
    /** `expiresAt` is cut to whole seconds. */
    urlOf: ({ contactId, workspaceId }: PreferenceTarget, expiresAt: DateTime.Utc): string => {
      const token = signLink(secrets, "preferences", { workspaceId, id: contactId, expiresAt })
      return `${publicPagesUrl}/${paths.unsubscribe}/${token}${preferences_end}`
    },
    /** Null: the token is forged, of another kind, or has expired. */
    read: (token: string, now: DateTime.Utc): PreferenceTarget | null => {
      const link = linkOf(secrets, "preferences", token, now)
      return link === null ? null : { workspaceId: link.workspaceId, contactId: ContactId.make(link.id) }
    },
  }
})
