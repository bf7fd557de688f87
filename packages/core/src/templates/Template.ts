// EmailTemplate and TentTemplate: documents that emails and tents start from, and the decisions about them.
import { Result, Schema } from "effect"
import {
  type ApprovedContent,
  type Document,
  type DocumentTypes,
  type PlainTextOverride,
  withFields,
  document_name_length_max,
} from "../documents/Document.ts"
import { GenerationInProgress } from "../documents/DocumentErrors.ts"
import { type MailHeader, checkFields, withWritten } from "../documents/EmailFields.ts"
import type { EmailId, EmailTemplateId, TentId, TentTemplateId } from "../kernel/Ids.ts"
import { inverse } from "../kernel/Keys.ts"
import { Invalid, type Issue, refusalClass } from "../kernel/Refusal.ts"
import { promptIssues } from "../documents/Generation.ts"
import { isBlank } from "../kernel/Text.ts"
import { type DocumentChange, DocumentMachine, type Kind } from "../documents/machine.ts"

/** Header fields that emails start with; null: the template sets none. */
export type MailDefaults = MailHeader

/** The defaults by their names on the wire and in the database. */
export const defaultNames = {
  subject: "default_subject",
  previewText: "default_preview_text",
  fromName: "default_from_name",
  fromAddress: "default_from_address",
  replyToEmail: "default_reply_to_email",
} as const

export const defaultFields = inverse(defaultNames)

/** Omitted fields stay. Returns the same object when no field changes. */
export const withDefaults = (
  defaults: MailDefaults,
  patch: Partial<MailDefaults>,
): Result.Result<MailDefaults, Invalid> =>
  Result.map(checkFields(patch, "default_"), ({ name: _, ...checked }) => withFields(defaults, checked))

export interface EmailTemplate extends Document {
  readonly id: EmailTemplateId
  /** The email that it was created from; null: it was uploaded, generated or blank. */
  readonly sourceId: EmailId | null
  readonly defaults: MailDefaults
}

export interface TentTemplate extends Document {
  readonly id: TentTemplateId
  /** The tent that it was created from; null: it was uploaded, generated or blank. */
  readonly sourceId: TentId | null
}

export interface ApprovedEmailTemplate extends ApprovedContent {
  readonly templateId: EmailTemplateId
  readonly defaults: MailDefaults
  readonly plainText: PlainTextOverride | null
}

export interface ApprovedTentTemplate extends ApprovedContent {
  readonly templateId: TentTemplateId
}

export interface TemplateTypes extends DocumentTypes {
  readonly document: EmailTemplate | TentTemplate
  readonly patch: { readonly name?: string }
  readonly facts: null
  readonly uses: ReadonlyArray<TemplateUse>
  readonly inUse: TemplateInUse
}

export interface EmailTemplateTypes extends TemplateTypes {
  readonly document: EmailTemplate
  readonly given: Pick<EmailTemplate, "name" | "sourceId" | "defaults" | "plainText">
  readonly patch: { readonly name?: string; readonly defaults?: Partial<MailDefaults> }
  readonly approved: ApprovedEmailTemplate
  readonly notReady: GenerationInProgress
}

export interface TentTemplateTypes extends TemplateTypes {
  readonly document: TentTemplate
  readonly given: Pick<TentTemplate, "name" | "sourceId">
  readonly approved: ApprovedTentTemplate
  readonly notReady: never
}

/** A flow that uses the template. */
export const TemplateUse = Schema.Struct({ kind: Schema.Literals(["email flow"]), name: Schema.String })
export type TemplateUse = typeof TemplateUse.Type

export class TemplateInUse extends refusalClass<TemplateInUse>()("TemplateInUse", {
  code: "email_in_use",
  fields: {
    uses: Schema.Array(TemplateUse),
    /** The requested action, as a participle. */
    move: Schema.String,
  },
  message: (it) => {
    const users = it.uses.map(({ kind, name }) => `the ${kind} "${name}"`).join(", ")
    return `The template can't be ${it.move} while it is used by ${users}`
  },
}) {}

/** At most one of `html`, `prompt` and a source; with none of them it starts as a branded scaffold. */
export interface NewTemplate {
  readonly name: string
  readonly html?: string
  readonly prompt?: string
}

/** Reports every issue at once. `source`: the field that names the email or tent to start from. */
export const checkNewTemplate = (
  { name, html, prompt }: NewTemplate,
  source: { readonly path: string; readonly id: string | undefined },
): Result.Result<void, Invalid> => {
  const given = [["html", html] as const, [source.path, source.id] as const, ["prompt", prompt] as const].flatMap(
    ([path, value]) => (value === undefined ? [] : [path]),
  )
  const [first, ...others] = given
  const issues = [
    ...nameIssues(name),
    ...(prompt === undefined ? [] : promptIssues(prompt)),
    ...others.map((path) => ({ path, message: `can't be combined with ${first}: omit one of them` })),
  ]
  return issues.length === 0 ? Result.void : Result.fail(new Invalid({ issues }))
}

const nameIssues = (name: string): ReadonlyArray<Issue> =>
  !isBlank(name) && name.length <= document_name_length_max
    ? []
    : [{ path: "name", message: `must have 1 to ${document_name_length_max} characters` }]

export type EmailTemplateChange = DocumentChange<EmailTemplateTypes>
export type TentTemplateChange = DocumentChange<TentTemplateTypes>

const shared = {
  noun: "template",
  embed: (html) => html,
  inUse: (uses, move) => (uses.length === 0 ? null : new TemplateInUse({ uses, move })),
} satisfies Partial<Kind<TemplateTypes>>

const checkedName = ({ name }: TemplateTypes["patch"]): Result.Result<TemplateTypes["patch"], Invalid> => {
  const issues = name === undefined ? [] : nameIssues(name)
  if (issues.length > 0) return Result.fail(new Invalid({ issues }))
  return Result.succeed(name === undefined ? {} : { name })
}

export const EmailTemplateChange = new DocumentMachine<EmailTemplateTypes>({
  ...shared,
  draft: (given, state) => Result.succeed({ ...given, ...state }),
  patch: (template, patch) =>
    Result.flatMap(checkedName(patch), (named) =>
      Result.map(withDefaults(template.defaults, patch.defaults ?? {}), (defaults) =>
        withFields(template, { ...named, defaults }),
      ),
    ),
  fill: (template, answer) => ({ ...template, defaults: withWritten(template.defaults, answer) }),
  // An approval without a version waits for the generation: the caller has not seen its result.
  withApproved: (template) => template,
  freeze: ({ document, html, generation }, { approvalId, approvedAt, version }) => {
    if (version === undefined && generation?.status === "generating") return Result.fail(new GenerationInProgress())
    const { id, currentVersion, defaults, plainText } = document
    const approval = { approvalId, approvedAt, version: currentVersion }
    return Result.succeed({ ...approval, templateId: id, html, defaults, plainText })
  },
  job: (templateId, generationId) => ({ type: "email_template_generation", templateId, generationId }),
})

export const TentTemplateChange = new DocumentMachine<TentTemplateTypes>({
  ...shared,
  draft: (given, state) => Result.succeed({ ...given, ...state, plainText: null }),
  patch: (template, patch) => Result.map(checkedName(patch), (named) => withFields(template, named)),
  fill: (template) => template,
  withApproved: (template) => template,
  freeze: ({ document: { id, currentVersion }, html }, { approvalId, approvedAt }) =>
    Result.succeed({ approvalId, approvedAt, templateId: id, version: currentVersion, html }),
  job: (templateId, generationId) => ({ type: "tent_template_generation", templateId, generationId }),
})
