// A domain that mail may come from: it has a DKIM key pair of ours, shows the DNS records that prove it, and is verified by
// looking them up.
import type { DateTime } from "effect"
import type { DomainId } from "../Ids.ts"

export type DomainStatus = "pending" | "verified" | "failed"

export interface SendingDomain {
  readonly id: DomainId
  /** A-label, lower case. */
  readonly domain: string
  readonly status: DomainStatus
  readonly dkimSelector: string
  /** base64 of the DER, as the record's `p=` has it. */
  readonly dkimPublicKey: string
  /** PEM, sealed. */
  readonly dkimPrivateKeySealed: Uint8Array
  readonly verifiedAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
}

export interface DnsRecord {
  readonly purpose: "dkim" | "spf" | "return_path" | "dmarc"
  readonly type: "TXT" | "CNAME" | "MX"
  readonly name: string
  readonly value: string
}

/** Where bounces come back to: a name under the sending domain, so that SPF is aligned with From. */
export const returnPathDomain = (domain: string): string => `bounce.${domain}`

/** The records to put into DNS. `mailHost` is where this service receives bounces. */
export const dnsRecords = (domain: SendingDomain, mailHost: string): ReadonlyArray<DnsRecord> => [
  {
    purpose: "dkim",
    type: "TXT",
    name: `${domain.dkimSelector}._domainkey.${domain.domain}`,
    value: `v=DKIM1; k=rsa; p=${domain.dkimPublicKey}`,
  },
  { purpose: "spf", type: "TXT", name: returnPathDomain(domain.domain), value: `v=spf1 a:${mailHost} ~all` },
  { purpose: "return_path", type: "MX", name: returnPathDomain(domain.domain), value: mailHost },
  { purpose: "dmarc", type: "TXT", name: `_dmarc.${domain.domain}`, value: "v=DMARC1; p=none" },
]

const tags = (record: string): ReadonlyMap<string, string> =>
  new Map(
    record.split(";").flatMap((part) => {
      const at = part.indexOf("=")
      return at < 0 ? [] : [[part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).replace(/\s+/g, "")] as const]
    }),
  )

/** Whether what DNS answered for a record's name is what the record asks for. DKIM decides; the others are advice. */
export const satisfies = (record: DnsRecord, answers: ReadonlyArray<string>): boolean => {
  switch (record.purpose) {
    case "dkim": {
      const wanted = tags(record.value).get("p")
      return answers.some((answer) => tags(answer).get("p") === wanted)
    }
    case "spf":
      return answers.some((answer) => /^v=spf1(\s|$)/i.test(answer))
    case "dmarc":
      return answers.some((answer) => /^v=DMARC1\s*;/i.test(answer))
    case "return_path":
      return answers.includes(record.value)
  }
}

/** Names that no public DNS has (RFC 6761): in development these need no records. */
export const isReservedName = (domain: string): boolean => /(^|\.)(test|localhost)$/.test(domain)
