// The figures of blasts and flows in memory, counted from the deliveries.
import {
  type DomainFigures,
  domains_max,
  type FigureGroup,
  FigureStore,
  type Grouping,
  groups_max,
  type LinkFigures,
  type ReasonFigures,
  type TimeRange,
  waiting_max,
} from "@tentpole/core/blasts/figures/FigureStore"
import { slotOf } from "@tentpole/core/blasts/figures/Pace"
import type { BlastId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { byCodePoint } from "@tentpole/core/kernel/Text"
import { emptyFigures, type FigurePoint, type Figures, startOf, sumOf } from "@tentpole/core/sending/Figures"
import { Clock, type DateTime, Effect } from "effect"
import { flows } from "../flows/FlowTables.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import {
  blasts,
  clicks,
  deliveries,
  type DeliveryRow,
  domainOf,
  dueDeliveries,
  isFailed,
} from "../sending/DeliveryTables.ts"
import { workspaces } from "../workspaces/WorkspaceStore.ts"
import { deliveriesOf, isOpen } from "./BlastStore.ts"

/** When each first event of a delivery happened. */
const timesOf = (row: DeliveryRow): { readonly [Name in keyof Figures]: DateTime.Utc | null } => ({
  sent: row.state === "sent" ? row.sentAt : null,
  failed: row.failedAt,
  delivered: row.deliveredAt,
  opened: row.openedAt,
  clicked: row.clickedAt,
  bounced: row.bouncedAt,
  complained: row.complainedAt,
  unsubscribed: row.unsubscribedAt,
})

const names = Object.keys(emptyFigures) as ReadonlyArray<keyof Figures>

/** One point for each event. */
const eventsOf = (rows: ReadonlyArray<DeliveryRow>): ReadonlyArray<FigurePoint> =>
  rows.flatMap((row) => {
    const times = timesOf(row)
    return names.flatMap((name) => {
      const at = times[name]
      return at === null ? [] : [{ ...emptyFigures, at, [name]: 1 }]
    })
  })

const pointsOf = (
  events: ReadonlyArray<FigurePoint>,
  place: (at: DateTime.Utc) => DateTime.Utc,
): ReadonlyArray<FigurePoint> =>
  [...Map.groupBy(events, ({ at }) => place(at).epochMilliseconds).values()]
    .flatMap(([first, ...rest]) => (first === undefined ? [] : [{ at: place(first.at), ...sumOf([first, ...rest]) }]))
    .sort((left, right) => left.at.epochMilliseconds - right.at.epochMilliseconds)

const domainsOf = (rows: ReadonlyArray<DeliveryRow>): ReadonlyArray<DomainFigures> =>
  [...Map.groupBy(rows, domainOf)]
    .map(([domain, its]) => ({ domain, recipients: its.length, ...sumOf(eventsOf(its)) }))
    .sort((left, right) => right.recipients - left.recipients || byCodePoint(left.domain, right.domain))
    .slice(0, domains_max)

const reasonsOf = (rows: ReadonlyArray<DeliveryRow>): ReadonlyArray<ReasonFigures> => {
  const ended = rows.filter((row) => isFailed(row) || row.state === "blocked")
  return [...Map.groupBy(ended, (row) => `${isFailed(row) ? "failed" : "blocked"} ${row.reason}`).values()]
    .flatMap((its): ReadonlyArray<ReasonFigures> => {
      const [first] = its
      if (first === undefined || first.reason === null) return []
      const sampleReply = its.find(({ smtpReply }) => smtpReply !== null)?.smtpReply ?? null
      const state = isFailed(first) ? "failed" : "blocked"
      return [{ state, reason: first.reason, count: its.length, sampleReply }]
    })
    .sort(
      (left, right) =>
        byCodePoint(right.state, left.state) || right.count - left.count || byCodePoint(left.reason, right.reason),
    )
}

const linksOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: BlastId) {
  const mine = (yield* db.all(clicks, workspace)).filter(({ blastId }) => blastId === id)
  return [...Map.groupBy(mine, ({ link }) => link)]
    .map(([link, its]): LinkFigures => ({
      link,
      recipients: its.filter((each) => each.clicks > 0).length,
      clicks: its.reduce((sum, each) => sum + each.clicks, 0),
      machineClicks: its.reduce((sum, each) => sum + each.machineClicks, 0),
    }))
    .sort((left, right) => left.link - right.link)
})

const ofQueue = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: BlastId, since: DateTime.Utc) {
  const rows = yield* deliveriesOf(db, workspace, id)
  const due = yield* db.find(dueDeliveries, null, workspace)
  const settings = yield* db.find(workspaces, null, workspace)
  const sent = eventsOf(rows).filter((event) => event.sent > 0)
  return {
    waiting: [...Map.groupBy(rows.filter(isOpen), domainOf)]
      .map(([domain, its]) => ({ domain, count: its.length }))
      .sort((left, right) => right.count - left.count || byCodePoint(left.domain, right.domain))
      .slice(0, waiting_max),
    slots: pointsOf(sent, slotOf)
      .filter(({ at }) => at.epochMilliseconds >= since.epochMilliseconds)
      .map((point) => ({ at: point.at, sent: point.sent })),
    overdue_ms: Math.max(0, (yield* Clock.currentTimeMillis) - (due?.dueAt_ms ?? Infinity)),
    perSecond_max: settings?.sendingPerSecond ?? null,
    perDomainPerSecond_max: settings?.sendingPerDomainPerSecond ?? null,
  }
})

const within = ({ from, to }: TimeRange, events: ReadonlyArray<FigurePoint>) =>
  events.filter(
    ({ at }) => at.epochMilliseconds >= from.epochMilliseconds && at.epochMilliseconds < to.epochMilliseconds,
  )

const namesOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId) {
  const named = [...(yield* db.all(blasts, workspace)), ...(yield* db.all(flows, workspace))]
  return new Map<string, string>(named.map(({ id, name }) => [id, name]))
})

const groups = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  range: TimeRange,
  by: Exclude<Grouping, "none">,
) {
  const known = yield* namesOf(db, workspace)
  const keyOf = (row: DeliveryRow): string | null => {
    if (by === "domain") return domainOf(row)
    return by === "flow" ? (row.flow?.flowId ?? null) : row.flow === null ? row.blastId : null
  }
  return [...Map.groupBy(yield* db.all(deliveries, workspace), keyOf)]
    .flatMap(([key, rows]): ReadonlyArray<FigureGroup> => {
      const name = by === "domain" ? key : known.get(key ?? "")
      const events = within(range, eventsOf(rows))
      return key === null || name === null || name === undefined || events.length === 0
        ? []
        : [{ key, name, totals: sumOf(events) }]
    })
    .sort((left, right) => right.totals.sent - left.totals.sent || byCodePoint(left.key, right.key))
    .slice(0, groups_max)
})

export const layer = storeLayer(FigureStore, (db) =>
  FigureStore.of({
    ofBlast: Effect.fnUntraced(function* (workspace, id, hourlyUntil) {
      const rows = yield* deliveriesOf(db, workspace, id)
      return {
        points: pointsOf(eventsOf(rows), (at) =>
          startOf(at.epochMilliseconds < hourlyUntil.epochMilliseconds ? "hour" : "day", at),
        ),
        links: yield* linksOf(db, workspace, id),
        domains: domainsOf(rows),
        reasons: reasonsOf(rows),
        machineOpened: rows.filter((row) => row.machineOpenedAt !== null).length,
        machineClicked: rows.filter((row) => row.machineClickedAt !== null).length,
      }
    }),
    ofQueue: (workspace, id, since) => ofQueue(db, workspace, id, since),
    ofTime: (workspace, range, interval) =>
      Effect.map(db.all(deliveries, workspace), (rows) =>
        pointsOf(within(range, eventsOf(rows)), (at) => startOf(interval, at)),
      ),
    groups: (workspace, range, by) => groups(db, workspace, range, by),
  }),
)
