// The parser of mail to a return path: a bounce, a complaint, a delivery report, an automatic reply, or unknown. Senders and
// recipients that the mail names are ignored: the return path identifies the message that it is about.
import PostalMime, { type Email } from "postal-mime"
import type { Parser } from "../ports/Parsers.ts"
import { decodeText } from "../kernel/Bytes.ts"
import { bounceOf, deliveryStatus, type ParsedReport, fieldGroups, token } from "./DeliveryStatus.ts"
import type { BounceReport } from "./Report.ts"
import { codeIn, type EnhancedCode } from "../sending/EnhancedCode.ts"

/** The bytes that are read of a message: a report comes before the message that it returns. */
export const read_bytes_max = 2 ** 20
/** The time of parsing grows with the lines. */
const read_lines_max = 10_000
const line_feed = 10

const beginning = (bytes: Uint8Array): Uint8Array => {
  const start = bytes.subarray(0, read_bytes_max)
  let end = -1
  for (let lines = 0; lines < read_lines_max; lines++) {
    end = start.indexOf(line_feed, end + 1)
    if (end === -1) return start
  }
  return start.subarray(0, end + 1)
}

const parsing = {
  maxNestingDepth: 20,
  maxHeadersSize: 2 ** 18,
  forceRfc822Attachments: true,
  attachmentEncoding: "arraybuffer",
} as const

/** Reads the first `read_bytes_max` bytes of a message, 10,000 lines at most. Unreadable mail is `unknown`. */
export const readReturnedMail = (bytes: Uint8Array): Promise<ParsedReport> =>
  PostalMime.parse(beginning(bytes), parsing).then(readingOf, () => ({ kind: "unknown" }))

export const returnedMailParser: Parser<Uint8Array, ParsedReport> = {
  name: "returned_mail",
  run: readReturnedMail,
  sizeOf: (bytes) => bytes.length,
}

export const reportOf = (reading: ParsedReport): BounceReport | undefined => {
  switch (reading.kind) {
    case "bounce":
      return { _tag: "bounced", kind: reading.bounce, words: reading.words }
    case "complaint":
      return { _tag: "complained" }
    case "delivery":
      return { _tag: "delivered" }
    case "autoReply":
    case "underway":
    case "unknown":
      return undefined
  }
}

/** Structured reports are read by their structure. Text is searched only where there is none. */
const readingOf = (email: Email): ParsedReport => {
  const feedback = partOf(email, "message/feedback-report")
  if (feedback !== undefined) return feedbackReading(feedback)
  const status =
    partOf(email, "message/delivery-status") ?? partOf(email, "message/global-delivery-status") ?? strayStatus(email)
  const read = status === undefined ? undefined : deliveryStatus(status)
  if (read !== undefined) return read
  const letter = returnedMessageOf(email)
  const bounce = unstructuredBounce(letter)
  if (bounce !== undefined) return bounceOf(bounce.code, bounce.words)
  return { kind: isAutomaticReply(letter) ? "autoReply" : "unknown" }
}

const partOf = (email: Email, type: string): string | undefined => {
  const part = email.attachments.find(({ mimeType }) => mimeType === type)
  if (part === undefined) return undefined
  return typeof part.content === "string" ? part.content : decodeText(new Uint8Array(part.content))
}

/** A report with broken MIME structure: its fields are in the text. */
const strayStatus = ({ text = "" }: Email): string | undefined => {
  const begin = /^(?:reporting-mta|final-recipient)[ \t]*:/im.exec(text)
  return begin === null || !/^(?:action|status)[ \t]*:/im.test(text) ? undefined : text.slice(begin.index)
}

/** The types of RFC 5965 §7.3 and RFC 6430 by which a person rejects mail. */
const complaints: ReadonlySet<string> = new Set(["abuse", "fraud", "virus", "opt-out", "opt-out-list"])

const feedbackReading = (text: string): ParsedReport => {
  const [fields] = fieldGroups(text, "feedback-type")
  return { kind: complaints.has(token(fields?.get("feedback-type"))) ? "complaint" : "unknown" }
}

const returnedMessageOf = (email: Email): ReturnedMessage => ({
  header: (name) => email.headers.find(({ key }) => key === name)?.value,
  subject: email.subject ?? "",
  from: email.from?.address || email.from?.name || "",
  text: email.text ?? withoutTags(email.html ?? ""),
})

const html_length_max = 50_000

/** Only for finding a code in the text. */
const withoutTags = (html: string): string =>
  html
    .slice(0, html_length_max)
    .replace(/<(?:br|p|div|tr)\b[^<>]*>/gi, "\n")
    .replace(/<[^<>]*>/g, " ")

/** The parts of a message that are read. Names of header fields are in lower case. */
interface ReturnedMessage {
  readonly header: (name: string) => string | undefined
  readonly subject: string
  readonly from: string
  readonly text: string
}

const text_length_max = 20_000

/** Where a bounce ends and the returned message begins. The returned message is not read. */
const enclosed =
  /^(?:---.*(?:below this line|original message|enclosed|copy of (?:the|your) message|returned message|message header|undelivered message).*|received: .*|return-path: .*|(?:original message headers|message headers follow):?.*)$/im

const ownWords = (text: string): string => {
  const cut = text.slice(0, text_length_max)
  const end = enclosed.exec(cut)?.index ?? cut.length
  return cut.slice(0, end)
}

/** Where a code counts: behind a reply's three digits, behind a `#`, or behind a word for it. */
const codedPlaces = [
  /\b[45]\d\d[ -]#?([45]\.\d{1,3}\.\d{1,3})(?![.\d])/,
  /#\s?([45]\.\d{1,3}\.\d{1,3})(?![.\d])/,
  /\b(?:status|code|dsn|error)\b[^\r\n]{0,30}?[\s:=(]([45]\.\d{1,3}\.\d{1,3})(?![.\d])/i,
]

const daemon = /^(?:mailer-daemon|postmaster|mail-daemon|mdaemon|bounces?|mail delivery (?:sub)?system)\b/i

const returned =
  /undeliver|returned mail|delivery (?:status notification|failure|has failed|failed)|mail delivery (?:failed|system)|failure notice|delivery problem|non remis|unzustellbar|returned to sender|couldn't be delivered/i

const delayed = /delay|warning|still (?:being )?(?:retried|trying)|verzögert/i

/** The code of a bounce without structure, and its line; undefined when the message is no bounce, or has no code. */
const unstructuredBounce = (
  letter: ReturnedMessage,
): { readonly code: EnhancedCode; readonly words: string } | undefined => {
  if (delayed.test(letter.subject)) return undefined
  if (!daemon.test(letter.from) && !returned.test(letter.subject)) return undefined
  for (const line of ownWords(letter.text).split(/\r\n|\r|\n/)) {
    for (const place of codedPlaces) {
      const code = codeIn(place.exec(line)?.[1] ?? "")
      if (code !== undefined) return { code, words: line.trim() }
    }
  }
  return undefined
}

const automaticSubject =
  /^\s*(?:out of (?:the )?office|automatic reply|auto(?:matic)?[ -]?(?:reply|response|responder)|vacation|away from|abwesen|automatische antwort|réponse automatique|absence du bureau|respuesta automática|risposta automatica|on (?:annual |parental )?leave)/i

const challengeSubject =
  /(?:confirm|verify) (?:your|that you)|please (?:confirm|verify)|challenge[ -]response|action required to deliver/i

const says = (value: string | undefined, pattern: RegExp): boolean => value !== undefined && pattern.test(value)

/** Headers of RFC 3834 §5, and older conventions: vacation replies, ticket receipts, challenges. */
const isAutomaticReply = ({ header, subject }: ReturnedMessage): boolean =>
  says(header("auto-submitted"), /^\s*auto-/i) ||
  ["x-autoreply", "x-autorespond", "x-auto-reply", "x-autogenerated", "x-challenge"].some(
    (name) => header(name) !== undefined,
  ) ||
  says(header("precedence"), /^\s*auto[_-]?reply/i) ||
  automaticSubject.test(subject) ||
  challengeSubject.test(subject)
