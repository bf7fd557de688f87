// Findings about the nodes of Citus. Pure. A database without Citus has none.
import type { ClusterDiagnosis } from "@tentpole/adapters/postgres/operations/Diagnosis"
import { type ClusterNode, isUnbalanced, isWhole, versionsOf } from "@tentpole/core/operations/nodes/ClusterNode"
import { type Finding, ok, warning, wrong } from "./Finding.ts"

const workOf = ({ due }: ClusterNode): string =>
  due.length === 0
    ? "no work is due"
    : `due: ${due.map(({ kind, lag_s, workspaces }) => `${kind} of ${workspaces} workspaces for ${Math.round(lag_s)} s`).join(", ")}`

const judgeNode = (node: ClusterNode): Finding =>
  node.isReachable
    ? ok(`node ${node.name}`, `shards: ${node.shards}; ${workOf(node)}`)
    : wrong(
        `node ${node.name}`,
        `the coordinator can't reach it as tentpole_service; shards whose workspaces wait: ${node.shards}`,
        "Start the node. If it runs, let tentpole_service in from the coordinator (pg_hba.conf).",
      )

const judgeNodes = (nodes: ReadonlyArray<ClusterNode>): ReadonlyArray<Finding> => {
  const versions = versionsOf(nodes)
  return [
    ...nodes.map(judgeNode),
    versions.length <= 1
      ? ok("Citus", `${versions[0] ?? "an unknown version"} on each node that answers`)
      : wrong(
          "Citus",
          `the nodes have different versions: ${versions.join(", ")}`,
          "Install the same version on each node, and run `alter extension citus update` in the database of each.",
        ),
    isUnbalanced(nodes)
      ? warning(
          "shards",
          "a node has more than twice as many shards as another one",
          "`select citus_rebalance_start()` moves shards, unless they are meant to be where they are.",
        )
      : ok("shards", "they are balanced"),
  ]
}

/** How many tables a finding names. */
const named_max = 5

const judgeDistribution = ({ isUnfinished, misplaced }: ClusterDiagnosis): Finding => {
  const mend = "Stop all processes of Tentpole, and run `tentpole migrate --distribute`."
  const more = misplaced.length > named_max ? ` and ${misplaced.length - named_max} more` : ""
  return misplaced.length > 0
    ? wrong("distribution", `not distributed: ${misplaced.slice(0, named_max).join(", ")}${more}`, mend)
    : isUnfinished
      ? wrong("distribution", "it was interrupted: foreign keys are missing", mend)
      : ok("distribution", "every table is where it belongs")
}

/** Whether all nodes answered, so that the rest of the database is known. */
export const isKnown = (cluster: ClusterDiagnosis | null): boolean =>
  cluster === null || (cluster.nodes !== null && isWhole(cluster.nodes))

export const judgeCluster = (cluster: ClusterDiagnosis | null): ReadonlyArray<Finding> => {
  if (cluster === null) return []
  return [
    ...(cluster.nodes === null
      ? [wrong("nodes", "they did not answer in time", "Look for a node that accepts connections and does not answer.")]
      : judgeNodes(cluster.nodes)),
    judgeDistribution(cluster),
    ...(isKnown(cluster)
      ? []
      : [
          warning(
            "work",
            "webhooks, messages and consent were not checked",
            "Fix the nodes first, then run this again.",
          ),
        ]),
  ]
}
