// `npm run dev`: the service, which restarts when a source changes, and the development server of the console.
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const programs = [
  ["tsx", "watch", "packages/http/src/cli/main.ts", "start"],
  ["vite", "packages/http/console"],
]

// Links and passkeys belong to the address of the development server.
const env = { PUBLIC_CONSOLE_URL: "http://localhost:5173", ...process.env }

const children = programs.map(([name = "", ...args]) =>
  spawn(name, args, { cwd: root, env, stdio: ["ignore", "inherit", "inherit"], shell: process.platform === "win32" }),
)

// Ctrl-C reaches all of them; the end of one ends the others.
process.on("SIGINT", () => undefined)
for (const child of children) {
  child.once("exit", (code) => {
    process.exitCode ??= code ?? 0
    for (const other of children) other.kill("SIGTERM")
  })
}
