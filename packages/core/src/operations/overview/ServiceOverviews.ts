// The use case of the installation's overview. For operators.
import { Context, DateTime, Effect, Layer } from "effect"
import { Settings } from "../../kernel/Settings.ts"
import { version } from "../../kernel/values/Version.ts"
import {
  firstLagPeriod,
  type LagPoint,
  lagPointsOf,
  type Queues,
  queuesOf,
  type ServiceProcess,
} from "./ServiceOverview.ts"
import { ServiceOverviewStore } from "./ServiceOverviewStore.ts"

export interface ServiceOverview extends Omit<Queues, "connections">, Pick<Settings["Service"], "sending" | "mail"> {
  /** Of the process that answers. */
  readonly version: string
  readonly processes: ReadonlyArray<ServiceProcess>
  /** The longest lags of due work, for each period of the last 24 hours. */
  readonly lags: ReadonlyArray<LagPoint>
  readonly database: { readonly bytes: number; readonly connections: number }
}

export class ServiceOverviews extends Context.Service<
  ServiceOverviews,
  { readonly get: Effect.Effect<ServiceOverview> }
>()("tentpole/ServiceOverviews") {
  static readonly layer = Layer.effect(
    ServiceOverviews,
    Effect.gen(function* () {
      const store = yield* ServiceOverviewStore
      const { mail, sending } = yield* Settings
      return ServiceOverviews.of({
        get: Effect.gen(function* () {
          const processes = yield* store.processes
          const { connections, ...queues } = queuesOf(yield* store.backlog)
          const first = firstLagPeriod(yield* DateTime.now)
          const lags = lagPointsOf(yield* store.lagPeaks(first), first)
          const database = { bytes: yield* store.database_bytes, connections }
          return { version, processes, ...queues, lags, sending, mail, database }
        }).pipe(Effect.withSpan("ServiceOverviews.get")),
      })
    }),
  )
}
