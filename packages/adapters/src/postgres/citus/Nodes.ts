// The nodes of Citus: one statement, which queries each node over its own connection. A dead node does not disturb the others.
import { PgClient } from "@effect/sql-pg"
import { type ClusterNode, type NodeAnswer, nodeOf } from "@tentpole/core/operations/nodes/ClusterNode"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { service_role } from "../kernel/Session.ts"
import { tablesOf, takenOff } from "../migrations/Distribute.ts"
import { misplacedIn, placementOf, type Stored } from "../migrations/Placement.ts"
import { isDistributed } from "./Dialect.ts"

/** A node that accepts no connection within this time is not reachable. All nodes are queried at the same time. */
const connect_ms_max = 1_000

/** The query of a node: its version, and the due work in its shards, whose select statements replace `%s`. */
const probe = `
  select json_build_object(
    'version', (select extversion from pg_extension where extname = 'citus'),
    'due', (
      select coalesce(json_agg(d), '[]') from (
        select kind, count(*)::int as workspaces, extract(epoch from now() - min(due_at))::float8 as lag_s
        from (select null as kind, now() as due_at where false %s) as w where due_at <= now() group by kind) as d))`

/**
 * Needs no more rights than the service has. Nodes let in the role of the service, so a session of a login that is a member of it
 * takes that role. A coordinator without shards is not queried: it has just answered.
 */
const readNodes = (sql: PgClient.PgClient) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`
        select set_config('role', ${service_role}, true), set_config('citus.node_connection_timeout', ${String(connect_ms_max)}, true)`
      return yield* sql<NodeAnswer>`
        with placed as materialized (
          select p.groupid, count(*)::int as shards,
            string_agg(format('union all select kind, due_at from public.due_work_%s', s.shardid), ' ') as parts
          from pg_dist_shard s join pg_dist_placement p on p.shardid = s.shardid
          where s.logicalrelid = to_regclass('public.due_work') group by p.groupid
        ), node as materialized (
          select n.nodename::text as host, n.nodeport as port, n.shouldhaveshards, coalesce(p.shards, 0) as shards,
            n.groupid <> 0 or p.shards is not null as is_queried, format(${probe}, p.parts) as command
          from pg_dist_node n left join placed p on p.groupid = n.groupid
          where n.noderole = 'primary' and n.isactive
        ), query as (
          select array_agg(host order by host, port) as hosts, array_agg(port order by host, port) as ports,
            array_agg(command order by host, port) as commands
          from node where is_queried
        ), answer as (
          select r.node_name, r.node_port, r.success, r.result from query q, master_run_on_worker(q.hosts, q.ports, q.commands, true) as r
        )
        select n.host || ':' || n.port as name, n.shouldhaveshards as "mayHaveShards", n.shards,
          case
            when a.success then a.result::json
            when not n.is_queried then json_build_object('due', '[]'::json, 'version', (
              select extversion from pg_extension where extname = 'citus'))
          end as answer
        from node n left join answer a on a.node_name = n.host and a.node_port = n.port
        order by n.host, n.port`
    }),
  )

/** Empty on a database without Citus: that is read once for each pool. */
export const clusterNodes: Effect.Effect<
  ReadonlyArray<ClusterNode>,
  SqlError.SqlError,
  PgClient.PgClient
> = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.flatMap(isDistributed(sql), (distributed) =>
    distributed ? Effect.map(readNodes(sql), (rows) => rows.map(nodeOf)) : Effect.succeed([]),
  ),
)

/** The tables that `tentpole migrate --distribute` has to place, and whether it was interrupted. */
export const undistributed = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const placement = placementOf(yield* tablesOf(sql, sql``))
  const stored = yield* sql<Stored>`
    select logicalrelid::regclass::text as name,
      case when partmethod = 'h' then 'distributed' when repmodel = 't' then 'reference' else 'local' end as as
    from pg_dist_partition`
  const [run] = yield* sql<{ readonly isUnfinished: boolean }>`
    select to_regclass(${`public.${takenOff}`}) is not null as "isUnfinished"`
  return { misplaced: misplacedIn(placement, stored), isUnfinished: run?.isUnfinished ?? false }
})
