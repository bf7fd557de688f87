// Inside: the use cases and stores of a running service in this process, over the same database and folder, and statements of the
// database's owner.
import { configuration } from "@tentpole/adapters/Configuration"
import { ports } from "@tentpole/adapters/FromConfig"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { useCases } from "@tentpole/core/Tentpole"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Effect, Layer, ManagedRuntime, Redacted, References } from "effect"
import * as Owner from "./Owner.ts"
import { type Answer, type Call, type Callable, callsOf } from "./Service.ts"

const everything = (
  environment: Readonly<Record<string, string>>,
  owner: Redacted.Redacted,
  connections_max: number,
) => {
  const service = Layer.unwrap(
    Effect.map(Effect.fromResult(configuration({ ...environment, DATABASE_URL: Redacted.value(owner) })), (config) =>
      useCases.pipe(Layer.provideMerge(ports(config, { name: "test", connections_max }))),
    ),
  )
  return Layer.mergeAll(service, Owner.layer(owner), Layer.succeed(References.TracerEnabled, false))
}

type Services = Layer.Success<ReturnType<typeof everything>>

/** A workspace, and calls with its API key, which return JSON or fail. */
export interface OpenWorkspace {
  readonly id: WorkspaceId
  readonly call: Call
}

export class Inside {
  readonly run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>
  readonly close: () => Promise<void>

  /** `environment`: of the service. */
  constructor(environment: Readonly<Record<string, string>>, owner: Redacted.Redacted, connections_max = 4) {
    const runtime = ManagedRuntime.make(everything(environment, owner, connections_max))
    this.run = (effect) => runtime.runPromise(effect)
    this.close = () => runtime.dispose()
  }

  asOwner<Row extends object>(statement: string, parameters: ReadonlyArray<unknown> = []): Promise<ReadonlyArray<Row>> {
    return this.run(Effect.flatMap(Owner.Owner, (sql) => sql.unsafe<Row>(statement, parameters)))
  }

  /** Deletes workspaces whose name begins so, and the rows that no foreign key deletes. */
  async deleteWorkspaces(prefix: string): Promise<void> {
    const named = "workspace_id in (select workspace_id from workspace where starts_with(name, $1::text))"
    for (const table of ["delivery_queue", "delivery_click", "delivery", "flow_event", "workspace"])
      await this.asOwner(`delete from ${table} where ${named}`, [prefix])
  }

  async workspace(service: Callable, name: string): Promise<OpenWorkspace> {
    const { id, raw } = await this.run(
      Effect.gen(function* () {
        const workspaces = yield* Workspaces
        const { id } = yield* workspaces.create({ name })
        const { raw } = yield* workspaces.createKey(id, { name })
        return { id, raw }
      }),
    )
    const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
      service.call(method, path, body, { authorization: `Bearer ${raw}` })
    return { id, call: callsOf({ call }) }
  }
}
