#!/usr/bin/env node
// Entry point of `tentpole`. It checks what the TypeScript modules need: without it, an old Node fails with a stack trace.
/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-call, typescript/no-unsafe-member-access -- JavaScript
   outside of the TypeScript projects, because an old Node must be able to run it */
import { existsSync } from "node:fs"
// An old Node has no `enableCompileCache`.
import * as module from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const required = [22, 19]

/** @param {string} sentence */
const refuse = (sentence) => {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < required[0] || (major === required[0] && minor < required[1])) {
  refuse(
    `Tentpole needs Node ${required.join(".")} or later, and this is Node ${process.versions.node}. ` +
      "Install a newer Node; on Linux, `npm start` and `npm run tentpole -- …` use the one that `npm install` installed.",
  )
}
if (!existsSync(fileURLToPath(import.meta.resolve("@tentpole/http/cli/main")))) {
  refuse(
    "Tentpole is not compiled: use `npm run tentpole -- …`, or set NODE_OPTIONS=--conditions=tentpole:source to run its sources.",
  )
}
// Compiled modules are cached in the user's cache folder or NODE_COMPILE_CACHE, which halves the start time. Child processes use the
// cache too.
process.env["NODE_COMPILE_CACHE"] ??= join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tentpole")
module.enableCompileCache(process.env["NODE_COMPILE_CACHE"])
// The modules take up to a second to load.
if (process.argv[2] === "start") process.stdout.write("Tentpole is starting.\n")
const { bundledCommandLine } = await import("@tentpole/http/cli/Bundle")
await import(bundledCommandLine() ?? "@tentpole/http/cli/main")
