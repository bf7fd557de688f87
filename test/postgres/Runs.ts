// Runs: the servers and the pooler that the environment names, each with the environment of its run.
import { execFileSync } from "node:child_process"
import { join } from "node:path"

const { PG_BIN_DIRS = "", PGBOUNCER_BIN: pgBouncer, ...others } = process.env
const folders = PG_BIN_DIRS.split(":").filter((folder) => folder !== "")

/** The first line of `--version`, and where the program is. */
export const nameOf = (program: string): string => {
  const [version = ""] = execFileSync(program, ["--version"], { encoding: "utf8" }).split("\n")
  return `${version} (${program})`
}

export interface Run {
  readonly name: string
  readonly env: NodeJS.ProcessEnv
}

const servers = folders.map((folder): Run => ({
  name: nameOf(join(folder, "postgres")),
  env: { ...others, PG_BIN_DIR: folder },
}))

const pooler = (program: string): Run => ({
  name: `${nameOf(program)} before the embedded server`,
  env: { ...others, PGBOUNCER_BIN: program },
})

export const runs: ReadonlyArray<Run> = [...servers, ...(pgBouncer === undefined ? [] : [pooler(pgBouncer)])]

/** The names that the environment lacks. */
export const missing: ReadonlyArray<string> = [
  ...(folders.length === 0 ? ["No other server: PG_BIN_DIRS names none"] : []),
  ...(pgBouncer === undefined ? ["No pooler: PGBOUNCER_BIN names none"] : []),
]
