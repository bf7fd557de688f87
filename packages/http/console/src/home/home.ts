// What Home decides: changes against the time before, what needs the person, and the steps of a new workspace.
import type {
  ContactAnalytics,
  CreditAnalytics,
  EmailFigures,
  WebhookEndpoint,
  WorkspaceAnalytics,
} from "@tentpole/client"
import type { WatchedBlast } from "../api/changes.ts"
import { hostOf, isBroken } from "../webhooks/endpoint.ts"

export const ranges_days = [7, 30, 90] as const

export type RangeDays = (typeof ranges_days)[number]

export const isRange = (value: unknown): value is RangeDays => ranges_days.some((each) => each === value)

export interface HomeSearch {
  readonly days?: RangeDays
}

export const homeSearch = ({ days }: Readonly<Record<string, unknown>>): HomeSearch => (isRange(days) ? { days } : {})

const day_ms = 86_400_000

/** The days of a range that ends today, UTC: the first one, and the one after the last. */
export const daysOf = (days: RangeDays, now_ms: number) => {
  const dayOf = (at_ms: number) => new Date(at_ms).toISOString().slice(0, 10)
  return { from: dayOf(now_ms - (days - 1) * day_ms), to: dayOf(now_ms + day_ms) }
}

/** A share; null of nothing. */
const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

export interface Card {
  readonly name: "sent" | "opened" | "clicked" | "bounced" | "contacts"
  readonly kind: "count" | "share"
  /** Null of nothing. */
  readonly value: number | null
  /** Against the time before: relative for a count, in points for a share. Null without a time before. */
  readonly change: number | null
  /** Whether a rise is good. */
  readonly isGood: boolean
}

const countOf = (name: Card["name"], now: number, before: number): Card => ({
  name,
  kind: "count",
  value: now,
  change: before === 0 ? null : (now - before) / before,
  isGood: true,
})

export const contactCard = ({ before, totals }: Pick<ContactAnalytics, "before" | "totals">): Card =>
  countOf("contacts", totals.created, before.created)

/** Without returned credits. Those of a range may have been spent before it. */
export const spentOf = ({ points }: Pick<CreditAnalytics, "points">): number =>
  Math.max(
    0,
    points.reduce((sum, { returned, spent }) => sum + spent - returned, 0),
  )

/** New contacts and submissions of forms, day by day. Submissions that are not known yet are 0. */
export const growthOf = (
  { points }: Pick<ContactAnalytics, "points">,
  traffic: Pick<WorkspaceAnalytics, "daily_pageviews"> | undefined,
) => {
  const days = new Map(traffic?.daily_pageviews.map(({ date, submissions }) => [date, submissions]))
  return points.map(({ created, date }) => ({ at: date, created, submissions: days.get(date) ?? 0 }))
}

/** The cards of a range. Opens and clicks are shares of the delivered messages, bounces of the sent ones. */
export const cardsOf = (now: EmailFigures, before: EmailFigures): ReadonlyArray<Card> => {
  const share = (name: "opened" | "clicked" | "bounced", isGood: boolean): Card => {
    const whole = name === "bounced" ? "sent" : "delivered"
    const [value, old] = [shareOf(now[name], now[whole]), shareOf(before[name], before[whole])]
    return { name, kind: "share", value, change: value === null || old === null ? null : value - old, isGood }
  }
  return [
    countOf("sent", now.sent, before.sent),
    share("opened", true),
    share("clicked", true),
    share("bounced", false),
  ]
}

/** Shares of bounces that endanger the delivery to large providers. */
export const bounce_share_max = 0.02
/** Fewer messages say nothing about a share. */
export const bounce_sent_min = 100

/** Bounces are many, and more than before. */
export const isBouncing = (now: EmailFigures, before: EmailFigures): boolean => {
  const [share, old] = [shareOf(now.bounced, now.sent), shareOf(before.bounced, before.sent)]
  return now.sent >= bounce_sent_min && share !== null && share > bounce_share_max && share > (old ?? 0)
}

export type Need =
  | { readonly kind: "domain"; readonly domain: string }
  | { readonly kind: "bounces"; readonly share: number }
  | { readonly kind: "approvals" | "jobs"; readonly count: number }
  | { readonly kind: "webhook"; readonly endpointId: string; readonly name: string }
  | { readonly kind: "paused" | "held" | "stalled"; readonly blastId: string; readonly name: string }

interface Facts {
  readonly domains: ReadonlyArray<{ readonly domain: string; readonly status: "pending" | "verified" | "failed" }>
  readonly figures: { readonly totals: EmailFigures; readonly before: EmailFigures } | undefined
  readonly drafts: ReadonlyArray<{ readonly current_version: number }>
  readonly blasts: ReadonlyArray<WatchedBlast>
  /** Of webhooks. */
  readonly endpoints: ReadonlyArray<WebhookEndpoint>
  /** Of the installation; 0 for people who do not operate it. */
  readonly deadJobs: number
}

const blastNeed = ({ blast_id, name, progress }: WatchedBlast): ReadonlyArray<Need> => {
  const its = { blastId: blast_id, name }
  if (progress.held) return [{ kind: "held", ...its }]
  if (progress.paused) return [{ kind: "paused", ...its }]
  return progress.stalled === null ? [] : [{ kind: "stalled", ...its }]
}

/** What needs the person: blasts first, because people wait for them. */
export const needsOf = ({ blasts, deadJobs, domains, drafts, endpoints, figures }: Facts): ReadonlyArray<Need> => {
  const waiting = drafts.filter(({ current_version }) => current_version > 0).length
  return [
    ...blasts.flatMap(blastNeed),
    ...endpoints
      .filter(isBroken)
      .map((each) => ({ kind: "webhook", endpointId: each.endpoint_id, name: hostOf(each) }) as const),
    ...(deadJobs === 0 ? [] : [{ kind: "jobs", count: deadJobs } as const]),
    ...domains.filter(({ status }) => status !== "verified").map(({ domain }) => ({ kind: "domain", domain }) as const),
    ...(figures !== undefined && isBouncing(figures.totals, figures.before)
      ? [{ kind: "bounces", share: figures.totals.bounced / figures.totals.sent } as const]
      : []),
    ...(waiting === 0 ? [] : [{ kind: "approvals", count: waiting } as const]),
  ]
}

export const first_steps = ["contact", "email", "page", "domain"] as const

export type FirstStep = (typeof first_steps)[number]

/** A part of a whole that may be counted while it is not known. */
export const shareOfRows = ({
  processed_rows,
  total_rows,
}: {
  readonly processed_rows: number
  readonly total_rows: number | null
}): number | null => (total_rows === null ? null : (shareOf(processed_rows, total_rows) ?? 1))
