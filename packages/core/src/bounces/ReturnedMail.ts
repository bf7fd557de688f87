// The parser of mail to a return path: a bounce, a complaint, a delivery report, an automatic reply, or unknown. Senders and
// recipients that the mail names are ignored: the return path identifies the message that it is about.
import { Effect, Result } from "effect"
import PostalMime, { type Email } from "postal-mime"
import { decodeText } from "../kernel/Bytes.ts"
import { bounceOf, deliveryStatus, type ParsedReport } from "./DeliveryStatus.ts"
import { fieldGroups, token } from "./ReportFields.ts"
import type { BounceReport } from "./Report.ts"
import { isAutomaticReply, type ReturnedMessage, unstructuredBounce } from "./ReturnedText.ts"

/** The bytes that are read of a message: a report comes before the message that it returns. */
export const read_bytes_max = 2 ** 20
/** The time of parsing grows with the lines. */
const read_lines_max = 10_000
const line_feed = 10

/** The part of a message that is read. */
const beginning = (bytes: Uint8Array): Uint8Array => {
  const kept = bytes.subarray(0, read_bytes_max)
  let end = -1
  for (let lines = 0; lines < read_lines_max; lines++) {
    end = kept.indexOf(line_feed, end + 1)
    if (end === -1) return kept
  }
  return kept.subarray(0, end + 1)
}

const limits = { maxNestingDepth: 20, maxHeadersSize: 2 ** 18 } as const

/** Reads the first `read_bytes_max` bytes of a message, 10,000 lines at most. Unreadable mail is `unknown`. */
export const readReturnedMail = (bytes: Uint8Array): Effect.Effect<ParsedReport> =>
  Effect.gen(function* () {
    const parsed = yield* Effect.tryPromise(() =>
      PostalMime.parse(beginning(bytes), {
        ...limits,
        forceRfc822Attachments: true,
        attachmentEncoding: "arraybuffer",
      }),
    ).pipe(Effect.result)
    return Result.isFailure(parsed) ? { kind: "unknown" } : readingOf(parsed.success)
  })

/** The report to record, if there is one. */
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
  const start = /^(?:reporting-mta|final-recipient)[ \t]*:/im.exec(text)
  return start === null || !/^(?:action|status)[ \t]*:/im.test(text) ? undefined : text.slice(start.index)
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
