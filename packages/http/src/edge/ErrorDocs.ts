// What each error code means and what to do about it: printed as docs/errors.md.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { table } from "./Errors.ts"

export const meanings: { readonly [Code in ErrorCode]: string } = {
  validation_failed:
    "Something in the path, query or body is not as described. `details.issues` lists all of it (1,000 at most), each with its path: mend those and send it again.",
  invalid_json: "The body is no JSON. Check quoting and commas.",
  invalid_id: "An id in the path is no UUID.",
  invalid_cursor: "The cursor is not one that this listing gave. Leave it out to begin at the start.",
  unauthorized: "The API key is missing, malformed, unknown, revoked or expired. Send `Authorization: Bearer <key>`.",
  not_found: "There is nothing of that id in the workspace of your key, or nothing at this address.",
  method_not_allowed: "The address exists, the method doesn't. `Allow` lists those that do.",
  request_timeout:
    "The request came in too slowly, and the connection ends. Send it again, in smaller parts if it is large.",
  conflict:
    "It collides with something that exists: another contact with that email or phone (`existing_contact`), another workspace with that slug.",
  invalid_state: "The resource is in a state that does not allow the move: `details.status` says which.",
  payload_too_large: "The body is larger than this call takes: `message` says how much that is. See limits.md.",
  unsupported_media_type: "The body's Content-Type is not one that this call takes.",
  headers_too_large: "The request's headers are larger than 16 KB.",
  rate_limited:
    "Too many requests with this key, or too many unknown keys from this address. Wait for `Retry-After` seconds.",
  internal_error: "Our mistake. It carries a request id: tell us, and try again.",
  unavailable:
    "The database, the file store or another part does not answer. Wait for `Retry-After` seconds and try again.",
  insufficient_credits: "The workspace has fewer credits (`limit`) than the work needs (`current`). Add some.",
  INVALID_PROMPT_INTENT: "The prompt does not ask for web content. Say what page you want.",
  INVALID_ITEM: "In a batch: this item is malformed. The others are not affected.",
  NOT_FOUND: "In a batch: this item names something that is not there.",
  INSUFFICIENT_CREDITS: "In a bulk job: no credit was left for this item.",
  invalid_email: "In a batch or an import: this is no email address.",
  invalid_phone: "In a batch or an import: this is no phone number. Write it with its country code.",
  unknown_custom_field: "A custom field of that name does not exist, or is archived.",
  invalid_custom_field_value: "The value is not of the custom field's type.",
  field_not_editable: "The custom field may be filled by imports and forms only.",
  field_definition_cap_exceeded: "A workspace has at most 200 active custom fields. Archive some first.",
  field_definition_collision:
    "A field of that `api_name` exists, archived ones included, or stands twice in the request. `conflicts` lists all.",
  contact_list_name_exists: "Another list has that name. Upper and lower case make no difference.",
  contact_list_in_use:
    "A scheduled or sending blast, an active flow or another list's rules use the list: `used_by` names them, `used_by_count` counts them.",
  list_not_static: "Members of a dynamic list follow from its rules and can't be added or removed.",
  system_list_protected: "System lists can be read and sent to, not changed.",
  upload_missing: "The file has not been uploaded yet: PUT it to `upload_url` first.",
  import_unreadable: "The file is empty, or no CSV at all.",
  hook_refused:
    "A provider's call whose signature, login, token or age is not right; `message` says which. See bounces.md.",
  link_refused: "The signed link has been changed or has expired. Ask for a new one.",
  email_not_ready: "The email lacks something that approving or testing it needs: `details.missing` lists it.",
  email_in_use:
    "A scheduled or sending blast or an active flow uses the email: `used_by` names them, `used_by_count` counts them.",
  template_not_ready:
    "The email or template, or what it is to be made from, has no completed version yet: wait for its generation, or set the content.",
  template_not_approved: "The template must be approved before it can be used.",
  approval_version_stale: "A newer version was completed meanwhile. Look at it, and approve that one.",
  generation_in_progress: "A generation is running. Wait for its end.",
  campaign_not_ready: "The blast lacks something: `approval_readiness.missing` lists it.",
  free_plan_email_limit: "The free plan's daily emails or contacts are used up (`limit`, `current`).",
  paid_plan_required: "The workspace's plan does not have this.",
  campaign_flow_not_ready:
    "The flow can't be activated yet: `details.missing` lists all that stands in the way, each with `code`, `path` and `message`.",
  template_api_tokens:
    "A `create_email` step names a template whose approved render has `{{api.*}}` tokens, which nobody fills in a flow. `details.missing` lists everything.",
  create_email_step_order:
    "A `send_email` step sends what no `create_email` step before it creates. `details.missing` lists everything.",
  campaign_flow_step_type_invalid: "Only `send_email` steps have an email.",
  campaign_flow_duplicate_step_id: "Another step of the flow has that `step_id`.",
  campaign_flow_step_referenced:
    "Other steps lead to the step: `details.issues` lists where. Change them, or send `repair_edges`.",
  campaign_flow_already_in_flow: "The contact is in the flow at the moment. Nobody is in a flow twice at once.",
  campaign_flow_reentry_denied: "The flow's reentry policy is `no_reentry`, and the contact has been in it.",
  campaign_flow_contact_disqualified: "The flow's disqualification rules pick the contact.",
  campaign_flow_manual_membership_disabled:
    "Contacts can't be added to this flow by hand. Set `manual_membership_enabled`, or use a trigger.",
  flow_api_trigger_not_configured: "The flow has no trigger of type `service_api`. Add one.",
  campaign_flow_trigger_unknown_token:
    "The flow's `service_api` trigger declares which tokens it takes, and this one is not among them.",
  campaign_flow_trigger_invalid_token_type:
    "A token's value is not of the declared type, or neither text, number nor boolean.",
  campaign_flow_trigger_payload_too_large: "The tokens have 64 KB of JSON or more.",
  tent_not_ready: "The page has not been generated yet.",
  asset_limit_exceeded: "The tent holds as many files as it may (`limit`, `current`). Delete one.",
  alias_taken: "Another page of the workspace has that alias.",
  publish_limit_exceeded: "The plan's published pages are used up (`limit`, `current`). Unpublish one.",
  idempotency_key_reused: "The idempotency key was used with another body.",
  idempotency_in_progress: "The first request with this idempotency key is still running.",
}

/** docs/errors.md, whole. */
export const errorsPage = (): string => {
  const rows = Object.entries(table).map(
    ([code, { status }]) => `| \`${code}\` | ${status} | ${meanings[code as ErrorCode]} |`,
  )
  return `# Errors

Every answer that is no success has one body:

\`\`\`json
{ "error": "Not Found", "error_code": "not_found", "code": "not_found",
  "message": "No such contact in this workspace",
  "details": { "request_id": "0d1e…", "issues": [{ "path": "items.3.email", "message": "…" }] } }
\`\`\`

\`error\` is a short title, \`message\` a sentence that tells what to do, \`code\` and \`error_code\` are the same word.
\`details.request_id\` is also the header \`X-Request-Id\`: name it when you ask for help.

This page is printed from the table in the code (\`npm run docs\`).

| Code | Status | What it means, and what to do |
| --- | --- | --- |
${rows.join("\n")}
`
}
