// The DNS check of a sending domain.
import { Effect, Result } from "effect"
import { DnsResolver, type DnsUnavailable } from "../ports/DnsResolver.ts"
import { Settings } from "../kernel/Settings.ts"
import { type DnsRecord, dnsRecords, isReservedName, namesOf, satisfies, type SendingDomain } from "./SendingDomain.ts"

export interface CheckedRecord extends DnsRecord {
  /** Whether the record was found in this check. False also if no name server answered. */
  readonly verified: boolean
}

export interface DomainFindings {
  /** Whether the DKIM record exists; a failure if no name server answered. */
  readonly proven: Result.Result<boolean, DnsUnavailable>
  readonly records: ReadonlyArray<CheckedRecord>
}

/** Builds the check. In development, domains with a reserved name pass without a query. */
export const domainCheck = Effect.gen(function* () {
  const { developmentDomains, mailHost } = yield* Settings
  const dns = yield* DnsResolver
  const queries = { TXT: dns.txt, MX: dns.mx, CNAME: dns.cname }

  const exists = Effect.fnUntraced(function* (record: DnsRecord) {
    for (const name of namesOf(record)) {
      if (satisfies(record, yield* queries[record.type](name))) return true
    }
    return false
  })

  return Effect.fn("domainCheck")(function* (domain: SendingDomain) {
    const isReserved = developmentDomains && isReservedName(domain.domain)
    const lookUp = (record: DnsRecord) =>
      Effect.map(Effect.result(isReserved ? Effect.succeed(true) : exists(record)), (found) => ({ record, found }))
    const [dkim, ...others] = dnsRecords(domain, mailHost)
    const [proof, ...rest] = yield* Effect.all([lookUp(dkim), ...others.map(lookUp)], { concurrency: "unbounded" })
    const findings: DomainFindings = {
      proven: proof.found,
      records: [proof, ...rest].map(({ record, found }) => ({
        ...record,
        verified: Result.getOrElse(found, () => false),
      })),
    }
    return findings
  })
})
