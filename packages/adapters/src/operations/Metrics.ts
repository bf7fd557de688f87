// The metrics in Prometheus text: counters since the start, measures of the process, and, if included, what waits in the
// database. Labels are words of the code (routes, kinds, states), never ids or addresses.
import type { PgClient } from "@effect/sql-pg"
import type { Backlog } from "@tentpole/core/operations/overview/ServiceOverview"
import { backlogOf, type ClusterNode, isWhole } from "@tentpole/core/operations/nodes/ClusterNode"
import { Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { clusterNodes } from "../postgres/citus/Nodes.ts"
import { backlog } from "../postgres/operations/Backlog.ts"
import { type EventLoop, measureProcess } from "./ProcessMeasures.ts"

const gauge = (name: string, description: string) => Metric.gauge(name, { description })

const up = gauge("database_up", "Whether the database answered at this request")
const connections = gauge("database_connections", "Connections of the service to the database, by process and state")
const workspacesDue = gauge("due_workspaces", "Workspaces whose time has come, by the kind of work that waits")
const dueLag = gauge("due_lag_seconds", "How long the workspace that waits longest has been due")
const deliveries = gauge(
  "deliveries",
  "Deliveries not at their end: open ones of blasts that are sending or paused; of these, those that are claimed and handed over",
)
const doubt = gauge("deliveries_handed_over_oldest_seconds", "How long the oldest delivery has been without an outcome")
const jobs = gauge("jobs", "Background jobs by type and state: ready, running, later, dead")
const jobsAge = gauge("jobs_oldest_seconds", "How long the oldest job of a type has been in that state")
const webhooks = gauge(
  "webhook_pending",
  "Webhook deliveries that wait: due and later ones; a hundred thousand are counted",
)
const webhookLag = gauge(
  "webhook_lag_seconds",
  "Age of the oldest event that an enabled webhook endpoint has not taken over",
)
const webhooksDisabled = gauge("webhook_disabled", "Webhook endpoints that were disabled because they did not work")
const nodeUp = gauge("node_up", "Whether the coordinator of Citus reached this node, with the role of the service")
const nodeShards = gauge("node_shards", "Parts of the workspaces on this node")
const nodeDue = gauge(
  "node_due_workspaces",
  "Workspaces on this node whose time has come, by the kind of work that waits",
)
const nodeLag = gauge("node_due_lag_seconds", "How long the workspace on this node that waits longest has been due")

const set = (of: Metric.Metric<number, unknown>, labels: Readonly<Record<string, string>>, value: number) =>
  Metric.update(Metric.withAttributes(of, labels), value)

const show = ({ items, kind, oldest_s, queue, state }: Backlog): Effect.Effect<unknown> => {
  switch (queue) {
    case "due":
      return Effect.andThen(set(workspacesDue, { kind }, items), set(dueLag, { kind }, oldest_s ?? 0))
    case "deliveries":
      return Effect.andThen(
        set(deliveries, { state }, items),
        state === "handed_over" ? Metric.update(doubt, oldest_s ?? 0) : Effect.void,
      )
    case "jobs":
      return Effect.andThen(
        set(jobs, { type: kind, state }, items),
        state === "later" ? Effect.void : set(jobsAge, { type: kind, state }, oldest_s ?? 0),
      )
    case "webhooks":
      if (state === "behind") return Metric.update(webhookLag, oldest_s ?? 0)
      return state === "disabled" ? Metric.update(webhooksDisabled, items) : set(webhooks, { state }, items)
    case "connections":
      return set(connections, { process: kind, state }, items)
  }
}

const showNode = ({ due, isReachable, name: node, shards }: ClusterNode) =>
  Effect.all([
    set(nodeUp, { node }, isReachable ? 1 : 0),
    set(nodeShards, { node }, shards),
    ...due.flatMap(({ kind, lag_s, workspaces }) => [
      set(nodeDue, { node, kind }, workspaces),
      set(nodeLag, { node, kind }, lag_s),
    ]),
  ])

const deliveryStates = ["open", "paused", "claimed", "handed_over"] as const
const backlog_timeout = "2 seconds"

/** A value that is absent is reported as zero: an alert on it needs a value. */
const zeros = Effect.andThen(
  Effect.forEach(deliveryStates, (state) => set(deliveries, { state }, 0), { discard: true }),
  Effect.andThen(
    Effect.forEach(["due", "later"], (state) => set(webhooks, { state }, 0), { discard: true }),
    Metric.update(doubt, 0),
  ),
)

/** While a node does not answer, a statement about all workspaces fails or waits: the due work of the others is known. */
const readBacklog = Effect.gen(function* () {
  const nodes = yield* clusterNodes
  return isWhole(nodes)
    ? { nodes, waiting: yield* backlog, isWhole: true }
    : { nodes, waiting: backlogOf(nodes), isWhole: false }
})

const measureBacklog = Effect.gen(function* () {
  const read = yield* readBacklog.pipe(Effect.timeout(backlog_timeout), Effect.result)
  yield* Metric.update(up, read._tag === "Success" ? 1 : 0)
  if (read._tag === "Failure") return
  if (read.success.isWhole) yield* zeros
  yield* Effect.forEach(read.success.nodes, showNode, { discard: true })
  yield* Effect.forEach(read.success.waiting, show, { discard: true })
})

/** Measures into an empty registry, so that no series of an earlier request remains. */
const afresh = <R>(measure: Effect.Effect<unknown, never, R>, prefix?: string) =>
  Effect.suspend(() =>
    Effect.andThen(measure, PrometheusMetrics.format(prefix === undefined ? {} : { prefix })).pipe(
      Effect.provideService(Metric.MetricRegistry, new Map()),
    ),
  )

const prefix = "tentpole"

export const processMetrics: Effect.Effect<string, never, EventLoop> = Effect.zipWith(
  PrometheusMetrics.format({ prefix }),
  afresh(measureProcess),
  (counted, measured) => counted + measured,
)

/** The same with what waits in the database for all workers: every process reports the same figures. */
export const serviceMetrics: Effect.Effect<string, never, EventLoop | PgClient.PgClient> = Effect.zipWith(
  processMetrics,
  afresh(measureBacklog, prefix),
  (own, waiting) => own + waiting,
)
