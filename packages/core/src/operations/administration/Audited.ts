// What the audit log is told of a change: decided from the change itself, so that no store can forget it.
import type { BlastChange } from "../../blasts/BlastChange.ts"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import type { TentChange } from "../../tents/TentChange.ts"
import type { Workspace } from "../../workspaces/Workspace.ts"
import type { AuditAction, AuditEvent } from "../../kernel/AuditLog.ts"

type BlastAction = Extract<AuditAction, `blast.${string}`>

const blastAction = ({ before, after }: BlastChange): BlastAction | null => {
  if (after === null || before === null) return null
  if (before.status === "sending" && after.status === "sending") {
    if (before.paused === after.paused) return null
    return after.paused ? "blast.paused" : "blast.resumed"
  }
  if (before.status === after.status) return null
  switch (after.status) {
    case "scheduled":
    case "sending":
    case "cancelled":
    case "failed":
      return `blast.${after.status}`
    case "draft":
      return before.status === "scheduled" ? "blast.unscheduled" : null
    default:
      return null
  }
}

/** What is decided about a sending; how it went is told by its report. */
export const auditOfBlast = (workspaceId: WorkspaceId, change: BlastChange): ReadonlyArray<AuditEvent> => {
  const action = blastAction(change)
  const { after } = change
  if (action === null || after === null) return []
  return [{ workspaceId, action, target: after.id, details: { operational: after.operational } }]
}

const isPublished = (tent: TentChange["after"]): boolean => tent?.publication?.status === "published"

/** What becomes of a tent's page. `user_id` is the caller's own word for who asked for it. */
export const auditOfTent = (
  workspaceId: WorkspaceId,
  { before, after, page }: TentChange,
): ReadonlyArray<AuditEvent> => {
  const tent = after ?? before
  if (tent === null) return []
  const event = (action: AuditAction): ReadonlyArray<AuditEvent> => [
    { workspaceId, action, target: tent.id, details: { alias: after?.alias ?? null } },
  ]
  if (isPublished(after) && (!isPublished(before) || page !== undefined)) return event("tent.published")
  return isPublished(before) && !isPublished(after) ? event("tent.unpublished") : []
}

/** Fields whose values tell nobody's address or words. */
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

/** What an update changed: plans, credits and limits with their values, everything else by name. */
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
