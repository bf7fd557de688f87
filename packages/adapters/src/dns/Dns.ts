// DNS by node's resolver (c-ares), which asks the machine's name servers. They are recursive: they follow a CNAME themselves
// and answer with what stands at its end.
import { DnsResolver, DnsUnavailable } from "@tentpole/core/ports/DnsResolver"
import { Effect, Layer } from "effect"
import { Resolver } from "node:dns/promises"

/** The name or the record does not exist: an answer, and an empty one. */
const nothing = new Set(["ENOTFOUND", "ENODATA", "NXDOMAIN"])

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : ""

const plain = (name: string): string => name.toLowerCase().replace(/\.$/, "")

export interface DnsOptions {
  /** `host:port` of name servers; null: the machine's. */
  readonly servers: ReadonlyArray<string> | null
  /** For the first answer; every further try waits longer. */
  readonly timeout_ms: number
  readonly tries: number
}

export const layer = (options: DnsOptions = { servers: null, timeout_ms: 3000, tries: 2 }) =>
  Layer.sync(DnsResolver, () => {
    const resolver = new Resolver({ timeout: options.timeout_ms, tries: options.tries })
    if (options.servers !== null) resolver.setServers([...options.servers])
    const ask = <A>(name: string, question: () => Promise<ReadonlyArray<A>>) =>
      Effect.tryPromise({ try: question, catch: codeOf }).pipe(
        Effect.catch((code) =>
          nothing.has(code) ? Effect.succeed<ReadonlyArray<A>>([]) : Effect.fail(new DnsUnavailable({ name })),
        ),
      )
    return DnsResolver.of({
      txt: (name) =>
        Effect.map(
          ask(name, () => resolver.resolveTxt(name)),
          (records) => records.map((strings) => strings.join("")),
        ),
      cname: (name) =>
        Effect.map(
          ask(name, () => resolver.resolveCname(name)),
          (names) => names.map(plain),
        ),
      mx: (name) =>
        Effect.map(
          ask(name, () => resolver.resolveMx(name)),
          (records) => records.map((record) => plain(record.exchange)),
        ),
    })
  })
