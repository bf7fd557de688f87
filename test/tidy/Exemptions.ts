// Where a rule does not hold, and why.
import type { Violation } from "./Source.ts"

export interface Exemption {
  /** A path, the beginning of paths when it ends in a slash, or the name of what is exempt. */
  readonly at: string
  readonly reason: string
  /** The test that holds what is exempt in another way. */
  readonly by?: string
}

/** The modules of effect that core may use: those that do nothing by themselves and know no transport. */
export const pureEffect: ReadonlyArray<string> = ["effect", "effect/encoding"]

export const exemptions = {
  sql: [
    { at: "packages/adapters/src/postgres/", reason: "the adapter of PostgreSQL" },
    { at: "packages/adapters/src/jobs/", reason: "the queue lies in PostgreSQL" },
    { at: "packages/adapters/src/embedded/", reason: "makes the database and its owner" },
    { at: "packages/adapters/src/FromConfig.ts", reason: "asks which role it got before anything else runs" },
    { at: "packages/adapters/src/operations/", reason: "readiness is whether the database answers" },
  ],
  wiring: [
    { at: "packages/adapters/src/FromConfig.ts", reason: "what is plugged in" },
    { at: "packages/adapters/src/Launch.ts", reason: "how a process runs" },
    { at: "packages/adapters/src/Library.ts", reason: "what embedders plug in" },
    { at: "packages/adapters/src/ai/FromConfig.ts", reason: "the HTTP client of a provider is its own affair" },
    { at: "packages/adapters/src/jobs/PersistedJobs.ts", reason: "the library's queue is its own affair" },
    { at: "packages/adapters/src/memory/All.ts", reason: "every store in memory" },
    { at: "packages/adapters/src/operations/Tracing.ts", reason: "how traces leave is its own affair" },
    { at: "packages/adapters/src/postgres/All.ts", reason: "every store on PostgreSQL" },
    { at: "packages/adapters/src/postgres/kernel/Postgres.ts", reason: "the second client is the first one's twin" },
    { at: "packages/core/src/Tentpole.ts", reason: "which use cases the product has" },
    { at: "packages/http/src/Handlers.ts", reason: "which groups the API has" },
    { at: "packages/http/src/Server.ts", reason: "what is served" },
    { at: "packages/http/src/cli/", reason: "each command builds what it needs" },
    { at: "packages/http/src/Process.ts", reason: "a process" },
    { at: "packages/worker/src/HealthServer.ts", reason: "what is served" },
    { at: "packages/worker/src/Worker.ts", reason: "what a worker does side by side" },
    { at: "packages/worker/src/Process.ts", reason: "a process" },
  ],
  transactions: [
    { at: "packages/adapters/src/postgres/kernel/Transactor.ts", reason: "opens transactions" },
    { at: "packages/adapters/src/memory/kernel/Transactor.ts", reason: "opens transactions" },
  ],
  calls: [
    {
      at: "packages/core/contract/ports/blobs.ts",
      reason: "an adapter's exemption from one law shows as a skipped test",
    },
  ],
  remarks: [
    { at: "packages/adapters/test/misuses.ts", reason: "shows the compiler mistakes, for it to refuse" },
    { at: "packages/http/test/misuses.ts", reason: "shows the compiler mistakes, for it to refuse" },
  ],
  /** Besides the programs: what none of ours begins with, and is used all the same. */
  dead: [{ at: "packages/adapters/src/memory/ports/Dns.ts", reason: "tests, simulations and embedders plug it in" }],
  /** Ports without laws, and laws that one adapter is held to; `by` is the test that holds the adapters instead. */
  laws: [
    { at: "Transaction", reason: "does nothing: it proves that a transaction is open" },
    { at: "Settings", reason: "holds values and does nothing" },
    { at: "Agents", reason: "one adapter", by: "packages/http/test/pages/pages.test.ts" },
    { at: "Cleaner", reason: "one adapter", by: "packages/adapters/test/ai/clean.test.ts" },
    { at: "CsvReader", reason: "one adapter", by: "packages/adapters/test/csv/CsvReader.test.ts" },
    { at: "DnsResolver", reason: "asks the name servers of the world; in memory it says what it is told" },
    {
      at: "MailConnections",
      reason: "talks to servers of the world",
      by: "packages/adapters/test/smtp/SmtpConnections.test.ts",
    },
    { at: "Secrets", reason: "one adapter", by: "packages/adapters/test/crypto/Secrets.test.ts" },
    { at: "Signatures", reason: "one adapter", by: "packages/adapters/test/crypto/Signatures.test.ts" },
    { at: "Sns", reason: "asks a server of Amazon's", by: "packages/adapters/test/crypto/Signatures.test.ts" },
    { at: "dkim", reason: "one adapter, held to the laws by another implementation's verdict" },
  ],
  /** What core builds and is no use case. */
  useCases: [{ at: "Links", reason: "seals and reads tokens: it neither reads nor writes a store" }],
} as const satisfies Readonly<Record<string, ReadonlyArray<Exemption>>>

export const covers = ({ at }: Exemption, { path, subject }: Pick<Violation, "path" | "subject">): boolean =>
  at === path || at === subject || (at.endsWith("/") && path.startsWith(at))

/** What is left when exemptions are taken off; one that exempts nothing any more is a violation itself. */
export const without = (
  exempt: ReadonlyArray<Exemption>,
  violations: ReadonlyArray<Violation>,
): ReadonlyArray<Violation> => [
  ...violations.filter((violation) => !exempt.some((each) => covers(each, violation))),
  ...exempt.filter((each) => !violations.some((violation) => covers(each, violation))).map(stale),
]

/** Exemptions whose test is gone. */
export const unheld = (
  exempt: ReadonlyArray<Exemption>,
  sources: ReadonlyArray<{ readonly path: string }>,
): ReadonlyArray<Violation> =>
  exempt
    .filter(({ by }) => by !== undefined && !sources.some(({ path }) => path === by))
    .map(({ at, by }) => ({
      path: "test/tidy/Exemptions.ts",
      line: 1,
      what: `${at} is exempt because of ${by}, which is gone`,
      remedy: "name the test that holds it now, or write its laws",
    }))

export const stale = ({ at, reason }: Exemption): Violation => ({
  path: "test/tidy/Exemptions.ts",
  line: 1,
  what: `${at} ("${reason}") needs no exemption any more`,
  remedy: "take it from the list",
})
