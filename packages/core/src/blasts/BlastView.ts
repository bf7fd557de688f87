// A blast as it is shown: with its list and email as they are now, its counters, and for a draft whether it is ready.
import type { DeliveryTally } from "../sending/Delivery.ts"
import type { Blast } from "./Blast.ts"
import type { BlastView } from "./BlastStore.ts"
import { type Readiness, readiness, type ReadinessFacts } from "./Readiness.ts"

export interface ShownBlast {
  readonly blast: Blast
  readonly list: ReadinessFacts["list"]
  readonly email: ReadinessFacts["email"]
  readonly tally: DeliveryTally
  /** Null unless it is a draft. */
  readonly readiness: Readiness | null
}

export const shown = ({ blast, facts, tally }: BlastView): ShownBlast => ({
  blast,
  list: facts.list,
  email: facts.email,
  tally,
  readiness: blast.status === "draft" ? readiness(blast, facts) : null,
})

/** The counters of a blast that has no recipients yet. */
export const nobody: DeliveryTally = {
  queued: 0,
  sent: 0,
  failed: 0,
  blocked: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
}
