// The port of bounce reports: deliveries with the data of their addresses, and what was reported of them.
import { Context, type Effect } from "effect"
import type { DeliveryId, WorkspaceId } from "../kernel/Ids.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { ReportChange, ReportedDelivery } from "./Report.ts"

export class BounceReportStore extends Context.Service<
  BounceReportStore,
  {
    /** Locks the workspace's deliveries of these ids, and their contacts, until the transaction ends. */
    readonly lock: (
      workspace: WorkspaceId,
      deliveries: ReadonlyArray<DeliveryId>,
    ) => Effect.Effect<ReadonlyArray<ReportedDelivery>, never, Transaction>
    /** Writes all effects. At most one change a contact: a second one is decided on the result of the first. */
    readonly apply: (
      workspace: WorkspaceId,
      changes: ReadonlyArray<ReportChange>,
    ) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/BounceReportStore") {}
