// Wire schemas of workspaces for the administration API and the command line.
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { FromName, SenderAddress } from "@tentpole/core/workspaces/Sender"
import { planNames, type Workspace, type WorkspaceFields } from "@tentpole/core/workspaces/Workspace"
import { Record, Schema, Struct } from "effect"
import { InstantWire, iso, namesSomething, oneOf, readOnlyKeys, Text } from "../Wire.ts"

/** Names of the core by names of the wire. */
const names = {
  name: "name",
  slug: "slug",
  plan: "plan",
  credits: "credits",
  time_zone: "timeZone",
  default_country: "defaultCountry",
  postal_address: "postalAddress",
} as const
const senderNames = { from_name: "fromName", from_address: "fromAddress", reply_to_email: "replyToEmail" } as const
const brandNames = {
  logo_url: "logoUrl",
  icon_url: "iconUrl",
  primary_color: "primaryColor",
  name: "name",
  domain: "domain",
  description: "description",
  guidelines: "guidelines",
} as const
const limitNames = { per_second: "sendingPerSecond", per_domain_per_second: "sendingPerDomainPerSecond" } as const

const said = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const brandFields = {
  logo_url: Schema.NullOr(Text(2000, 1)),
  icon_url: Schema.NullOr(Text(2000, 1)),
  primary_color: Schema.NullOr(Text(7, 7)).annotate({ examples: ["#1a73e8"] }),
  name: Schema.NullOr(Text(200, 1)),
  domain: Schema.NullOr(Text(253, 1)),
  description: Schema.NullOr(Text(2000, 1)),
  guidelines: Schema.NullOr(Text(10_000, 1)),
}

const senderFields = {
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
const limitFields = { per_second: perSecond, per_domain_per_second: perSecond }

export const WorkspaceWire = Schema.Struct({
  workspace_id: WorkspaceId,
  name: Schema.String,
  slug: Schema.String.annotate({ description: "Its pages are served at <slug>.<PAGES_HOST>" }),
  plan: oneOf(...planNames),
  credits: Schema.Int,
  time_zone: Schema.String.annotate({ examples: ["Europe/Zurich"] }),
  default_country: Schema.String.annotate({ examples: ["US"] }),
  postal_address: Schema.NullOr(Schema.String),
  sender_defaults: Schema.Struct(Record.map(senderNames, () => Schema.NullOr(Schema.String))),
  brand: Schema.Struct(Record.map(brandNames, () => Schema.NullOr(Schema.String))),
  sending_limits: Schema.Struct(Record.map(limitNames, () => Schema.NullOr(Schema.Int))),
  created_at: InstantWire,
  updated_at: InstantWire,
}).annotate({ identifier: "Workspace" })

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
  postal_address: said(Text(500)),
  sender_defaults: Schema.optionalKey(Schema.Struct(senderFields).mapFields(Struct.map(Schema.optionalKey))),
  brand: Schema.optionalKey(Schema.Struct(brandFields).mapFields(Struct.map(Schema.optionalKey))),
  sending_limits: Schema.optionalKey(Schema.Struct(limitFields).mapFields(Struct.map(Schema.optionalKey))),
}

const shownOnly = readOnlyKeys("workspace_id", "created_at", "updated_at")

export const CreateWorkspace = Schema.Struct({ name: Text(200, 1), ...settings, ...shownOnly }).annotate({
  identifier: "CreateWorkspace",
})

const editable = { name: Schema.optionalKey(Text(200, 1)), ...settings }

export const UpdateWorkspace = Schema.Struct({ ...editable, ...shownOnly })
  .check(namesSomething(editable))
  .annotate({ identifier: "UpdateWorkspace", description: "Omitted fields stay unchanged, null clears a value" })

export const toWorkspaceWire = (it: Workspace): typeof WorkspaceWire.Type => ({
  workspace_id: it.id,
  name: it.name,
  slug: it.slug,
  plan: it.plan,
  credits: it.credits,
  time_zone: it.timeZone,
  default_country: it.defaultCountry,
  postal_address: it.postalAddress,
  sender_defaults: {
    from_name: it.senderDefaults.fromName,
    from_address: it.senderDefaults.fromAddress,
    reply_to_email: it.senderDefaults.replyToEmail,
  },
  brand: {
    logo_url: it.brand.logoUrl,
    icon_url: it.brand.iconUrl,
    primary_color: it.brand.primaryColor,
    name: it.brand.name,
    domain: it.brand.domain,
    description: it.brand.description,
    guidelines: it.brand.guidelines,
  },
  sending_limits: { per_second: it.sendingPerSecond, per_domain_per_second: it.sendingPerDomainPerSecond },
  created_at: iso(it.createdAt),
  updated_at: iso(it.updatedAt),
})

/** The given fields under other names. The compiler can't follow keys through `Object.entries`. */
const renamed = <Given extends object, const Names extends Readonly<Record<string, string>>>(
  given: Given | undefined,
  to: Names,
) =>
  Object.fromEntries(
    Object.entries(given ?? {}).flatMap(([key, value]) => (to[key] === undefined ? [] : [[to[key], value]])),
  ) as { readonly [Name in keyof Names & keyof Given as Names[Name] & string]?: Exclude<Given[Name], undefined> }

export const toWorkspaceFields = (body: typeof UpdateWorkspace.Type): WorkspaceFields => ({
  ...renamed(body, names),
  ...(body.sender_defaults === undefined ? {} : { senderDefaults: renamed(body.sender_defaults, senderNames) }),
  ...(body.brand === undefined ? {} : { brand: renamed(body.brand, brandNames) }),
  ...renamed(body.sending_limits, limitNames),
})
