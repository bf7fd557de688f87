// The recorder of bounce reports, from returned mail and from providers' webhooks.
import { Array, DateTime, Effect, Result } from "effect"
import { evidenceOf } from "../topics/ConsentRecord.ts"
import { consentWriter, endedAll } from "../tracking/ConsentActs.ts"
import { EngagementChange } from "../tracking/Engagement.ts"
import { EngagementStore } from "../tracking/EngagementStore.ts"
import type { DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { type BounceReport, ReportChange, type ReportedFact } from "./Report.ts"
import { BounceReportStore } from "./ReportStore.ts"

export interface DeliveryReport {
  readonly deliveryId: DeliveryId
  readonly what: ReportedFact
}

interface Reported {
  readonly deliveryId: DeliveryId
  readonly report: BounceReport
}

/** Writes all reports or none. Known facts, and deliveries of other workspaces, change nothing. */
export const reportRecorder = Effect.gen(function* () {
  const reports = yield* BounceReportStore
  const engagement = yield* EngagementStore
  const writeConsent = yield* consentWriter
  const { transact } = yield* Transactor

  /** One report for each contact at a time: each is decided on the result of the previous one. */
  const report = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    reported: ReadonlyArray<Reported>,
    at: DateTime.Utc,
  ) {
    let rest = reported
    while (rest.length > 0) {
      const locked = yield* reports.lock(workspace, [...new Set(rest.map(({ deliveryId }) => deliveryId))])
      const found = new Map(locked.map((each) => [each.id, each]))
      const changes = new Map<string, ReportChange>()
      const later: Array<Reported> = []
      for (const each of rest) {
        const before = found.get(each.deliveryId)
        if (before === undefined) continue
        const person = before.contactId ?? before.emailNormalized ?? before.id
        if (changes.has(person)) later.push(each)
        else {
          const change = ReportChange.of(before, each.report, at)
          if (change !== undefined) changes.set(person, change)
        }
      }
      yield* reports.apply(workspace, [...changes.values()])
      const complaints = [...changes.values()].filter(({ after, before }) => after.complainedAt !== before.complainedAt)
      yield* writeConsent(workspace, endedAll(complaints, { evidence: evidenceOf("complaint"), at }))
      rest = later
    }
  })

  return Effect.fnUntraced(function* (workspace: WorkspaceId, given: ReadonlyArray<DeliveryReport>) {
    if (given.length === 0) return
    const at = yield* DateTime.now
    const [reported, unsubscribed] = Array.partition(given, ({ deliveryId, what }) =>
      what._tag === "unsubscribed"
        ? Result.fail({ deliveryId, event: what, at })
        : Result.succeed({ deliveryId, report: what }),
    )
    yield* transact(
      Effect.gen(function* () {
        yield* report(workspace, reported, at)
        if (unsubscribed.length === 0) return
        const found = yield* engagement.lock(
          workspace,
          unsubscribed.map(({ deliveryId }) => deliveryId),
        )
        const changes = EngagementChange.ofAll(found, unsubscribed)
        yield* engagement.apply(workspace, changes)
        const evidence = evidenceOf("one_click", { sourceDetail: "mail provider" })
        yield* writeConsent(workspace, endedAll(changes, { evidence, at }))
      }),
    )
  })
})
