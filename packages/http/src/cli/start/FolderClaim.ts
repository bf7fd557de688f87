// Lock of the data folder, so that only one `tentpole start` uses it, and the list of its processes.
import { BadConfiguration } from "@tentpole/adapters/Configuration"
import { Effect } from "effect"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

/** Whether the process runs and is a `tentpole start`: process ids are reused after a reboot. */
const lives = (pid: number): boolean => {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const commandLine = read(`/proc/${pid}/cmdline`)
  return commandLine === undefined || /\bstart\b/.test(commandLine.replaceAll("\0", " "))
}

/** Locks the folder until the scope closes. `crashed`: the previous start ended without releasing it. */
export const claimFolder = (folder: string) => {
  const path = join(folder, "tentpole.pid")
  return Effect.acquireRelease(
    Effect.suspend(() => {
      const left = read(path)
      const pid = Number(left)
      if (left !== undefined && lives(pid)) {
        return Effect.fail(
          new BadConfiguration({
            reason: `Tentpole is already running on ${folder} (process ${pid}): stop it, or set DATA_DIR to another folder.`,
          }),
        )
      }
      writeFileSync(path, String(process.pid))
      return Effect.succeed({ crashed: left !== undefined })
    }),
    () => Effect.sync(() => rmSync(path, { force: true })),
  )
}

/** Maintains `processes.json` with the process ids of this start and its children. */
export const processList = (folder: string) => {
  const path = join(folder, "processes.json")
  const pids: Record<string, number> = { start: process.pid }
  return Effect.acquireRelease(
    Effect.sync(() => (name: string) => (pid: number) => {
      pids[name] = pid
      // A rename is atomic: readers never see half of the file.
      writeFileSync(`${path}.new`, JSON.stringify(pids))
      renameSync(`${path}.new`, path)
    }),
    () => Effect.sync(() => rmSync(path, { force: true })),
  )
}
