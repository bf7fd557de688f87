// Contacts, emails and messages for tests, ordinary ones and hostile ones.
import { DateTime, Schema } from "effect"
import type { Contact } from "../../src/contacts/Contact.ts"
import type { ApprovedEmail, Addresses, Recipient, Sender } from "../../src/rendering/message/Message.ts"
import { ApprovalId, ContactId, DeliveryId, EmailId, WorkspaceId } from "../../src/kernel/Ids.ts"

const id = (last: number): string => `0190a0de-0000-7000-8000-${String(last).padStart(12, "0")}`
export const at = (ms: number): DateTime.Utc => DateTime.makeUnsafe(ms)

export const ada: Contact = {
  id: ContactId.make(id(1)),
  displayName: "Ada Lovelace",
  firstName: "ada",
  lastName: "Lovelace",
  company: null,
  jobTitle: "chief of éclairs",
  email: "ada@example.com",
  emailNormalized: "ada@example.com",
  phone: null,
  address: null,
  address2: null,
  city: null,
  state: null,
  zipCode: null,
  country: "McDonald",
  leadStatus: null,
  lifecycleStage: null,
  serviceScore: 4.5,
  unsubscribed: false,
  marketingEmailSubscribed: null,
  marketingSmsSubscribed: null,
  marketingEmailInvalid: false,
  originalSource: "api",
  originalSourceDetail: null,
  customFields: { color: "blue & <green>", size: 42, vip: true, interests: ["wine", "Bern, CH"] },
  createdAt: at(0),
  updatedAt: at(0),
  lastActivityAt: null,
}

export const sender: Sender = {
  workspaceId: WorkspaceId.make(id(2)),
  workspaceName: "Acme & Söhne",
  publicName: "Acme & Söhne",
  postalAddress: "1 Way\nTown <1>",
}

export const approved = (over: Partial<ApprovedEmail> = {}): ApprovedEmail => ({
  approvalId: ApprovalId.make(id(3)),
  emailId: EmailId.make(id(4)),
  version: 1,
  subject: "Hello {{contact.first_name}}",
  previewText: null,
  fromName: "Acme",
  fromAddress: "news@example.test",
  replyToEmail: "reply@example.test",
  html: "<html><body><p>Hi</p></body></html>",
  text: "Hi",
  approvedAt: at(0),
  ...over,
})

/** Contains every character that HTML has to escape. */
export const addresses: Addresses = {
  click: `https://pages.test/c/?d=1&m="x"&n=`,
  open: "https://pages.test/o/1?a=1&b=",
  unsubscribe: "https://pages.test/u/abc?x=1&y=",
  view: "https://pages.test/v/",
}

export const recipient = (over: Partial<Recipient> = {}): Recipient => ({
  deliveryId: DeliveryId.make(id(5)),
  contact: ada,
  address: "ada@example.com",
  dynamic: { code: "X&Y" },
  links: {
    token: (kind, index) => (kind === "view" ? "abc" : String(index ?? 2)),
    click: (index) => `${addresses.click}${index}`,
    open: `${addresses.open}2`,
    unsubscribe: `${addresses.unsubscribe}2`,
    view: `${addresses.view}abc`,
  },
  messageId: "0190a0de@example.test",
  date: at(Date.UTC(2026, 10, 21, 11, 13, 9)),
  listId: "blast.acme.example.test",
  feedbackId: "blast:acme:tentpole",
  ...over,
})

/** Typical field values, and those that attackers would like to have there. */
export const nasty = [
  `O'Neil <b>"&amp;"</b>`,
  "{{contact.email}}",
  "a\r\nBcc: evil@example.test",
  "</style><script>alert(1)</script>",
  "--><img src=x onerror=alert(1)>",
  `" onmouseover="alert(1)`,
  "javascript:alert(1)",
  "https://evil.example/?a=1&b='2'",
  " leading and trailing ",
  "=?utf-8?Q?forged?=",
  ".\r\n.\r\nQUIT",
  "From me to you",
  "Żółć 漢字 🦊🇨🇭 ﷽",
  "x".repeat(2001),
  "\ud800 alone \udfff",
  "tab\tnul\u0000bell\u0007 line\u2028sep",
  "=3D==\n=",
  "`${x}` $& $1 \\n",
] as const

/** Any text; half of the time one of the above. */
export const AnyText = Schema.Union([Schema.Literals(nasty), Schema.String])
/** Text that has a UTF-8 form and can be stored: what the service accepts. */
export const KeptText = Schema.Union([
  Schema.Literals(nasty.filter((text) => !text.includes("\ud800") && !text.includes("\u0000"))),
  Schema.String.check(Schema.isPattern(/^[^\0\p{Cs}]*$/u)),
])

/** Pieces of HTML, well formed and not. */
const pieces = [
  "<p>",
  "</p>",
  "<P Class=x>é ☃</P>",
  "text ",
  "\r\n",
  "\n.\n",
  "&amp; &nbsp;&copy;",
  "<table><tr><td>",
  "foo</td></tr></table>",
  `<a href="https://example.com/a?x=1&amp;y=2">go</a>`,
  "<a href=https://example.com/b>b</a>",
  `<A HREF='HTTP://EXAMPLE.COM/ c '>c</A>`,
  `<a href="https://example.com/?e={{contact.email}}">e</a>`,
  `<a href="{{campaign.dynamic.page}}">page</a>`,
  `<a data-no-track href="https://example.com/n">n</a>`,
  `<a href="mailto:a@example.test">m</a>`,
  `<img src="https://example.com/i.png">`,
  "{{contact.first_name}}",
  "{{contact.last_name:uppercase|fall & back}}",
  "<b title={{contact.last_name}}>t</b>",
  `<b title="{{contact.last_name}}" style="color:{{contact.company}}">t</b>`,
  "<style>p{color:{{contact.company}}}</style>",
  "<!-- {{contact.first_name}} -->",
  `<!--[if mso]><a href="https://example.com/mso">o</a><![endif]-->`,
  "<br/>",
  "<title>{{contact.last_name}}</title>",
  "</body>",
  "</html>",
  "<body>",
  "<!doctype html>",
  "<svg><style>{{contact.last_name}}</style><a xlink:href='{{contact.last_name}}'>s</a></svg>",
  "{{",
  "}}",
  "<",
  "🦊",
] as const

export const AnyHtml = Schema.Array(Schema.Union([Schema.Literals(pieces), Schema.String])).check(
  Schema.isMaxLength(30),
)
