// The port of the installation's overview: processes, the backlog of all workspaces, and the size of the database.
import { Context, type DateTime, type Effect } from "effect"
import type { Backlog, LagPeak, ProcessBeat, ServiceProcess } from "./ServiceOverview.ts"

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
    /** Stores the present lag of each kind of due work, unless its period already has a longer one. */
    readonly recordLag: Effect.Effect<void>
    /** Those of the periods from a time on. */
    readonly lagPeaks: (since: DateTime.Utc) => Effect.Effect<ReadonlyArray<LagPeak>>
    /** From counters and indexes of open work. */
    readonly backlog: Effect.Effect<ReadonlyArray<Backlog>>
    readonly database_bytes: Effect.Effect<number>
  }
>()("tentpole/ServiceOverviewStore") {}
