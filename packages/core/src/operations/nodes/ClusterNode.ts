// The nodes of a database that is distributed with Citus, and the rules for their findings. Pure: the adapter reads the facts.
import type { Backlog } from "../overview/ServiceOverview.ts"

/** The due work of one kind on one node. */
export interface NodeWork {
  readonly kind: string
  /** Workspaces on this node whose time has come. */
  readonly workspaces: number
  /** How long the workspace that waits longest has been due. */
  readonly lag_s: number
}

export interface ClusterNode {
  /** Host and port, as the coordinator knows it. */
  readonly name: string
  /** Whether it is meant to have shards. The coordinator usually is not. */
  readonly mayHaveShards: boolean
  /** Whether the coordinator reached it with the role of the service. */
  readonly isReachable: boolean
  /** The parts into which the workspaces are divided: those of one table, since all tables are divided alike. */
  readonly shards: number
  /** The version of Citus; null: unknown. */
  readonly version: string | null
  /** Empty where it is not reachable. */
  readonly due: ReadonlyArray<NodeWork>
}

/** The answer of a node, before it is known to be one. */
export interface NodeAnswer extends Pick<ClusterNode, "name" | "mayHaveShards" | "shards"> {
  /** null: it did not answer. */
  readonly answer: Pick<ClusterNode, "version" | "due"> | null
}

export const nodeOf = ({ answer, ...node }: NodeAnswer): ClusterNode => ({
  ...node,
  isReachable: answer !== null,
  version: answer?.version ?? null,
  due: answer?.due ?? [],
})

/** Statements about all workspaces need all nodes. */
export const isWhole = (nodes: ReadonlyArray<ClusterNode>): boolean => nodes.every(({ isReachable }) => isReachable)

/** The different versions of Citus on the nodes that answered. */
export const versionsOf = (nodes: ReadonlyArray<ClusterNode>): ReadonlyArray<string> =>
  [...new Set(nodes.flatMap(({ version }) => version ?? []))].toSorted()

/** Whether a node has more than twice as many shards as another one. A difference of one shard is not unbalanced. */
export const isUnbalanced = (nodes: ReadonlyArray<ClusterNode>): boolean => {
  const counts = nodes.flatMap(({ mayHaveShards, shards }) => (mayHaveShards ? shards : []))
  return Math.max(...counts) > 2 * Math.min(...counts) + 1
}

/** The backlog of due work on the nodes that answered. */
export const backlogOf = (nodes: ReadonlyArray<ClusterNode>): ReadonlyArray<Backlog> => {
  const work = nodes.flatMap(({ due }) => due)
  return [...new Set(work.map(({ kind }) => kind))].toSorted().map((kind) => {
    const own = work.filter((each) => each.kind === kind)
    return {
      queue: "due",
      kind,
      state: "due",
      items: own.reduce((sum, { workspaces }) => sum + workspaces, 0),
      oldest_s: Math.max(...own.map(({ lag_s }) => lag_s)),
    }
  })
}
