// The database behind all memory stores: one immutable value, so that a transaction is a copy that is published at its
// end, or isn't. It proves the rules, not the isolation: transactions run one after another.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Context, Effect, HashMap, Layer, Option, Semaphore } from "effect"

/** Names a table and the type of its rows. Stores declare theirs beside themselves; `all` and the others read and write. */
export interface Table<Row> {
  readonly name: string
  readonly row?: Row
}

export const table = <Row>(name: string): Table<Row> => ({ name })

type State = HashMap.HashMap<string, HashMap.HashMap<string, unknown>>

/** Where the state is: the database itself, or an open transaction's copy. */
export interface Held {
  state: State
}

/** The open transaction's own copy, carried by the fiber as PostgreSQL's connection is; nothing outside one. */
export const Open = Context.Reference<Held | undefined>("tentpole/memory/Open", { defaultValue: () => undefined })

const place = (name: string, workspace: WorkspaceId | null): string => `${name}/${workspace ?? ""}`

export interface Rows {
  /** Every row of a workspace, in no order. `null` for the tables that belong to none. */
  readonly all: <Row>(table: Table<Row>, workspace: WorkspaceId | null) => Effect.Effect<ReadonlyArray<Row>>
  readonly find: <Row>(table: Table<Row>, workspace: WorkspaceId | null, id: string) => Effect.Effect<Row | undefined>
  readonly put: <Row>(table: Table<Row>, workspace: WorkspaceId | null, id: string, row: Row) => Effect.Effect<void>
  readonly remove: <Row>(table: Table<Row>, workspace: WorkspaceId | null, id: string) => Effect.Effect<void>
}

export class MemoryDatabase extends Context.Service<
  MemoryDatabase,
  Rows & {
    /** Removes every row of a workspace, in whatever table. */
    readonly forget: (workspace: WorkspaceId) => Effect.Effect<void>
    /** Every row of a workspace, with the name of its table. */
    readonly everything: (
      workspace: WorkspaceId,
    ) => Effect.Effect<ReadonlyArray<{ readonly table: string; readonly row: unknown }>>
    readonly root: Held
    /** Held by the transaction that is open: there is one at a time. */
    readonly one: Semaphore.Semaphore
  }
>()("tentpole/MemoryDatabase") {
  static readonly layer: Layer.Layer<MemoryDatabase> = Layer.sync(MemoryDatabase, () => {
    const root: Held = { state: HashMap.empty() }
    const held = Effect.map(Open, (open) => open ?? root)

    const rowsOf = <Row>(state: State, from: Table<Row>, workspace: WorkspaceId | null) =>
      Option.getOrElse(HashMap.get(state, place(from.name, workspace)), () =>
        HashMap.empty<string, unknown>(),
      ) as HashMap.HashMap<string, Row>

    const change = <Row>(
      from: Table<Row>,
      workspace: WorkspaceId | null,
      make: (rows: HashMap.HashMap<string, Row>) => HashMap.HashMap<string, Row>,
    ): Effect.Effect<void> =>
      Effect.map(held, (at) => {
        at.state = HashMap.set(at.state, place(from.name, workspace), make(rowsOf(at.state, from, workspace)))
      })

    return MemoryDatabase.of({
      root,
      one: Semaphore.makeUnsafe(1),
      all: (from, workspace) => Effect.map(held, (at) => Array.from(HashMap.values(rowsOf(at.state, from, workspace)))),
      find: (from, workspace, id) =>
        Effect.map(held, (at) => Option.getOrUndefined(HashMap.get(rowsOf(at.state, from, workspace), id))),
      put: (from, workspace, id, row) => change(from, workspace, HashMap.set(id, row)),
      forget: (workspace) =>
        Effect.map(held, (at) => {
          at.state = HashMap.filter(at.state, (_, name) => !name.endsWith(`/${workspace}`))
        }),
      everything: (workspace) =>
        Effect.map(held, ({ state }) =>
          Array.from(HashMap.entries(state)).flatMap(([name, rows]) =>
            name.endsWith(`/${workspace}`)
              ? Array.from(HashMap.values(rows), (row) => ({ table: name.slice(0, name.lastIndexOf("/")), row }))
              : [],
          ),
        ),
      remove: (from, workspace, id) => change(from, workspace, HashMap.remove(id)),
    })
  })
}
