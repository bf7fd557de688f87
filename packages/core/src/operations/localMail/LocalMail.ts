// A message in a file, as its reader sees it.
import PostalMime from "postal-mime"
import { attribute, elements, type Element } from "../../documents/HtmlElements.ts"
import { parseHtml } from "../../documents/ParseHtml.ts"
import type { Parser } from "../../ports/Parsers.ts"

interface Attachment {
  readonly fileName: string | null
  readonly mediaType: string
  readonly size_bytes: number
}

/** A link of the HTML, as the message has it. */
interface HtmlLink {
  readonly href: string
  readonly text: string
}

export interface ReadMail {
  readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly html: string | null
  readonly text: string | null
  readonly attachments: ReadonlyArray<Attachment>
  readonly links: ReadonlyArray<HtmlLink>
}

/** All text in an element, with white space as one space. */
const wholeText = (element: Element): string => {
  let text = ""
  const open: Array<Element["childNodes"][number]> = [...element.childNodes].reverse()
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ("value" in node) text += node.value
    if ("childNodes" in node) open.push(...[...node.childNodes].reverse())
  }
  return text.replace(/\s+/g, " ").trim()
}

const linksIn = (html: string): ReadonlyArray<HtmlLink> =>
  elements(parseHtml(html)).flatMap((element) => {
    const href = element.tagName === "a" ? attribute(element, "href") : ""
    return href === "" ? [] : [{ href, text: wholeText(element) }]
  })

const size = (content: ArrayBuffer | Uint8Array | string): number =>
  typeof content === "string" ? content.length : content.byteLength

const readMail = async (bytes: Uint8Array): Promise<ReadMail> => {
  const { attachments, headers, html = null, text = null } = await PostalMime.parse(bytes)
  return {
    headers: headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    html,
    text,
    attachments: attachments.map(({ content, filename, mimeType }) => ({
      fileName: filename,
      mediaType: mimeType,
      size_bytes: size(content),
    })),
    links: html === null ? [] : linksIn(html),
  }
}

export const localMailParser: Parser<Uint8Array, ReadMail> = {
  name: "local_mail",
  run: readMail,
  sizeOf: (bytes) => bytes.length,
}
