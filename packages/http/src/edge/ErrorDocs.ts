// The error codes by HTTP status, each with its meaning and remedy, and the page docs/errors.md that lists them.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"

export const codes = {
  400: {
    validation_failed:
      "The path, the query or the body is not valid. `details.issues` lists all problems (at most 1,000), each with its path. Correct them and send the request again.",
    invalid_json: "The body is not valid JSON. `details.line` and `details.column` are where it stops being JSON.",
    invalid_id: "An id in the path is not a UUID.",
    invalid_cursor: "The cursor does not belong to this listing. Omit it to start at the first page.",
    INVALID_PROMPT_INTENT: "The prompt does not ask for web content. Describe the page that you want.",
    INVALID_ITEM: "In a batch: the item is not valid. Other items are not affected.",
    invalid_email: "In a batch or an import: the value is not an email address.",
    invalid_phone: "In a batch or an import: the value is not a phone number. Include the country code.",
    unknown_custom_field: "The custom field does not exist or is archived.",
    invalid_custom_field_value: "The value does not match the type of the custom field.",
    field_not_editable: "Only imports and forms can set this custom field.",
    passkey_refused:
      "The browser's answer is not valid, or not to the last options of this browser. Get new options, and create the passkey again.",
    list_not_static: "The rules of a dynamic list determine its members. They can't be added or removed.",
    import_unreadable: "The file is empty or not CSV.",
    email_not_ready:
      "The email can't be approved or tested, or the message can't be sent, yet. `details.missing` lists what is missing. Confirmation mails have the sender of the workspace, `sender_defaults`.",
    email_not_approved: "A message names an email that is not approved. Approve it first.",
    unresolved_tokens:
      "`{{data.*}}` tokens of the message have neither a value nor a fallback. `details.tokens` lists them. Nothing was sent.",
    topic_archived: "The topic is archived: no person can subscribe to it.",
    consent_required:
      "The person has to agree: the topic needs a confirmation, or they unsubscribed themselves. Give `consent`, if you have it.",
    unknown_token:
      "A merge token of the email looks like a misspelt one. `unknown_tokens` lists each with the nearest known name.",
    template_not_approved: "The template is not approved. Approve it first.",
    campaign_not_ready: "The blast can't be sent yet. `approval_readiness.missing` lists what is missing.",
    campaign_flow_not_ready:
      "The flow can't be activated yet. `details.missing` lists what is missing, each with `code`, `path` and `message`.",
    template_api_tokens:
      "A `create_email` or `create_tent` step uses a template with `{{api.*}}` tokens, which have no values in a flow. `details.missing` lists everything.",
    create_email_step_order:
      "A `send_email` step is not preceded by the `create_email` step that creates its email. `details.missing` lists everything.",
    campaign_flow_step_type_invalid: "The step is not a `send_email` step and has no email.",
    campaign_flow_contact_disqualified: "The contact matches the flow's disqualification rules.",
    campaign_flow_trigger_unknown_token: "The flow's `service_api` trigger does not declare this token.",
    campaign_flow_trigger_invalid_token_type:
      "The value of a token does not have the declared type, or is not a string, number or boolean.",
    alias_taken: "Another page of the workspace has that alias.",
  },
  401: {
    unauthorized:
      "The API key is missing, malformed, unknown, revoked or expired. Send `Authorization: Bearer <key>`. On the console: there is no session, or it has ended.",
    sign_in_refused:
      "The email and the password do not belong together, the passkey is unknown here or its challenge expired, or the link is used up or expired. The answer is the same for unknown addresses.",
    sign_in_again: "The operation needs a sign-in of the last 15 minutes. Sign in again, and repeat the request.",
  },
  403: {
    cross_origin_refused:
      "The console's listener answers its own pages only. `message` says which header is missing or wrong.",
    https_required:
      "Signing in over plain HTTP is possible on the same machine only. Serve the console over HTTPS and set `PUBLIC_CONSOLE_URL`.",
    role_too_low:
      "The role of the API key, or of the signed-in user, is too low for this operation. `needs` is the role that it needs.",
    system_list_protected: "System lists can't be changed. They can be read and used as an audience.",
    link_refused: "The signed link was changed or has expired. Request a new one.",
    hook_refused:
      "The signature, login, token or time of a mail provider's call is not valid. `message` says which. See bounces.md.",
    free_plan_email_limit: "The daily emails or the contacts of the free plan are used up (`limit`, `current`).",
    paid_plan_required: "The plan of the workspace does not include this feature.",
  },
  404: {
    not_found:
      "The workspace of the key has no resource with this id, or the path does not exist. `merged_into` is the contact that the requested one was merged into.",
    NOT_FOUND:
      "In a batch: the item references a resource that does not exist. `merged_into` is the contact that the requested one was merged into.",
  },
  405: {
    method_not_allowed: "The path does not support this method. The header `Allow` lists the supported ones.",
  },
  408: {
    request_timeout:
      "The request arrived too slowly and the connection was closed. Send it again, in smaller parts if it is large.",
  },
  409: {
    conflict:
      "The request conflicts with existing data: another contact with that email or phone (`existing_contact`; with `details.merge`, a merge of the two contacts solves it), another workspace with that slug, a page domain that is in use, or a passkey that is registered. `details.existing_id` is the id of the workspace or page domain.",
    contact_busy:
      "A message to the contact, or an import or an export that contains it, is in progress. Try again in a minute.",
    last_owner: "The member is the last owner of the workspace. Make another member an owner first.",
    last_passkey: "The passkey is the only way to sign in. Set a password or add another passkey first.",
    passkeys_unavailable:
      "The console's address can't have passkeys: it is an IP address, or not over HTTPS. Set `PUBLIC_CONSOLE_URL` to a host name. On the same machine, `localhost` is one.",
    domain_exists: "The workspace has this sending domain already. `details.existing_id` is its id.",
    invalid_state: "The status of the resource does not allow this change. `details.status` is the status.",
    field_definition_cap_exceeded: "A workspace can have at most 200 active custom fields. Archive some first.",
    field_definition_collision:
      "The `api_name` belongs to an existing field, active or archived, or occurs twice in the request. `conflicts` lists all conflicts.",
    contact_list_name_exists:
      "Another list has that name. Names are case-insensitive. `details.existing_id` is its id.",
    contact_list_in_use:
      "A scheduled or sending blast, an active flow or the rules of another list use the list. `used_by` lists them, `used_by_count` counts them.",
    upload_missing: "The file has not been uploaded. Upload it to `upload_url` with PUT first.",
    email_in_use:
      "A scheduled or sending blast or an active flow uses the email. `used_by` lists them, `used_by_count` counts them.",
    template_not_ready:
      "The email, the template or its source has no completed version. Wait for its generation, or set the content.",
    another_person_needed:
      "The workspace requires four eyes (`four_eyes`): who edited an email last can't approve it, and who approved it can't send it. Another person has to do it.",
    approval_version_stale: "A newer version exists. Review it, and approve that one.",
    generation_in_progress: "A generation is in progress. Wait until it ends.",
    campaign_flow_duplicate_step_id: "Another step of the flow has that `step_id`.",
    campaign_flow_step_referenced:
      "Other steps lead to the step. `details.issues` lists them. Change them, or send `repair_edges`.",
    campaign_flow_already_in_flow: "The contact already has a current membership in the flow.",
    campaign_flow_reentry_denied:
      "The flow's reentry policy is `no_reentry`, and the contact has been a member before.",
    campaign_flow_manual_membership_disabled:
      "Contacts can't be added to this flow manually. Set `manual_membership_enabled`, or use a trigger.",
    flow_api_trigger_not_configured: "The flow has no trigger of type `service_api`. Add one.",
    tent_not_ready: "The page has not been generated yet.",
    asset_limit_exceeded: "The tent has the maximum number of files (`limit`, `current`). Delete one.",
    webhook_endpoint_limit:
      "The workspace has the maximum number of webhook endpoints (`limit`, `current`). Delete one.",
    replay_too_large:
      "More webhook deliveries match than one replay may have (`limit`). Choose a shorter time, or fewer types.",
    replay_in_progress:
      "A replay of the webhook endpoint is in progress (`replay_id`). Start another one when it has ended.",
    event_gone:
      "The events of the webhook delivery were deleted by age, or their contact was erased. They can't be sent again.",
    topic_limit: "The workspace has the maximum number of active topics (`limit`, `current`). Archive one.",
    topic_name_exists: "Another topic has this name (`existing_id`). Choose another one.",
    topic_in_use: "The topic is used (`used_by`), so it can't be deleted. Archive it.",
    address_suppressed: "Mail to this address is suppressed, because of a bounce, a complaint, or by hand.",
    idempotency_key_reused: "The idempotency key was used with another body.",
    idempotency_in_progress: "The first request with this idempotency key is still running.",
  },
  413: {
    payload_too_large: "The body exceeds the limit of this endpoint, which `message` states. See limits.md.",
    campaign_flow_trigger_payload_too_large: "The tokens have 64 KB or more of JSON.",
  },
  415: {
    unsupported_media_type: "The endpoint does not accept the Content-Type of the body.",
  },
  422: {
    message_too_large:
      "The message is larger than `MESSAGE_BYTES_MAX` (`limit`) with the values of the contact. Use fewer tokens, or shorter values.",
    too_complex:
      "Reading the HTML, the file or the prompt takes more time or memory than an input may take. `message` says which. Make it smaller or simpler. See limits.md.",
  },
  429: {
    rate_limited:
      "Too many requests with this key, too many test emails of this workspace, or too many unknown keys or wrong administration tokens from this address. Wait for `Retry-After` seconds.",
    confirmation_limit_reached:
      "Too many confirmation mails to this address, or of this workspace. Wait for `Retry-After` seconds.",
    insufficient_credits: "The workspace has fewer credits (`limit`) than the request needs (`current`). Add credits.",
    INSUFFICIENT_CREDITS: "In a bulk job: there was no credit left for the item.",
    publish_limit_exceeded: "The plan's limit of published pages is reached (`limit`, `current`). Unpublish one.",
  },
  431: {
    headers_too_large: "The headers of the request exceed 16 KB.",
  },
  500: {
    internal_error: "An unexpected error of the service. Try again, and report the request id if it persists.",
  },
  503: {
    unavailable:
      "The database, the file store or another dependency does not answer, or not in time, or too many searches, exports, previews or documents wait for their turn. Wait for `Retry-After` seconds and try again.",
  },
} as const

export const titles = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const satisfies { readonly [Status in keyof typeof codes]: string }

/** The meaning of each code. It does not compile if a code of core has no row above. */
export const meanings: { readonly [Code in ErrorCode]: string } = {
  ...codes[400],
  ...codes[401],
  ...codes[403],
  ...codes[404],
  ...codes[405],
  ...codes[408],
  ...codes[409],
  ...codes[413],
  ...codes[415],
  ...codes[422],
  ...codes[429],
  ...codes[431],
  ...codes[500],
  ...codes[503],
}

export const errorsPage = (): string => {
  const rows = Object.entries(codes).flatMap(([status, meanings]) =>
    Object.entries(meanings).map(([code, meaning]) => `| \`${code}\` | ${status} | ${meaning} |`),
  )
  return `# Errors

All error responses have the same body:

\`\`\`json
{ "error": "Not Found", "error_code": "not_found", "code": "not_found",
  "message": "No such contact in this workspace",
  "details": { "request_id": "0d1e…", "issues": [{ "path": "items.3.email", "message": "…" }] } }
\`\`\`

\`error\` is a short title. \`message\` says what is wrong and what to do. \`code\` and \`error_code\` are the same value.
\`details.request_id\` is also the header \`X-Request-Id\`: include it when you ask for help.

This page is generated from the code (\`npm run docs\`).

| Code | Status | Meaning and remedy |
| --- | --- | --- |
${rows.join("\n")}
`
}
