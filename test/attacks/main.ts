// `npm run test:attacks`: every bad request in every place of every operation, and every test that holds one of the rows.
import { spawn } from "node:child_process"
import { filesOf } from "./Files.ts"
import { rows } from "./Rows.ts"

const vitest = spawn("vitest", ["run", ...filesOf(rows), ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, ATTACKS: "all" },
})
vitest.once("exit", (code) => process.exit(code ?? 1))
