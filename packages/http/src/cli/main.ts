// The command line, `tentpole`. A thousand modules are compiled once and kept in the user's cache folder, where there is one:
// a command, and each process that it starts, is there in half the time. NODE_COMPILE_CACHE says otherwise.
import { enableCompileCache } from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

process.env["NODE_COMPILE_CACHE"] ??= join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tentpole")
enableCompileCache(process.env["NODE_COMPILE_CACHE"])

const { run } = await import("./CommandLine.ts")
run()
