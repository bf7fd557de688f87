// `npm run test:attacks`: runs every test with a threat tag, with all requests instead of a sample; then lists threats and tests.
import { startVitest } from "vitest/node"
import { threats } from "./Threats.ts"

process.env["ATTACKS"] ??= "all"
const vitest = await startVitest(process.argv.slice(2), { run: true, tagsFilter: ["attack/*"] })

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
