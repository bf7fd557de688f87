// Error codes with their HTTP statuses and titles, and the schemas of error bodies. Endpoints declare their codes;
// a handler that can fail with another code does not compile.
import type { ErrorCode } from "@tentpole/core/kernel/ErrorCode"
import { EmailUser, MisspeltToken } from "@tentpole/core/emails/EmailErrors"
import { TopicUser } from "@tentpole/core/topics/TopicErrors"
import { ListUser } from "@tentpole/core/lists/ListUse"
import type { Issue, Refusal } from "@tentpole/core/kernel/Refusal"
import { authorities } from "@tentpole/core/workspaces/Role"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { codes, titles } from "./ErrorDocs.ts"

type Codes = typeof codes

type StatusOf<Code extends ErrorCode> = {
  [Status in keyof Codes]: Code extends keyof Codes[Status] ? Status : never
}[keyof Codes]

type Table = {
  readonly [Code in ErrorCode]: { readonly status: StatusOf<Code>; readonly title: (typeof titles)[StatusOf<Code>] }
}

/** The status and title of each code. */
export const table = Object.fromEntries(
  Object.entries(codes).flatMap(([status, of]) =>
    Object.keys(of).map((code) => [code, { status: Number(status), title: titles[Number(status) as keyof Codes] }]),
  ),
) as unknown as Table

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
  tokens: Schema.optionalKey(Schema.Array(Schema.String)),
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int),
  existing_id: Schema.optionalKey(Schema.String),
  merge: Schema.optionalKey(Schema.Literal(true)),
}).annotate({ identifier: "ErrorDetails" })

/** Further top-level fields that some codes have. */
const Extra = Schema.optionalKey(Schema.Unknown)
const Count = Schema.optionalKey(Schema.Int)
const limits = { limit: Count, current: Count }
const extras: { readonly [Code in ErrorCode]?: Schema.Struct.Fields } = {
  role_too_low: { needs: Schema.optionalKey(Schema.Literals(authorities)) },
  message_too_large: { limit: Count },
  not_found: { merged_into: Schema.optionalKey(Schema.String) },
  conflict: { existing_contact: Extra },
  campaign_not_ready: { approval_readiness: Extra },
  free_plan_email_limit: limits,
  insufficient_credits: limits,
  publish_limit_exceeded: limits,
  asset_limit_exceeded: limits,
  topic_limit: limits,
  webhook_endpoint_limit: limits,
  replay_too_large: { limit: Count },
  replay_in_progress: { replay_id: Schema.optionalKey(Schema.String) },
  field_definition_cap_exceeded: { limit: Count, current_active_count: Count, attempted_count: Count },
  field_definition_collision: { conflicts: Extra },
  unknown_token: { unknown_tokens: Schema.optionalKey(Schema.Array(MisspeltToken)) },
  email_in_use: { used_by: Schema.optionalKey(Schema.Array(EmailUser)), used_by_count: Count },
  topic_in_use: { used_by: Schema.optionalKey(Schema.Array(TopicUser)), used_by_count: Count },
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

export const isCode = (code: unknown): code is ErrorCode => typeof code === "string" && Object.hasOwn(table, code)

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

/** Maximum number of issues in an answer, so that it is not larger than the request. */
export const issues_max = 1_000
const path_length_max = 200
const issue_length_max = 1_000
const message_length_max = 10_000

const cut = (text: string, length_max: number): string =>
  text.length > length_max ? `${text.slice(0, length_max).toWellFormed()}…` : text

/** The first issues. What they repeat of the request is cut: a key or a name may be as long as the body. */
export const bounded = (issues: ReadonlyArray<Issue>): ReadonlyArray<Issue> =>
  issues
    .slice(0, issues_max)
    .map(({ message, path }) => ({ path: cut(path, path_length_max), message: cut(message, issue_length_max) }))

/** The error body of a refusal of the core. */
export const toBody = <R extends { readonly code: ErrorCode; readonly message: string }>(
  refusal: R & Pick<Refusal, "details" | "extras">,
): Body<R["code"]> => {
  const { code, details, extras, message } = refusal
  const issues = details?.issues === undefined ? {} : { issues: bounded(details.issues) }
  const more = { details: { ...details, ...issues }, ...(extras === undefined ? {} : { extras }) }
  return body(code, cut(message, message_length_max), more) as never
}
