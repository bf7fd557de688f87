// The doctor's check that other users of the machine can't read the data folder, mail, uploads and secrets.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { Effect } from "effect"
import { lstat, opendir, stat } from "node:fs/promises"
import { join } from "node:path"
import { type Finding, ok, warning } from "./Finding.ts"

/** Reading and writing for others. They may pass folders: the embedded PostgreSQL runs as another user. */
const forbidden_modes = 0o066

/** Entries that are checked below each folder. A folder of mail may have a million. */
const entries_max = 1_000

/** Paths that a message names. */
const named_max = 5

const isLoose = (mode: number): boolean => (mode & forbidden_modes) !== 0

/** The loose paths among the first entries below a folder, its own files before those of folders in it. Links are not followed. */
const looseBelow = async (top: string): Promise<ReadonlyArray<string>> => {
  const loose: Array<string> = []
  const folders = [top]
  let left = entries_max
  for (const folder of folders) {
    for await (const entry of await opendir(folder).catch(() => [])) {
      if (left-- === 0) return loose
      const path = join(folder, entry.name)
      if (entry.isDirectory()) folders.push(path)
      const at = entry.isSymbolicLink() ? null : await lstat(path).catch(() => null)
      if (at !== null && isLoose(at.mode)) loose.push(path)
    }
  }
  return loose
}

const looseAt = async (path: string): Promise<ReadonlyArray<string>> => {
  const at = await stat(path).catch(() => null)
  return at !== null && isLoose(at.mode) ? [path] : []
}

const secrets = ["app-secret", "api-key", "database/pg.password"]
/** The folders of uploads and exports, and of mail in development. */
const folders = ["assets", "outbox"]

/** Checks the paths that exist, and the first entries of each folder. */
export const fileModes = ({ dataDir }: Configuration): Effect.Effect<Finding> =>
  Effect.promise(async () => {
    const tops = [".env", dataDir, ...[...secrets, ...folders].map((name) => join(dataDir, name))]
    const found = await Promise.all(
      tops.map(async (top) => {
        const isFolder = folders.some((name) => top === join(dataDir, name))
        return { top, loose: [...(await looseAt(top)), ...(isFolder ? await looseBelow(top) : [])] }
      }),
    )
    const loose = found.flatMap((each) => each.loose)
    if (loose.length === 0) return ok("file modes", "other users can't read the data folder")
    const more = loose.length > named_max ? ` and ${loose.length - named_max} more` : ""
    const named = `${loose.slice(0, named_max).join(", ")}${more}`
    const wrong = found.filter((each) => each.loose.length > 0).map(({ top }) => top)
    return warning("file modes", `other users can read ${named}`, `chmod -R go-rw ${wrong.join(" ")}`)
  })
