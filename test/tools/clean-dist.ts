// Stale build output must never be what a check or a test runs: types are checked against sources, from nothing.
import { rmSync } from "node:fs"

for (const folder of ["packages/core", "packages/adapters", "packages/http", "packages/worker", "test"]) {
  rmSync(new URL(`../../${folder}/dist`, import.meta.url), { recursive: true, force: true })
}
