// The limits of confirmation mails to an address, over all forms and API keys of a workspace: any visitor can enter any address, and
// a form must not become a way to fill a mailbox.
import type { DateTime } from "effect"
import type { ConsentSource } from "../topics/ConsentRecord.ts"

export const mail_interval_s = 60
export const mails_per_day_max = 3
export const mails_per_request_max = 6

export const day_ms = 24 * 3_600_000
export const hour_ms = 3_600_000

export interface SentMails {
  /** When the address got confirmation mails of any request in the last 24 hours, in no order. */
  readonly toAddress: ReadonlyArray<DateTime.Utc>
  /** Of the same request. */
  readonly ofRequest: ReadonlyArray<DateTime.Utc>
  /** When the request expires. */
  readonly expiresAt: DateTime.Utc
}

const secondsUntil = (at_ms: number, now: DateTime.Utc): number =>
  Math.max(0, Math.ceil((at_ms - now.epochMilliseconds) / 1000))

/** 0: a mail may be sent. Otherwise the seconds until the next one may be. */
export const mailWait_s = ({ expiresAt, ofRequest, toAddress }: SentMails, now: DateTime.Utc): number => {
  const newest = toAddress.map((at) => at.epochMilliseconds).sort((left, right) => right - left)
  const last = newest[0]
  const third = newest[mails_per_day_max - 1]
  return Math.max(
    last === undefined ? 0 : secondsUntil(last + mail_interval_s * 1000, now),
    third === undefined ? 0 : secondsUntil(third + day_ms, now),
    ofRequest.length < mails_per_request_max ? 0 : secondsUntil(expiresAt.epochMilliseconds, now),
  )
}

/** The same for requests of a workspace. `nth`: when the last but `limit` of them was created; null: there are fewer. */
export const requestWait_s = (nth: DateTime.Utc | null, now: DateTime.Utc): number =>
  nth === null ? 0 : Math.max(1, secondsUntil(nth.epochMilliseconds + hour_ms, now))

/** Imports leave the rest to people who wait for their mail at a form. */
export const import_share_percent = 80

/** The unconfirmed requests of an hour, at least one, up to which a request of a source is made. */
export const hourlyLimit = (confirmationsPerHour: number, source: ConsentSource): number =>
  source === "import"
    ? Math.max(1, Math.floor((confirmationsPerHour * import_share_percent) / 100))
    : confirmationsPerHour
