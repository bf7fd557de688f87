// `npm run test:attacks`: runs every test with a threat tag, with all requests instead of a sample; then lists threats and tests.
// `-- --weight` runs the campaign of inputs at their maximum size instead, as CONTRIBUTING says. `SEED` changes their order.
import { parseArgs } from "node:util"
import { startVitest } from "vitest/node"
import { threats } from "./Threats.ts"
import { weigh } from "./weight/Run.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    weight: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
})
if (values.weight) {
  await weigh({ ...values, parts: positionals })
  process.exit()
}

process.env["ATTACKS"] ??= "all"
const vitest = await startVitest(positionals, { run: true, tagsFilter: ["attack/*"] })

const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests("passed")])
const rows = threats.map(({ name, description, untested }) => ({
  name,
  description,
  tests: tests.filter(({ tags }) => tags.includes(name)).length,
  untested,
}))
for (const { name, description, tests, untested } of rows) {
  console.log(`${String(tests).padStart(5)}  ${name.padEnd(30)}${description}`)
  if (untested !== undefined) console.log(`${" ".repeat(37)}Not tested: ${untested}`)
}
const open = rows.filter(({ tests }) => tests === 0).map(({ name }) => name)
if (open.length > 0) {
  console.error(`No test passed for: ${open.join(", ")}`)
  process.exitCode = 1
}
await vitest.close()
