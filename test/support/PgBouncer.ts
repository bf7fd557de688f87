// PgBouncer in transaction mode in front of the tests' server, with a login that has the session's settings as defaults.
import { service_role, sessionSettings } from "@tentpole/adapters/postgres/kernel/Session"
import type { Redacted } from "effect"
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { userInfo } from "node:os"
import { promisify } from "node:util"
import { freePort } from "@tentpole/adapters/test/FreePort"
import { statement } from "./Owner.ts"

const login = "tentpole_pooled"

/** Tests that are slow beside others need more than the service's 15 seconds. */
const statement_timeout_ms = 60_000

const loginStatements = (password: string): ReadonlyArray<string> => [
  `create role ${login} login password '${password}' in role ${service_role}`,
  ...Object.entries(sessionSettings(statement_timeout_ms)).map(
    ([name, value]) => `alter role ${login} set ${name} = ${name === "search_path" ? value : `'${value}'`}`,
  ),
]

interface Server {
  readonly port: number
  readonly password: string
  readonly superuserUrl: Redacted.Redacted
}

/** Starts the program. Its address lacks the database's name. */
export const pooler = async (program: string, folder: string, server: Server) => {
  for (const each of loginStatements(server.password)) await statement(server.superuserUrl, each)
  const port = await freePort()
  const [ini, users] = [join(folder, "pgbouncer.ini"), join(folder, "pgbouncer.users")]
  await writeFile(users, `"${login}" "${server.password}"\n`, { mode: 0o644 })
  await writeFile(
    ini,
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 12
max_client_conn = 1000
server_idle_timeout = 5
`,
  )
  const asUser = userInfo().uid === 0 ? ["-u", "postgres"] : []
  const child = spawn(program, [...asUser, ini], { stdio: ["ignore", "ignore", "pipe"] })
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => (said += String(chunk)))
  while (!said.includes("process up")) {
    const outcome = await Promise.race([once(child, "exit"), once(child.stderr, "data")])
    if (child.exitCode !== null) throw new Error(`${program} ended: ${said} ${String(outcome)}`)
  }
  child.unref()
  const { stdout } = await promisify(execFile)(program, ["--version"])
  return {
    url: `postgres://${login}:${server.password}@127.0.0.1:${port}`,
    version: stdout.split("\n")[0] ?? "",
    stop: () => void child.kill("SIGTERM"),
  }
}
