// Database: a PostgreSQL server of one campaign, which can be stopped, killed and started again.
import { prepared } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { migrate } from "@tentpole/adapters/postgres/migrations/Migrate"
import { Data, Effect, Exit, Redacted, Scope } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Ending } from "../support/Ending.ts"
import { statement } from "../support/Owner.ts"
import { until } from "../support/Service.ts"

export class Database extends Data.Class<{ readonly folder: string }> {
  #scope = Scope.makeUnsafe()
  #port: number | null = null
  #superuserUrl = Redacted.make("")

  /** Durable as in production, and migrated. */
  static async begin(ending: Ending): Promise<{ readonly database: Database; readonly ownerUrl: Redacted.Redacted }> {
    const database = new Database({ folder: await ending.folder() })
    await ending.with(() => database.stop())
    const ownerUrl = await database.start()
    await Effect.runPromise(migrate(ownerUrl))
    return { database, ownerUrl }
  }

  get port(): number {
    return this.#port ?? 0
  }

  async start(): Promise<Redacted.Redacted> {
    this.#scope = Scope.makeUnsafe()
    const server = await Effect.runPromise(
      prepared({ folder: this.folder, durable: true, port: this.#port }).pipe(Scope.provide(this.#scope)),
    )
    this.#port = server.port
    const url = new URL(Redacted.value(server.superuserUrl))
    url.pathname = `/${server.database}`
    this.#superuserUrl = Redacted.make(url.href)
    return server.ownerUrl
  }

  /** For statements that need more rights than the owner has. */
  async asSuperuser(statements: ReadonlyArray<string>): Promise<void> {
    for (const each of statements) await statement(this.#superuserUrl, each)
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
    for (const pid of [server, ...children]) process.kill(pid, "SIGKILL")
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
