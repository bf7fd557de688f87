// Entries of the audit log: what they are about, where that is in the console, and their file.
import type { Admin } from "@tentpole/client"
import type { AdminApi, RequestOf } from "../../api/queries.ts"

export type AuditEntry = Admin.AuditEntry

export type AuditQuery = NonNullable<NonNullable<RequestOf<AdminApi["auditLog"]["list"]>[0]>["query"]>

export type AuditAction = NonNullable<AuditQuery["action"]>

/** Entries of a file at most. */
export const csv_rows_max = 10_000

/** The first part of an action: `blast` of `blast.paused`. */
export const thingOf = (action: string): string => action.slice(0, action.indexOf("."))

/** The screens of things, by the first part of an action. `:id` is the target. */
const screens: Readonly<Record<string, string>> = {
  blast: "/blasts/:id",
  domain: "/domains/:id",
  email: "/emails/:id",
  flow: "/flows/:id",
  key: "/settings/keys",
  member: "/settings/members",
  page_domain: "/domains",
  suppression: "/suppressions",
  tent: "/tents/:id",
  message: "/messages/:id",
  webhook: "/webhooks/:id",
  webhook_endpoint: "/webhooks/:id",
  workspace: "/settings/workspace",
}

/** Actions after which their thing has no screen. */
const ends: ReadonlySet<string> = new Set(["domain.removed", "webhook_endpoint.deleted"])

/** The screen of the thing that an entry is about; null without one, and for things of other workspaces. */
export const pathOf = ({ action, target, workspace_id }: AuditEntry, workspace: string): string | null => {
  const thing = thingOf(action)
  if (workspace_id !== workspace || !Object.hasOwn(screens, thing) || ends.has(action)) return null
  return screens[thing]?.replace(":id", encodeURIComponent(target)) ?? null
}

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

const id_shown_length = 8

/** The name of the thing; the first characters of an id that leads to a screen; null for other ids, which say nothing. */
export const nameOf = ({ action, details, target, target_name }: AuditEntry): string | null => {
  const named = [target_name, details["name"], details["domain"], details["host"]].find(
    (each) => typeof each === "string",
  )
  if (typeof named === "string") return named
  if (!uuid.test(target)) return target
  return screens[thingOf(action)]?.includes(":id") === true ? target.slice(0, id_shown_length) : null
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Words of a change of a setting, such as `plan: free to pro`. */
type ChangeWords = (field: string, from: string, to: string) => string

const changeOf = (change: unknown, changed: ChangeWords): string => {
  const { field, from, to } = change as { readonly field: string; readonly from?: unknown; readonly to?: unknown }
  return to === undefined ? field : changed(field, textOf(from), textOf(to))
}

/** The details in one line, without the name. */
export const detailsOf = (entry: AuditEntry, changed: ChangeWords): string =>
  Object.entries(entry.details)
    .filter(([, value]) => value !== null && value !== nameOf(entry))
    .map(([key, value]) =>
      key === "changes" && Array.isArray(value)
        ? value.map((change) => changeOf(change, changed)).join(", ")
        : `${key}: ${textOf(value)}`,
    )
    .join(", ")

/** The columns of the file of the log. */
export const csv_columns = [
  "at",
  "actor",
  "actor_name",
  "action",
  "target",
  "target_name",
  "workspace_id",
  "details",
] as const

export const csvRowOf = (entry: AuditEntry) => ({ ...entry, details: JSON.stringify(entry.details) })

const day_ms = 86_400_000

/** The first day of the last `days` days, today included, in UTC. */
export const firstDay = (days: number, now_ms: number): string =>
  new Date(now_ms - (days - 1) * day_ms).toISOString().slice(0, "2026-05-01".length)
