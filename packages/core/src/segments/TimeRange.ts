// The dates of rules and of custom fields, as stretches of time: a day is the whole UTC day, a timestamp the millisecond
// that it names. So one comparison serves both, and what a store keeps below the millisecond changes no answer.
import { Result } from "effect"
import { readDate } from "../contacts/values/FieldValue.ts"

/** Epoch milliseconds; `from` is in it, `until` is not. */
export interface TimeRange {
  readonly from: number
  readonly until: number
}

export const day_ms = 86_400_000

/** What a day (`2026-05-01`) or a timestamp with a zone (`2026-05-01T09:30:00Z`) stands for; undefined for other text. */
export const timeRangeOf = (text: string): TimeRange | undefined => {
  const canonical = Result.getOrElse(readDate(text, "json"), () => null)
  if (canonical === null) return undefined
  const from = startOf(canonical)
  return { from, until: from + (canonical.length === "2026-05-01".length ? day_ms : 1) }
}

/** The first instant of a date as contacts hold it. It was checked when it was written, and is not again for each contact. */
// oxlint-disable-next-line no-restricted-globals -- pure: it parses a text
export const startOf = (stored: string): number => Date.parse(stored)
