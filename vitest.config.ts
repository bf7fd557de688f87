import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { isInTurn } from "./packages/core/contract/kernel/draws.ts"
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
 * Groups of tests that start processes: `npm test` runs one group each day, because a start takes seconds of processor time. It
 * always runs the other tests of `test/e2e`: the start, the main path of a user, and the commands of the documents.
 */
const inTurns = [
  "test/e2e/{copies,localMail,restore}.test.ts",
  "test/e2e/{administration,client,processes}.test.ts",
  "test/{e2e/{commands,limits,operating},mail/mail}.test.ts",
]

// Processes and threads of tests load compiled modules, as those of the service do: half of the time of a start.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/tentpole", import.meta.url))

const resolve = { conditions: ["tentpole:source"] }

export default defineConfig({
  // Sources are what runs, in tests and in their global setup.
  ssr: { resolve },
  environments: { __vitest__: { resolve } },
  test: {
    include: ["packages/{*,http/console}/test/**/*.test.ts", "test/**/*.test.ts"],
    exclude: [
      "**/node_modules/**",
      "**/dist/**",
      ...(process.env["SAMPLE"] === undefined ? [] : long),
      ...inTurns.filter((_, index) => !isInTurn(index)),
    ],
    tags: threats.map(({ name, description }) => ({ name, description })),
    globalSetup: ["test/globalSetup.ts"],
    pool: "forks",
    // The target machine has two processors. One worker more, because tests wait for other processes; with four workers the tests
    // take longer, because each worker loads and compiles the same modules.
    maxWorkers: 3,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
  },
})
