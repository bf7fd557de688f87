import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
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
 * Tests that take turns by the day of the week (UTC), Sunday first, because each takes many seconds of processor time: most of them
 * start the service, or try the limits of one part. On Mondays and Thursdays `npm test` has the lint with types instead. Each day
 * it has all other tests: the rules, the stores, the API, the sender, a start of the service, and a sign-in to the console.
 */
const turns = [
  [
    "test/{roles,e2e/copies,e2e/processes}",
    "packages/adapters/test/{imports/imports.runs,parsers/ParserPool,smtp/SmtpConnections}",
  ],
  [],
  [
    "test/{retention,attacks/weight,e2e/operating,simulation/simulation}",
    "packages/adapters/test/ai/{fake/FakeAi.prompts,html/CleanCss}",
    "packages/http/test/{accounts/accounts.{oidc,passkeys},api/messages/messages.large,api/tents/tents.assets,fuzz/fuzz}",
  ],
  ["test/{attacks/patterns,mail/mail}", "packages/http/test/attacks/rooms/*"],
  [],
  [
    "test/e2e/{commands,gettingStarted,line,restore}",
    "packages/adapters/test/{ai/html/SanitizeEmail,ports/blobs.contract,postgres/kernel/Outbox.restore}",
  ],
  [
    "test/{client.bundle,supply,e2e/{administration,client,limits,localMail}}",
    "packages/adapters/test/{embedded/EmbeddedPostgres,postgres/migrations/Migrate}",
    "packages/adapters/test/{segments/segments.plans,traffic/traffic,webhooks/webhooks.postgres}",
  ],
].map((group) => group.map((names) => `${names}.test.ts`))

const omitted = () => {
  const today = turns[new Date().getUTCDay()] ?? []
  return [...long, ...turns.flat().filter((each) => !today.includes(each))]
}

// Processes and threads of tests load compiled modules, as those of the service do: half of the time of a start.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/tentpole", import.meta.url))

const resolve = { conditions: ["tentpole:source"] }

export default defineConfig({
  // Sources are what runs, in tests and in their global setup.
  ssr: { resolve },
  environments: { __vitest__: { resolve } },
  test: {
    include: ["packages/{*,http/console}/test/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**", ...(process.env["SAMPLE"] === undefined ? [] : omitted())],
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
