// The tones of the statuses of sending domains.
import type { Admin } from "@tentpole/client"
import type { Tone } from "../parts/StatusBadge.tsx"

export const domainTones: Readonly<Record<Admin.SendingDomain["status"], Tone>> = {
  pending: "warning",
  verified: "good",
  failed: "bad",
}
