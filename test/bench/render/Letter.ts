// A newsletter of 20 KB with ten tokens and ten links, and its recipients.
import type { ClaimedDelivery } from "@tentpole/core/sending/DeliveryStore"
import type { ApprovedEmail, Sender } from "@tentpole/core/rendering/message/Message"
import { plainText } from "@tentpole/core/rendering/PlainText"
import { blankContact, type Contact } from "@tentpole/core/contacts/Contact"
import { ApprovalId, BlastId, ContactId, DeliveryId, EmailId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime } from "effect"

const id = (kind: number, number: number): string =>
  `0190a0de-${String(kind).padStart(4, "0")}-7000-8000-${number.toString(16).padStart(12, "0")}`
const at = DateTime.makeUnsafe(Date.UTC(2026, 10, 21, 11, 13, 9))

const words =
  "the harbour opens early and boats leave with bread fish salt rope lanterns maps letters for islands where café owners wait"
const sentence = (number: number): string => {
  const all = words.split(" ")
  const some = Array.from({ length: 14 }, (_, each) => all[(number * 7 + each * (1 + (number % 5))) % all.length])
  return `${some.join(" ")}.`
}

/** Each section has a token and a link. */
const sections = [
  "Good morning {{contact.first_name:capitalize|dear reader}}",
  "News from {{contact.city|your town}}",
  "For {{contact.company|your company}}",
  "Your plan: {{contact.custom_fields.plan:uppercase}}",
  "You have {{contact.custom_fields.points|0}} points",
  "{{contact.last_name}}, this is for you",
  "Sent to {{contact.email}}",
  "Seen in {{contact.country:titlecase|the world}}",
  "Yours, {{workspace.name}}",
  `<span title="{{contact.job_title|reader}}">Who reads this</span>`,
]

const paragraph = (from: number, count: number): string =>
  Array.from({ length: count }, (_, each) => sentence(from + each)).join(" ")

const font = "font-family:Arial,Helvetica,sans-serif"
const table = `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse">`

/** Layout of real emails: tables in tables, every style on its element, and a button that Outlook draws by itself. */
const section = (heading: string, number: number): string => `
      <tr>
        <td class="cell" align="left" valign="top" style="padding:24px 32px 8px;${font};font-size:16px;line-height:24px;color:#1f2937">
          ${table}
            <tr>
              <td width="96" valign="top" style="padding:0 16px 0 0">
                <img src="https://cdn.harbour.example/stories/${number}.png" width="80" height="80" alt="" style="display:block;border:0;border-radius:8px;outline:none">
              </td>
              <td valign="top" style="padding:0;${font};font-size:16px;line-height:24px;color:#1f2937">
                <h2 style="margin:0 0 12px;${font};font-size:20px;line-height:28px;font-weight:700;color:#0f172a">${heading}</h2>
                <p style="margin:0 0 16px;${font};font-size:16px;line-height:24px;color:#1f2937">${paragraph(number * 11, 5)}</p>
              </td>
            </tr>
          </table>
          ${table}
            <tr>
              <td align="left" bgcolor="#0f766e" style="border-radius:6px;background-color:#0f766e;mso-padding-alt:12px 20px">
                <a href="https://www.harbour.example/stories/${number}?utm_source=newsletter&amp;utm_medium=email&amp;n=${number}" target="_blank" style="display:inline-block;padding:12px 20px;${font};font-size:16px;line-height:20px;font-weight:700;color:#ffffff;text-decoration:none">Read on</a>
              </td>
            </tr>
          </table>
        </td>
      </tr>`

const htmlOf = (count: number): string => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>The harbour</title>
  <style>body{margin:0;background:#f3f4f6}.cell{background:#ffffff}@media (max-width:620px){.cell{padding:16px!important}}</style>
</head>
<body>
  <table role="presentation" width="100%" cellpadding="0" cellspacing="0">${sections.slice(0, count).map(section).join("")}
  </table>
</body>
</html>
`

export const sender: Sender = {
  workspaceId: WorkspaceId.make(id(1, 1)),
  workspaceName: "The Harbour Company",
  publicName: "The Harbour Company",
  postalAddress: "1 Quay Street\nPort Town",
}

export const domain = "harbour.example"

/** The letter with so many of the ten sections. */
export const letterOf = (count: number): ApprovedEmail => {
  const html = htmlOf(count)
  return {
    approvalId: ApprovalId.make(id(2, 1)),
    emailId: EmailId.make(id(3, 1)),
    version: 1,
    subject: "{{contact.first_name:capitalize|Reader}}, the boats are in",
    previewText: null,
    fromName: "The Harbour",
    fromAddress: `news@${domain}`,
    replyToEmail: `reply@${domain}`,
    html,
    text: plainText(html),
    approvedAt: at,
  }
}

export const letter = letterOf(sections.length)

export type Person = ClaimedDelivery & { readonly contact: Contact }

const names = ["ada", "Grace", "Zoë", "Łukasz", "mary ann", "O'Neil"]

/** Some fields are empty, and some names need escapes. */
export const people = (count: number): ReadonlyArray<Person> =>
  Array.from({ length: count }, (_, number): Person => ({
    id: DeliveryId.make(id(4, number)),
    token: 1,
    attempts: 0,
    rateLimited: false,
    blastId: BlastId.make(id(5, 1)),
    topicId: null,
    tokens: null,
    approvalId: letter.approvalId,
    operational: false,
    address: `person${number}@example.com`,
    message: null,
    contact: {
      ...blankContact(ContactId.make(id(6, number)), at),
      firstName: names[number % names.length] ?? null,
      lastName: `Person ${number}`,
      company: number % 4 === 0 ? null : `Company ${number} & Sons`,
      jobTitle: number % 3 === 0 ? null : `Master of "ropes"`,
      email: `person${number}@example.com`,
      emailNormalized: `person${number}@example.com`,
      city: number % 2 === 0 ? "Zürich" : null,
      country: "the netherlands",
      marketingEmailSubscribed: true,
      originalSource: "import",
      customFields: { plan: "basic", points: number * 3 },
    },
  }))

/** The value of a token for a recipient. */
export const valueOf = ({ contact }: Person, name: string): string | null => {
  const values: Readonly<Record<string, string | null>> = {
    "contact.first_name": contact.firstName,
    "contact.last_name": contact.lastName,
    "contact.city": contact.city,
    "contact.company": contact.company,
    "contact.email": contact.email,
    "contact.country": contact.country,
    "contact.job_title": contact.jobTitle,
    "contact.custom_fields.plan": String(contact.customFields["plan"]),
    "contact.custom_fields.points": String(contact.customFields["points"]),
    "workspace.name": sender.workspaceName,
  }
  return values[name] ?? null
}
