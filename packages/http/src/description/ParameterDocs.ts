// Descriptions of parameters by name. A description in the parameter's own schema takes precedence.
import { type Json, isObject, listIn, objectIn, withOperations } from "./Json.ts"

const descriptions: Readonly<Record<string, string>> = {
  n: "The number of a version",
  action: "Returns only entries of this action",
  actor: "Returns only entries of this actor: `admin`, `cli`, `worker`, `key:<prefix>` or `user:<user_id>`",
  asset_id: "Id of a file of the tent",
  blastId: "Id of the blast",
  blast_id: "Returns only messages of this blast",
  bulkJobId: "Id of the bulk job",
  by: "What the groups are: blasts, flows, or recipient domains. Default: `none`, no groups",
  category:
    "Recipients by state or outcome, such as `queued` or `opened`. `failed` includes `unconfirmed`, `queued` includes `deferred`. Default: `recipients`, the whole audience",
  contactId: "Id of the contact",
  contact_id: "Id of the contact",
  created_after: "Returns only messages that were created at this time or later",
  created_before: "Returns only messages that were created before this time",
  cursor: "`next_cursor` of the previous page. Default: the first page",
  deliveryId: "Id of the webhook delivery",
  domain: "Returns only recipients whose address has this domain; `unknown`: those without an address",
  domain_id: "Id of the sending domain",
  email_id: "Returns only messages of this email",
  email: "An email address, in any spelling",
  emailId: "Id of the email",
  endpointId: "Id of the webhook endpoint",
  event_type: "Returns only deliveries of this type",
  eventId: "Id of the event",
  exclude_unsubscribed: "Excludes unsubscribed contacts",
  exportId: "Id of the export",
  fieldDefinitionId: "Id of the custom field",
  flow_id: "Includes the tokens that the triggers of this flow bring",
  flowId: "Id of the flow",
  from: "The beginning: a day, or a timestamp with its offset from UTC. Default: 24 hours or 30 days before `to`",
  generationId: "Id of the generation",
  import_run_id: "Id of the import run",
  key_id: "Id of the API key",
  invitation_id: "Id of the invitation",
  interval: "The length of a point: `hour` or `day`, UTC. Default: `day`",
  job_id: "Id of the job",
  kind: "Returns only lists of this kind",
  limit: "Number of entries per page. Default: 25",
  link_index: "Returns only recipients that clicked this link, by its place in the email, from 0",
  listId: "Id of the contact list",
  message_id: "Id of the message",
  membershipId: "Id of the membership",
  messageId: "Id of the message",
  only_unsubscribed: "Returns only unsubscribed contacts",
  order: "Sort order: `asc` or `desc`",
  page: "Number of the page, from 1. Default: 1",
  page_domain_id: "Id of the page domain",
  passkey_id: "Id of the passkey",
  phone: "A phone number, in any spelling. Without a country code, it belongs to the workspace's default country",
  reason: "Returns only recipients that failed or were blocked for this reason",
  search: "Text that the entries contain. Case-insensitive, without wildcards",
  session_id: "Id of the import session",
  since: "Returns only entries of this time or later: a day, or a timestamp with its offset from UTC",
  sort: "Sort key. Entries without a value come last",
  sort_by: "Sort key",
  sort_order: "Sort order: `asc` or `desc`",
  status: "Returns only entries with this status; `any` returns all where it is allowed",
  stepId: "Id of the step in the flow",
  templateId: "Id of the template",
  tentId: "Id of the tent",
  to: "The end, exclusive. Default: now",
  tent_id: "Only this tent. Default: all tents",
  until: "Returns only entries of a time before: a day, or a timestamp with its offset from UTC",
  updated_after: "Returns only contacts that changed after this time",
  watch: "What to watch, by commas: `workspace`, or a kind and an id, such as `blast:<id>`",
  user_id: "Id of the user",
  version: "Number of the version. Default: the current version",
  workspace_id: "Id of the workspace",
}

const withDescription = (parameter: unknown): unknown => {
  if (!isObject(parameter)) return parameter
  const own = parameter["description"] ?? objectIn(parameter, "schema")["description"]
  const description = own ?? descriptions[String(parameter["name"])]
  return description === undefined ? parameter : { ...parameter, description }
}

export const withParameterDescriptions = (document: Json): Json =>
  withOperations(document, (operation) => ({
    ...operation,
    ...("parameters" in operation ? { parameters: listIn(operation, "parameters").map(withDescription) } : {}),
  }))
