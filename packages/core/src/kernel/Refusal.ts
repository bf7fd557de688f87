// The refusals that all rooms share. `http/src/edge/Errors.ts` turns them into responses.
import { Schema, SchemaIssue } from "effect"
import type { ErrorCode } from "./ErrorCode.ts"

/** One thing that is wrong. `path` uses dots and indexes: `items.3.email`. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** A typed failure of core. `extras` are top-level fields of the error body. */
export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  readonly details?: {
    readonly issues?: ReadonlyArray<Issue>
    readonly missing?: ReadonlyArray<string> | ReadonlyArray<Issue & { readonly code: string }>
    readonly status?: string
  }
  readonly extras?: Readonly<Record<string, unknown>>
}

const IssueSchema = Schema.Struct({ path: Schema.String, message: Schema.String })

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  array: "an array",
}

/** A schema's default message as a predicate: `Missing key` becomes `is required`. */
const inPlainWords = (message: string): string => {
  if (message === "Missing key") return "is required"
  if (message.startsWith("Expected no excess property")) return "is not a field of this call"
  const expected = /^Expected (.+)$/s.exec(message)?.[1]
  if (expected === undefined) return message
  // Identifiers of schemas begin with a capital letter, and name objects.
  const types = expected.split(" | ").map((type) => typeNames[type] ?? (/^[A-Z]/.test(type) ? "an object" : type))
  return `must be ${[...new Set(types)].join(" or ")}`
}

export const issuesOf = (error: Schema.SchemaError): ReadonlyArray<Issue> =>
  formatIssue(error.issue).issues.map(({ path, message }) => ({
    path: (path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join("."),
    message: inPlainWords(message),
  }))

/** The workspace has no resource with this id or name. An id of another workspace gets the same refusal. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  /** What was requested, as a noun: `contact`, `contact list`. */
  resource: Schema.String,
  /** Path of the id in the body; absent if the id was in the URL. */
  path: Schema.optionalKey(Schema.String),
}) {
  readonly code = "not_found" satisfies ErrorCode
  override get message(): string {
    return `No such ${this.resource} in this workspace`
  }
  get details(): { readonly issues?: ReadonlyArray<Issue> } {
    return this.path === undefined
      ? {}
      : { issues: [{ path: this.path, message: `no such ${this.resource} in this workspace` }] }
  }
}

/** A well-formed request with values that are not allowed. Lists all issues. */
export class Invalid extends Schema.TaggedError<Invalid>()("Invalid", { issues: Schema.Array(IssueSchema) }) {
  readonly code = "validation_failed" satisfies ErrorCode
  static at(path: string, message: string): Invalid {
    return new Invalid({ issues: [{ path, message }] })
  }
  override get message(): string {
    return `The request is not valid: ${this.issues.map((issue) => `${issue.path} ${issue.message}`).join("; ")}`
  }
  get details(): { readonly issues: ReadonlyArray<Issue> } {
    return { issues: this.issues }
  }
}

/** The status of the resource does not allow the operation. */
export class InvalidState extends Schema.TaggedError<InvalidState>()("InvalidState", {
  resource: Schema.String,
  status: Schema.String,
  /** The operation as a participle: `scheduled`, `sent`. */
  move: Schema.String,
}) {
  readonly code = "invalid_state" satisfies ErrorCode
  override get message(): string {
    return `The ${this.resource} is ${this.status} and can't be ${this.move}`
  }
  get details(): { readonly status: string } {
    return { status: this.status }
  }
}

/** The database, the blob store or another part does not answer. The caller may retry. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { part: Schema.String }) {
  readonly code = "unavailable" satisfies ErrorCode
  override get message(): string {
    return `The ${this.part} does not answer at the moment. Try again in a few seconds`
  }
}
