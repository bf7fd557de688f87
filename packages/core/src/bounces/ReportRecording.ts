// The recorder of bounce reports, from returned mail and from providers' webhooks.
import { DateTime, Effect } from "effect"
import { EngagementChange } from "../tracking/Engagement.ts"
import { EngagementStore } from "../tracking/EngagementStore.ts"
import type { ContactId, DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { type BounceReport, ReportChange } from "./Report.ts"
import { BounceReportStore } from "./ReportStore.ts"

/** A report on a delivery. Providers report unsubscriptions too: they would not send to these recipients any more. */
export interface DeliveryReport {
  readonly deliveryId: DeliveryId
  readonly what: BounceReport | { readonly _tag: "unsubscribed" }
}

interface Reported {
  readonly deliveryId: DeliveryId
  readonly report: BounceReport
}

/** Writes all reports or none. Known facts, and deliveries of other workspaces, change nothing. */
export const reportRecorder = Effect.gen(function* () {
  const reports = yield* BounceReportStore
  const engagement = yield* EngagementStore
  const { transact } = yield* Transactor

  const unsubscribe = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    deliveries: ReadonlyArray<DeliveryId>,
    at: DateTime.Utc,
  ) {
    if (deliveries.length === 0) return
    const found = yield* engagement.lock(workspace, deliveries)
    const happenings = deliveries.map((deliveryId) => ({ deliveryId, event: { _tag: "unsubscribed" as const }, at }))
    yield* engagement.apply(workspace, EngagementChange.ofAll(found, happenings))
  })

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
      const taken = new Set<ContactId>()
      const later: Array<Reported> = []
      const changes: Array<ReportChange> = []
      for (const each of rest) {
        const before = found.get(each.deliveryId)
        if (before === undefined) continue
        if (taken.has(before.contactId)) {
          later.push(each)
          continue
        }
        const change = ReportChange.of(before, each.report, at)
        if (change === undefined) continue
        taken.add(before.contactId)
        changes.push(change)
      }
      yield* reports.apply(workspace, changes)
      rest = later
    }
  })

  return Effect.fnUntraced(function* (workspace: WorkspaceId, said: ReadonlyArray<DeliveryReport>) {
    if (said.length === 0) return
    const at = yield* DateTime.now
    yield* transact(
      Effect.gen(function* () {
        yield* report(
          workspace,
          said.flatMap(({ deliveryId, what }) => (what._tag === "unsubscribed" ? [] : [{ deliveryId, report: what }])),
          at,
        )
        yield* unsubscribe(
          workspace,
          said.flatMap(({ deliveryId, what }) => (what._tag === "unsubscribed" ? [deliveryId] : [])),
          at,
        )
      }),
    )
  })
})
