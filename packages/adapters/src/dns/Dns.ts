// The DNS resolver: node's c-ares resolver with the machine's name servers. These are recursive: they follow a CNAME and
// return the records of its target.
import { DnsResolver, DnsUnavailable } from "@tentpole/core/ports/DnsResolver"
import { Effect, Layer, Predicate } from "effect"
import { Resolver } from "node:dns/promises"

/** The name or the record does not exist: an empty answer, not an error. */
const emptyAnswerCodes = new Set(["ENOTFOUND", "ENODATA", "NXDOMAIN"])

const codeOf = (cause: unknown): string => (Predicate.hasProperty(cause, "code") ? String(cause.code) : "")

const plain = (name: string): string => name.toLowerCase().replace(/\.$/, "")

export interface DnsOptions {
  /** `host:port` of name servers; null: the machine's. */
  readonly servers: ReadonlyArray<string> | null
  /** The timeout of the first try. Each later try waits longer. */
  readonly timeout_ms?: number
  readonly tries?: number
}

export const layer = ({ servers, timeout_ms = 3000, tries = 2 }: DnsOptions = { servers: null }) =>
  Layer.sync(DnsResolver, () => {
    const resolver = new Resolver({ timeout: timeout_ms, tries })
    if (servers !== null) resolver.setServers([...servers])
    const query = <A>(name: string, question: () => Promise<ReadonlyArray<A>>) =>
      Effect.tryPromise({ try: question, catch: codeOf }).pipe(
        Effect.catch((code) =>
          emptyAnswerCodes.has(code) ? Effect.succeed<ReadonlyArray<A>>([]) : Effect.fail(new DnsUnavailable({ name })),
        ),
      )
    return DnsResolver.of({
      txt: (name) =>
        Effect.map(
          query(name, () => resolver.resolveTxt(name)),
          (records) => records.map((strings) => strings.join("")),
        ),
      cname: (name) =>
        Effect.map(
          query(name, () => resolver.resolveCname(name)),
          (names) => names.map(plain),
        ),
      mx: (name) =>
        Effect.map(
          query(name, () => resolver.resolveMx(name)),
          (records) => records.map((record) => plain(record.exchange)),
        ),
    })
  })
