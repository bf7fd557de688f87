// Entry point of the command line `tentpole`. Compiled modules are cached in the user's cache folder or NODE_COMPILE_CACHE, which
// halves the start time.
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

process.env["NODE_COMPILE_CACHE"] ??= join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tentpole")
enableCompileCache(process.env["NODE_COMPILE_CACHE"])

const { run } = await import("./CommandLine.ts")
run()
