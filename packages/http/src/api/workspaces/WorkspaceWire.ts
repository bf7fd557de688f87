// Wire schemas of workspaces: as their owners and operators read them, the overview that each member reads, and search by name.
import { EmailId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { WorkspaceOverview } from "@tentpole/core/workspaces/WorkspaceOverviews"
import { searchedTypes } from "@tentpole/core/operations/search/Search"
import { type Authority, authorities } from "@tentpole/core/workspaces/Role"
import { FromName, SenderAddress } from "@tentpole/core/workspaces/Sender"
import {
  confirmation_days_max,
  confirmations_per_hour_max,
  marketingConsents,
  oneClickScopes,
  planNames,
  type Workspace,
} from "@tentpole/core/workspaces/Workspace"
import { Record, Schema, Struct } from "effect"
import { InstantWire, oneOf, Text, toSnakeCase } from "../../Wire.ts"

export const limitNames = {
  per_second: "sendingPerSecond",
  per_domain_per_second: "sendingPerDomainPerSecond",
} as const

export const brandFields = {
  logo_url: Schema.NullOr(Text(2000, 1)),
  icon_url: Schema.NullOr(Text(2000, 1)),
  primary_color: Schema.NullOr(Text(7, 7)).annotate({ examples: ["#1a73e8"] }),
  name: Schema.NullOr(Text(200, 1)),
  domain: Schema.NullOr(Text(253, 1)),
  description: Schema.NullOr(Text(2000, 1)),
  guidelines: Schema.NullOr(Text(10_000, 1)),
}

export const senderFields = {
  from_name: Schema.NullOr(FromName),
  from_address: Schema.NullOr(SenderAddress),
  reply_to_email: Schema.NullOr(SenderAddress),
}

const perSecond = Schema.NullOr(
  Schema.Int.check(
    Schema.isBetween(
      { minimum: 1, maximum: 1_000_000 },
      { message: "must be from 1 to 1000000, or null for no limit" },
    ),
  ),
)
export const limitFields = { per_second: perSecond, per_domain_per_second: perSecond }

const wholeUpTo = (maximum: number) => {
  const message = `must be a whole number from 1 to ${maximum}`
  return Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }, { message })).annotate({ message })
}

export const consentFields = {
  marketing_consent: oneOf(...marketingConsents).annotate({
    description:
      "`assumed`: marketing goes to contacts that have not objected. `required`: to those that agreed, to all marketing or to the topic",
  }),
  confirmation_days: wholeUpTo(confirmation_days_max).annotate({
    description: "How long a subscription request can be confirmed",
  }),
  confirmation_email_id: Schema.NullOr(EmailId).annotate({
    description:
      "The email that asks for the confirmation: approved, with `{{confirm_url}}`. null, or while it can't be sent: the built-in one",
  }),
  confirmations_per_hour: wholeUpTo(confirmations_per_hour_max).annotate({
    description: "Subscription requests in an hour that were not confirmed. More are refused",
  }),
  privacy_url: Schema.NullOr(Text(2000, 1)).annotate({
    description: "A link on pages and in confirmation mails. It begins with `https://`",
  }),
  one_click: oneOf(...oneClickScopes).annotate({
    description: "What the one click of mail programs ends: the topic of the message, or all marketing",
  }),
}

export const fourEyes = Schema.Boolean.annotate({
  description:
    "Whether another person than the last editor has to approve an email, and another one than the approver to send it",
})

export const WorkspaceWire = Schema.Struct({
  workspace_id: WorkspaceId,
  name: Schema.String,
  slug: Schema.String.annotate({ description: "Its pages are served at <slug>.<PAGES_HOST>" }),
  plan: oneOf(...planNames),
  credits: Schema.Int,
  time_zone: Schema.String.annotate({ examples: ["Europe/Zurich"] }),
  default_country: Schema.String.annotate({ examples: ["US"] }),
  postal_address: Schema.NullOr(Schema.String),
  sender_defaults: Schema.Struct(Record.map(senderFields, () => Schema.NullOr(Schema.String))),
  brand: Schema.Struct(Record.map(brandFields, () => Schema.NullOr(Schema.String))),
  sending_limits: Schema.Struct(Record.map(limitFields, () => Schema.NullOr(Schema.Int))),
  four_eyes: fourEyes,
  consent: Schema.Struct({ ...consentFields, privacy_url: Schema.NullOr(Schema.String) }),
  created_at: InstantWire,
  updated_at: InstantWire,
}).annotate({ identifier: "Workspace" })

export const toWorkspaceWire = (workspace: Workspace): typeof WorkspaceWire.Type => {
  const { id, senderDefaults, brand, consent, sendingPerSecond, sendingPerDomainPerSecond, ...fields } = workspace
  return {
    workspace_id: id,
    ...toSnakeCase(fields),
    sender_defaults: toSnakeCase(senderDefaults),
    brand: toSnakeCase(brand),
    consent: toSnakeCase(consent),
    sending_limits: { per_second: sendingPerSecond, per_domain_per_second: sendingPerDomainPerSecond },
  }
}

const Limits = Schema.Struct({
  published_tents_max: Schema.NullOr(Schema.Int),
  emails_per_day_max: Schema.NullOr(Schema.Int),
  contacts_max: Schema.NullOr(Schema.Int),
  recipients_per_blast_max: Schema.NullOr(Schema.Int),
  flows: Schema.Boolean.annotate({ description: "Whether flows can be activated" }),
  branding_removable: Schema.Boolean.annotate({ description: "Whether pages can be published without the branding" }),
}).annotate({ identifier: "PlanLimits", description: "null: no limit" })

export const WorkspaceOverviewWire = Schema.Struct({
  ...Struct.omit(WorkspaceWire.fields, ["created_at", "updated_at"]),
  limits: Limits,
  sending: oneOf("on", "held").annotate({ description: "`held`: no mail leaves and no schedule fires" }),
  mail: oneOf("smtp", "files").annotate({
    description: "`files`: no mail server is set. Messages are written to files, and no contact receives any",
  }),
  ai: Schema.String.annotate({
    description: "What generates texts: the AI provider, or `sample` for sample text",
    examples: ["sample"],
  }),
  domains: Schema.Array(Schema.Struct({ domain: Schema.String, status: oneOf("pending", "verified", "failed") })),
  page_domain: Schema.NullOr(Schema.String).annotate({
    description: "The workspace's first own domain for pages; null: it has none",
  }),
  role: oneOf(...authorities).annotate({ description: "The role of the caller" }),
}).annotate({ identifier: "WorkspaceOverview" })

export const SearchResultsWire = Schema.Struct({
  results: Schema.Array(
    Schema.Struct({
      type: oneOf(...searchedTypes),
      id: Schema.String.annotate({ examples: ["0190a0de-0000-7000-8000-000000000001"] }),
      name: Schema.String.annotate({
        description: "Of a contact its display name, else its first and last name, else its address or phone number",
        examples: ["Ann Lee"],
      }),
      detail: Schema.NullOr(Schema.String).annotate({
        description: "The status; of a list its kind; of a contact its email address, else its phone number",
        examples: ["ann@example.org"],
      }),
    }),
  ),
}).annotate({ identifier: "SearchResults" })

export const toOverviewWire =
  (role: Authority) =>
  ({
    ai,
    domains,
    mail,
    pageDomain,
    plan,
    sending,
    workspace,
  }: WorkspaceOverview): typeof WorkspaceOverviewWire.Type => {
    const { plan: name, ...limits } = plan
    return {
      ...Struct.omit(toWorkspaceWire(workspace), ["created_at", "updated_at"]),
      plan: name,
      limits: toSnakeCase(limits),
      sending,
      mail,
      ai,
      domains: domains.map(Struct.pick(["domain", "status"])),
      page_domain: pageDomain,
      role,
    }
  }
