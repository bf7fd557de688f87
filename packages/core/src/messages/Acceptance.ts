// The decision on acceptance. Pure: what is known of the recipient, and of the header, decides whether a message is sent.
import { DateTime } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import type { Missing } from "../emails/EmailErrors.ts"
import { domainOf } from "../emails/Email.ts"
import { isBlank } from "../kernel/Text.ts"
import type { BlockReason } from "../sending/Delivery.ts"
import { addressOnly, blockReason, type RecipientFacts, type Suppression } from "../sending/Suppression.ts"
import { expires_after_hours } from "./EmailMessage.ts"
import type { HeaderOverrides } from "./NewMessage.ts"

/** Why a message is blocked at once; undefined: it is sent. The same rules hold at its intent. */
export const acceptanceBlock = (
  recipient: {
    readonly emailNormalized: string | null
    readonly contact: Contact | null
    readonly suppression: Suppression | null
  } & Pick<RecipientFacts, "topic" | "consentRequired">,
  operational: boolean,
): BlockReason | undefined => {
  const { consentRequired, contact, emailNormalized, topic } = recipient
  const suppression = recipient.suppression?.reason ?? null
  const known = { emailNormalized, suppression, topic, consentRequired }
  return blockReason(contact === null ? addressOnly(known) : { ...contact, ...known }, operational)
}

/** What a message is sent with: its own fields, then those of its source, then the defaults of the workspace. */
export const headerOf = (
  own: HeaderOverrides,
  source: HeaderOverrides,
  defaults: Pick<HeaderOverrides, "fromAddress" | "fromName" | "replyToEmail">,
): HeaderOverrides => {
  const fromAddress = own.fromAddress ?? source.fromAddress ?? defaults.fromAddress
  return {
    subject: own.subject ?? source.subject,
    previewText: own.previewText ?? source.previewText,
    fromAddress,
    fromName: own.fromName ?? source.fromName ?? defaults.fromName,
    replyToEmail: own.replyToEmail ?? source.replyToEmail ?? defaults.replyToEmail,
  }
}

/** What a message lacks. */
export const missingIn = (
  { fromAddress, subject }: HeaderOverrides,
  verifiedDomains: ReadonlyArray<string>,
): ReadonlyArray<Missing> => [
  ...(isBlank(subject ?? "") ? (["subject"] as const) : []),
  ...(fromAddress === null
    ? (["from_address"] as const)
    : verifiedDomains.includes(domainOf(fromAddress))
      ? []
      : (["sender_domain"] as const)),
]

/** When a message that is sent again ends: a retry after its end has as much time as a new one. */
export const retriedUntil = (expiresAt: DateTime.Utc, now: DateTime.Utc): DateTime.Utc => {
  const later = DateTime.add(now, { hours: expires_after_hours })
  return DateTime.max(expiresAt, later)
}
