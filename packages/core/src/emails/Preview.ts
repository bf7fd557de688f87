// Previews of an email: rendered as for a recipient, but untracked, and with links of a message that does not exist.
import { DateTime, Effect } from "effect"
import { blankContact, type Contact } from "../contacts/Contact.ts"
import { decideWith, type Parse, Parsers } from "../ports/Parsers.ts"
import { ContactStore } from "../contacts/ContactStore.ts"
import { TemplateNotReady } from "../documents/DocumentErrors.ts"
import { Links } from "../rendering/Links.ts"
import { ApprovalId, ContactId, DeliveryId, type EmailId, type WorkspaceId } from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { type ApprovedEmail, senderOf } from "../rendering/message/Message.ts"
import { withinSize } from "../rendering/MessageTooLarge.ts"
import { compileInput, compileParser } from "../rendering/Compile.ts"
import { storableEmail } from "../documents/EmailFields.ts"
import { encodeText } from "../kernel/Bytes.ts"
import { type Email, EmailChange, plainTextOf, unknownTokensIn } from "./Email.ts"
import { type HtmlIssue, issueParser, linkParser, type MessageLink } from "./EmailIssues.ts"
import { EmailStore } from "./EmailStore.ts"
import { type Content, renderContent } from "../rendering/Render.ts"

export interface Preview extends Content {
  /** Names of unknown tokens. They render as their fallback or empty. */
  readonly unresolvedTokens: ReadonlyArray<string>
}

/** What a preview shows instead of the stored values. Omitted fields stay as stored. */
export interface UnsavedEmail {
  readonly html?: string
  readonly subject?: string | null
  readonly previewText?: string | null
}

export interface UnsavedPreview extends Preview {
  /** Of the given HTML, or of the stored one, in the order of the source; at most `html_issues_max`. */
  readonly issues: ReadonlyArray<HtmlIssue>
  /** Of the rendered message; at most `listed_links_max`. */
  readonly links: ReadonlyArray<MessageLink>
  /** The size of the rendered HTML. */
  readonly size_bytes: number
}

/** The implementations of `Emails.preview` and `Emails.previewUnsaved`. */
export const emailPreviews = Effect.gen(function* () {
  const store = yield* EmailStore
  const workspaces = yield* WorkspaceStore
  const contacts = yield* ContactStore
  const links = yield* Links
  const parsers = yield* Parsers
  const storable = yield* storableEmail
  const { message_bytes_max } = yield* Settings

  const rendered = Effect.fnUntraced(function* (
    workspace: WorkspaceId,
    { document, html }: { readonly document: Email; readonly html: string },
    contactId?: ContactId,
  ) {
    const contact = contactId === undefined ? sampleContact() : yield* contacts.get(workspace, contactId)
    const sender = senderOf(yield* workspaces.get(workspace))
    const options = { ...untracked, addresses: links.addresses, message_bytes_max }
    const parse = decideWith(parsers, workspace)
    const approved = yield* Effect.orDie(parse((each) => asApproved(document, html, each)))
    const compiled = yield* Effect.orDie(parsers.run(compileParser, compileInput(approved, sender, options), workspace))
    const { customFields } = yield* store.facts(workspace)
    // The email's id is no delivery's id: these links lead nowhere, and are the same in every preview.
    const nowhere = links.of({ workspaceId: workspace, deliveryId: DeliveryId.make(document.id) })
    const content = yield* withinSize(renderContent(compiled, { contact, dynamic: {}, links: nowhere }))
    const unknown = yield* Effect.orDie(parse((each) => unknownTokensIn({ document, html }, customFields, each)))
    return { preview: { ...content, unresolvedTokens: unknown.map(({ token }) => token) }, customFields }
  })

  const preview = Effect.fn("Emails.preview")(function* (workspace: WorkspaceId, id: EmailId, contactId?: ContactId) {
    const { document, html } = yield* store.current(workspace, id)
    if (html === null) return yield* new TemplateNotReady()
    return (yield* rendered(workspace, { document, html }, contactId)).preview satisfies Preview
  })

  const previewUnsaved = Effect.fn("Emails.previewUnsaved")(function* (
    workspace: WorkspaceId,
    id: EmailId,
    { html: given, ...fields }: UnsavedEmail,
    contactId?: ContactId,
  ) {
    const current = yield* store.current(workspace, id)
    const document = yield* Effect.fromResult(EmailChange.kind.patch(current.document, fields))
    const source = given ?? current.html
    if (source === null) return yield* new TemplateNotReady()
    const cleaned =
      given === undefined ? source : yield* Effect.catchTag(storable(given, workspace), "TooComplex", Effect.die)
    const before = given === undefined ? current.document : null
    const html = yield* Effect.orDie(
      decideWith(parsers, workspace)((parse) => EmailChange.kind.embed(cleaned, document, before, parse)),
    )
    const { customFields, preview: content } = yield* rendered(workspace, { document, html }, contactId)
    const asked = { html: source, customFields, isCleaned: cleaned !== source }
    return {
      ...content,
      issues: yield* Effect.orDie(parsers.run(issueParser, asked, workspace)),
      links: yield* Effect.orDie(parsers.run(linkParser, content.html, workspace)),
      size_bytes: encodeText(content.html).length,
    } satisfies UnsavedPreview
  })

  return { preview, previewUnsaved }
})

/** A marketing email without pixel and redirects. */
export const untracked = { operational: false, tracked: false } as const

/** The email as an approval would freeze it now, complete or not. */
export const asApproved = (email: Email, html: string, parse: Parse): ApprovedEmail => ({
  approvalId: ApprovalId.make(email.id),
  emailId: email.id,
  version: email.currentVersion,
  subject: email.subject ?? "",
  previewText: email.previewText,
  fromName: email.fromName ?? "",
  fromAddress: email.fromAddress ?? "",
  replyToEmail: email.replyToEmail ?? "",
  html,
  text: plainTextOf({ document: email, html }, parse),
  approvedAt: email.updatedAt,
})

/** The contact of previews and tests without one. Its custom fields are empty: fallbacks show. */
export const sampleContact = (email = "sample@example.com"): Contact => ({
  ...blankContact(ContactId.make("00000000-0000-4000-8000-000000000000"), DateTime.makeUnsafe(0)),
  displayName: "Sample Contact",
  firstName: "Sample",
  lastName: "Contact",
  company: "Sample Company",
  jobTitle: "Sample Title",
  email,
  phone: "+12025550100",
  address: "1 Sample Street",
  city: "Sample City",
  state: "Sample State",
  zipCode: "00000",
  country: "Sample Country",
})
