// Looks up the DNS records of a sending domain.
import { Effect, Result } from "effect"
import { DnsResolver, type DnsUnavailable } from "../ports/DnsResolver.ts"
import { Settings } from "../kernel/Settings.ts"
import { type DnsRecord, dnsRecords, isReservedName, namesOf, satisfies, type SendingDomain } from "./SendingDomain.ts"

export interface CheckedRecord extends DnsRecord {
  /** It was found just now. False also when no name server answered. */
  readonly verified: boolean
}

export interface DomainFindings {
  /** Whether the DKIM record is there; a failure when nobody can say. */
  readonly proven: Result.Result<boolean, DnsUnavailable>
  readonly records: ReadonlyArray<CheckedRecord>
}

/** Makes the check. In development the domains that no public DNS has show whatever they have to. */
export const domainCheck = Effect.gen(function* () {
  const { developmentDomains, mailHost } = yield* Settings
  const dns = yield* DnsResolver
  const ask = { TXT: dns.txt, MX: dns.mx, CNAME: dns.cname }

  const isThere = Effect.fnUntraced(function* (record: DnsRecord) {
    for (const name of namesOf(record)) {
      if (satisfies(record, yield* ask[record.type](name))) return true
    }
    return false
  })

  return Effect.fn("domainCheck")(function* (domain: SendingDomain) {
    const given = developmentDomains && isReservedName(domain.domain)
    const lookUp = (record: DnsRecord) =>
      Effect.map(Effect.result(given ? Effect.succeed(true) : isThere(record)), (found) => ({ record, found }))
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
