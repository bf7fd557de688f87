// Cluster: a coordinator and two workers with Citus on loopback, with a migrated and distributed template database.
import { setPrograms } from "@tentpole/adapters/embedded/Binaries"
import { ownerStatements, start } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { distribute } from "@tentpole/adapters/postgres/migrations/Distribute"
import { Effect, Exit, Redacted, Scope } from "effect"
import { join } from "node:path"
import { statement } from "../support/Owner.ts"

const workers_count = 2
const owner = "tentpole_owner"

/** Few shards: most statements name one workspace, and each clone of the template copies them all. Tests count the commits in two phases. */
export const settings = [
  ["shared_preload_libraries", "citus"],
  ["wal_level", "logical"],
  ["max_wal_senders", "20"],
  ["max_prepared_transactions", "900"],
  // Each database has a process of Citus on each node.
  ["max_worker_processes", "400"],
  ["max_connections", "900"],
  ["citus.shard_count", "4"],
  ["citus.node_conninfo", "sslmode=disable"],
  ["citus.enable_statistics_collection", "off"],
  ["citus.recover_2pc_interval", "-1"],
] as const

export interface Node {
  readonly port: number
  readonly url: (database: string, user?: string) => Redacted.Redacted
  readonly stop: Effect.Effect<void>
}

export interface Cluster {
  readonly coordinator: Node
  readonly workers: ReadonlyArray<Node>
  readonly password: string
  /** All nodes. */
  readonly nodes: ReadonlyArray<Node>
}

/** All nodes have one password, so that each can log in to the others. */
const startNode = Effect.fnUntraced(function* (folder: string, password: string) {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const server = yield* Scope.provide(start({ folder, durable: false, port: null, settings }), scope)
  yield* Effect.promise(() => statement(server.superuserUrl, `alter role postgres password '${password}'`))
  const url: Node["url"] = (database, user = "postgres") =>
    Redacted.make(`postgres://${user}:${password}@127.0.0.1:${server.port}/${database}`)
  return { port: server.port, url, stop: Scope.close(scope, Exit.void) }
})

const onEach = (nodes: ReadonlyArray<Node>, database: string, statements: ReadonlyArray<string>) =>
  Effect.promise(() =>
    Promise.all(
      nodes.map(async (node) => {
        for (const each of statements) await statement(node.url(database), each)
      }),
    ),
  )

/** What an administrator does before the migration: nodes reach each other as the role of the service. */
const roleStatements = (password: string) => [
  `do $$ begin create role tentpole_service; exception when duplicate_object then null; end $$`,
  `alter role tentpole_service login password '${password}'`,
  `grant tentpole_service to ${owner}`,
]

/** The passwords with which a node logs in to the others (0), and to itself (-1). */
export const logins = (password: string) => `
  insert into pg_dist_authinfo (nodeid, rolename, authinfo)
  select nodeid, rolename, 'password=${password}'
  from unnest('{0,-1}'::int[]) as nodeid cross join unnest('{postgres,${owner},tentpole_service}'::name[]) as rolename`

/** Creates a database on all nodes, and joins them. */
export const createDatabase = Effect.fnUntraced(function* (
  { coordinator, nodes, password, workers }: Cluster,
  name: string,
) {
  yield* onEach(nodes, "postgres", [
    ...ownerStatements(password),
    ...roleStatements(password),
    `create database ${name} owner ${owner}`,
  ])
  yield* onEach(nodes, name, ["create extension citus", logins(password)])
  yield* onEach([coordinator], name, [
    `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
    ...workers.map(({ port }) => `select citus_add_node('127.0.0.1', ${port})`),
  ])
})

/** Ends the sessions with a database and lets none in, so that it can be cloned. */
export const closeDatabase = ({ nodes }: Cluster, name: string) =>
  onEach(nodes, "postgres", [
    `alter database ${name} allow_connections false`,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  ])

/** Starts the nodes. They stop when the scope closes. */
export const startCluster = (programs: string, folder: string): Effect.Effect<Cluster, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    setPrograms(programs)
    const names = ["coordinator", ...Array.from({ length: workers_count }, (_, index) => `worker${index + 1}`)]
    const password = "among-nodes"
    const [coordinator, ...workers] = yield* Effect.forEach(names, (name) => startNode(join(folder, name), password))
    if (coordinator === undefined) return yield* Effect.die("no coordinator")
    return { coordinator, workers, nodes: [coordinator, ...workers], password }
  })

/** A migrated and distributed database with this name. */
export const createDistributed = Effect.fnUntraced(function* (cluster: Cluster, name: string) {
  yield* createDatabase(cluster, name)
  yield* distribute(cluster.coordinator.url(name, owner))
})

/**
 * Adds a node that is dead and has no rows, to a distributed database. Statements of a workspace that need other nodes than its own
 * then fail. Its name is the last in the alphabet: Citus asks the first node for locks of reference tables.
 */
export const addDeadNode = ({ coordinator }: Cluster, name: string) =>
  onEach([coordinator], name, [
    `insert into pg_dist_node (nodename, nodeport, groupid, isactive, shouldhaveshards, noderole, nodecluster)
     values ('127.0.0.9', 9, 99, true, false, 'primary', 'default')`,
  ])
