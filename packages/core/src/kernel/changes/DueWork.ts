// The kinds of background work, and the port of which workers ask what may have work.
import { Context, type Effect } from "effect"

/** The kinds of work for which workspaces have turns. */
export const dueKinds = [
  "blasts",
  "deliveries",
  "messages",
  "flows",
  "flow_events",
  "flow_dates",
  "webhooks",
  "subscriptions",
  "confirmations",
] as const
export type DueKind = (typeof dueKinds)[number]

export type WorkKind = DueKind | "jobs"

export class DueWork extends Context.Service<
  DueWork,
  {
    /**
     * Those of the kinds that may have work now, also if another worker or transaction has it at the moment. The others have none. It
     * takes no turn and no lock.
     */
    readonly among: (kinds: ReadonlyArray<WorkKind>) => Effect.Effect<ReadonlyArray<WorkKind>>
  }
>()("tentpole/DueWork") {}
