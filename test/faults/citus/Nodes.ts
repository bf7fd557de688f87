// Nodes: a coordinator and two workers with Citus that keep their commits, with a distributed database. Each can be killed and started
// again, what nodes say to each other can be lost, and the shards of a workspace can be moved.
import { setPrograms } from "@tentpole/adapters/embedded/Binaries"
import { Data, Effect, type Redacted } from "effect"
import { createDistributed, settings } from "../../citus/Cluster.ts"
import type { Ending } from "../../support/Ending.ts"
import { statement } from "../../support/Owner.ts"
import { until } from "../../support/Service.ts"
import { Database } from "../Database.ts"
import { Proxy } from "../Proxy.ts"

const database = "campaign"
const workers_count = 2

/** Three servers share this machine. Commits whose answer was lost are ended soon. */
const own = [...settings, ["shared_buffers", "128MB"], ["citus.recover_2pc_interval", "3s"]] as const

export interface Worker {
  readonly server: Database
  /** The way from the other nodes to this one. */
  readonly wire: Proxy
}

interface Parts {
  readonly coordinator: Database
  readonly workers: ReadonlyArray<Worker>
}

/** Nodes let each other in: they are reachable from this machine only. */
const letIn = async (url: Redacted.Redacted): Promise<void> => {
  const [file] = await statement<{ path: string }>(url, "select current_setting('hba_file') as path")
  await statement(url, `copy (select 'host all all 127.0.0.1/32 trust') to '${file?.path ?? ""}'`)
  await statement(url, "select pg_reload_conf()")
}

const startNode = async (ending: Ending): Promise<Database> => {
  const { database: server } = await Database.bare(ending, own)
  await letIn(server.url("postgres"))
  return server
}

export class Nodes extends Data.Class<Parts> {
  static async begin(ending: Ending): Promise<Nodes> {
    const programs = process.env["CITUS_BIN"]
    if (programs === undefined) {
      throw new Error("CITUS_BIN names no folder of PostgreSQL's programs with the extension citus")
    }
    setPrograms(programs)
    const coordinator = await startNode(ending)
    const workers: Array<Worker> = []
    for (let nth = 0; nth < workers_count; nth++) {
      const server = await startNode(ending)
      workers.push({ server, wire: await Proxy.to(server.port, ending) })
    }
    const nodes = new Nodes({ coordinator, workers })
    const reached = (server: Database, port: number) => ({
      port,
      url: (name: string, user?: string) => server.url(name, user),
      stop: Effect.promise(() => server.stop()),
    })
    const first = reached(coordinator, coordinator.port)
    const others = workers.map(({ server, wire }) => reached(server, wire.port))
    await Effect.runPromise(
      createDistributed(
        { coordinator: first, workers: others, nodes: [first, ...others], password: "unused" },
        database,
      ),
    )
    return nodes
  }

  get ownerUrl(): Redacted.Redacted {
    return this.coordinator.url(database, "tentpole_owner")
  }

  /** Runs a statement as an administrator on the coordinator, or on another node. */
  ask<Row extends object>(text: string, on = this.coordinator): Promise<ReadonlyArray<Row>> {
    return statement<Row>(on.url(database), text)
  }

  /** The worker that has the rows of a workspace. */
  async holderOf(workspace: string): Promise<Worker> {
    const { port } = await this.#placement(workspace)
    const found = this.workers.find(({ wire }) => wire.port === port)
    if (found === undefined) throw new Error(`no worker has the port ${port}`)
    return found
  }

  /** Moves all shards of a workspace, and of those that share them, to the other worker. `how`: as Citus names it. */
  async move(workspace: string, how: "block_writes" | "force_logical"): Promise<void> {
    const { port, shard } = await this.#placement(workspace)
    const to = this.workers.find(({ wire }) => wire.port !== port)?.wire.port
    await this.ask(`select citus_move_shard_placement(${shard}, '127.0.0.1', ${port}, '127.0.0.1', ${to}, '${how}')`)
  }

  async start(node: Database): Promise<void> {
    await until("a node to start", () =>
      node.start().then(
        () => true,
        () => false,
      ),
    )
  }

  /** Transactions that wait for the second phase of their commit, on all nodes. */
  async prepared(): Promise<number> {
    const counts = await Promise.all(
      [this.coordinator, ...this.workers.map(({ server }) => server)].map((node) =>
        this.ask<{ count: number }>("select count(*)::int as count from pg_prepared_xacts", node),
      ),
    )
    return counts.flat().reduce((sum, { count }) => sum + count, 0)
  }

  async #placement(workspace: string): Promise<{ readonly shard: string; readonly port: number }> {
    const [found] = await this.ask<{ shard: string; port: number }>(`
      select shardid::text as shard, nodeport as port from pg_dist_shard_placement
      where shardid = get_shard_id_for_distribution_column('blast', '${workspace}')`)
    if (found === undefined) throw new Error(`no shard has the workspace ${workspace}`)
    return found
  }
}
