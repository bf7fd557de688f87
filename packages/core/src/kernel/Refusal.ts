// The refusals that every room shares. A refusal carries its code, a sentence that says what to do, and what the body of
// the answer shows besides; `http/Errors.ts` makes the answer of it.
import { Schema } from "effect"
import type { ErrorCode } from "./ErrorCode.ts"

/** One thing that is wrong, and where: `path` in dots and indexes, `items.3.email`. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** What a failure of the core offers to its caller. `extras` stand at the top level of an error body. */
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

/** Nothing of that name or id in the workspace. Another workspace's id reads exactly the same. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  /** What was looked for, as a noun: `contact`, `contact list`. */
  resource: Schema.String,
  /** Where in the body the id stood; absent when it stood in the path. */
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

/** The request is well formed, but what it says can't be so. Every issue is listed. */
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

/** The resource's state does not allow the move. */
export class InvalidState extends Schema.TaggedError<InvalidState>()("InvalidState", {
  resource: Schema.String,
  status: Schema.String,
  /** What was asked for, as a participle: `scheduled`, `sent`. */
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

/** The database, the object store or another part that the request needs does not answer. Try again. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { part: Schema.String }) {
  readonly code = "unavailable" satisfies ErrorCode
  override get message(): string {
    return `The ${this.part} does not answer at the moment. Try again in a few seconds`
  }
}
