// Packs all packages into `dist-packages/`. Each builds itself before it is packed (`prepack`), here from nothing.
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { fileURLToPath } from "node:url"
import "./clean-dist.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const folder = `${root}dist-packages`

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
execFileSync("npm", ["pack", "--silent", "--workspaces", "--pack-destination", folder], { cwd: root, stdio: "inherit" })
