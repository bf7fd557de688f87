// Database: a PostgreSQL server of one campaign, which can be stopped, killed and started again.
import { type EmbeddedOptions, prepared } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { PgClient } from "@effect/sql-pg"
import { Data, Effect, Exit, Redacted, Scope } from "effect"
import { execFile } from "node:child_process"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Ending } from "../support/Ending.ts"
import { statement } from "../support/Owner.ts"
import { until } from "../support/Service.ts"

const run = promisify(execFile)

/** Files of a running server may vanish while they are copied. */
const copy = (from: string, to: string): Promise<unknown> => run("cp", ["-a", from, to]).catch(() => undefined)

type Settings = NonNullable<EmbeddedOptions["settings"]>

export class Database extends Data.Class<{ readonly folder: string; readonly settings: Settings }> {
  #scope = Scope.makeUnsafe()
  #port: number | null = null
  #superuserUrl = Redacted.make("")

  /** Durable as in production, and migrated. */
  static async begin(ending: Ending): Promise<{ readonly database: Database; readonly ownerUrl: Redacted.Redacted }> {
    const { database, ownerUrl } = await Database.bare(ending)
    await Effect.runPromise(migrate(ownerUrl))
    return { database, ownerUrl }
  }

  /** The same without a schema, and with further settings of the server. */
  static async bare(ending: Ending, settings: Settings = []) {
    const database = new Database({ folder: await ending.folder(), settings })
    await ending.with(() => database.stop())
    return { database, ownerUrl: await database.start() }
  }

  get port(): number {
    return this.#port ?? 0
  }

  async start(): Promise<Redacted.Redacted> {
    this.#scope = Scope.makeUnsafe()
    const server = await Effect.runPromise(
      prepared({ folder: this.folder, durable: true, port: this.#port, settings: this.settings }).pipe(
        Scope.provide(this.#scope),
      ),
    )
    this.#port = server.port
    const url = new URL(Redacted.value(server.superuserUrl))
    url.pathname = `/${server.database}`
    this.#superuserUrl = Redacted.make(url.href)
    return server.ownerUrl
  }

  /** An address of another database. The password is the superuser's. */
  url(database: string, user = "postgres"): Redacted.Redacted {
    const url = new URL(Redacted.value(this.#superuserUrl))
    url.username = user
    url.pathname = `/${database}`
    return Redacted.make(url.href)
  }

  /** For statements that need more rights than the owner has. */
  async asSuperuser(statements: ReadonlyArray<string>): Promise<void> {
    for (const each of statements) await statement(this.#superuserUrl, each)
  }

  /**
   * Copies the cluster while the server works, with `pg_backup_start` and the write-ahead log until the end of the copy, as
   * `pg_basebackup` does. Returns how to stop the server and start the copy in its place.
   */
  async backUp(into: string): Promise<() => Promise<void>> {
    const [cluster, backup] = [join(this.folder, "pg"), join(into, "pg")]
    const label = await Effect.runPromise(
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`select pg_backup_start('campaign', true)::text`
        yield* Effect.promise(() => copy(cluster, backup))
        const [stopped] = yield* sql<{ readonly labelfile: string }>`select labelfile from pg_backup_stop()`
        return stopped?.labelfile ?? ""
      }).pipe(Effect.provide(PgClient.layer({ url: this.#superuserUrl, maxConnections: 1 }))),
    )
    await rm(join(backup, "postmaster.pid"), { force: true })
    await writeFile(join(backup, "backup_label"), label)
    await run("chown", ["--reference", backup, join(backup, "backup_label")])
    await rm(join(backup, "pg_wal"), { recursive: true })
    await copy(join(cluster, "pg_wal"), join(backup, "pg_wal"))
    return async () => {
      await this.stop()
      await rm(cluster, { recursive: true })
      await run("mv", [backup, cluster])
      await this.start()
    }
  }

  /** A fast shutdown: ends sessions and rolls back open transactions. */
  stop(): Promise<void> {
    return Effect.runPromise(Scope.close(this.#scope, Exit.void))
  }

  /** Kills all its processes with SIGKILL, as a power loss does. The next start recovers from the write-ahead log. */
  async kill(): Promise<void> {
    const server = Number((await readFile(join(this.folder, "pg/postmaster.pid"), "utf8")).split("\n")[0])
    const tasks = await readFile(`/proc/${server}/task/${server}/children`, "utf8").catch(() => "")
    const children = tasks.split(" ").map(Number).filter(Boolean)
    for (const pid of [server, ...children]) {
      try {
        process.kill(pid, "SIGKILL")
      } catch {
        // A session that has ended meanwhile.
      }
    }
    const isGone = (pid: number) =>
      readFile(`/proc/${pid}/stat`, "utf8").then(
        (stat) => / Z /.test(stat),
        () => true,
      )
    await until("PostgreSQL to be dead", async () =>
      (await Promise.all([server, ...children].map(isGone))).every(Boolean),
    )
  }
}
