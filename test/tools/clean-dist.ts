// Stale build output must never be what a check or a test runs: types are checked against sources, from nothing.
import { rmSync } from "node:fs"

const folders = ["client", "core", "adapters", "worker", "http"].map((name) => `packages/${name}`)

for (const folder of [...folders, "test"]) {
  rmSync(new URL(`../../${folder}/dist`, import.meta.url), { recursive: true, force: true })
}
