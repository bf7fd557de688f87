// Writing down what was reported, from whichever side it came: returned mail, or a provider's call.
import { DateTime, Effect } from "effect"
import { EngagementChange } from "../tracking/Engagement.ts"
import { EngagementStore } from "../tracking/EngagementStore.ts"
import type { ContactId, DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { type BounceReport, ReportChange } from "./Report.ts"
import { BounceReportStore } from "./ReportStore.ts"

/** What is said of a delivery. Providers unsubscribe people, too: they would not mail them any more. */
export interface Said {
  readonly deliveryId: DeliveryId
  readonly what: BounceReport | { readonly _tag: "unsubscribed" }
}

interface Reported {
  readonly deliveryId: DeliveryId
  readonly report: BounceReport
}

/** Writes down all that is said, or nothing. What is no news, or of no delivery of the workspace, changes nothing. */
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

  /** One report a contact at a time: each is decided on what the one before it left. */
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

  return Effect.fnUntraced(function* (workspace: WorkspaceId, said: ReadonlyArray<Said>) {
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
