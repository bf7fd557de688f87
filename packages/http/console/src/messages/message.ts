// What the screens of single messages say and offer. Pure.
import type { EmailMessage } from "@tentpole/client"
import type { Tone } from "../parts/StatusBadge.tsx"

export const messageTones: Readonly<Record<EmailMessage["status"], Tone>> = {
  scheduled: "quiet",
  queued: "busy",
  sent: "good",
  failed: "bad",
  blocked: "warning",
}

/** A worker may have begun to hand it over: then the service refuses. */
export const canCancel = ({ status }: Pick<EmailMessage, "status">): boolean =>
  status === "scheduled" || status === "queued"

const passing: ReadonlyArray<EmailMessage["reason"]> = ["refused", "temporarily_refused", "unreachable", "unconfirmed"]

export const canRetry = ({ reason, status }: Pick<EmailMessage, "reason" | "status">): boolean =>
  status === "failed" && passing.includes(reason)

const soon_ms = 2_000
const later_ms = 15_000
/** A message that is retried every hour is asked for less often. */
const young_ms = 60_000

/** When the screen asks again; false: the message has ended. */
export const readAgain_ms = (message: Pick<EmailMessage, "created_at" | "status">, now_ms: number): number | false => {
  if (!canCancel(message)) return false
  return message.status === "queued" && now_ms - Date.parse(message.created_at) < young_ms ? soon_ms : later_ms
}

/** The tags of a message as the filter writes them. */
export const tagTexts = (tags: EmailMessage["tags"]): ReadonlyArray<string> =>
  Object.entries(tags).map(([name, value]) => `${name}:${value}`)

/** The header lines that the message has besides technical ones. */
export const headersOf = (message: EmailMessage): ReadonlyArray<readonly [name: string, value: string]> => [
  ["From", mailbox(message.from_name, message.from_address)],
  ["To", mailbox(message.to.name, message.to.email)],
  ...(message.reply_to_email === null ? [] : [["Reply-To", message.reply_to_email] as const]),
  ["Subject", message.subject],
  ["Message-ID", message.smtp_message_id],
  ...Object.entries(message.headers),
]

const mailbox = (name: string | null, address: string | null): string => {
  const shown = address ?? "–"
  return name === null ? shown : `${name} <${shown}>`
}
