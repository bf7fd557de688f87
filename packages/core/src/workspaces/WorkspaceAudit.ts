// The audit entries of a workspace's changes, derived from the change itself, so that no store can leave them out.
import type { Workspace } from "./Workspace.ts"
import type { AuditEvent } from "../kernel/changes/AuditLog.ts"

/** Fields whose values may be logged: they contain no address and no text of a person. */
const plain = [
  "slug",
  "plan",
  "credits",
  "timeZone",
  "defaultCountry",
  "sendingPerSecond",
  "sendingPerDomainPerSecond",
] as const

const wire: Readonly<Record<string, string>> = {
  timeZone: "time_zone",
  defaultCountry: "default_country",
  sendingPerSecond: "sending_limits.per_second",
  sendingPerDomainPerSecond: "sending_limits.per_domain_per_second",
  postalAddress: "postal_address",
  senderDefaults: "sender_defaults",
}

const differs = (left: unknown, right: unknown): boolean => JSON.stringify(left) !== JSON.stringify(right)

/** The changes of an update: plans, credits and limits with their values, everything else by name. */
export const auditOfWorkspace = (before: Workspace, after: Workspace): ReadonlyArray<AuditEvent> => {
  const changes = [
    ...plain
      .filter((field) => before[field] !== after[field])
      .map((field) => ({ field: wire[field] ?? field, from: before[field], to: after[field] })),
    ...(["name", "postalAddress", "senderDefaults", "brand"] as const)
      .filter((field) => differs(before[field], after[field]))
      .map((field) => ({ field: wire[field] ?? field })),
  ]
  if (changes.length === 0) return []
  return [{ workspaceId: after.id, action: "workspace.updated", target: after.id, details: { changes } }]
}
