// What the screens show of a contact: its name, its state, and its fields.
import type { ListedContact } from "@tentpole/client"
import type { Tone } from "../parts/StatusBadge.tsx"

type Named = Pick<ListedContact, "display_name" | "first_name" | "last_name" | "email" | "phone">

/** An address that a person recognizes: email, else phone, else name. */
export const addressOf = (contact: Named): string => contact.email ?? contact.phone ?? fullNameOf(contact) ?? "–"

/** Null without any part of a name. */
export const fullNameOf = ({ display_name, first_name, last_name }: Named): string | null =>
  display_name ?? ([first_name, last_name].filter((part) => part !== null).join(" ") || null)

export const nameOf = (contact: Named): string => fullNameOf(contact) ?? addressOf(contact)

export type MailState = "subscribed" | "unsubscribed" | "optedOut" | "invalid" | "noEmail"

type Mailable = Pick<ListedContact, "email" | "unsubscribed" | "marketing_email_subscribed" | "marketing_email_invalid">

/** Whether marketing mail reaches the contact, and the first reason if not. */
export const mailStateOf = (contact: Mailable): MailState => {
  if (contact.unsubscribed) return "unsubscribed"
  if (contact.email === null) return "noEmail"
  if (contact.marketing_email_invalid) return "invalid"
  return contact.marketing_email_subscribed === false ? "optedOut" : "subscribed"
}

export const mailTones: Readonly<Record<MailState, Tone>> = {
  subscribed: "good",
  unsubscribed: "quiet",
  optedOut: "quiet",
  invalid: "bad",
  noEmail: "warning",
}

/** Texts of a contact that are edited in place, in the order of the screen. */
export const text_fields = [
  "email",
  "phone",
  "first_name",
  "last_name",
  "display_name",
  "company",
  "job_title",
  "address",
  "address2",
  "zip_code",
  "city",
  "state",
  "country",
  "lead_status",
  "lifecycle_stage",
  "original_source",
  "original_source_detail",
] as const
