// Conversion of the database's timestamps to instants.
import { DateTime } from "effect"

/** A nullable `timestamptz`. */
export const instant = (date: Date | null): DateTime.Utc | null => (date === null ? null : DateTime.makeUnsafe(date))
