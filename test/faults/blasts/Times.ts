// The times and bounds of a campaign's workers.
import type { SenderOptions } from "@tentpole/worker/sender/Sender"
import type { Bounds } from "./Judge.ts"

export const bounds: Bounds = { connections: 8, settle_batch_max: 16 }

/** Short times in the same order of size as the defaults, so that a campaign does not wait for leases and sweeps. */
export const times: Partial<SenderOptions> = {
  claim_batch_max: 50,
  settle_batch_max: bounds.settle_batch_max,
  sweep_every_ms: 200,
  lease_ms: 2_500,
  renew_every_ms: 500,
  idle_ms: 1_000,
  grace_ms: 3_000,
}
