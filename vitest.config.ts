import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { todaysGroup } from "./packages/core/contract/kernel/draws.ts"
import { threats } from "./test/attacks/Threats.ts"

/**
 * Tests that `npm test` leaves out, because they take long: each has a command of its own. Two others, which mostly wait, skip
 * themselves; `npx vitest run` runs all.
 */
const long = [
  // npm run test:browser: all screens of the console, journeys through its rooms, pages of visitors, and what others published
  // against sanitisers.
  "test/browser/console/{blasts,contacts,delivery,emails,flows,home,imports,inbox,lists,segments,settings}.test.ts",
  "test/browser/console/*/*",
  "test/shots/screens.test.ts",
  "test/browser/{consent,pages,reference,vectors}.test.ts",
  // npm run test:faults <campaign> -- --quick
  "test/faults/{blasts,imports}.test.ts",
  // npm run test:attacks -- --weight
  "test/attacks/weight/campaign.test.ts",
  // npm run test:pack
  "test/pack.test.ts",
]

/**
 * Tests that take turns, because each takes many seconds of processor time: most of them start the service. `npm test` runs one
 * group each day. It always runs the other tests of `test/e2e`: the start, and the commands of the documents, which are the main
 * path of a user. On the days of the first and the fourth group it also runs the lint with types.
 */
const turns = [
  "test/e2e/{client,processes}.test.ts",
  "test/e2e/{administration,copies}.test.ts",
  "test/{e2e/operating,retention,roles}.test.ts",
  "test/e2e/{limits,localMail}.test.ts",
  "test/{e2e/line,mail/mail}.test.ts",
  "test/e2e/{commands,restore}.test.ts",
]
const omitted = [...long, ...turns.filter((_, index) => index !== todaysGroup(turns.length))]

// Processes and threads of tests load compiled modules, as those of the service do: half of the time of a start.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/tentpole", import.meta.url))

const resolve = { conditions: ["tentpole:source"] }

export default defineConfig({
  // Sources are what runs, in tests and in their global setup.
  ssr: { resolve },
  environments: { __vitest__: { resolve } },
  test: {
    include: ["packages/{*,http/console}/test/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", ...(process.env["SAMPLE"] === undefined ? [] : omitted)],
    tags: threats.map(({ name, description }) => ({ name, description })),
    globalSetup: ["test/globalSetup.ts"],
    pool: "forks",
    // Large pages for the code of Node take a twentieth less processor time; where there are none, nothing changes.
    execArgv: ["--use-largepages=silent"],
    // The target machine has two processors. One worker more, because tests wait for other processes; with four workers the tests
    // take longer, because each worker loads and compiles the same modules.
    maxWorkers: 3,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
  },
})
