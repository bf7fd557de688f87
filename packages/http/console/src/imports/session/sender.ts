// Whether the workspace can ask people to confirm: its confirmation mails need a sender on a verified domain. Pure.
import type { WorkspaceOverview } from "@tentpole/client"
import { ApiError } from "@tentpole/client/Failures"

const lacks = ["from_address", "sender_domain"] as const
export type SenderLack = (typeof lacks)[number]

/** With A-labels, as domains are listed. */
const domainOf = (address: string): string | null => {
  const url = `http://${address.slice(address.lastIndexOf("@") + 1)}`
  return URL.canParse(url) ? new URL(url).hostname : null
}

/** Null: mails can be sent, or the workspace has an own email for them, whose sender counts. */
export const senderLackOf = ({
  consent,
  domains,
  sender_defaults: { from_address },
}: Pick<WorkspaceOverview, "consent" | "domains" | "sender_defaults">): SenderLack | null => {
  if (consent.confirmation_email_id !== null) return null
  if (from_address === null) return "from_address"
  const own = domainOf(from_address)
  return domains.some(({ domain, status }) => domain === own && status === "verified") ? null : "sender_domain"
}

/** What the service says that its mails lack. */
export const senderLackIn = (error: unknown): SenderLack | null => {
  if (!(error instanceof ApiError) || error.code !== "email_not_ready") return null
  const named = error.details["missing"]
  return lacks.find((each) => Array.isArray(named) && named.includes(each)) ?? null
}
