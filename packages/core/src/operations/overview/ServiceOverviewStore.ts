// The port of the installation's overview: processes, the backlog of all workspaces, and the size of the database.
import { Context, type Effect } from "effect"
import type { Backlog, ProcessBeat, ServiceProcess } from "./ServiceOverview.ts"

/** Processes that are listed. */
export const processes_max = 1_000

export class ServiceOverviewStore extends Context.Service<
  ServiceOverviewStore,
  {
    /** Writes the process's row with the database's time. */
    readonly beat: (process: ProcessBeat) => Effect.Effect<void>
    /** Deletes the row of a process that stops. */
    readonly leave: (id: string) => Effect.Effect<void>
    /** Those that were seen within a day, by kind, the oldest start first. */
    readonly processes: Effect.Effect<ReadonlyArray<ServiceProcess>>
    /** From counters and indexes of open work. */
    readonly backlog: Effect.Effect<ReadonlyArray<Backlog>>
    readonly database_bytes: Effect.Effect<number>
  }
>()("tentpole/ServiceOverviewStore") {}
