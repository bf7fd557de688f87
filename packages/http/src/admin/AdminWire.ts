// Wire schemas of the administration API: workspaces, keys, domains, suppressions, audit log entries and exports of contacts. The
// command line uses them, too.
import { OffsetInstant } from "@tentpole/core/contacts/values/OffsetInstant"
import {
  ApiKeyId,
  AuditEntryId,
  ContactId,
  DomainId,
  PageDomainId,
  SignInLinkId,
  UserId,
  WorkspaceId,
} from "@tentpole/core/kernel/Ids"
import { renamed } from "@tentpole/core/kernel/Keys"
import type { MemberRow } from "@tentpole/core/accounts/AccountStore"
import { type Invitation, linkUrl } from "@tentpole/core/accounts/SignInLink"
import type { NamedAuditEntry } from "@tentpole/core/kernel/changes/AuditLog"
import type { StoredRow } from "@tentpole/core/operations/privacy/PrivacyStore"
import { type ApiKey, key_name_length_max } from "@tentpole/core/workspaces/ApiKey"
import type { PageDomain } from "@tentpole/core/workspaces/PageDomain"
import { roles } from "@tentpole/core/workspaces/Role"
import type { SendingDomain } from "@tentpole/core/workspaces/SendingDomain"
import { planNames, type WorkspaceFields } from "@tentpole/core/workspaces/Workspace"
import type { CheckedDomain, NewApiKey } from "@tentpole/core/workspaces/Workspaces"
import { type DateTime, Schema, Struct } from "effect"
import {
  brandFields,
  consentFields,
  fourEyes,
  limitFields,
  limitNames,
  senderFields,
} from "../api/workspaces/WorkspaceWire.ts"
import { InstantWire, iso, namesSomething, oneOf, readOnlyKeys, Text, toCamelCase, toSnakeCase } from "../Wire.ts"

const keyFields = {
  key_id: ApiKeyId,
  name: Schema.String,
  prefix: Schema.String.annotate({ description: "The first 12 characters" }),
  role: oneOf(...roles),
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
  role: Schema.optionalKey(oneOf(...roles)).annotate({
    description: "What the key can do. Default: `owner`, everything",
  }),
  expires_at: Schema.optionalKey(Schema.NullOr(OffsetInstant)),
}).annotate({ identifier: "CreateApiKey" })

export const toKeyWire = ({ id, ...key }: ApiKey): typeof KeyWire.Type => ({
  key_id: id,
  ...toSnakeCase(Struct.pick(key, ["name", "prefix", "role", "expiresAt", "revokedAt", "lastUsedAt", "createdAt"])),
})
export const toNewKeyWire = ({ key, raw }: NewApiKey): typeof NewKeyWire.Type => ({ ...toKeyWire(key), api_key: raw })

const role = oneOf(...roles)

export const MemberWire = Schema.Struct({
  user_id: UserId,
  name: Schema.String,
  email: Schema.String,
  role,
  created_at: InstantWire.annotate({ description: "When the user became a member" }),
  seen_at: Schema.NullOr(InstantWire).annotate({ description: "The last request of the user; null: no session" }),
}).annotate({ identifier: "Member" })

export const UpdateMember = Schema.Struct({ role }).annotate({ identifier: "UpdateMember" })

export const toMemberWire = ({ id, ...member }: MemberRow): typeof MemberWire.Type => ({
  user_id: id,
  ...toSnakeCase(member),
})

const invitationFields = {
  invitation_id: SignInLinkId,
  email: Schema.String,
  role,
  created_at: InstantWire,
  expires_at: InstantWire,
}
export const InvitationWire = Schema.Struct(invitationFields).annotate({ identifier: "Invitation" })
export const NewInvitationWire = Schema.Struct({
  ...invitationFields,
  url: Schema.String.annotate({
    description: "The link for the person, returned only once. It works once",
    examples: ["https://console.example.org/#link=AbC…"],
  }),
}).annotate({ identifier: "NewInvitation" })

export const Invite = Schema.Struct({ email: Text(320, 1), role }).annotate({ identifier: "Invite" })

export const toInvitationWire = ({
  createdAt,
  email,
  expiresAt,
  id,
  role: its,
}: Invitation): typeof InvitationWire.Type => ({
  invitation_id: id,
  email,
  role: its,
  created_at: iso(createdAt),
  expires_at: iso(expiresAt),
})
export const toNewInvitationWire =
  (consoleUrl: string) =>
  ({
    invitation,
    token,
  }: {
    readonly invitation: Invitation
    readonly token: string
  }): typeof NewInvitationWire.Type => ({
    ...toInvitationWire(invitation),
    url: linkUrl(consoleUrl, token),
  })

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
      answers: Schema.NullOr(Schema.Array(Schema.String)).annotate({
        description:
          "The records that DNS has at this name. null: no name server answered, or the name is reserved and was not looked up",
      }),
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

export const AuditEntryWire = Schema.Struct({
  entry_id: AuditEntryId,
  at: InstantWire,
  actor: Schema.String.annotate({ description: "`admin`, `cli`, `worker`, `key:<prefix>` or `user:<user_id>`" }),
  actor_name: Schema.NullOr(Schema.String).annotate({
    description: "The name of the user or the API key; null for other actors",
  }),
  workspace_id: Schema.NullOr(WorkspaceId).annotate({
    description: "null for entries of the installation, such as sign-ins",
  }),
  action: Schema.String.annotate({ examples: ["key.created"] }),
  target: Schema.String.annotate({ description: "Id or name of the changed resource" }),
  target_name: Schema.NullOr(Schema.String).annotate({
    description:
      "The name that the user, key, workspace, blast, email, flow or tent has now; null for other and deleted resources",
  }),
  details: Schema.Record(Schema.String, Schema.Unknown),
}).annotate({ identifier: "AuditEntry" })
export const toAuditEntryWire = ({ id, ...entry }: NamedAuditEntry): typeof AuditEntryWire.Type => ({
  entry_id: id,
  ...toSnakeCase(entry),
})

/** Settings that the operator of the installation decides, not the workspace. */
export const isOfOperators = (field: string): boolean => ["plan", "credits", "sending_limits"].includes(field)

const settings = {
  slug: Schema.optionalKey(Text(63, 1)).annotate({ description: "Default: derived from the name" }),
  plan: Schema.optionalKey(oneOf(...planNames)),
  credits: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween({ minimum: 0, maximum: 2_000_000_000 }, { message: "must be from 0 to 2000000000" }),
    ),
  ),
  time_zone: Schema.optionalKey(Text(100, 1)),
  default_country: Schema.optionalKey(Text(2, 2)),
  postal_address: Schema.optionalKey(Schema.NullOr(Text(500))),
  sender_defaults: Schema.optionalKey(Schema.Struct(senderFields).mapFields(Struct.map(Schema.optionalKey))),
  brand: Schema.optionalKey(Schema.Struct(brandFields).mapFields(Struct.map(Schema.optionalKey))),
  sending_limits: Schema.optionalKey(Schema.Struct(limitFields).mapFields(Struct.map(Schema.optionalKey))),
  four_eyes: Schema.optionalKey(fourEyes),
  consent: Schema.optionalKey(Schema.Struct(consentFields).mapFields(Struct.map(Schema.optionalKey))),
}

const shownOnly = readOnlyKeys("workspace_id", "created_at", "updated_at")

export const CreateWorkspace = Schema.Struct({ name: Text(200, 1), ...settings, ...shownOnly }).annotate({
  identifier: "CreateWorkspace",
})

const editable = { name: Schema.optionalKey(Text(200, 1)), ...settings }

export const UpdateWorkspace = Schema.Struct({ ...editable, ...shownOnly })
  .check(namesSomething(editable))
  .annotate({ identifier: "UpdateWorkspace", description: "Omitted fields stay unchanged, null clears a value" })

/** `confirmation_days` has its name in the core, too: it has a unit. */
const toConsentFields = ({ confirmation_days, ...fields }: NonNullable<(typeof UpdateWorkspace.Type)["consent"]>) => ({
  ...toCamelCase(fields),
  ...(confirmation_days === undefined ? {} : { confirmation_days }),
})

export const toWorkspaceFields = (body: typeof UpdateWorkspace.Type): WorkspaceFields => {
  const { sender_defaults, brand, consent, sending_limits = {}, ...fields } = body
  return {
    ...toCamelCase(fields),
    ...(sender_defaults === undefined ? {} : { senderDefaults: toCamelCase(sender_defaults) }),
    ...(brand === undefined ? {} : { brand: toCamelCase(brand) }),
    ...(consent === undefined ? {} : { consent: toConsentFields(consent) }),
    ...renamed(sending_limits, limitNames),
  }
}

export const ContactExportWire = Schema.Struct({
  contact_id: ContactId,
  exported_at: InstantWire,
  records: Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Schema.Unknown))).annotate({
    description: "The rows by table: `contact`, `list_member`, `activity`, `delivery`, `form_submission` and so on",
  }),
}).annotate({ identifier: "ContactExport" })

export const toContactExportWire = (
  id: ContactId,
  rows: ReadonlyArray<StoredRow>,
  at: DateTime.Utc,
): typeof ContactExportWire.Type => {
  const records: Record<string, Array<StoredRow["row"]>> = {}
  for (const { row, table } of rows) (records[table] ??= []).push(row)
  return { contact_id: id, exported_at: iso(at), records }
}
