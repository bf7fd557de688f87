// The build of the console: finds it, or builds it from the sources in a child process and stores it by the hash of its sources.
import { Data, Effect } from "effect"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, globSync, readFileSync } from "node:fs"
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises"
import { createRequire } from "node:module"
import { constants, setPriority } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** Why there is no console, in one sentence. */
export class ConsoleMissing extends Data.TaggedError("ConsoleMissing")<{ readonly reason: string }> {}

/** The folder of the console: beside `src`, or beside the `dist` that compiled code runs from. */
export const consoleFolder: string =
  ["../../console/", "../../../console/"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path)) ?? fileURLToPath(new URL("../../console/", import.meta.url))

/** Where the bundler is; null in an installation for production. */
const bundlerOf = (folder: string): string | null => {
  if (!existsSync(join(folder, "vite.config.ts"))) return null
  try {
    return join(createRequire(join(folder, "package.json")).resolve("vite/package.json"), "../bin/vite.js")
  } catch {
    return null
  }
}

/** Files that the build depends on, from the console's folder. */
const sources = ["*.{html,ts,json}", "public/**", "src/**", "../../client/src/**/*.ts", "../../../package-lock.json"]

/** Hash of the paths and contents of the sources. */
export const hashOf = (folder: string): string => {
  const hash = createHash("sha256")
  for (const path of globSync(sources, { cwd: folder, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .sort()) {
    hash.update(path.slice(folder.length)).update("\0").update(readFileSync(path)).update("\0")
  }
  return hash.digest("hex").slice(0, 16)
}

/** Open tabs still load their chunks after an upgrade. */
const builds_max = 2

const isBuild = /^[0-9a-f]{16}$/

/** The other builds beside this one. */
export const olderBuilds = async (built: string): Promise<ReadonlyArray<string>> => {
  const [dist, own] = [dirname(built), basename(built)]
  if (!isBuild.test(own)) return []
  return (await readdir(dist)).filter((name) => isBuild.test(name) && name !== own).map((name) => join(dist, name))
}

/** Deletes all builds of a folder but the newest ones. */
export const keepNewest = async (dist: string): Promise<void> => {
  const builds = (await readdir(dist)).filter((name) => isBuild.test(name))
  const aged = await Promise.all(builds.map(async (name) => ({ name, at: (await stat(join(dist, name))).mtimeMs })))
  const old = aged.sort((a, b) => b.at - a.at).slice(builds_max)
  await Promise.all(old.map(({ name }) => rm(join(dist, name), { recursive: true, force: true })))
}

const isRunning = (pid: number): boolean => {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Takes the lock of a build; false while another process has it. A lock whose process ended is removed. */
const lock = async (path: string): Promise<boolean> => {
  try {
    const file = await open(path, "wx")
    await file.write(String(process.pid))
    await file.close()
    return true
  } catch {
    const owner = Number(await readFile(path, "utf8").catch(() => ""))
    if (!isRunning(owner)) await rm(path, { force: true })
    return false
  }
}

/** Runs the bundler at low priority, so that the service starts first. */
const bundle = (folder: string, bundler: string, into: string) =>
  Effect.callback<void, ConsoleMissing>((resume) => {
    const args = [bundler, "build", "--outDir", into, "--emptyOutDir", "--logLevel", "warn"]
    const child = spawn(process.execPath, args, {
      cwd: folder,
      // Otherwise React is built as for development, at twice the size.
      env: { ...process.env, NODE_ENV: "production" },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += String(part)))
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    child.once("error", ({ message }) =>
      resume(new ConsoleMissing({ reason: `The console's build failed: ${message}` })),
    )
    child.once("exit", (code) =>
      resume(
        code === 0
          ? Effect.void
          : new ConsoleMissing({ reason: `The console's build ended with ${code}: ${output.trim().slice(-2_000)}` }),
      ),
    )
    return Effect.sync(() => child.kill())
  })

const build = Effect.fnUntraced(function* (folder: string, bundler: string, into: string) {
  const dist = join(folder, "dist")
  const beside = `${into}.${process.pid}`
  const release = Effect.promise(() => rm(`${into}.lock`, { force: true }))
  yield* bundle(folder, bundler, beside).pipe(
    Effect.andThen(Effect.promise(() => rename(beside, into))),
    Effect.andThen(Effect.promise(() => keepNewest(dist))),
    Effect.ensuring(Effect.promise(() => rm(beside, { recursive: true, force: true }))),
    Effect.ensuring(release),
  )
})

/**
 * The folder of the built console. In a checkout it is built unless the sources have a build; two processes share one.
 * Packages and the image carry a build and no sources.
 */
export const builtConsole = (folder: string): Effect.Effect<string, ConsoleMissing> =>
  Effect.gen(function* () {
    const bundler = bundlerOf(folder)
    const dist = join(folder, "dist")
    if (bundler === null) {
      if (existsSync(join(dist, "index.html"))) return dist
      return yield* new ConsoleMissing({
        reason: "This installation has no console: neither a build nor the tools to build one (npm install)",
      })
    }
    const into = join(dist, hashOf(folder))
    yield* Effect.promise(() => mkdir(dist, { recursive: true }))
    while (!existsSync(join(into, "index.html"))) {
      if (yield* Effect.promise(() => lock(`${into}.lock`))) yield* build(folder, bundler, into)
      else yield* Effect.sleep("250 millis")
    }
    return into
  })
