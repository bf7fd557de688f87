// Runs the suites that need PostgreSQL on other servers: `npm run test:postgres`. `PG_BIN_DIRS` names the folders of their programs,
// separated by colons, and `PGBOUNCER_BIN` the program of PgBouncer. `npm test` runs this after the suites on the embedded server,
// and says what is not named.
import { missing, runs } from "./Runs.ts"
import { runSuites } from "./Suites.ts"

const tests = [
  ".contract.test.ts",
  ".postgres.test.ts",
  "test/postgres/",
  "test/schema.test.ts",
  "test/retention.test.ts",
  "e2e/pooler",
]

await runSuites(runs, tests, missing)
