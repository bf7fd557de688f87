// The mail that asks for a confirmation: the built-in content in the brand of the workspace, and the values for the tokens of an own
// email. Topics, text and link are values of tokens: braces in them are text.
import { DateTime } from "effect"
import type { EmailId } from "../kernel/Ids.ts"
import type { EmailAddress } from "../kernel/values/EmailAddress.ts"
import { expires_after_hours } from "../messages/EmailMessage.ts"
import type { NewMessage } from "../messages/NewMessage.ts"
import { addressOf, box, button, heading, layOut, letterhead, paragraph, row, small } from "../rendering/EmailLayout.ts"
import { escapeHtml, isWebUrl } from "../rendering/Escapes.ts"
import { paletteOr, usual_color } from "../rendering/Palette.ts"
import { publicNameOf, type Workspace } from "../workspaces/Workspace.ts"

/** The token that each confirmation mail needs. */
export const confirm_token = "confirm_url"

export interface MailContent {
  readonly email: EmailAddress
  readonly topics: ReadonlyArray<string>
  /** What the person agreed to. */
  readonly text: string | null
  readonly confirmUrl: string
  /** Null: the built-in content. */
  readonly emailId: EmailId | null
  readonly expiresAt: DateTime.Utc
}

type Sender = Pick<Workspace, "brand" | "consent" | "senderDefaults">

/** As recipients know it. */
const senderName = ({ brand, senderDefaults }: Sender): string | null => publicNameOf(brand) ?? senderDefaults.fromName

export const confirmationMail = (workspace: Sender, content: MailContent, now: DateTime.Utc): NewMessage => {
  const { confirmUrl, email, emailId, expiresAt, text, topics } = content
  const sender = senderName(workspace)
  const subject = emailId === null ? builtInSubject(sender) : null
  return {
    clientItemId: null,
    to: { email, name: null },
    source: emailId === null ? { kind: "inline", ...builtIn(workspace, text !== null) } : { kind: "email", emailId },
    header: { subject, previewText: null, fromName: null, fromAddress: null, replyToEmail: null },
    data: {
      [confirm_token]: confirmUrl,
      topics: topics.join(", "),
      text: text ?? "",
      sender: sender ?? "",
      email: email.written,
      valid_until: dayOf(expiresAt),
    },
    // An own email may have tokens of data that only its other uses have.
    allowUnresolved: true,
    contact: "match",
    operational: true,
    topicId: null,
    attachments: [],
    headers: [["Auto-Submitted", "auto-generated"]],
    tags: {},
    metadata: {},
    trackOpens: false,
    trackClicks: false,
    // The link gives access: it is deleted when the message has ended.
    retainContent: false,
    scheduledAt: null,
    expiresAt: DateTime.min(expiresAt, DateTime.add(now, { hours: expires_after_hours })),
  }
}

const dayOf = (at: DateTime.Utc): string =>
  DateTime.formatUtc(at, { locale: "en-GB", day: "numeric", month: "long", year: "numeric" })

const builtInSubject = (sender: string | null): string =>
  sender === null ? "Please confirm your subscription" : "{{data.sender}}: please confirm your subscription"

const ignoring =
  "Did you not ask for this? Then you need not do anything: ignore this mail, and you will get nothing more from this request."

/** Braces of a brand's name would be tokens. */
const plain = (text: string): string => text.replaceAll("{{", "{ {")

const builtIn = (workspace: Sender, hasText: boolean): { readonly html: string; readonly text: string } => {
  const { brand, consent } = workspace
  const name = publicNameOf(brand)
  const palette = paletteOr(brand.primaryColor, usual_color)
  const sender = senderName(workspace) === null ? "" : " from <strong>{{data.sender}}</strong>"
  const { privacyUrl } = consent
  const privacy =
    privacyUrl === null || !isWebUrl(privacyUrl)
      ? []
      : [small(`<a href="${escapeHtml(plain(privacyUrl))}">How your data is used</a>`)]
  const html = layOut({
    title: "Please confirm your subscription",
    palette,
    rows: [
      ...(name === null ? [] : [letterhead({ name: plain(name), logoUrl: brand.logoUrl, domain: brand.domain })]),
      row(
        "24px 40px",
        [
          heading("Please confirm your subscription"),
          paragraph(`<strong>{{data.email}}</strong> was entered to get <strong>{{data.topics}}</strong>${sender}.`),
          ...(hasText ? [small("You agreed to:"), box("{{data.text}}"), paragraph("")] : []),
          button("Confirm the subscription", `{{${confirm_token}}}`, palette),
          paragraph(""),
          paragraph("The link is valid until {{data.valid_until}}. It opens a page with a button."),
          paragraph(ignoring),
          ...privacy,
        ].join("\n"),
      ),
    ],
  })
  const from = senderName(workspace) === null ? "" : " from {{data.sender}}"
  const text = [
    `{{data.email}} was entered to get {{data.topics}}${from}.`,
    ...(hasText ? ["You agreed to:\n{{data.text}}"] : []),
    `Confirm the subscription:\n{{${confirm_token}}}`,
    "The link is valid until {{data.valid_until}}. It opens a page with a button.",
    ignoring,
    ...(privacy.length === 0 ? [] : [`How your data is used: ${plain(privacyUrl ?? "")}`]),
    ...(addressOf(brand.domain) === null ? [] : [addressOf(brand.domain) ?? ""]),
  ].join("\n\n")
  return { html, text: `${text}\n` }
}
