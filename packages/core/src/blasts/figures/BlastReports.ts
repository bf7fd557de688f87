// The use cases of a blast's figures: its progress while it is sent, and its report.
import { Context, DateTime, Effect, Layer } from "effect"
import { EmailStore } from "../../emails/EmailStore.ts"
import type { BlastId, WorkspaceId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import { Settings } from "../../kernel/Settings.ts"
import { Parsers } from "../../ports/Parsers.ts"
import { compileInput, compileParser } from "../../rendering/Compile.ts"
import { Links } from "../../rendering/Links.ts"
import { senderOf } from "../../rendering/message/Message.ts"
import { sourceOf } from "../../rendering/MergeTemplate.ts"
import { type FigurePoint, gapless, interval_ms, startOf, startsOf } from "../../sending/Figures.ts"
import { WorkspaceStore } from "../../workspaces/WorkspaceStore.ts"
import { type Blast, launchOf, lockedOf } from "../Blast.ts"
import { BlastStore, type BlastView, toBlastView } from "../BlastStore.ts"
import { type BlastFigures, FigureStore, type LinkFigures, type QueueFigures } from "./FigureStore.ts"
import { slot_ms, slotOf, type Stall, stallOf } from "./Pace.ts"

/** Slots of a progress: the last twenty minutes. */
export const progress_points_max = 120
/** Points of a report. */
export const report_points_max = 1_000
/** Days that a report shows by the hour. */
const hourly_days = 7

export interface BlastProgress extends Pick<QueueFigures, "slots"> {
  readonly view: BlastView
  readonly held: boolean
  readonly waiting: ReadonlyArray<{
    readonly domain: string
    readonly count: number
    /** The limit of messages to the domain; null without one. */
    readonly perSecond: number | null
  }>
  readonly stalled: Stall | null
}

export interface BlastReport extends Omit<BlastFigures, "links"> {
  /** All links of the email, by index. `url`: as its author wrote it, with merge tokens; null when it is not known any more. */
  readonly links: ReadonlyArray<LinkFigures & { readonly url: string | null }>
}

/** Hours up to the first midnight (UTC) that is seven days after the launch, then days, until the last one with an event. */
export const reportStarts = (
  launchedAt: DateTime.Utc,
  points: ReadonlyArray<FigurePoint>,
): ReadonlyArray<DateTime.Utc> => {
  const last = points.at(-1)?.at
  if (last === undefined) return []
  const first = points[0]?.at ?? launchedAt
  const hourly = hourlyUntil(launchedAt)
  const hours = startsOf("hour", startOf("hour", DateTime.min(first, launchedAt)), DateTime.min(hourly, after(last)))
  const days = startsOf("day", hourly, after(last))
  return [...hours, ...days].slice(0, report_points_max)
}

const after = (at: DateTime.Utc) => DateTime.add(at, { milliseconds: 1 })

export const hourlyUntil = (launchedAt: DateTime.Utc): DateTime.Utc =>
  startOf("day", DateTime.add(launchedAt, { milliseconds: (hourly_days + 1) * interval_ms.day - 1 }))

/** The slots up to now, zeros included. */
const slotsUntil = (now: DateTime.Utc, since: DateTime.Utc, slots: QueueFigures["slots"]): QueueFigures["slots"] => {
  const sent = new Map(slots.map((slot) => [slot.at.epochMilliseconds, slot.sent]))
  const count = (slotOf(now).epochMilliseconds - since.epochMilliseconds) / slot_ms + 1
  return Array.from({ length: count }, (_, index) => {
    const at = DateTime.add(since, { milliseconds: index * slot_ms })
    return { at, sent: sent.get(at.epochMilliseconds) ?? 0 }
  })
}

export class BlastReports extends Context.Service<
  BlastReports,
  {
    readonly progress: (workspace: WorkspaceId, id: BlastId) => Effect.Effect<BlastProgress, NotFound>
    readonly report: (workspace: WorkspaceId, id: BlastId) => Effect.Effect<BlastReport, NotFound>
  }
>()("tentpole/BlastReports") {
  static readonly layer = Layer.effect(
    BlastReports,
    Effect.gen(function* () {
      const store = yield* BlastStore
      const figures = yield* FigureStore
      const emails = yield* EmailStore
      const workspaces = yield* WorkspaceStore
      const parsers = yield* Parsers
      const { addresses } = yield* Links
      const { message_bytes_max, sending } = yield* Settings

      /** The links of what the blast sends. */
      const linksOf = Effect.fnUntraced(function* (workspace: WorkspaceId, blast: Blast) {
        const locked = lockedOf(blast)
        if (locked === null) return []
        const email = yield* Effect.orDie(emails.approval(workspace, locked.approvalId))
        const sender = senderOf(yield* Effect.orDie(workspaces.get(workspace)))
        const options = { operational: blast.operational, tracked: true, addresses, message_bytes_max }
        const compiled = yield* Effect.orDie(
          parsers.run(compileParser, compileInput(email, sender, options), workspace),
        )
        return compiled.links.map(sourceOf)
      })

      return BlastReports.of({
        progress: Effect.fn("BlastReports.progress")(function* (workspace, id) {
          const now = yield* DateTime.now
          const stored = yield* store.get(workspace, id, now)
          const since = DateTime.subtract(slotOf(now), { milliseconds: (progress_points_max - 1) * slot_ms })
          const { waiting, slots, overdue_ms, ...limits } = yield* figures.ofQueue(workspace, id, since)
          const { blast, paceFacts, tally } = stored
          const held = sending === "held" || paceFacts?.held === true
          const limited = limits.perSecond_max !== null || limits.perDomainPerSecond_max !== null
          return {
            view: toBlastView(stored),
            held,
            waiting: waiting.map((each) => ({ ...each, perSecond: limits.perDomainPerSecond_max })),
            slots: slotsUntil(now, since, slots),
            stalled: stallOf(blast, tally, paceFacts, { held, overdue_ms, limited }),
          }
        }),

        report: Effect.fn("BlastReports.report")(function* (workspace, id) {
          const now = yield* DateTime.now
          const { blast } = yield* store.get(workspace, id, now)
          const launchedAt = launchOf(blast)?.at ?? now
          const found = yield* figures.ofBlast(workspace, id, hourlyUntil(launchedAt))
          const urls = yield* linksOf(workspace, blast)
          const clicked = new Map(found.links.map((each) => [each.link, each]))
          const count = Math.max(urls.length, (found.links.at(-1)?.link ?? -1) + 1)
          return {
            ...found,
            points: gapless(reportStarts(launchedAt, found.points), found.points),
            links: Array.from({ length: count }, (_, link) => ({
              ...(clicked.get(link) ?? { link, recipients: 0, clicks: 0, machineClicks: 0 }),
              url: urls[link] ?? null,
            })),
          }
        }),
      })
    }),
  )
}
