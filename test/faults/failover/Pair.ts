// Pair: a primary and its synchronous standby, which follows it and can take over.
import { start } from "@tentpole/adapters/embedded/EmbeddedPostgres"
import { Data, Effect, Exit, Redacted, Scope } from "effect"
import { execFile } from "node:child_process"
import { appendFile, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Ending } from "../../support/Ending.ts"
import { statement } from "../../support/Owner.ts"
import { until } from "../../support/Service.ts"
import { Database } from "../Database.ts"

const run = promisify(execFile)

interface Parts {
  readonly primary: Database
  readonly folder: string
  readonly ownerUrl: Redacted.Redacted
}

export class Pair extends Data.Class<Parts> {
  #scope = Scope.makeUnsafe()
  #superuserUrl = Redacted.make("")
  #port: number | null = null

  /** The primary is migrated, and each of its commits waits for the standby. */
  static async begin(ending: Ending): Promise<Pair> {
    const { database, ownerUrl } = await Database.begin(ending)
    const pair = new Pair({ primary: database, folder: await ending.folder(), ownerUrl })
    await ending.with(() => pair.stopStandby())
    await database.stop()
    await pair.#copyPrimary()
    await database.start()
    await pair.startStandby()
    await until("the standby to follow", () => pair.#follows())
    await database.asSuperuser(["alter system set synchronous_standby_names = 'standby'", "select pg_reload_conf()"])
    return pair
  }

  get standbyPort(): number {
    return this.#port ?? 0
  }

  /** Names both servers, as DATABASE_URL does. */
  get url(): string {
    const url = new URL(Redacted.value(this.ownerUrl))
    return url.href.replace(url.host, `${url.host},${url.hostname}:${this.standbyPort}`)
  }

  async startStandby(): Promise<void> {
    this.#scope = Scope.makeUnsafe()
    const server = await Effect.runPromise(
      start({ folder: this.folder, durable: true, port: this.#port }).pipe(Scope.provide(this.#scope)),
    )
    this.#port = server.port
    this.#superuserUrl = server.superuserUrl
  }

  stopStandby(): Promise<void> {
    return Effect.runPromise(Scope.close(this.#scope, Exit.void))
  }

  /** Returns when the standby takes writes. */
  async promote(): Promise<void> {
    await statement(this.#superuserUrl, "select pg_promote(true, 30)")
  }

  /** The folder of a stopped server is a backup. */
  async #copyPrimary(): Promise<void> {
    const { folder, port } = this.primary
    // Unlike Node's `cp`, it keeps the owner of the files: the server runs as that user.
    await run("cp", ["-a", join(folder, "pg"), join(folder, "pg.password"), this.folder])
    const data = join(this.folder, "pg")
    const password = await readFile(join(folder, "pg.password"), "utf8")
    const primary = `host=127.0.0.1 port=${port} user=postgres password=${password.trim()} application_name=standby`
    await appendFile(join(data, "postgresql.auto.conf"), `primary_conninfo = '${primary}'\n`)
    await writeFile(join(data, "standby.signal"), "")
  }

  async #follows(): Promise<boolean> {
    const [row] = await statement<{ follows: boolean }>(
      this.#superuserUrl,
      "select exists (select from pg_stat_wal_receiver where status = 'streaming') as follows",
    )
    return row?.follows === true
  }
}
