// The dates of rules and custom fields as time ranges: a day is the whole UTC day, a timestamp is one millisecond. One
// comparison serves both, and fractions of a millisecond in a store do not change the result.
import { Result } from "effect"
import { readDate } from "../contacts/values/FieldValue.ts"

/** Epoch milliseconds; `from` is inclusive, `until` exclusive. */
export interface TimeRange {
  readonly from: number
  readonly until: number
}

export const day_ms = 86_400_000

/** The range of a day (`2026-05-01`) or a timestamp with a zone (`2026-05-01T09:30:00Z`); undefined for other text. */
export const timeRangeOf = (text: string): TimeRange | undefined => {
  const canonical = Result.getOrElse(readDate(text, "json"), () => null)
  if (canonical === null) return undefined
  const from = startOf(canonical)
  return { from, until: from + (canonical.length === "2026-05-01".length ? day_ms : 1) }
}

/** The first instant of a stored date. The text was checked when it was stored. */
// oxlint-disable-next-line no-restricted-globals -- pure: it parses a text
export const startOf = (stored: string): number => Date.parse(stored)
