// Wire schemas of the administration API: keys, domains, suppressions and audit log entries. The command line uses them, too.
import type { Listed } from "@tentpole/core/operations/administration/Administration"
import type { Suppression } from "@tentpole/core/operations/administration/AdministrationStore"
import type { AuditEntry } from "@tentpole/core/kernel/changes/AuditLog"
import type { PageDomain } from "@tentpole/core/workspaces/PageDomain"
import { ApiKeyId, AuditEntryId, DomainId, PageDomainId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type ApiKey, key_name_length_max } from "@tentpole/core/workspaces/ApiKey"
import type { SendingDomain } from "@tentpole/core/workspaces/SendingDomain"
import type { CheckedDomain, NewApiKey } from "@tentpole/core/workspaces/Workspaces"
import { Schema, Struct } from "effect"
import { InstantWire, named, OffsetInstant, oneOf, Text, toSnakeCase } from "../Wire.ts"

/** A listing by cursor: `listing({ keys: Schema.Array(KeyWire) })`. */
export const listing = <Fields extends Schema.Struct.Fields>(items: Fields) =>
  Schema.Struct({ ...items, next_cursor: Schema.NullOr(Schema.String) })

/** The answer of a listing: `toListing("keys", toKeyWire)`. */
export const toListing =
  <const Key extends string, A, Wire>(key: Key, toWire: (item: A) => Wire) =>
  ({ items, next }: Listed<A>) => ({ ...named(key, items.map(toWire)), next_cursor: next })

const keyFields = {
  key_id: ApiKeyId,
  name: Schema.String,
  prefix: Schema.String.annotate({ description: "The first 12 characters" }),
  expires_at: Schema.NullOr(InstantWire),
  revoked_at: Schema.NullOr(InstantWire),
  last_used_at: Schema.NullOr(InstantWire).annotate({ description: "Accurate to a minute" }),
  created_at: InstantWire,
}
export const KeyWire = Schema.Struct(keyFields).annotate({ identifier: "ApiKey" })
export const NewKeyWire = Schema.Struct({
  ...keyFields,
  api_key: Schema.String.annotate({ description: "The key itself, returned only once" }),
}).annotate({ identifier: "NewApiKey" })

export const CreateKey = Schema.Struct({
  name: Text(key_name_length_max, 1),
  expires_at: Schema.optionalKey(Schema.NullOr(OffsetInstant)),
}).annotate({ identifier: "CreateApiKey" })

export const toKeyWire = ({ id, ...key }: ApiKey): typeof KeyWire.Type => ({
  key_id: id,
  ...toSnakeCase(Struct.pick(key, ["name", "prefix", "expiresAt", "revokedAt", "lastUsedAt", "createdAt"])),
})
export const toNewKeyWire = ({ key, raw }: NewApiKey): typeof NewKeyWire.Type => ({ ...toKeyWire(key), api_key: raw })

const domainFields = {
  domain_id: DomainId,
  domain: Schema.String,
  status: oneOf("pending", "verified", "failed"),
  dkim_selector: Schema.String,
  verified_at: Schema.NullOr(InstantWire),
  created_at: InstantWire,
}
/** A domain in listings, which do not query DNS. */
export const DomainWire = Schema.Struct(domainFields).annotate({ identifier: "SendingDomain" })
export const CheckedDomainWire = Schema.Struct({
  ...domainFields,
  dns_records: Schema.Array(
    Schema.Struct({
      purpose: oneOf("dkim", "spf", "return_path", "dmarc"),
      type: oneOf("TXT", "CNAME", "MX"),
      name: Schema.String,
      value: Schema.String,
      verified: Schema.Boolean.annotate({ description: "Found by the last check" }),
    }),
  ),
}).annotate({ identifier: "CheckedSendingDomain" })

export const NamedDomain = Schema.Struct({ domain: Text(253, 1) }).annotate({ identifier: "NamedDomain" })

export const toDomainWire = ({ id, ...domain }: SendingDomain): typeof DomainWire.Type => ({
  domain_id: id,
  ...toSnakeCase(Struct.pick(domain, ["domain", "status", "dkimSelector", "verifiedAt", "createdAt"])),
})
export const toCheckedDomainWire = ({ domain, records }: CheckedDomain): typeof CheckedDomainWire.Type => ({
  ...toDomainWire(domain),
  dns_records: records,
})

export const PageDomainWire = Schema.Struct({
  page_domain_id: PageDomainId,
  domain: Schema.String,
  created_at: InstantWire,
}).annotate({ identifier: "PageDomain" })
export const toPageDomainWire = ({ id, ...domain }: PageDomain): typeof PageDomainWire.Type => ({
  page_domain_id: id,
  ...toSnakeCase(domain),
})

const reason = oneOf("bounce", "complaint", "unsubscribe", "manual")
export const SuppressionWire = Schema.Struct({ email: Schema.String, reason, created_at: InstantWire }).annotate({
  identifier: "Suppression",
})
export const Suppress = Schema.Struct({
  email: Text(1000, 1),
  reason: Schema.optionalKey(reason).annotate({ description: "Default: `manual`" }),
}).annotate({ identifier: "Suppress" })
export const toSuppressionWire = (suppression: Suppression): typeof SuppressionWire.Type => toSnakeCase(suppression)

export const AuditEntryWire = Schema.Struct({
  entry_id: AuditEntryId,
  at: InstantWire,
  actor: Schema.String.annotate({ description: "`admin`, `cli`, `worker` or `key:<prefix>`" }),
  workspace_id: WorkspaceId,
  action: Schema.String.annotate({ examples: ["key.created"] }),
  target: Schema.String.annotate({ description: "Id or name of the changed resource" }),
  details: Schema.Record(Schema.String, Schema.Unknown),
}).annotate({ identifier: "AuditEntry" })
export const toAuditEntryWire = ({ id, ...entry }: AuditEntry): typeof AuditEntryWire.Type => ({
  entry_id: id,
  ...toSnakeCase(entry),
})
