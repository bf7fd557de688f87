// Runs black-box suites against the product on a cluster. Each starts the product itself, with the database that `DATABASE_URL` names.
import { Effect, Redacted } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Ending } from "../support/Ending.ts"
import { root } from "../support/Service.ts"
import { createDistributed, startCluster } from "./Cluster.ts"

const suites = ["contacts", "lists", "segments", "imports", "emails", "tents", "blasts", "flows"]

/** Each suite has a database of its own. Returns whether all passed. */
export const conform = async (programs: string, folder: string): Promise<boolean> => {
  const ending = new Ending()
  const home = await ending.folder()
  const run = Effect.gen(function* () {
    const cluster = yield* startCluster(programs, home)
    let isGood = true
    for (const suite of suites) {
      const file = join(folder, `${suite}.mjs`)
      if (!existsSync(file)) {
        process.stdout.write(`Missing: ${file}\n`)
        isGood = false
        continue
      }
      process.stdout.write(`${suite}\n`)
      yield* createDistributed(cluster, suite)
      const env = {
        ...process.env,
        PROJECT: root,
        DATABASE_URL: Redacted.value(cluster.coordinator.url(suite, "tentpole_owner")),
      }
      const code = yield* Effect.promise(async () => {
        const child = spawn(process.execPath, [file], { cwd: root, env, stdio: "inherit" })
        const [ended] = await once(child, "exit")
        return Number(ended)
      })
      if (code !== 0) isGood = false
    }
    return isGood
  })
  try {
    return await Effect.runPromise(Effect.scoped(run))
  } finally {
    await ending.all()
  }
}
