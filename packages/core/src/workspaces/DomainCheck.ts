// The DNS check of a sending domain.
import { Effect, Result } from "effect"
import { DnsResolver, type DnsUnavailable } from "../ports/DnsResolver.ts"
import { Settings } from "../kernel/Settings.ts"
import { type DnsRecord, dnsRecords, isReservedName, namesOf, satisfies, type SendingDomain } from "./SendingDomain.ts"

export interface CheckedRecord extends DnsRecord {
  /** Whether the record was found in this check. False also if no name server answered. */
  readonly verified: boolean
  /** The records in DNS at this name. Null: no name server answered, or the name was not looked up because it is reserved. */
  readonly answers: ReadonlyArray<string> | null
}

export interface DomainFindings {
  /** Whether the DKIM record exists; a failure if no name server answered. */
  readonly proven: Result.Result<boolean, DnsUnavailable>
  readonly records: ReadonlyArray<CheckedRecord>
}

type Answered = Pick<CheckedRecord, "verified" | "answers">

const reserved: Answered = { verified: true, answers: null }
const silent: Answered = { verified: false, answers: null }

/** Builds the check. In development, domains with a reserved name pass without a query. */
export const domainCheck = Effect.gen(function* () {
  const { developmentDomains, mailHost } = yield* Settings
  const dns = yield* DnsResolver
  const queries = { TXT: dns.txt, MX: dns.mx, CNAME: dns.cname }

  const lookUp = Effect.fnUntraced(function* (record: DnsRecord): Effect.fn.Return<Answered, DnsUnavailable> {
    let answers: ReadonlyArray<string> = []
    for (const name of namesOf(record)) {
      const found = yield* queries[record.type](name)
      if (satisfies(record, found)) return { verified: true, answers: found }
      if (answers.length === 0) answers = found
    }
    return { verified: false, answers }
  })

  return Effect.fn("domainCheck")(function* (domain: SendingDomain) {
    const isReserved = developmentDomains && isReservedName(domain.domain)
    const checked = (record: DnsRecord) =>
      Effect.map(Effect.result(isReserved ? Effect.succeed(reserved) : lookUp(record)), (found) => ({ record, found }))
    const [dkim, ...others] = dnsRecords(domain, mailHost)
    const [proof, ...rest] = yield* Effect.all([checked(dkim), ...others.map(checked)], { concurrency: "unbounded" })
    const findings: DomainFindings = {
      proven: Result.map(proof.found, ({ verified }) => verified),
      records: [proof, ...rest].map(({ record, found }) => ({ ...record, ...Result.getOrElse(found, () => silent) })),
    }
    return findings
  })
})
