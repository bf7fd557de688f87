// Sending domains: their DKIM keys, the DNS records that verify them, and the judgement of what DNS answers.
import { type DateTime, Result, Schema } from "effect"
import { getDomain } from "tldts"
import { DomainId } from "../kernel/Ids.ts"
import { Invalid, refusalClass } from "../kernel/Refusal.ts"
import { checkDomain } from "../kernel/values/DomainName.ts"

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

export class SendingDomainExists extends refusalClass<SendingDomainExists>()("SendingDomainExists", {
  code: "domain_exists",
  fields: { domain: Schema.String, id: DomainId },
  message: ({ domain }) => `${domain} is a sending domain of this workspace already. Use that one, or remove it first`,
  details: ({ id }) => ({ existing_id: id }),
}) {}

export interface DnsRecord {
  readonly purpose: "dkim" | "spf" | "return_path" | "dmarc"
  readonly type: "TXT" | "CNAME" | "MX"
  readonly name: string
  readonly value: string
}

/** The domain of return paths: a name under the sending domain, so that SPF is aligned with From. */
export const returnPathDomain = (domain: string): string => `bounce.${domain}`

/**
 * A path has at most 256 octets, brackets included (RFC 5321 §4.5.3.1.3). In a return path, `<b+…@bounce.example.com>`,
 * everything except the domain takes 72.
 */
const domain_length_max = 184

export const checkSendingDomain = (path: string, text: string): Result.Result<string, Invalid> =>
  Result.flatMap(checkDomain(path, text), (domain) =>
    domain.length <= domain_length_max
      ? Result.succeed(domain)
      : Result.fail(
          Invalid.at(path, `must have at most ${domain_length_max} characters in DNS, to fit into a return path`),
        ),
  )

/** A selector for each key, so that another installation or a new key does not replace an existing record. */
export const selectorOf = (id: DomainId): string => `tentpole-${id.slice(-8)}`

/**
 * The records that the domain needs in DNS. The first one, DKIM, decides whether the domain is verified. `mailHost` is the
 * host of this service that receives bounces.
 */
export const dnsRecords = (
  { dkimPublicKey, dkimSelector, domain }: SendingDomain,
  mailHost: string,
): readonly [dkim: DnsRecord, ...others: ReadonlyArray<DnsRecord>] => [
  {
    purpose: "dkim",
    type: "TXT",
    name: `${dkimSelector}._domainkey.${domain}`,
    value: `v=DKIM1; k=rsa; p=${dkimPublicKey}`,
  },
  { purpose: "spf", type: "TXT", name: returnPathDomain(domain), value: `v=spf1 a:${mailHost} ~all` },
  { purpose: "return_path", type: "MX", name: returnPathDomain(domain), value: mailHost },
  { purpose: "dmarc", type: "TXT", name: `_dmarc.${domain}`, value: "v=DMARC1; p=none" },
]

/**
 * The names to query for a record, each if the one before has no record. Only DMARC has several: the organisational domain
 * (RFC 7489 §6.6.3) and the names below it (RFC 9989 §4.10).
 */
export const namesOf = ({ name, purpose }: DnsRecord): ReadonlyArray<string> => {
  const organisation = purpose === "dmarc" ? getDomain(name) : null
  const names = [name]
  if (organisation === null) return names
  const labels = name.replace(/^_dmarc\./, "").split(".")
  const above_max = labels.length - organisation.split(".").length
  for (let above = 1; above <= above_max; above++) names.push(`_dmarc.${labels.slice(above).join(".")}`)
  return names
}

/** Whether the answers of DNS meet the requirement of the record. */
export const satisfies = (record: DnsRecord, answers: ReadonlyArray<string>): boolean => {
  switch (record.purpose) {
    case "dkim":
      return isKey(record, answers)
    case "spf":
      return permitsSender(answers)
    case "dmarc":
      return isPolicy(answers)
    case "return_path":
      return answers.includes(record.value)
  }
}

/** Exactly one key record (several are unreliable, RFC 6376 §3.6.2.2), with our key and for all services and hashes. */
const isKey = (record: DnsRecord, answers: ReadonlyArray<string>): boolean => {
  const [key, ...others] = answers.map(tagsOf).filter((tags) => tags.has("p"))
  if (key === undefined || others.length > 0) return false
  const allows = (tag: string, ...any: ReadonlyArray<string>) =>
    key
      .get(tag)
      ?.split(":")
      .some((each) => any.includes(each)) ?? true
  return (
    allows("v", "DKIM1") &&
    allows("k", "rsa") &&
    allows("h", "sha256") &&
    allows("s", "*", "email") &&
    key.get("p") === tagsOf(record.value).get("p")
  )
}

/** Exactly one SPF record (RFC 7208 §4.5) that permits at least one sender. Only the operator knows which servers send. */
const permitsSender = (answers: ReadonlyArray<string>): boolean => {
  const [record, ...others] = answers.filter((answer) => /^v=spf1( |$)/i.test(answer))
  if (record === undefined || others.length > 0) return false
  return record.split(/ +/).some((term) => /^(\+?(a|mx|ip4|ip6|include|exists)([:/]|$)|redirect=)/i.test(term))
}

/** Exactly one DMARC record (RFC 7489 §6.6.3), whose second tag is the policy (§6.4). */
const isPolicy = (answers: ReadonlyArray<string>): boolean => {
  const [record, ...others] = answers.filter((answer) => /^v\s*=\s*DMARC1\s*(;|$)/.test(answer))
  if (record === undefined || others.length > 0) return false
  return /^(none|quarantine|reject)$/i.test(tagsOf(record).get("p") ?? "")
}

/** The tags of a record, `name=value` between semicolons; white space within a value does not count. */
const tagsOf = (record: string): ReadonlyMap<string, string> =>
  new Map(
    record.split(";").flatMap((part) => {
      const at = part.indexOf("=")
      return at < 0 ? [] : [[part.slice(0, at).trim(), part.slice(at + 1).replace(/\s+/g, "")] as const]
    }),
  )

/** The domain after a check. `verifiedAt` is the time of the first of the uninterrupted successful checks. */
export const withCheckResult = (domain: SendingDomain, proven: boolean, now: DateTime.Utc): SendingDomain => ({
  ...domain,
  status: proven ? "verified" : "failed",
  verifiedAt: proven ? (domain.verifiedAt ?? now) : null,
})

/** Names without public DNS (RFC 6761). In development they need no records. */
export const isReservedName = (domain: string): boolean => /(^|\.)(test|localhost)$/.test(domain)
