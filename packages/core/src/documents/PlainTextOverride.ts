// A plain text that the user wrote, beside HTML that comes in versions.
import { type DateTime, Result } from "effect"
import { plain_text_length_max } from "../emails/EmailFields.ts"
import { Invalid } from "../kernel/Refusal.ts"

export interface PlainTextOverride {
  readonly text: string
  readonly at: DateTime.Utc
  /** The version that it was written for: with a later one it is stale. */
  readonly version: number
}

/** The HTML changed after the text was written. */
export const isStale = (override: PlainTextOverride | null, currentVersion: number): boolean =>
  override !== null && override.version < currentVersion

/** Another text for the current version; null for none. Refused as the field `text`. */
export const overriddenBy = (
  text: string | null,
  currentVersion: number,
  now: DateTime.Utc,
): Result.Result<PlainTextOverride | null, Invalid> =>
  text !== null && text.length > plain_text_length_max
    ? Result.fail(Invalid.at("text", `must have at most ${plain_text_length_max} characters`))
    : Result.succeed(text === null ? null : { text, at: now, version: currentVersion })

/** As it stands beside version 1 of a copy: one that is stale stays so. */
export const asOfFirst = (override: PlainTextOverride | null, currentVersion: number): PlainTextOverride | null =>
  override && { ...override, version: isStale(override, currentVersion) ? 0 : 1 }
