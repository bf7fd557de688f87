// The doctor's check that other users of the machine can't read the data folder, mail, uploads and secrets.
import type { Configuration } from "@tentpole/adapters/Configuration"
import { Effect } from "effect"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { type Finding, ok, warning } from "./Finding.ts"

/** Reading and writing for others. They may pass folders: the embedded PostgreSQL runs as another user. */
const forbidden_modes = 0o066

/** Checks the paths that exist. */
export const fileModes = ({ dataDir }: Configuration): Effect.Effect<Finding> =>
  Effect.promise(async () => {
    const paths = [".env", dataDir, ...["app-secret", "api-key", "assets", "outbox"].map((name) => join(dataDir, name))]
    const found = await Promise.all(
      paths.map(async (path) => {
        const at = await stat(path).catch(() => null)
        return at !== null && (at.mode & forbidden_modes) !== 0 ? [path] : []
      }),
    )
    const loose = found.flat()
    return loose.length === 0
      ? ok("file modes", "other users can't read the data folder")
      : warning("file modes", `other users can read ${loose.join(", ")}`, `chmod -R go-rw ${loose.join(" ")}`)
  })
