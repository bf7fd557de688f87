// Packs all packages into `dist-packages/`, with their bill of materials. Each builds itself before it is packed (`prepack`), here
// from nothing.
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { sbom } from "./sbom.ts"

/** Packs the packages of a checkout into a folder. The bill of materials is of the lock file. */
export const pack = (checkout: string, folder: string, env: NodeJS.ProcessEnv = process.env): void => {
  // The console is part of the package `http`.
  const packages = ["client", "core", "adapters", "worker", "http"].map((name) => `--workspace=@tentpole/${name}`)
  const args = ["pack", "--silent", ...packages, "--pack-destination", folder]
  execFileSync("npm", args, { cwd: checkout, env, stdio: "inherit" })
  writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(sbom(), null, 2)}\n`)
}

if (import.meta.main) {
  await import("./clean-dist.ts")
  const root = fileURLToPath(new URL("../..", import.meta.url))
  const folder = join(root, "dist-packages")
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  pack(root, folder)
}
