// Where Citus stores each table. It follows from the schema: no table is listed here.

/** A table of the schema, as the catalogue describes it. */
export interface TableFacts {
  readonly name: string
  /** Whether it has the column `workspace_id`, which is never null. */
  readonly hasWorkspace: boolean
  /** Whether each of its unique indexes has that column. */
  readonly isKeyed: boolean
  /** Whether the service may only read it. */
  readonly isFixed: boolean
  /** The tables that its foreign keys refer to, without itself. */
  readonly refersTo: ReadonlyArray<string>
}

export interface Placement {
  /** Their rows are distributed by workspace. A table is after those that it refers to. */
  readonly distributed: ReadonlyArray<string>
  /** Each node has a copy: rows of workspaces refer to them, or are joined to what no one changes. A table is after those that it refers to. */
  readonly reference: ReadonlyArray<string>
  /** On the coordinator only, and written in transactions of workspaces. */
  readonly local: ReadonlyArray<string>
}

/** Each table after those that it refers to. */
const inOrder = (tables: ReadonlyArray<TableFacts>): ReadonlyArray<string> => {
  const names = new Set(tables.map(({ name }) => name))
  const ordered = new Set<string>()
  let rest = tables
  while (rest.length > 0) {
    const ready = rest.filter(({ refersTo }) => refersTo.every((name) => !names.has(name) || ordered.has(name)))
    if (ready.length === 0) throw new Error(`foreign keys in a circle: ${rest.map(({ name }) => name).join(", ")}`)
    for (const { name } of ready) ordered.add(name)
    rest = rest.filter(({ name }) => !ordered.has(name))
  }
  return [...ordered]
}

/** The table of workspaces: rows of workspaces may refer to it. */
export const tenants = "workspace"

export const placementOf = (tables: ReadonlyArray<TableFacts>): Placement => {
  let distributed = tables.filter(({ hasWorkspace, isKeyed }) => hasWorkspace && isKeyed)
  for (;;) {
    const names = new Set([tenants, ...distributed.map(({ name }) => name)])
    const next = distributed.filter(({ refersTo }) => refersTo.every((name) => names.has(name)))
    if (next.length === distributed.length) break
    distributed = next
  }
  const isDistributed = new Set(distributed.map(({ name }) => name))
  const reference = new Set<string>()
  const refer = (names: ReadonlyArray<string>): void => {
    for (const table of tables.filter(({ name }) => names.includes(name) && !isDistributed.has(name))) {
      reference.add(table.name)
      refer(table.refersTo)
    }
  }
  for (const { refersTo } of distributed) refer(refersTo)
  for (const { isFixed, name } of tables) if (isFixed) refer([name])
  const others = tables.filter(({ name }) => !isDistributed.has(name) && !reference.has(name))
  return {
    distributed: inOrder(distributed),
    reference: inOrder(tables.filter(({ name }) => reference.has(name))),
    local: others.filter(({ hasWorkspace }) => hasWorkspace).map(({ name }) => name),
  }
}

/** How Citus stores a table that it knows. */
export interface Stored {
  readonly name: string
  readonly as: "distributed" | "reference" | "local"
}

/** The tables that are not stored where they belong: `tentpole migrate --distribute` places them. */
export const misplacedIn = (placement: Placement, stored: ReadonlyArray<Stored>): ReadonlyArray<string> => {
  const placeOf = new Map(stored.map((each) => [each.name, each.as]))
  return [
    ...placement.distributed.filter((name) => placeOf.get(name) !== "distributed"),
    ...placement.reference.filter((name) => placeOf.get(name) !== "reference"),
    ...placement.local.filter((name) => !placeOf.has(name)),
  ]
}
