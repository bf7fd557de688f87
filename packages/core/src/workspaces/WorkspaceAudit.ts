// The audit entries of a workspace's changes, derived from the change itself, so that no store can leave them out.
import { String } from "effect"
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
  "fourEyes",
] as const

const limits: Readonly<Record<string, string>> = {
  sendingPerSecond: "sending_limits.per_second",
  sendingPerDomainPerSecond: "sending_limits.per_domain_per_second",
}

const apiName = (field: string): string => limits[field] ?? String.camelToSnake(field)

const differs = (left: unknown, right: unknown): boolean => JSON.stringify(left) !== JSON.stringify(right)

/** The changes of an update: plans, credits and limits with their values, everything else by name. */
export const auditOfWorkspace = (before: Workspace, after: Workspace): ReadonlyArray<AuditEvent> => {
  const changes = [
    ...plain
      .filter((field) => before[field] !== after[field])
      .map((field) => ({ field: apiName(field), from: before[field], to: after[field] })),
    ...(["name", "postalAddress", "senderDefaults", "brand", "consent"] as const)
      .filter((field) => differs(before[field], after[field]))
      .map((field) => ({ field: apiName(field) })),
  ]
  if (changes.length === 0) return []
  return [{ workspaceId: after.id, action: "workspace.updated", target: after.id, details: { changes } }]
}
