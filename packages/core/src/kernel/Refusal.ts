// The refusals that all rooms share. `http/src/edge/Errors.ts` turns them into responses.
import { type Cause, Schema, SchemaIssue } from "effect"
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
    /** Names of merge tokens. */
    readonly tokens?: ReadonlyArray<string>
    /** Where a JSON body has its first error. */
    readonly line?: number
    readonly column?: number
    /** What has the name already. */
    readonly existing_id?: string
    /** Whether a merge of the two contacts solves the conflict. */
    readonly merge?: true
  }
  readonly extras?: Readonly<Record<string, unknown>>
}

/** The details of a refusal because something has the name already. Null: it was created at the same time. */
export const existing = ({ existingId }: { readonly existingId: string | null }) =>
  existingId === null ? {} : { existing_id: existingId }

interface RefusalParts<Code, Fields extends Schema.Struct.Fields, Details, Extras> {
  readonly code: Code
  readonly fields?: Fields
  readonly message: (it: Schema.Struct<Fields>["Type"]) => string
  readonly details?: (it: Schema.Struct<Fields>["Type"]) => Details
  readonly extras?: (it: Schema.Struct<Fields>["Type"]) => Extras
}

type Given<Key extends string, Part> = [Part] extends [never] ? unknown : { readonly [K in Key]: Part }

/** The base class of a refusal: its code, its fields, and the functions of the fields that make the rest of its body. */
export const refusalClass =
  <Self>() =>
  <
    Tag extends string,
    const Code extends ErrorCode,
    const Fields extends Schema.Struct.Fields = {},
    Details extends NonNullable<Refusal["details"]> = never,
    Extras extends NonNullable<Refusal["extras"]> = never,
  >(
    tag: Tag,
    { code, fields, ...parts }: RefusalParts<Code, Fields, Details, Extras>,
  ) => {
    class Base extends Schema.TaggedError<Base>()(tag, fields ?? {}) {
      readonly code = code
      readonly #it = this as unknown as Schema.Struct<Fields>["Type"]
      override get message(): string {
        return parts.message(this.#it)
      }
      get details(): Details | undefined {
        return parts.details?.(this.#it)
      }
      get extras(): Extras | undefined {
        return parts.extras?.(this.#it)
      }
    }
    return Base as unknown as Schema.Class<
      Self,
      Schema.TaggedStruct<Tag, Fields>,
      Cause.YieldableError & { readonly code: Code } & Given<"details", Details> & Given<"extras", Extras>
    >
  }

export const IssueSchema = Schema.Struct({ path: Schema.String, message: Schema.String })

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
export class NotFound extends refusalClass<NotFound>()("NotFound", {
  code: "not_found",
  fields: {
    /** What was requested, as a noun: `contact`, `contact list`. */
    resource: Schema.String,
    /** Path of the id in the body; absent if the id was in the URL. */
    path: Schema.optionalKey(Schema.String),
    /** The contact that the requested one was merged into. */
    mergedInto: Schema.optionalKey(Schema.String),
  },
  message: ({ mergedInto, resource }) =>
    `No such ${resource} in this workspace${mergedInto === undefined ? "" : `: it was merged into ${mergedInto}`}`,
  details: ({ path, resource }) =>
    path === undefined ? {} : { issues: [{ path, message: `no such ${resource} in this workspace` }] },
  extras: ({ mergedInto }) => (mergedInto === undefined ? {} : { merged_into: mergedInto }),
}) {
  /** The same refusal for an id of the body. */
  at(path: string): NotFound {
    const { mergedInto, resource } = this
    return new NotFound({ resource, path, ...(mergedInto === undefined ? {} : { mergedInto }) })
  }
}

export const invalidMessage = (issues: ReadonlyArray<Issue>): string =>
  `The request is not valid: ${issues.map(({ path, message }) => `${path} ${message}`).join("; ")}`

/** A well-formed request with values that are not allowed. Lists all issues. */
export class Invalid extends refusalClass<Invalid>()("Invalid", {
  code: "validation_failed",
  fields: { issues: Schema.Array(IssueSchema) },
  message: ({ issues }) => invalidMessage(issues),
  details: ({ issues }) => ({ issues }),
}) {
  static at(path: string, message: string): Invalid {
    return new Invalid({ issues: [{ path, message }] })
  }
}

/** The status of the resource does not allow the operation. */
export class InvalidState extends refusalClass<InvalidState>()("InvalidState", {
  code: "invalid_state",
  fields: {
    resource: Schema.String,
    status: Schema.String,
    /** The operation as a participle: `scheduled`, `sent`. */
    move: Schema.String,
  },
  message: ({ move, resource, status }) => `The ${resource} is ${status} and can't be ${move}`,
  details: ({ status }) => ({ status }),
}) {}

/** The database, the blob store or another part does not answer, or not in time. The caller may retry. */
export class Unavailable extends refusalClass<Unavailable>()("Unavailable", {
  code: "unavailable",
  fields: {
    part: Schema.String,
    /** What went wrong, if more is known than that the part does not answer. One sentence. */
    reason: Schema.optionalKey(Schema.String),
  },
  message: ({ part, reason }) => reason ?? `The ${part} does not answer at the moment. Try again in a few seconds`,
}) {}
