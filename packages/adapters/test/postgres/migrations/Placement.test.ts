// Tests of the rules for the places of tables in a cluster.
import {
  misplacedIn,
  type Placement,
  placementOf,
  type Stored,
  type TableFacts,
  tenants,
} from "@tentpole/adapters/postgres/migrations/Placement"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const table = (name: string, over: Partial<TableFacts> = {}): TableFacts => ({
  name,
  hasWorkspace: true,
  isKeyed: true,
  isFixed: false,
  refersTo: [],
  ...over,
})

const workspace = table(tenants, { hasWorkspace: false, isKeyed: false })

const Drawn = Schema.Struct({
  hasWorkspace: Schema.Boolean,
  isKeyed: Schema.Boolean,
  isFixed: Schema.Boolean,
  references: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))),
})

/** A table refers to earlier ones: the first one is that of the workspaces. */
const schemaOf = (drawn: ReadonlyArray<typeof Drawn.Type>): ReadonlyArray<TableFacts> => {
  const nameAt = (index: number) => (index === 0 ? tenants : `t${index}`)
  return [
    workspace,
    ...drawn.map(({ references, ...facts }, index) => ({
      ...facts,
      name: nameAt(index + 1),
      refersTo: [...new Set(references.map((each) => nameAt(each % (index + 1))))],
    })),
  ]
}

const storedAs = ({ distributed, local, reference }: Placement): ReadonlyArray<Stored> => [
  ...distributed.map((name) => ({ name, as: "distributed" as const })),
  ...reference.map((name) => ({ name, as: "reference" as const })),
  ...local.map((name) => ({ name, as: "local" as const })),
]

describe("placementOf", () => {
  it.prop(
    "gives each table one place at most, and every table with workspaces a place",
    [Schema.Array(Drawn)],
    ([drawn]) => {
      const tables = schemaOf(drawn)
      const names = storedAs(placementOf(tables)).map(({ name }) => name)
      assert.strictEqual(new Set(names).size, names.length)
      for (const { hasWorkspace, name } of tables) if (hasWorkspace) assert.include(names, name)
    },
  )

  it.prop("distributes no table whose key lacks the workspace", [Schema.Array(Drawn)], ([drawn]) => {
    const tables = schemaOf(drawn)
    const { distributed } = placementOf(tables)
    for (const { hasWorkspace, isKeyed, name } of tables) {
      if (!hasWorkspace || !isKeyed) assert.notInclude(distributed, name)
    }
  })

  it.prop("puts a table after those that it refers to, which each node has", [Schema.Array(Drawn)], ([drawn]) => {
    const tables = schemaOf(drawn)
    const { distributed, reference } = placementOf(tables)
    for (const { name, refersTo } of tables) {
      for (const other of refersTo) {
        if (distributed.includes(name)) {
          assert.isTrue(reference.includes(other) || distributed.indexOf(other) < distributed.indexOf(name))
          if (distributed.includes(other)) assert.isAtLeast(distributed.indexOf(other), 0)
        }
        if (reference.includes(name) && !distributed.includes(other)) {
          assert.isAtLeast(reference.indexOf(other), 0)
          assert.isBelow(reference.indexOf(other), reference.indexOf(name))
        }
      }
    }
  })

  it("places the tables of a small schema", () => {
    const placement = placementOf([
      table("contact", { refersTo: [tenants] }),
      table("list_member", { refersTo: ["contact", "list"] }),
      table("list", { refersTo: [tenants] }),
      table("api_key", { isKeyed: false, refersTo: [tenants] }),
      table("plan", { hasWorkspace: false, isKeyed: false, isFixed: true }),
      table("process", { hasWorkspace: false, isKeyed: false }),
      { ...workspace, refersTo: ["plan"] },
    ])
    assert.deepStrictEqual(placement, {
      distributed: ["contact", "list", "list_member"],
      reference: ["plan", tenants],
      local: ["api_key"],
    })
  })

  it("refuses foreign keys in a circle", () => {
    assert.throws(
      () => placementOf([workspace, table("a", { refersTo: ["b"] }), table("b", { refersTo: ["a"] })]),
      /foreign keys in a circle: a, b/,
    )
  })
})

describe("misplacedIn", () => {
  const placement: Placement = { distributed: ["contact"], reference: [tenants], local: ["api_key"] }

  it("finds nothing where every table is at its place, and every table of a plain database", () => {
    assert.deepStrictEqual(misplacedIn(placement, storedAs(placement)), [])
    assert.deepStrictEqual(misplacedIn(placement, []), ["contact", tenants, "api_key"])
  })

  it("finds a table that Citus took over by itself when a migration created it", () => {
    const stored = storedAs(placement).map(({ name }) => ({ name, as: "local" as const }))
    assert.deepStrictEqual(misplacedIn(placement, stored), ["contact", tenants])
  })
})
