// What `npm install` runs in a checkout: builds the console, and bundles the processes, so that a start waits for neither. After a
// change of the sources, `npm start` builds the console again, and processes run the sources.
import { bundleOf } from "@tentpole/http/cli/Bundle"
import { builtConsole, consoleFolder, ConsoleMissing, keepNewest } from "@tentpole/http/console/ConsoleBuild"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Modules that processes start with, and their files in the bundle. */
const entries: Record<string, string> = {
  "@tentpole/http/cli/main": "cli",
  "@tentpole/http/main": "http",
  "@tentpole/worker/main": "worker",
}

/** Code before each file: `require` for CommonJS packages, and `import.meta.resolve`, which finds the entries in the bundle. */
const before = `
import { createRequire as $requireOf } from "node:module"
const require = $requireOf(import.meta.url)
const $entries = ${JSON.stringify(entries)}
const $resolve = (name) =>
  $entries[name] === undefined ? import.meta.resolve(name) : new URL($entries[name] + ".js", import.meta.url).href`

const bundle = async (): Promise<void> => {
  const into = bundleOf(root)
  if (existsSync(into)) return
  const { build } = await import("esbuild")
  const beside = `${into}.${process.pid}`
  try {
    await build({
      absWorkingDir: root,
      entryPoints: [
        ...Object.entries(entries).map(([module, file]) => ({ in: module, out: file })),
        // `ParserPool` starts its threads from the file of this name beside it.
        { in: "@tentpole/adapters/parsers/Thread", out: "Thread" },
      ],
      outdir: beside,
      conditions: ["tentpole:source"],
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      target: "node22.19",
      define: { "import.meta.resolve": "$resolve" },
      banner: { js: before },
      legalComments: "none",
      logLevel: "warning",
    })
    await rename(beside, into)
    await keepNewest(dirname(into))
  } finally {
    await rm(beside, { recursive: true, force: true })
  }
}

// An installation without the tools of development, or with sources that don't compile, is usable. So is one with a Node that can't
// run this file: `npm install` goes on, and a start says which Node is needed.
const done = await Promise.allSettled([bundle(), Effect.runPromise(builtConsole(consoleFolder))])
for (const each of done) {
  if (each.status === "fulfilled") continue
  const reason = each.reason instanceof ConsoleMissing ? each.reason.reason : String(each.reason)
  process.stdout.write(`${reason}\n`)
}
