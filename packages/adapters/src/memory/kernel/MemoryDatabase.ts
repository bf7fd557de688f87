// The database of all memory stores: one immutable value. A transaction works on a copy, which replaces the value at commit.
// It tests rules, not isolation: transactions run one after another.
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Context, Effect, HashMap, Layer, Option, Semaphore } from "effect"

/** Names a table and the type of its rows. Each store declares its tables. */
export interface Table<Row> {
  readonly name: string
  readonly row?: Row
}

export const table = <Row>(name: string): Table<Row> => ({ name })

type State = HashMap.HashMap<string, HashMap.HashMap<string, unknown>>

/** Holds a state: the database's, or that of an open transaction. */
export interface StateRef {
  state: State
}

/** The state of the open transaction. The fiber carries it, as it carries PostgreSQL's connection. */
export const Open = Context.Reference<StateRef | undefined>("tentpole/memory/Open", { defaultValue: () => undefined })

const tableKey = (name: string, workspace: WorkspaceId | null): string => `${name}/${workspace ?? ""}`

export interface Rows {
  /** All rows of a workspace, in no order. `null` for tables outside workspaces. */
  readonly all: <Row>(table: Table<Row>, workspace: WorkspaceId | null) => Effect.Effect<ReadonlyArray<Row>>
  readonly find: <Row>(table: Table<Row>, workspace: WorkspaceId | null, id: string) => Effect.Effect<Row | undefined>
  /** The row, or a refusal that names the resource. */
  readonly get: <Row>(
    table: Table<Row>,
    workspace: WorkspaceId | null,
    id: string,
    resource: string,
  ) => Effect.Effect<Row, NotFound>
  readonly put: <Row>(table: Table<Row>, workspace: WorkspaceId | null, id: string, row: Row) => Effect.Effect<void>
  readonly remove: <Row>(table: Table<Row>, workspace: WorkspaceId | null, id: string) => Effect.Effect<void>
  readonly removeWhere: <Row>(
    table: Table<Row>,
    workspace: WorkspaceId | null,
    holds: (row: Row) => boolean,
  ) => Effect.Effect<void>
}

export const found = <Row>(row: Row | undefined, resource: string): Effect.Effect<Row, NotFound> =>
  row === undefined ? Effect.fail(new NotFound({ resource })) : Effect.succeed(row)

export class MemoryDatabase extends Context.Service<
  MemoryDatabase,
  Rows & {
    readonly root: StateRef
    /** Held by the open transaction. At most one transaction is open. */
    readonly one: Semaphore.Semaphore
  }
>()("tentpole/MemoryDatabase") {
  static readonly layer: Layer.Layer<MemoryDatabase> = Layer.sync(MemoryDatabase, () => {
    const root: StateRef = { state: HashMap.empty() }
    const source = Effect.map(Open, (open) => open ?? root)

    const rowsOf = <Row>(state: State, from: Table<Row>, workspace: WorkspaceId | null) =>
      Option.getOrElse(HashMap.get(state, tableKey(from.name, workspace)), () =>
        HashMap.empty<string, unknown>(),
      ) as HashMap.HashMap<string, Row>

    const change = <Row>(
      from: Table<Row>,
      workspace: WorkspaceId | null,
      make: (rows: HashMap.HashMap<string, Row>) => HashMap.HashMap<string, Row>,
    ): Effect.Effect<void> =>
      Effect.map(source, (at) => {
        at.state = HashMap.set(at.state, tableKey(from.name, workspace), make(rowsOf(at.state, from, workspace)))
      })

    const find: Rows["find"] = (from, workspace, id) =>
      Effect.map(source, (at) => Option.getOrUndefined(HashMap.get(rowsOf(at.state, from, workspace), id)))

    return MemoryDatabase.of({
      root,
      one: Semaphore.makeUnsafe(1),
      all: (from, workspace) =>
        Effect.map(source, (at) => Array.from(HashMap.values(rowsOf(at.state, from, workspace)))),
      find,
      get: (from, workspace, id, resource) => Effect.flatMap(find(from, workspace, id), (row) => found(row, resource)),
      put: (from, workspace, id, row) => change(from, workspace, HashMap.set(id, row)),
      remove: (from, workspace, id) => change(from, workspace, HashMap.remove(id)),
      removeWhere: (from, workspace, holds) =>
        change(from, workspace, (rows) => HashMap.filter(rows, (row) => !holds(row))),
    })
  })
}

/** The layer of a store in the database of the process. */
export const storeLayer = <Id, Store>(
  store: Context.Service<Id, Store>,
  make: (db: Rows, writer: ChangeWriter["Service"]) => Store,
) => Layer.effect(store, Effect.zipWith(MemoryDatabase, ChangeWriter, make))
