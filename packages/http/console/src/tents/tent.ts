// What the screens show of a page: its state, its address, and what can be done with it. Pure.
import type { ListedTent, Publication, Tent } from "@tentpole/client"
import type { Tone } from "../parts/StatusBadge.tsx"

/** The state for readers: of the generation, then of the publication. */
export type TentState =
  | "idle"
  | "queued"
  | "generating"
  | "failed"
  | "draft"
  | "publishing"
  | "published"
  | "unpublished"
  | "refused"

export const tentTones: Readonly<Record<TentState, Tone>> = {
  idle: "quiet",
  queued: "busy",
  generating: "busy",
  failed: "bad",
  draft: "quiet",
  publishing: "busy",
  published: "good",
  unpublished: "quiet",
  refused: "bad",
}

const published: Readonly<Record<Publication["status"], TentState>> = {
  pending: "publishing",
  published: "published",
  failed: "refused",
  unpublished: "unpublished",
}

export const stateOf = ({ publication, status }: Pick<ListedTent, "status" | "publication">): TentState => {
  if (status === "pending") return "idle"
  if (status !== "completed") return status
  return publication === undefined ? "draft" : published[publication.status]
}

/** Work goes on, whose end changes the page. */
export const isWorking = ({ publication, revision_status, status }: Tent): boolean =>
  status === "queued" ||
  status === "generating" ||
  revision_status === "generating" ||
  (status === "completed" && publication?.status === "pending")

/** The address without its scheme. */
export const shortAddress = (url: string): string => url.replace(/^https?:\/\//, "").replace(/\/$/, "")

/** There is a newer version than the one that visitors see. */
export const hasUnpublished = ({ current_version, live_version }: Tent): boolean =>
  live_version !== null && live_version < current_version

const alias_max = 60

/** An address from a name: small letters, digits and hyphens. */
export const aliasFrom = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, alias_max)
    .replace(/-$/, "")

/** Names of the variables of a template, such as `city` of `{{api.city}}`, and whether a page needs their values. */
export const variablesIn = (html: string): ReadonlyArray<{ readonly name: string; readonly isNeeded: boolean }> => {
  const found = new Map<string, boolean>()
  for (const { 1: name = "", 2: rest = "" } of html.matchAll(/\{\{\s{0,8}api\.(\w{1,100})([^{}]{0,300})\}\}/g)) {
    found.set(name, found.get(name) === true || !rest.includes("|"))
  }
  return [...found].map(([name, isNeeded]) => ({ name, isNeeded }))
}

const day_ms = 86_400_000

/** The days of a range that ends with today, in UTC as the service counts them. */
export const rangeOf = (days: number, now_ms: number) => {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return { from: dayOf(now_ms - (days - 1) * day_ms), to: dayOf(now_ms + day_ms) }
}
