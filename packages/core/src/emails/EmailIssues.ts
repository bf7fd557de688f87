// What a preview reports of HTML that is being written: issues with their places in the source, and the links of the message.
import { emailDangersOf } from "../documents/EmailDangers.ts"
import { attribute, type Element, elements, type Node } from "../documents/HtmlElements.ts"
import { parseHtml } from "../documents/ParseHtml.ts"
import type { SyncParser } from "../ports/Parsers.ts"
import { findTokens, formats, isKnown, type MergeToken, nearestName } from "../rendering/MergeTokens.ts"

/** An issue of HTML. Lines and columns count from 1. */
export interface HtmlIssue {
  readonly line: number
  readonly column: number
  readonly message: string
}

export interface MessageLink {
  readonly url: string
  /** The visible text, or the alternative text of a picture. */
  readonly text: string
}

export const html_issues_max = 100
export const listed_links_max = 500
/** The text of a listed link. */
const link_text_length_max = 200

interface IssueInput {
  readonly html: string
  /** `api_name`s of the active fields. */
  readonly customFields: ReadonlyArray<string>
  /** Whether the cleaner changes the HTML. */
  readonly isCleaned: boolean
}

interface Found {
  readonly at: number
  readonly message: string
}

export const issueParser: SyncParser<IssueInput, ReadonlyArray<HtmlIssue>> = {
  name: "html_issues",
  run: ({ customFields, html, isCleaned }) =>
    placed(html, [...(isCleaned ? activeContent(html) : []), ...unknownTokens(html, new Set(customFields))]),
  sizeOf: ({ html }) => html.length,
}

const unknownTokens = (html: string, known: ReadonlySet<string>): ReadonlyArray<Found> => {
  const nearest = new Map<string, string | null>()
  return findTokens(html)
    .filter(({ token }) => !isKnown(token, known))
    .slice(0, html_issues_max)
    .map(({ start, token }) => {
      if (!nearest.has(token.name)) nearest.set(token.name, nearestName(token, known))
      return { at: start, message: tokenMessage(token, nearest.get(token.name) ?? null) }
    })
}

const tokenMessage = ({ malformed, name }: MergeToken, nearest: string | null): string => {
  if (malformed) return `{{${name}}} has an unknown format. Use ${formats.join(", ")}`
  return nearest === null
    ? `{{${name}}} has no value. It renders as its fallback or empty`
    : `{{${name}}} has no value. Probably {{${nearest}}}`
}

/** `dangersOf` names no places: the first occurrence of the name is the place. */
const activeContent = (html: string): ReadonlyArray<Found> => {
  const folded = foldedAscii(html)
  return [...new Set(emailDangersOf(html))].slice(0, html_issues_max).map((danger) => {
    const [name = ""] = /^<?[^\s>:]+/.exec(danger) ?? []
    return { at: Math.max(0, folded.indexOf(foldedAscii(name))), message: `Active content is removed: ${danger}` }
  })
}

/** Of the same length, unlike `toLowerCase`. */
const foldedAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** In the order of the source. */
const placed = (html: string, found: ReadonlyArray<Found>): ReadonlyArray<HtmlIssue> => {
  let line = 1
  let begin = 0
  return found
    .toSorted((left, right) => left.at - right.at)
    .slice(0, html_issues_max)
    .map(({ at, message }) => {
      for (let end = html.indexOf("\n", begin); end >= 0 && end < at; end = html.indexOf("\n", begin)) {
        line += 1
        begin = end + 1
      }
      return { line, column: at - begin + 1, message }
    })
}

/** The links of a rendered message in document order. */
export const linkParser: SyncParser<string, ReadonlyArray<MessageLink>> = {
  name: "message_links",
  run: (html) =>
    elements(parseHtml(html, { scriptingEnabled: false }))
      .filter((element) => (element.tagName === "a" || element.tagName === "area") && attribute(element, "href") !== "")
      .slice(0, listed_links_max)
      .map((element) => ({ url: attribute(element, "href"), text: visibleText(element) })),
  sizeOf: (html) => html.length,
}

/** A bound on work: in drawings links can contain each other. */
const read_nodes_max = 1_000

const visibleText = (link: Element): string => {
  let text = link.tagName === "area" ? attribute(link, "alt") : ""
  const open: Array<Node> = [...link.childNodes].reverse()
  for (let count = 0; count < read_nodes_max && text.length < link_text_length_max; count++) {
    const node = open.pop()
    if (node === undefined) break
    if ("value" in node) text += node.value
    else if ("tagName" in node && node.tagName === "img") text += attribute(node, "alt")
    if ("childNodes" in node) open.push(...node.childNodes.slice(0, read_nodes_max).reverse())
  }
  return text.replace(/\s+/g, " ").trim().slice(0, link_text_length_max)
}
