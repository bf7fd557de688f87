// Wire schemas of workspaces for the administration API and the command line.
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { FromName, SenderAddress } from "@tentpole/core/workspaces/Sender"
import { planNames, type Workspace, type WorkspaceFields } from "@tentpole/core/workspaces/Workspace"
import { renamed } from "@tentpole/core/kernel/Keys"
import { Record, Schema, Struct } from "effect"
import { InstantWire, namesSomething, oneOf, readOnlyKeys, Text, toCamelCase, toSnakeCase } from "../Wire.ts"

const limitNames = { per_second: "sendingPerSecond", per_domain_per_second: "sendingPerDomainPerSecond" } as const

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
  sender_defaults: Schema.Struct(Record.map(senderFields, () => Schema.NullOr(Schema.String))),
  brand: Schema.Struct(Record.map(brandFields, () => Schema.NullOr(Schema.String))),
  sending_limits: Schema.Struct(Record.map(limitFields, () => Schema.NullOr(Schema.Int))),
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
  postal_address: Schema.optionalKey(Schema.NullOr(Text(500))),
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

export const toWorkspaceWire = (workspace: Workspace): typeof WorkspaceWire.Type => {
  const { id, senderDefaults, brand, sendingPerSecond, sendingPerDomainPerSecond, ...fields } = workspace
  return {
    workspace_id: id,
    ...toSnakeCase(fields),
    sender_defaults: toSnakeCase(senderDefaults),
    brand: toSnakeCase(brand),
    sending_limits: { per_second: sendingPerSecond, per_domain_per_second: sendingPerDomainPerSecond },
  }
}

export const toWorkspaceFields = (body: typeof UpdateWorkspace.Type): WorkspaceFields => {
  const { sender_defaults, brand, sending_limits = {}, ...fields } = body
  return {
    ...toCamelCase(fields),
    ...(sender_defaults === undefined ? {} : { senderDefaults: toCamelCase(sender_defaults) }),
    ...(brand === undefined ? {} : { brand: toCamelCase(brand) }),
    ...renamed(sending_limits, limitNames),
  }
}
