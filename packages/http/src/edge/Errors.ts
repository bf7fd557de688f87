// The table of error codes with their HTTP statuses and titles, and the schemas of error bodies. Endpoints declare their codes;
// a handler that can fail with another code does not compile.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { EmailUser } from "@tentpole/core/emails/EmailErrors"
import { ListUser } from "@tentpole/core/lists/ListUse"
import type { Refusal } from "@tentpole/core/kernel/Refusal"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

export const table = {
  validation_failed: { status: 400, title: "Bad Request" },
  invalid_json: { status: 400, title: "Bad Request" },
  invalid_id: { status: 400, title: "Bad Request" },
  invalid_cursor: { status: 400, title: "Bad Request" },
  unauthorized: { status: 401, title: "Unauthorized" },
  not_found: { status: 404, title: "Not Found" },
  method_not_allowed: { status: 405, title: "Method Not Allowed" },
  request_timeout: { status: 408, title: "Request Timeout" },
  conflict: { status: 409, title: "Conflict" },
  invalid_state: { status: 409, title: "Conflict" },
  payload_too_large: { status: 413, title: "Payload Too Large" },
  unsupported_media_type: { status: 415, title: "Unsupported Media Type" },
  headers_too_large: { status: 431, title: "Request Header Fields Too Large" },
  rate_limited: { status: 429, title: "Too Many Requests" },
  internal_error: { status: 500, title: "Internal Server Error" },
  unavailable: { status: 503, title: "Service Unavailable" },
  insufficient_credits: { status: 429, title: "Too Many Requests" },
  INVALID_PROMPT_INTENT: { status: 400, title: "Bad Request" },
  INVALID_ITEM: { status: 400, title: "Bad Request" },
  NOT_FOUND: { status: 404, title: "Not Found" },
  INSUFFICIENT_CREDITS: { status: 429, title: "Too Many Requests" },
  invalid_email: { status: 400, title: "Bad Request" },
  invalid_phone: { status: 400, title: "Bad Request" },
  unknown_custom_field: { status: 400, title: "Bad Request" },
  invalid_custom_field_value: { status: 400, title: "Bad Request" },
  field_not_editable: { status: 400, title: "Bad Request" },
  field_definition_cap_exceeded: { status: 409, title: "Conflict" },
  field_definition_collision: { status: 409, title: "Conflict" },
  contact_list_name_exists: { status: 409, title: "Conflict" },
  contact_list_in_use: { status: 409, title: "Conflict" },
  list_not_static: { status: 400, title: "Bad Request" },
  system_list_protected: { status: 403, title: "Forbidden" },
  upload_missing: { status: 409, title: "Conflict" },
  import_unreadable: { status: 400, title: "Bad Request" },
  link_refused: { status: 403, title: "Forbidden" },
  hook_refused: { status: 403, title: "Forbidden" },
  email_not_ready: { status: 400, title: "Bad Request" },
  email_in_use: { status: 409, title: "Conflict" },
  template_not_ready: { status: 409, title: "Conflict" },
  template_not_approved: { status: 400, title: "Bad Request" },
  approval_version_stale: { status: 409, title: "Conflict" },
  generation_in_progress: { status: 409, title: "Conflict" },
  campaign_not_ready: { status: 400, title: "Bad Request" },
  free_plan_email_limit: { status: 403, title: "Forbidden" },
  paid_plan_required: { status: 403, title: "Forbidden" },
  campaign_flow_not_ready: { status: 400, title: "Bad Request" },
  template_api_tokens: { status: 400, title: "Bad Request" },
  create_email_step_order: { status: 400, title: "Bad Request" },
  campaign_flow_step_type_invalid: { status: 400, title: "Bad Request" },
  campaign_flow_duplicate_step_id: { status: 409, title: "Conflict" },
  campaign_flow_step_referenced: { status: 409, title: "Conflict" },
  campaign_flow_already_in_flow: { status: 409, title: "Conflict" },
  campaign_flow_reentry_denied: { status: 409, title: "Conflict" },
  campaign_flow_contact_disqualified: { status: 400, title: "Bad Request" },
  campaign_flow_manual_membership_disabled: { status: 409, title: "Conflict" },
  flow_api_trigger_not_configured: { status: 409, title: "Conflict" },
  campaign_flow_trigger_unknown_token: { status: 400, title: "Bad Request" },
  campaign_flow_trigger_invalid_token_type: { status: 400, title: "Bad Request" },
  campaign_flow_trigger_payload_too_large: { status: 413, title: "Payload Too Large" },
  tent_not_ready: { status: 409, title: "Conflict" },
  asset_limit_exceeded: { status: 409, title: "Conflict" },
  alias_taken: { status: 400, title: "Bad Request" },
  publish_limit_exceeded: { status: 429, title: "Too Many Requests" },
  idempotency_key_reused: { status: 409, title: "Conflict" },
  idempotency_in_progress: { status: 409, title: "Conflict" },
} as const satisfies Record<ErrorCode, { readonly status: number; readonly title: string }>

type Table = typeof table

export const IssueWire = Schema.Struct({
  path: Schema.String.annotate({
    description: "Path to the invalid value, with dots and indexes",
    examples: ["items.3.email"],
  }),
  message: Schema.String,
}).annotate({ identifier: "Issue" })

/** A missing part of a flow, and its path. */
const MissingWire = Schema.Struct({ code: Schema.String, path: Schema.String, message: Schema.String }).annotate({
  identifier: "MissingPiece",
})

const Details = Schema.Struct({
  request_id: Schema.optionalKey(Schema.String),
  issues: Schema.optionalKey(Schema.Array(IssueWire)),
  missing: Schema.optionalKey(Schema.Union([Schema.Array(Schema.String), Schema.Array(MissingWire)])),
  status: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "ErrorDetails" })

/** Further top-level fields that some codes have. */
const Extra = Schema.optionalKey(Schema.Unknown)
const Count = Schema.optionalKey(Schema.Int)
const limits = { limit: Count, current: Count }
const extras: { readonly [Code in ErrorCode]?: Schema.Struct.Fields } = {
  conflict: { existing_contact: Extra },
  campaign_not_ready: { approval_readiness: Extra },
  free_plan_email_limit: limits,
  insufficient_credits: limits,
  publish_limit_exceeded: limits,
  asset_limit_exceeded: limits,
  field_definition_cap_exceeded: { limit: Count, current_active_count: Count, attempted_count: Count },
  field_definition_collision: { conflicts: Extra },
  email_in_use: { used_by: Schema.optionalKey(Schema.Array(EmailUser)), used_by_count: Count },
  contact_list_in_use: { used_by: Schema.optionalKey(Schema.Array(ListUser)), used_by_count: Count },
}

export interface BodyOf<Code extends ErrorCode> {
  readonly error: Table[Code]["title"]
  readonly error_code: Code
  readonly message: string
  readonly code: Code
  readonly details: typeof Details.Type
}

/** The error body of a code; for a union of codes, the union of their bodies. */
export type Body<Code extends ErrorCode> = Code extends ErrorCode ? BodyOf<Code> : never

const schemaOf = <Code extends ErrorCode>(code: Code): Schema.Codec<Body<Code>> => {
  const { status, title } = table[code]
  return (
    Schema.Struct({
      error: Schema.Literal(title),
      error_code: Schema.Literal(code),
      message: Schema.String,
      code: Schema.Literal(code),
      details: Details,
      ...extras[code],
    })
      .annotate({ identifier: `Error_${code}`, description: `${status} ${title}` })
      // The compiler can't relate the struct of a code to its body through the table.
      .pipe(HttpApiSchema.status(status)) as never
  )
}

const schemas = Object.fromEntries(Object.keys(table).map((code) => [code, schemaOf(code as ErrorCode)])) as {
  readonly [Code in ErrorCode]: Schema.Codec<Body<Code>>
}

export type Errors<Codes extends ReadonlyArray<ErrorCode>> = {
  readonly [Index in keyof Codes]: Schema.Codec<Body<Codes[Index]>>
}

/** The schemas of the errors that an endpoint can answer: `error: errors("not_found", "conflict")`. */
export const errors = <const Codes extends ReadonlyArray<ErrorCode>>(...codes: Codes) =>
  codes.map((code) => schemas[code]) as unknown as Errors<Codes>

/** Builds an error body. `Edge.ts` adds the request id. */
export const body = <Code extends ErrorCode>(
  code: Code,
  message: string,
  more: Pick<Refusal, "details" | "extras"> = {},
): Body<Code> =>
  ({
    error: table[code].title,
    error_code: code,
    message,
    code,
    details: more.details ?? {},
    ...more.extras,
  }) as never

/** The error body of a refusal of the core. */
export const toBody = <R extends { readonly code: ErrorCode; readonly message: string }>(
  refusal: R & Pick<Refusal, "details" | "extras">,
): Body<R["code"]> => body(refusal.code, refusal.message, refusal) as never
