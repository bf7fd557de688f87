// The use case of the installation's overview. For operators.
import { Context, Effect, Layer } from "effect"
import { Settings } from "../../kernel/Settings.ts"
import { version } from "../../kernel/values/Version.ts"
import { type Queues, queuesOf, type ServiceProcess } from "./ServiceOverview.ts"
import { ServiceOverviewStore } from "./ServiceOverviewStore.ts"

export interface ServiceOverview extends Omit<Queues, "connections">, Pick<Settings["Service"], "sending" | "mail"> {
  /** Of the process that answers. */
  readonly version: string
  readonly processes: ReadonlyArray<ServiceProcess>
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
          const database = { bytes: yield* store.database_bytes, connections }
          return { version, processes, ...queues, sending, mail, database }
        }).pipe(Effect.withSpan("ServiceOverviews.get")),
      })
    }),
  )
}
