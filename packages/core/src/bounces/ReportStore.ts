// The port of reports: deliveries with what is known of their addresses, and what was reported of them.
import { Context, type Effect } from "effect"
import type { DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { ReportChange, ReportedDelivery } from "./Report.ts"

export class BounceReportStore extends Context.Service<
  BounceReportStore,
  {
    /** The workspace's deliveries of these ids, and their contacts, as nobody else changes them until the transaction ends. */
    readonly lock: (
      workspace: WorkspaceId,
      deliveries: ReadonlyArray<DeliveryId>,
    ) => Effect.Effect<ReadonlyArray<ReportedDelivery>, never, Transaction>
    /**
     * Writes the marks, suppressions, contacts, timelines and events. One change a contact at most: the second one is
     * decided on what the first one left.
     */
    readonly apply: (
      workspace: WorkspaceId,
      changes: ReadonlyArray<ReportChange>,
    ) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/ReportStore") {}
