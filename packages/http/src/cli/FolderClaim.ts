// One `tentpole start` a data folder: a second one would stop the first one's database with its own. The folder also tells
// which processes run.
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

/** Whether a process of that number lives and is ours: numbers are given again after a reboot. */
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

/** Claims the folder until the scope closes. `crashed`: the last start ended without letting go. */
export const claimFolder = (folder: string) => {
  const path = join(folder, "tentpole.pid")
  return Effect.acquireRelease(
    Effect.suspend(() => {
      const left = read(path)
      const pid = Number(left)
      if (left !== undefined && lives(pid)) {
        return Effect.fail(
          new BadConfiguration({
            reason: `Tentpole runs already on ${folder} (process ${pid}): stop it, or set DATA_DIR to another folder.`,
          }),
        )
      }
      writeFileSync(path, String(process.pid))
      return Effect.succeed({ crashed: left !== undefined })
    }),
    () => Effect.sync(() => rmSync(path, { force: true })),
  )
}

/** Keeps `processes.json` in the folder: the process ids of this start and its children, as they are now. */
export const processList = (folder: string) => {
  const path = join(folder, "processes.json")
  const pids: Record<string, number> = { start: process.pid }
  return Effect.acquireRelease(
    Effect.sync(() => (name: string) => (pid: number) => {
      pids[name] = pid
      // Whoever reads it finds what was or what is, never half of it.
      writeFileSync(`${path}.new`, JSON.stringify(pids))
      renameSync(`${path}.new`, path)
    }),
    () => Effect.sync(() => rmSync(path, { force: true })),
  )
}
