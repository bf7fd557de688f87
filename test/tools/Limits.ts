// Prints docs/limits.md: every limit of the product, from the constants in the code, and the answer beyond it.
import { type Configuration, configuration } from "@tentpole/adapters/Configuration"
import {
  activity_days_min,
  audit_days_min,
  delivery_days_min,
  flow_event_days_min,
  import_row_days_min,
  done_job_days_kept,
  event_days_max,
  event_days_min,
  webhook_log_days_max,
  webhook_log_days_min,
} from "@tentpole/core/ports/Maintenance"
import { login_minutes } from "@tentpole/core/accounts/oidc/Oidc"
import { password_length_max, password_length_min } from "@tentpole/core/accounts/Password"
import { challenge_minutes, passkey_name_length_max, passkeys_max } from "@tentpole/core/accounts/passkeys/Passkey"
import { recent_sign_in_minutes, session_days } from "@tentpole/core/accounts/Session"
import {
  account_refusals_max,
  address_challenges_max,
  address_refusals_max,
} from "@tentpole/core/accounts/signIn/SignInLimit"
import { first_link_minutes, invitation_minutes, recovery_link_minutes } from "@tentpole/core/accounts/SignInLink"
import { names_max, results_max, results_of_type_max } from "@tentpole/core/operations/search/Search"
import { page_limit_default, page_limit_max } from "@tentpole/core/kernel/Page"
import { blast_description_length_max, blast_name_length_max, schedule_grace_ms } from "@tentpole/core/blasts/Blast"
import { standardFields } from "@tentpole/core/contacts/ContactFields"
import { active_fields_max, fields_per_request_max } from "@tentpole/core/contacts/CustomField"
import { custom_text_length_max, tag_length_max, tags_max } from "@tentpole/core/contacts/values/FieldValue"
import { document_name_length_max, plain_text_length_max } from "@tentpole/core/documents/Document"
import { prompt_length_max as generation_prompt_length_max } from "@tentpole/core/documents/Generation"
import { soft_bounces_max } from "@tentpole/core/sending/Suppression"
import * as Email from "@tentpole/core/documents/EmailFields"
import { test_addresses_max, tests_per_hour_max } from "@tentpole/core/sending/TestMails"
import { export_bytes_max, export_lifetime_ms, link_lifetime_ms } from "@tentpole/core/exports/Export"
import { tokens_size_bytes_limit } from "@tentpole/core/flows/members/EntryTokens"
import * as Flow from "@tentpole/core/flows/definition/FlowSchema"
import { simulated_entries_max } from "@tentpole/core/flows/simulation/Simulate"
import { simulated_events_max } from "@tentpole/core/flows/simulation/SimulationInput"
import { step_id_length_max, duration_amount_max } from "@tentpole/core/flows/definition/Step"
import { offset_days_max, token_declarations_max, token_name_length_max } from "@tentpole/core/flows/definition/Trigger"
import { css_depth_max, css_length_max, css_syntax_errors_max } from "@tentpole/adapters/ai/html/CleanCss"
import * as ParserPool from "@tentpole/adapters/parsers/ParserPool"
import { html_tags_max } from "@tentpole/core/documents/ParseHtml"
import { compiled_slots_max } from "@tentpole/core/rendering/Compile"
import { target_length_max } from "@tentpole/core/rendering/MergeTemplate"
import * as Consent from "@tentpole/core/topics/GivenConsent"
import * as Topic from "@tentpole/core/topics/Topic"
import { batch_bytes_max } from "@tentpole/core/webhooks/deliveries/FanOut"
import { attempts_max } from "@tentpole/core/webhooks/deliveries/WebhookDelivery"
import {
  answer_body_bytes_max,
  answer_head_bytes_max,
  connect_max_ms,
} from "@tentpole/core/webhooks/deliveries/WebhookCaller"
import * as Webhook from "@tentpole/core/webhooks/endpoints/EndpointInput"
import * as Message from "@tentpole/core/messages/EmailMessage"
import { mail_interval_s, mails_per_day_max, mails_per_request_max } from "@tentpole/core/subscriptions/MailLimits"
import { redirect_url_length_max, request_topics_max } from "@tentpole/core/subscriptions/SubscriptionRequest"
import { endpoints_max } from "@tentpole/core/webhooks/endpoints/WebhookEndpoint"
import { replay_deliveries_max } from "@tentpole/core/webhooks/endpoints/WebhookErrors"
import { url_length_max } from "@tentpole/core/webhooks/EndpointUrl"
import { event_bytes_max } from "@tentpole/core/webhooks/PublicEvent"
import { field_bytes_max, fields_max } from "@tentpole/core/forms/Answers"
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { answer_bytes_max, retention_hours } from "@tentpole/core/operations/idempotency/Idempotency"
import { waiting_max, waiting_share_max } from "@tentpole/core/kernel/runtime/FairLimit"
import { long_connections_max, long_share_max } from "@tentpole/adapters/postgres/kernel/Postgres"
import { previews_max, previews_share_max } from "@tentpole/core/imports/Imports"
import * as Import from "@tentpole/core/imports/Import"
import { results_limit_max } from "@tentpole/core/imports/ImportStore"
import { preview_rows_max } from "@tentpole/core/imports/Preview"
import { request_columns_max } from "@tentpole/core/imports/mapping/Suggestions"
import { contact_ids_max } from "@tentpole/core/lists/List"
import { description_length_max, name_length_max } from "@tentpole/core/lists/ListName"
import { rule_depth_max, rule_nodes_max, time_window_amount_max } from "@tentpole/core/segments/Operators"
import { alias_length_max } from "@tentpole/core/tents/Alias"
import { asset_name_length_max, assets_max } from "@tentpole/core/tents/assets/Asset"
import * as Bulk from "@tentpole/core/tents/bulk/Bulk"
import { client_item_id_length_max } from "@tentpole/core/tents/bulk/BulkItem"
import { asset_ids_max } from "@tentpole/core/tents/NewTent"
import { unknown_keys_max } from "@tentpole/core/kernel/UnknownKeys"
import { picture_side_px_max } from "@tentpole/core/tents/assets/PageAssets"
import * as Tent from "@tentpole/core/tents/Tent"
import { range_days_max } from "@tentpole/core/blasts/figures/EmailAnalytics"
import { days_back_default, groups_max, recent_max, values_max } from "@tentpole/core/traffic/Analytics"
import { key_name_length_max } from "@tentpole/core/workspaces/ApiKey"
import {
  confirmation_days_max,
  confirmations_per_hour_max,
  defaultConsent,
  plans,
} from "@tentpole/core/workspaces/Workspace"
import { batch_max } from "@tentpole/http/api/contacts/BatchWire"
import { headers_bytes_max, requestTimeouts } from "@tentpole/http/edge/RequestTimeouts"
import { submissionLimit, submission_bytes_max } from "@tentpole/http/pages/FormPages"
import { viewLimit } from "@tentpole/http/tracking/Tracking"
import { form_bytes_max } from "@tentpole/http/Server"
import { failed_attempts_max } from "@tentpole/http/admin/AttemptLimit"
import {
  json_depth_max,
  json_key_length_max,
  json_shaped_keys_max,
  json_values_max,
} from "@tentpole/core/kernel/JsonExcess"
import { unknown_keys_per_minute_max } from "@tentpole/http/edge/UnknownKeyLimiter"
import { issues_max, table } from "@tentpole/http/edge/Errors"
import { Result } from "effect"

const number = (value: number): string => value.toLocaleString("en-US")

const bytes = (value: number): string => {
  const [unit, size] = (
    [
      ["GB", 2 ** 30],
      ["MB", 2 ** 20],
      ["KB", 2 ** 10],
    ] as const
  ).find(([, each]) => value >= each) ?? ["bytes", 1]
  return `${number(Number((value / size).toFixed(1)))} ${unit}`
}

const time = (ms: number): string => {
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
    ["second", 1000],
  ] as const
  const [unit, size] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ["second", 1000]
  return `${number(ms / size)} ${unit}${ms === size ? "" : "s"}`
}

const characters = (most: number, least = 0): string =>
  least === 0 ? `${number(most)} characters` : `${least} to ${number(most)} characters`

const code = (name: ErrorCode): string => `${table[name].status} \`${name}\``
const invalid = code("validation_failed")
const tooLarge = code("payload_too_large")

const head = "| What | Limit | Beyond |\n| --- | --- | --- |"

const requests = (config: Configuration): string => `## Requests

${head}
| Requests a minute of an API key, over all processes (\`RATE_LIMIT_PER_MINUTE\`) | ${number(config.requestsPerMinute_max)} | ${code("rate_limited")} |
| Unknown keys a minute from one address (of IPv6 one /64), over all processes | ${number(unknown_keys_per_minute_max)} | ${code("rate_limited")}; keys that were valid recently still work |
| Wrong \`ADMIN_TOKEN\`s from one address (of IPv6 one /64), over all processes | ${failed_attempts_max} at once, then one a minute | ${code("rate_limited")}, also for the right one |
| Body of a request (\`JSON_BYTES_MAX\`) | ${bytes(config.json_bytes_max)} | ${tooLarge} |
| Nesting of JSON | ${json_depth_max} levels | ${invalid} |
| Values of a JSON body: texts, numbers, lists, objects | ${number(json_values_max)} | ${invalid} |
| Keys of a JSON body in objects with different keys; objects with the same keys in the same order count once | ${number(json_shaped_keys_max)} | ${invalid} |
| A key of a JSON body, as it is written | ${number(json_key_length_max)} characters | ${invalid} |
| Unknown keys of a body | ${number(unknown_keys_max)} | ${invalid}, without a list |
| Mistakes reported in one answer, each with its path | ${number(issues_max)} | the message says how many more there are |
| Headers of a request | ${bytes(headers_bytes_max)} | ${code("headers_too_large")} |
| Time for the headers of a request | ${time(requestTimeouts.head_ms)} | ${code("request_timeout")} |
| Time for its body; for an import file, while data arrives | ${time(requestTimeouts.body_ms)}; ${time(requestTimeouts.upload_ms)} | ${code("request_timeout")} |
| Long reads (searches, counts, exports) of a workspace at a time, in each process; of all workspaces | ${long_share_max}; ${long_connections_max} | further ones wait for their turn |
| Inputs that wait to be read by threads, long reads that wait, and previews of imports that wait, in each process; of one workspace | ${waiting_max} of each; ${waiting_share_max} | ${code("unavailable")} with \`Retry-After\` |
| Results of \`/v1/search\`, of one type; names of a type that it reads | ${results_max}, ${results_of_type_max}; ${number(names_max)} | the newest names are read |
| \`limit\` of listings | 1 to ${page_limit_max}, ${page_limit_default} by default | ${invalid} |
| \`Idempotency-Key\` | 1 to 255 printable characters | ${invalid} |
| How long its answer is stored | ${retention_hours} hours | the request is executed again |
| Size of a stored answer | ${bytes(answer_bytes_max)} | ${code("conflict")} for a repeated request |
`

const ofItem = `${code("INVALID_ITEM")}: only this item of a batch is rejected`

/** Standard text fields, grouped by length. */
const textFields = (): string => {
  const texts = standardFields.flatMap((field) => (field.kind === "text" && field.writable ? [field] : []))
  const groups = Object.groupBy(texts, ({ length_max }) => length_max)
  return Object.entries(groups)
    .map(([most, fields = []]) => {
      const names = fields.map(({ apiName }) => `\`${apiName}\``).join(", ")
      return `| ${names} | ${characters(Number(most))} | ${ofItem} |`
    })
    .join("\n")
}

const contacts = (): string => `## Contacts, fields, lists and rules

${head}
| Items of a batch: create, upsert, update, delete | 1 to ${batch_max} | ${invalid} |
${textFields()}
| Value of a custom text field | ${characters(custom_text_length_max)} | ${code("invalid_custom_field_value")}: only this item of a batch is rejected |
| Tags of a contact in one field; a word of them | ${tags_max}; ${characters(tag_length_max)} | ${code("invalid_custom_field_value")}: only this item of a batch is rejected |
| Active custom fields of a workspace | ${number(active_fields_max)} | ${code("field_definition_cap_exceeded")} |
| Custom fields created by one request | 1 to ${fields_per_request_max} | ${invalid} |
| Name and description of a list | ${characters(name_length_max, 1)}; ${characters(description_length_max)} | ${invalid} |
| \`contact_ids\` of a new list or an inline audience | ${number(contact_ids_max)} | ${invalid} |
| Rules: levels of groups, nodes | ${rule_depth_max}, ${rule_nodes_max} | ${invalid} |
| Rules: amount of a time window | 1 to ${number(time_window_amount_max)} | ${invalid} |
| Soft bounces in a row | ${soft_bounces_max} | the address is suppressed |
`

const imports = (config: Configuration): string => `## Imports

${head}
| File (\`IMPORT_BYTES_MAX\`) | ${bytes(config.import_bytes_max)} | ${tooLarge} |
| Rows in the request | ${number(Import.rows_max)} | ${invalid} |
| Columns of a file; of rows in the request | ${number(Import.columns_max)} | ${code("import_unreadable")}; ${invalid} |
| \`list_ids\` | ${number(Import.list_ids_max)} | ${invalid} |
| How long an upload address is valid | ${time(Import.upload_lifetime_ms)} | ${code("link_refused")} |
| How long a session can be previewed and executed | ${time(Import.session_lifetime_ms)} | ${code("not_found")} |
| Previews of a workspace at a time, in each process; of all workspaces | ${previews_share_max}; ${previews_max} | further ones wait for their turn |
| Rows that a preview reads | ${number(preview_rows_max)} | further rows are read by the execution |
| Columns sent to the AI | ${number(request_columns_max)} | further columns are not mapped |
| \`limit\` of results | 1 to ${results_limit_max} | ${invalid} |
`

const mail = (config: Configuration): string => `## Emails and blasts

${head}
| Name of an email, template, blast | ${characters(document_name_length_max, 1)}, ${document_name_length_max}, ${blast_name_length_max} | ${invalid} |
| Description of a blast | ${characters(blast_description_length_max)} | ${invalid} |
| Subject, preview text | ${characters(Email.subject_length_max, 1)}; ${characters(Email.preview_text_length_max)} | ${invalid} |
| HTML of an email or a template (\`HTML_BYTES_MAX\`) | ${bytes(config.html_bytes_max)} | ${tooLarge} |
| A style sheet or \`style\` attribute in HTML that is cleaned; nesting of its blocks; its syntax errors | ${characters(css_length_max)}; ${css_depth_max} levels; ${number(css_syntax_errors_max)} | ${invalid} |
| Tags in HTML, except for end tags | ${number(html_tags_max)} | ${invalid} |
| Merge tokens and redirected links of an email | ${number(compiled_slots_max)} | ${code("too_complex")} in previews and tests; the delivery fails with reason \`not_rendered\` |
| Time to read HTML, a prompt, an answer of the AI or returned mail (\`PARSER_SECONDS\`); memory | ${config.parsers.time_max_ms / 1000} s; ${ParserPool.thread_heap_mb_max} MB | ${code("too_complex")}; a generation fails, and its credit is refunded |
| A message with the values of a contact (\`MESSAGE_BYTES_MAX\`) | ${bytes(config.message_bytes_max)} | the delivery fails with reason \`message_too_large\`; in previews and tests ${code("message_too_large")} |
| A link of a message with the values of a contact | ${number(target_length_max)} characters | the delivery fails with reason \`message_too_large\`; in previews and tests ${code("message_too_large")} |
| Rendered messages of a dry run, together (\`MESSAGE_BYTES_MAX\`) | ${bytes(config.message_bytes_max)} | those that do not fit are omitted |
| Plain text of an email | ${characters(plain_text_length_max)} | ${invalid} |
| Prompt of a generation | ${characters(generation_prompt_length_max, 1)} | ${invalid} |
| Addresses of a test message | 1 to ${test_addresses_max} | ${invalid} |
| Test messages of a workspace, over all processes | ${number(tests_per_hour_max)} requests an hour | ${code("rate_limited")} |
| Delay of a schedule, if no worker ran | ${time(schedule_grace_ms)} | the blast becomes a draft again |
| Connections of each worker to the mail server (\`SMTP_CONNECTIONS\`) | ${number(config.smtpConnections)} | messages wait |
`

const durations = Object.entries(duration_amount_max).map(([unit, most]) => `${number(most)} ${unit}`)

const flows = (): string => `## Flows

${head}
| Name and description | ${characters(Flow.flow_name_length_max, 1)}; ${characters(Flow.flow_description_length_max)} | ${invalid} |
| Triggers, steps | ${Flow.triggers_max}, ${Flow.steps_max} | ${invalid} |
| \`step_id\` | ${characters(step_id_length_max, 1)} | ${invalid} |
| \`settings\`, as JSON | ${bytes(Flow.settings_size_bytes_max)} | ${invalid} |
| Duration of a wait | ${durations.join(", ")} | ${invalid} |
| Days before or after a date | ${number(offset_days_max)} | ${invalid} |
| Flow tokens of a trigger; length of their names | ${token_declarations_max}; ${characters(token_name_length_max)} | ${invalid} |
| Flow tokens of a call, as JSON | less than ${bytes(tokens_size_bytes_limit)} | ${code("campaign_flow_trigger_payload_too_large")} |
| Events of a simulation; entries of its timeline | ${number(simulated_events_max)}, ${number(simulated_entries_max)} | ${invalid}; the timeline ends |
`

const tents = (config: Configuration): string =>
  `## Tents, pages and forms

${head}
| Name, prompt | ${characters(Tent.tent_name_length_max, 1)}; ${characters(Tent.page_prompt_length_max, 1)} | ${invalid} |
| Generated HTML (\`HTML_BYTES_MAX\`) | ${bytes(config.html_bytes_max)} | the generation fails, and its credit is refunded |
| \`asset_ids\` of a new tent | ${number(asset_ids_max)} | ${invalid} |
| Files of a tent | ${number(assets_max)} | ${code("asset_limit_exceeded")} |
| A file (\`ASSET_BYTES_MAX\`), its name | ${bytes(config.asset_bytes_max)}; ${characters(asset_name_length_max)} | ${tooLarge}; ${invalid} |
| Width and height of an image for the AI or the page | ${number(picture_side_px_max)} pixels | the AI receives its name only |
| Items of a bulk request | 1 to ${Bulk.bulk_items_max} | ${invalid} |
| Prefix of names; metadata as JSON | ${characters(Bulk.prefix_length_max, 1)}; ${characters(Bulk.metadata_length_max)} | ${invalid} |
| \`client_item_id\` | ${characters(client_item_id_length_max)} | ${invalid} |
| Alias of a page | ${characters(alias_length_max, 1)} | ${invalid} |
| Fields of a submitted form; size of each, and of the values of one name | ${fields_max}, ${bytes(field_bytes_max)} | ${tooLarge} |
| Body of a submitted form, percent-encoded | ${bytes(submission_bytes_max)} | ${tooLarge} |
| Any other POST to the pages' listener | ${bytes(form_bytes_max)} | ${tooLarge} |
| Form submissions of one visitor, over all processes | ${submissionLimit.burst} at once, then one every ${1 / submissionLimit.per_second} seconds | 429, as an HTML page |
| Messages in the browser (\`/v/\`) from one address (of IPv6 one /64), over all processes | ${viewLimit.burst} at once, then ${viewLimit.per_second} a second | 429, as an HTML page |
| \`daysBack\` of analytics; range of \`/v1/analytics/traffic\`, \`/contacts\` and \`/credits\` and, by day and by hour, of \`/v1/analytics/email\` | 1 to ${days_back_default} days; ${range_days_max.day} days; ${range_days_max.day} and ${range_days_max.hour} days | \`daysBack\`: ${days_back_default}; otherwise ${invalid} |
| Analytics: groups of a dimension, recent views | ${groups_max}, ${recent_max} | the most frequent are shown |
| Values of a dimension a day | ${number(values_max)} | further values count as \`other\` |
`

const planRows = (): string => {
  const most = (value: number | null): string => (value === null ? "no limit" : number(value))
  const yes = (value: boolean): string => (value ? "yes" : `no: ${code("paid_plan_required")}`)
  const rows = Object.values(plans).map(
    (plan) =>
      `| \`${plan.plan}\` | ${most(plan.publishedTents_max)} | ${most(plan.emailsPerDay_max)} | ${most(plan.contacts_max)} | ${yes(plan.flows)} |`,
  )
  return `## Plans

The table \`plan\` of an installation may have others. Beyond: ${code("publish_limit_exceeded")}, ${code("free_plan_email_limit")} for emails and
contacts; a scheduled blast is cancelled. A generation costs one credit; without credit ${code("insufficient_credits")}.

| Plan | Published pages | Emails a day | Contacts | Flows |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`
}

const messages = (config: Configuration): string => `## Single messages

${head}
| Body of a request with one message (\`MESSAGE_BYTES_MAX\`); with several (\`JSON_BYTES_MAX\`) | ${bytes(config.message_bytes_max)}; ${bytes(config.json_bytes_max)} | ${tooLarge} |
| Messages of a request | 1 to ${Message.batch_items_max} | ${invalid} |
| HTML; plain text | ${bytes(Message.message_html_bytes_max)}; ${characters(Message.message_text_length_max)} | ${invalid} |
| \`data\`; its depth | ${bytes(Message.data_bytes_max)}; ${Message.data_depth_max} levels | ${invalid} |
| Attachments; all of a message together, decoded; a file name | ${Message.attachments_max}; ${bytes(Message.attachments_bytes_max)}; ${characters(Message.file_name_length_max, 1)} | ${invalid} |
| Headers; the value of one | ${Message.custom_headers_max}; ${characters(Message.header_value_length_max, 1)} | ${invalid} |
| Tags; the value of one | ${Message.tags_max}; ${characters(Message.tag_length_max)} | ${invalid} |
| Metadata; the value of one | ${Message.metadata_max}; ${characters(Message.metadata_length_max)} | ${invalid} |
| Names of tags and metadata | 1 to 50 of \`a-z 0-9 _ -\` | ${invalid} |
| Name of the recipient; \`client_item_id\` | ${characters(Message.to_name_length_max)}; ${characters(Message.client_item_id_length_max)} | ${invalid} |
| \`scheduled_at\`, \`expires_at\` | ${Message.ahead_days_max} days ahead | ${invalid} |
| A message that names no end | ${Message.expires_after_hours} hours after its time | it fails with reason \`expired\` |
| Idempotency keys of messages | ${Message.key_days} days | a repetition sends another message |
`

const consent = (): string => `## Topics and consent

${head}
| Active topics of a workspace | ${Topic.active_topics_max} | ${code("topic_limit")} |
| Name, description of a topic | ${Topic.topic_name_length_max}, ${Topic.topic_description_length_max} characters | ${invalid} |
| Items of \`PUT /v1/contacts/{contact_id}/topics\` | ${Topic.topic_choices_max} | ${invalid} |
| Text, source, user agent of a consent | ${number(Consent.consent_text_length_max)}, ${Consent.consent_source_length_max}, ${Consent.consent_user_agent_length_max} characters | ${invalid} |
| Topics of a request | 1 to ${request_topics_max} | ${invalid} |
| \`redirect_url\` | ${characters(redirect_url_length_max, 1)} | ${invalid} |
| Confirmation mails to an address, over all requests of a workspace | 1 in ${mail_interval_s} seconds, ${mails_per_day_max} in 24 hours | ${code("confirmation_limit_reached")}; a form answers as ever |
| Confirmation mails of a request | ${mails_per_request_max} | ${code("confirmation_limit_reached")} |
| Unconfirmed requests of a workspace in an hour (\`confirmations_per_hour\`) | ${number(defaultConsent.confirmationsPerHour)}, at most ${number(confirmations_per_hour_max)} | ${code("confirmation_limit_reached")}; a form answers as ever |
| Time to confirm (\`confirmation_days\`) | ${defaultConsent.confirmation_days} days, 1 to ${confirmation_days_max} | the request is \`expired\` |
`

const webhooks = ({ webhooks: { connections, timeout_s } }: Configuration): string => `## Webhooks

${head}
| Endpoints of a workspace | ${endpoints_max} | ${code("webhook_endpoint_limit")} |
| URL; description | ${characters(url_length_max, 1)}; ${characters(Webhook.description_length_max)} | ${invalid} |
| Types of events; ids of each key of a filter; tags of a filter | 1 to ${Webhook.event_types_max}; 1 to ${Webhook.filter_ids_max}; ${Webhook.filter_tags_max} | ${invalid} |
| Headers of an endpoint; name and value of one | ${Webhook.headers_max}; ${Webhook.header_name_length_max} and ${characters(Webhook.header_value_length_max, 1)} | ${invalid} |
| Events of a batch; how long the first one waits | ${Webhook.batch_events_min} to ${Webhook.batch_events_max}, and ${bytes(batch_bytes_max)}; ${time(Webhook.batch_wait_max_ms)} | ${invalid} |
| Open requests of an endpoint (\`max_in_flight\`) | 1 to ${Webhook.in_flight_max} | ${invalid} |
| Connections of each worker to receivers (\`WEBHOOK_CONNECTIONS\`) | ${number(connections)} | requests wait; while others wait, an endpoint has a quarter at most |
| Time of a request (\`WEBHOOK_TIMEOUT_SECONDS\`); of connecting | ${timeout_s} s; ${time(connect_max_ms)} | the attempt fails |
| Head of an answer; its body | ${bytes(answer_head_bytes_max)}; ${bytes(answer_body_bytes_max)} | the attempt fails; the rest is not read |
| Attempts of a delivery | ${attempts_max}, over 76 hours | the delivery fails |
| Overlap of two secrets | 0 to ${Webhook.overlap_hours_max} hours | ${invalid} |
| Deliveries of a replay; replays of an endpoint at a time | ${number(replay_deliveries_max)}; one | ${code("replay_too_large")}; ${code("replay_in_progress")} |
`

const retention = (): string => `## Retention

${head}
| An export: file; link; size | ${time(export_lifetime_ms)}; ${time(link_lifetime_ms)}; ${bytes(export_bytes_max)} | deleted; request a new link; the export fails |
| Events and payloads of webhooks (\`EVENT_DAYS\`); the log of webhooks (\`WEBHOOK_LOG_DAYS\`) | ${event_days_min} to ${event_days_max} days; ${webhook_log_days_min} to ${webhook_log_days_max} days | deleted |
| Completed jobs | ${done_job_days_kept} days | deleted |
| An event | ${bytes(event_bytes_max)} | long texts are cut |
| Timelines (\`ACTIVITY_DAYS\`); audit log (\`AUDIT_DAYS\`) | without limit, or at least ${activity_days_min} and ${audit_days_min} days | deleted |
| Recipients (\`DELIVERY_DAYS\`); results of imports (\`IMPORT_ROW_DAYS\`); timelines of flows (\`FLOW_EVENT_DAYS\`) | without limit, or at least ${delivery_days_min}, ${import_row_days_min} and ${flow_event_days_min} days | deleted; counts stay |
| Name of an API key | ${characters(key_name_length_max, 1)} | ${invalid} |
`

const accounts = (): string => `## Users of the console

${head}
| Password | ${password_length_min} to ${characters(password_length_max)} | ${invalid} |
| Refused sign-ins in ten minutes: of an account; from one address (of IPv6 one /64) | ${account_refusals_max}; ${address_refusals_max} | ${code("rate_limited")} |
| Passkeys of a user; name of one | ${passkeys_max}; ${characters(passkey_name_length_max, 1)} | ${code("conflict")}; ${invalid} |
| Challenges for passkeys from one address in ten minutes | ${address_challenges_max} | ${code("rate_limited")} |
| How long a challenge works; how long a sign-in with the identity provider may take | ${challenge_minutes} minutes; ${login_minutes} minutes | ${code("sign_in_refused")} |
| How long a link works: of the first start; for a user who can't sign in; of an invitation | ${first_link_minutes} minutes; ${recovery_link_minutes} minutes; ${invitation_minutes / 1_440} days | ${code("not_found")} |
| A session without a request (\`SESSION_IDLE_MINUTES\`); at the latest | 12 hours; ${session_days} days | ${code("unauthorized")} |
| Age of a sign-in for operations that need a recent one | ${recent_sign_in_minutes} minutes | ${code("sign_in_again")} |
`

/** docs/limits.md, complete. */
export const limitsPage = (): string => {
  const defaults = configuration({})
  if (Result.isFailure(defaults)) throw defaults.failure
  const config = defaults.success
  return [
    `# Limits

Every limit of the product and what happens beyond it. Capitals in brackets are the [variable](configuration.md) that sets a limit.
[Errors](errors.md) explains the codes. You can set [send rate limits](sending.md) for a workspace and for each recipient domain. The
number of contacts, lists, blasts, flows and pages is limited by the plan and the database only.

This page is printed from the constants in the code (\`npm run docs\`).
`,
    requests(config),
    contacts(),
    imports(config),
    mail(config),
    flows(),
    tents(config),
    messages(config),
    consent(),
    webhooks(config),
    accounts(),
    planRows(),
    retention(),
  ].join("\n")
}
