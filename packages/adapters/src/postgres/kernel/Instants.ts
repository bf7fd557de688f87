// Instants as the database gives them.
import { DateTime } from "effect"

/** `timestamptz`, which may be null. */
export const instant = (date: Date | null): DateTime.Utc | null => (date === null ? null : DateTime.makeUnsafe(date))
