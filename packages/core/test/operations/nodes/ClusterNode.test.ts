// Tests of the rules about the nodes of Citus.
import {
  backlogOf,
  type ClusterNode,
  isUnbalanced,
  isWhole,
  nodeOf,
  versionsOf,
} from "@tentpole/core/operations/nodes/ClusterNode"
import { queuesOf } from "@tentpole/core/operations/overview/ServiceOverview"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"

const well: ClusterNode = {
  name: "worker1:5432",
  mayHaveShards: true,
  isReachable: true,
  shards: 16,
  version: "13.2-1",
  due: [],
}

const integer = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Shards = integer(0, 200)
const withShards = (counts: ReadonlyArray<number>) => counts.map((count) => ({ ...well, shards: count }))

describe("isUnbalanced", () => {
  it.prop(
    "accepts any number of shards that is divided as evenly as possible",
    [Shards, integer(1, 20)],
    ([total, nodes]) => {
      const counts = Array.from({ length: nodes }, (_, at) => Math.floor((total + at) / nodes))
      assert.isFalse(isUnbalanced(withShards(counts)))
    },
  )

  it.prop(
    "does not depend on the order, and ignores nodes that are not meant to have shards",
    [Schema.Array(Shards), Shards],
    ([counts, others]) => {
      const nodes = withShards(counts)
      const ignored = { ...well, mayHaveShards: false, shards: others }
      assert.strictEqual(isUnbalanced([ignored, ...nodes.toReversed()]), isUnbalanced(nodes))
    },
  )

  it("finds a new node without shards, and one with more than twice as many", () => {
    assert.isTrue(isUnbalanced(withShards([16, 16, 0])))
    assert.isTrue(isUnbalanced(withShards([10, 22])))
    assert.isFalse(isUnbalanced(withShards([10, 21])))
  })

  it("has nothing to say without nodes", () => {
    assert.isFalse(isUnbalanced([]))
  })
})

describe("nodeOf", () => {
  it("takes a node without an answer for one that is not reachable, and knows nothing else of it", () => {
    const silent = nodeOf({ name: "worker2:5432", mayHaveShards: true, shards: 16, answer: null })
    assert.deepStrictEqual(silent, { ...well, name: "worker2:5432", isReachable: false, version: null })
    assert.isFalse(isWhole([well, silent]))
    assert.deepStrictEqual(versionsOf([well, silent]), ["13.2-1"])
    assert.isTrue(isWhole([well, nodeOf({ ...well, answer: { version: null, due: [] } })]))
  })
})

describe("versionsOf", () => {
  it("has each version once", () => {
    assert.deepStrictEqual(versionsOf([well, { ...well, version: "13.1-1" }, well]), ["13.1-1", "13.2-1"])
  })
})

describe("backlogOf", () => {
  const kinds = ["blasts", "flows", "webhooks"] as const
  const Work = Schema.Struct({ kind: Schema.Literals(kinds), workspaces: integer(1, 1_000), lag_s: integer(0, 10_000) })

  it.prop("adds the workspaces of all nodes, and has the longest lag", [Schema.Array(Schema.Array(Work))], ([dues]) => {
    const { due } = queuesOf(backlogOf(dues.map((each) => ({ ...well, due: each }))))
    assert.deepStrictEqual(
      due,
      kinds.flatMap((kind) => {
        const own = dues.flat().filter((each) => each.kind === kind)
        const workspaces = own.reduce((sum, each) => sum + each.workspaces, 0)
        return own.length === 0 ? [] : [{ kind, workspaces, lag_s: Math.max(...own.map(({ lag_s }) => lag_s)) }]
      }),
    )
  })
})
