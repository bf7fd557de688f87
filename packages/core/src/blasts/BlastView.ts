// The view of a blast: the blast with its current list and email, its counters, and the readiness of a draft.
import type { DeliveryTally } from "../sending/Delivery.ts"
import type { Blast } from "./Blast.ts"
import type { StoredBlast } from "./BlastStore.ts"
import { type Readiness, readiness, type ReadinessFacts } from "./Readiness.ts"

export interface BlastView {
  readonly blast: Blast
  readonly list: ReadinessFacts["list"]
  readonly email: ReadinessFacts["email"]
  readonly tally: DeliveryTally
  /** Null unless the blast is a draft. */
  readonly readiness: Readiness | null
}

export const toBlastView = ({ blast, facts, tally }: StoredBlast): BlastView => ({
  blast,
  list: facts.list,
  email: facts.email,
  tally,
  readiness: blast.status === "draft" ? readiness(blast, facts) : null,
})

/** The counters of a blast that has no recipients yet. */
export const emptyTally: DeliveryTally = {
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
