// The sources of single messages: an approved email, an approved template, or inline content.
import { Cache, Duration, Effect } from "effect"
import type { TemplateNotApproved } from "../documents/DocumentErrors.ts"
import { EmailStore } from "../emails/EmailStore.ts"
import type { ApprovalId, EmailId, EmailTemplateId, WorkspaceId } from "../kernel/Ids.ts"
import { NotFound } from "../kernel/Refusal.ts"
import { WeightedLru } from "../kernel/runtime/WeightedLru.ts"
import { Parsers, type TooComplex } from "../ports/Parsers.ts"
import { preheaderParser } from "../rendering/Markup.ts"
import { type MergeToken, tokenParser } from "../rendering/MergeTokens.ts"
import { plainTextParser } from "../rendering/PlainText.ts"
import { approvedNamed, EmailTemplateStore } from "../templates/TemplateStore.ts"
import { EmailNotApproved } from "./MessageErrors.ts"
import { type HeaderOverrides, type MessageSource, noHeader } from "./NewMessage.ts"

/** A source with what replaces it: the parts of an approval, or parts of its own. */
export interface Parts {
  readonly header: HeaderOverrides
  readonly html: string | null
  readonly text: string
  readonly emailId: EmailId | null
  readonly version: number | null
  readonly templateId: EmailTemplateId | null
  /** Null: the message has its own parts. */
  readonly approvalId: ApprovalId | null
  /** The tokens of the parts, without those of the header. */
  readonly tokens: ReadonlyArray<MergeToken>
}

const approvals_max = 500
const approvals_for = Duration.minutes(10)

/** Content that was parsed lately, in characters: of all together, and of one. */
const parsed_weight_max = 5_000_000
const parsed_size_max = 100_000

interface Content {
  readonly html: string | null
  readonly text: string | null
  readonly previewText: string | null
}

const inBody =
  (path: string) =>
  ({ resource }: NotFound) =>
    new NotFound({ resource, path })

/** The parts of each kind of source. Approvals never change: their tokens are found once. */
export const sourceParts = Effect.gen(function* () {
  const emails = yield* EmailStore
  const templates = yield* EmailTemplateStore
  const parsers = yield* Parsers

  const approvals = yield* Cache.make({
    lookup: Effect.fnUntraced(function* ({
      approvalId,
      workspace,
    }: {
      readonly workspace: WorkspaceId
      readonly approvalId: ApprovalId
    }) {
      const email = yield* Effect.orDie(emails.approval(workspace, approvalId))
      const { fromAddress, fromName, previewText, replyToEmail, subject } = email
      return {
        header: { subject, previewText, fromName, fromAddress, replyToEmail },
        version: email.version,
        tokens: yield* parsers.run(tokenParser, [email.html, email.text], workspace),
      }
    }),
    capacity: approvals_max,
    timeToLive: approvals_for,
  })

  const parse = Effect.fnUntraced(function* (workspace: WorkspaceId, { html, previewText, text }: Content) {
    const shown =
      html === null || previewText === null
        ? html
        : yield* parsers.run(preheaderParser, { html, text: previewText }, workspace)
    const plain = text ?? (html === null ? "" : yield* parsers.run(plainTextParser, html, workspace))
    return { html: shown, text: plain, tokens: yield* parsers.run(tokenParser, [shown, plain], workspace) }
  })

  const parsed = new WeightedLru<Effect.Success<ReturnType<typeof parse>>>(parsed_weight_max)

  /** Parts of its own, with the preview text in the HTML. Most messages have the content of another one, with other data. */
  const own = Effect.fnUntraced(function* (workspace: WorkspaceId, content: Content) {
    const { html, previewText, text } = content
    if ((html?.length ?? 0) + (text?.length ?? 0) > parsed_size_max) return yield* parse(workspace, content)
    const key = JSON.stringify([html, text, previewText])
    const known = parsed.get(key)
    if (known !== undefined) return known
    const parts = yield* parse(workspace, content)
    parsed.set(key, parts, { weight: key.length + (parts.html?.length ?? 0) + parts.text.length })
    return parts
  })

  const ofEmail = Effect.fnUntraced(function* (workspace: WorkspaceId, emailId: EmailId, header: HeaderOverrides) {
    const path = "email_id"
    const { approval } = yield* Effect.mapError(emails.get(workspace, emailId), inBody(path))
    if (approval === null) return yield* new EmailNotApproved({ path })
    const known = yield* Cache.get(approvals, { workspace, approvalId: approval.id })
    const common = { header: known.header, emailId, version: known.version, templateId: null }
    if (header.previewText === null || header.previewText === known.header.previewText) {
      return { ...common, approvalId: approval.id, html: null, text: "", tokens: known.tokens }
    }
    const { html, text } = yield* Effect.orDie(emails.approval(workspace, approval.id))
    return { ...common, approvalId: null, ...(yield* own(workspace, { html, text, previewText: header.previewText })) }
  })

  const ofTemplate = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    templateId: EmailTemplateId,
    header: HeaderOverrides,
  ) {
    const { defaults, html, plainText } = yield* approvedNamed(templates, workspace, templateId)
    const previewText = header.previewText ?? defaults.previewText
    const parts = yield* own(workspace, { html, text: plainText?.text ?? null, previewText })
    return { ...parts, header: defaults, emailId: null, version: null, templateId, approvalId: null }
  })

  return (
    workspace: WorkspaceId,
    source: MessageSource,
    header: HeaderOverrides,
  ): Effect.Effect<Parts, NotFound | EmailNotApproved | TemplateNotApproved | TooComplex> => {
    switch (source.kind) {
      case "email":
        return ofEmail(workspace, source.emailId, header)
      case "template":
        return ofTemplate(workspace, source.templateId, header)
      case "inline":
        return Effect.map(own(workspace, { ...source, previewText: header.previewText }), (parts) => ({
          ...parts,
          header: noHeader,
          emailId: null,
          version: null,
          templateId: null,
          approvalId: null,
        }))
    }
  }
})
