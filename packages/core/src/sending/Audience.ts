// The audience of a blast while and after its recipients are written.
import type { DateTime } from "effect"
import type { ContactId } from "../kernel/Ids.ts"

export interface AudienceCounts {
  readonly recipientCount: number
  /** Recipients left after suppression. */
  readonly qualifiedCount: number
}

/** The audience at the start of sending, written once. */
export interface FixedAudience extends AudienceCounts {
  readonly at: DateTime.Utc
  /** Cut by the plan's `recipients_per_blast`. */
  readonly truncated: boolean
}

/** Progress while recipients are written in the order of contact ids. */
export interface AudiencePass extends AudienceCounts {
  readonly through: ContactId
}
