// Attachments of a message: names, types and content. They are never opened.
import { Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import type { Issue } from "../kernel/Refusal.ts"
import type { Parse, SyncParser } from "../ports/Parsers.ts"
import type { MessageAttachment } from "../sending/messages/MessageContent.ts"
import { attachments_bytes_max, file_name_length_max } from "./EmailMessage.ts"

export const AttachmentInput = Schema.Struct({
  file_name: Schema.String.annotate({
    description: "1 to 255 characters, without separators of folders and control characters",
  }),
  content: Schema.String.annotate({ description: "The file in base64" }),
  content_type: Schema.optionalKey(Schema.String.annotate({ description: "Default: by the name's ending" })),
  content_id: Schema.optionalKey(
    Schema.String.annotate({ description: "The name that cid: links of the HTML have. The file is shown in the HTML" }),
  ),
})
export type AttachmentInput = typeof AttachmentInput.Type

export interface NewAttachment extends MessageAttachment {
  readonly bytes: Uint8Array
}

/** Endings of programs, which mail servers refuse. */
export const refusedEndings: ReadonlySet<string> = new Set(
  (
    "ade adp apk app appx appxbundle bat cab chm cmd com cpl diagcab diagcfg diagpack dll dmg ex ex_ exe hta img ins iso isp " +
    "jar jnlp js jse lib lnk mde mjs msc msi msix msixbundle msp mst nsh pif ps1 ps1xml ps2 ps2xml psc1 psc2 reg scf scr sct " +
    "shb sys url vb vbe vbs vhd vxd wsc wsf wsh xll"
  ).split(" "),
)

const typesByEnding: Readonly<Record<string, string>> = {
  csv: "text/csv",
  gif: "image/gif",
  html: "text/html",
  ics: "text/calendar",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  webp: "image/webp",
  xml: "application/xml",
  zip: "application/zip",
}

/** The ending of a file name in lower case; empty without one. Dots and spaces at the end are ignored, as by Windows. */
const endingOf = (name: string): string => {
  let end = name.length
  while (end > 0 && (name[end - 1] === "." || name[end - 1] === " ")) end--
  const dot = name.lastIndexOf(".", end - 1)
  return dot < 0 ? "" : name.slice(dot + 1, end).toLowerCase()
}

const typePattern = /^[A-Za-z0-9!#$&^_.+-]{1,100}\/[A-Za-z0-9!#$&^_.+-]{1,100}$/

/** What a `cid:` address can name without escapes. */
const contentIdPattern = /^[A-Za-z0-9._@+-]{1,200}$/

const nameIssue = (name: string): string | null => {
  if (name.trim() === "" || name.length > file_name_length_max) {
    return `must have 1 to ${file_name_length_max} characters`
  }
  if (/[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(name))
    return "must have no separators of folders and no control characters"
  return refusedEndings.has(endingOf(name)) ? "has an ending that mail servers refuse: send a link to the file" : null
}

const isPartType = (type: string): boolean => /^(?:multipart|message)\//i.test(type)

/** Checks every file, and decodes it. Stops at the size of all. */
export const readAttachments = (
  inputs: ReadonlyArray<AttachmentInput>,
  parse: Parse,
): { readonly attachments: ReadonlyArray<NewAttachment>; readonly issues: ReadonlyArray<Issue> } => {
  const issues: Array<Issue> = []
  const attachments: Array<NewAttachment> = []
  const contentIds = new Set<string>()
  const about_bytes = inputs.reduce((sum, { content }) => sum + Math.floor((content.length * 3) / 4), 0)
  if (about_bytes > attachments_bytes_max + 2 * inputs.length) return { attachments, issues: [tooLarge] }
  const decoded =
    inputs.length === 0
      ? []
      : parse(
          base64Parser,
          inputs.map(({ content }) => content),
        )
  for (const [at, input] of inputs.entries()) {
    const refuse = (field: string, message: string) => issues.push({ path: `attachments.${at}.${field}`, message })
    const named = nameIssue(input.file_name)
    if (named !== null) refuse("file_name", named)
    const contentType = input.content_type ?? typesByEnding[endingOf(input.file_name)] ?? "application/octet-stream"
    if (!typePattern.test(contentType) || isPartType(contentType))
      refuse("content_type", "must be a type, such as application/pdf")
    const contentId = input.content_id ?? null
    if (contentId !== null && !contentIdPattern.test(contentId)) {
      refuse("content_id", "must have 1 to 200 letters, digits and characters of . _ @ + -")
    } else if (contentId !== null && contentIds.has(contentId)) {
      refuse("content_id", "must be different from those of the other files")
    }
    if (contentId !== null) contentIds.add(contentId)
    const bytes = decoded[at] ?? null
    if (bytes === null) refuse("content", "must be base64, without line breaks, with its padding")
    else if (bytes.length === 0) refuse("content", "must not be empty")
    else attachments.push({ fileName: input.file_name, contentType, contentId, size_bytes: bytes.length, bytes })
  }
  const total_bytes = attachments.reduce((sum, file) => sum + file.size_bytes, 0)
  return { attachments, issues: total_bytes > attachments_bytes_max ? [...issues, tooLarge] : issues }
}

const tooLarge: Issue = {
  path: "attachments",
  message: `must have at most ${attachments_bytes_max} bytes together`,
}

/** Decodes the contents of files; null is one that is not base64. */
export const base64Parser: SyncParser<ReadonlyArray<string>, ReadonlyArray<Uint8Array | null>> = {
  name: "base64",
  run: (contents) => contents.map(decodeStrict),
  sizeOf: (contents) => contents.reduce((sum, { length }) => sum + length, 0),
}

/** The bytes of canonical base64; null otherwise. */
const decodeStrict = (text: string): Uint8Array | null => {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  return Result.getOrElse(
    Result.map(Base64.decode(text), (bytes): Uint8Array | null => bytes),
    () => null,
  )
}
