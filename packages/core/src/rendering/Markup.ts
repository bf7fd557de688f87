// The regions of an author's HTML: text, attribute values, the ends of the body. All positions are offsets into the source,
// so that unchanged parts stay the same byte for byte. The preheader is the preview text inside the HTML, so that the HTML
// shows what is sent.
import { type DefaultTreeAdapterMap, defaultTreeAdapter, Parser, parseFragment, Token, TokenizerMode } from "parse5"
import { limitedTree } from "../documents/ParseHtml.ts"
import type { SyncParser } from "../ports/Parsers.ts"
import { escapeHtml } from "./Escapes.ts"

interface Place {
  readonly start: number
  readonly end: number
  /** Inside a conditional comment, which only Outlook reads. */
  readonly conditional: boolean
}

/** A part of the source in which tokens are allowed. */
export interface Region extends Place {
  /** `raw`: style, script and other elements without escapes. `comment`: a comment that no mail client reads, or CDATA. */
  readonly kind: "text" | "raw" | "comment"
}

/** The value of an attribute, without its quotes. */
export interface AttributeRegion extends Place {
  readonly kind: "attribute"
  /** Lower-case, like the attribute's name. */
  readonly tag: string
  readonly name: string
  readonly quote: '"' | "'" | ""
  /** The element has `data-no-track`. */
  readonly noTrack: boolean
}

export interface Markup {
  /** In the order of the source, without overlaps. */
  readonly regions: ReadonlyArray<Region | AttributeRegion>
  /** The offset at which the body's content begins, also without `<body>`. */
  readonly bodyStart: number
  /** Before `</body>`, else before `</html>`, else the end of the source. */
  readonly bodyEnd: number
  readonly preheader: Preheader | null
}

/** The element with the preview text, which mail clients show beside the subject. */
export interface Preheader {
  readonly start: number
  readonly end: number
  readonly contentStart: number
  readonly contentEnd: number
  /** Created by this service, which may also remove it. */
  readonly ours: boolean
}

/** Marks the preheader of this service. An author's preheader has the usual class, `preheader`. */
export const preheader_attribute = "data-preheader"

export const scan = (html: string): Markup => {
  const parser = new Scanner(html, 0, false)
  parser.run()
  const body = bodyOf(parser.document)
  return {
    regions: parser.regions.flatMap((region) => withoutSections(html, region)),
    bodyStart: body?.sourceCodeLocation?.startTag?.endOffset ?? contentStart(body) ?? html.length,
    bodyEnd: body?.sourceCodeLocation?.endTag?.startOffset ?? parser.bodyEnd ?? parser.htmlEnd ?? html.length,
    preheader: body === undefined ? null : findPreheader(body),
  }
}

const section_start = "<![CDATA["

/** CDATA in SVG and MathML: text to the parser, but without escapes, and a value could end it. */
const withoutSections = (html: string, region: Region | AttributeRegion): ReadonlyArray<Region | AttributeRegion> => {
  if (region.kind !== "text") return [region]
  const begun = html.startsWith(section_start, region.start - section_start.length)
  const from = begun ? region.start - section_start.length : region.start
  const parts: Array<Region> = []
  let at = region.start
  for (const found of html.slice(from, region.end).matchAll(/<!\[CDATA\[.*?(?:\]\]>|$)/gs)) {
    const [start, end] = [Math.max(at, from + found.index), from + found.index + found[0].length]
    parts.push({ ...region, start: at, end: start }, { ...region, kind: "comment", start, end })
    at = end
  }
  return [...parts, { ...region, start: at }]
}

/** Decodes character references as a browser does. `quote` is the attribute's; undefined for text. */
export const decodeReferences = (raw: string, quote?: '"' | "'" | ""): string => {
  if (!raw.includes("&")) return raw
  if (quote === undefined) {
    const [title] = parseFragment(`<title>${raw.replaceAll("</", "&lt;/")}</title>`).childNodes
    const [text] = title !== undefined && defaultTreeAdapter.isElementNode(title) ? title.childNodes : []
    return text !== undefined && defaultTreeAdapter.isTextNode(text) ? text.value : ""
  }
  const mark = quote === "" ? '"' : quote
  const value = quote === "" ? raw.replaceAll('"', "&quot;") : raw
  const [element] = parseFragment(`<i a=${mark}${value}${mark}>`).childNodes
  return element !== undefined && defaultTreeAdapter.isElementNode(element) ? (element.attrs[0]?.value ?? "") : ""
}

/**
 * The library's parser, extended to record tokens. They arrive in the order of the source, and the tree builder switches
 * the tokenizer as the standard requires (style, script, foreign content). Text nodes of the finished tree can't be used:
 * the parser merges text that it moves out of tables.
 */
class Scanner extends Parser<DefaultTreeAdapterMap> {
  readonly source: string
  /** The offset of the source in the whole document: conditional comments are scanned as separate documents. */
  readonly base: number
  readonly conditional: boolean
  readonly regions: Array<Region | AttributeRegion> = []
  /** Of `</body>` or `</html>`, also where the tree ignores them. */
  bodyEnd: number | undefined = undefined
  htmlEnd: number | undefined = undefined
  raw = false

  constructor(source: string, base: number, conditional: boolean) {
    super({ sourceCodeLocationInfo: true, scriptingEnabled: false, treeAdapter: limitedTree(source) })
    this.source = source
    this.base = base
    this.conditional = conditional
  }

  run(): void {
    this.tokenizer.write(this.source, true)
  }

  override onCharacter(token: Token.CharacterToken): void {
    this.addText(token)
    super.onCharacter(token)
  }

  override onNullCharacter(token: Token.CharacterToken): void {
    this.addText(token)
    super.onNullCharacter(token)
  }

  override onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.addText(token)
    super.onWhitespaceCharacter(token)
  }

  override onComment(token: Token.CommentToken): void {
    if (token.location !== null) this.addComment(token.location.startOffset, token.location.endOffset)
    super.onComment(token)
  }

  override onStartTag(token: Token.TagToken): void {
    this.addAttributes(token)
    super.onStartTag(token)
    // In foreign content the tokenizer reads style and script as text, but browsers don't.
    this.raw = rawModes.has(this.tokenizer.state) || token.tagName === "style" || token.tagName === "script"
  }

  override onEndTag(token: Token.TagToken): void {
    this.raw = false
    if (token.tagName === "body") this.bodyEnd = token.location?.startOffset
    if (token.tagName === "html") this.htmlEnd = token.location?.startOffset
    super.onEndTag(token)
  }

  /** Text arrives in pieces, by kind of character. Adjacent pieces are one region. */
  addText(token: Token.CharacterToken): void {
    if (token.location === null) return
    const kind = this.raw ? "raw" : "text"
    const start = this.base + token.location.startOffset
    const end = this.base + token.location.endOffset
    const last = this.regions.at(-1)
    // The parser repeats the first text of a document without elements for each of its states.
    if (last !== undefined && start < last.end) return
    if (last !== undefined && last.kind === kind && last.end === start) {
      this.regions[this.regions.length - 1] = { ...last, end }
    } else this.regions.push({ kind, start, end, conditional: this.conditional })
  }

  /** Outlook reads the HTML in a conditional comment: its links are tracked and its tokens filled in. */
  addComment(from: number, to: number): void {
    const source = this.source.slice(from, to)
    const opening = /^<!--\[if [^\]>]*\]>/i.exec(source)
    const end = source.search(/<!\[endif\]-->$/i)
    if (opening === null || end < opening[0].length) {
      this.regions.push({ kind: "comment", start: this.base + from, end: this.base + to, conditional: false })
      return
    }
    const inner = new Scanner(source.slice(opening[0].length, end), this.base + from + opening[0].length, true)
    inner.run()
    this.regions.push(...inner.regions)
  }

  addAttributes(token: Token.TagToken): void {
    const noTrack = token.attrs.some((attribute) => attribute.name === "data-no-track")
    const places = token.attrs.flatMap(({ name }) => {
      const location = token.location?.attrs?.[name]
      return location === undefined ? [] : [{ name, from: location.startOffset, to: location.endOffset }]
    })
    for (const { name, from, to } of places.sort((left, right) => left.from - right.from)) {
      const behind = this.source.slice(from + name.length, to)
      const equals = /^[\t\n\f\r ]*=[\t\n\f\r ]*/.exec(behind)
      if (equals === null) continue
      const first = behind.charAt(equals[0].length)
      const quote = first === '"' || first === "'" ? first : ""
      const start = this.base + from + name.length + equals[0].length + quote.length
      const end = this.base + to - quote.length
      this.regions.push({
        kind: "attribute",
        tag: token.tagName,
        name,
        start,
        end,
        quote,
        noTrack,
        conditional: this.conditional,
      })
    }
  }
}

const rawModes: ReadonlySet<number> = new Set([
  TokenizerMode.RAWTEXT,
  TokenizerMode.SCRIPT_DATA,
  TokenizerMode.PLAINTEXT,
])

type Element = DefaultTreeAdapterMap["element"]

const bodyOf = (document: DefaultTreeAdapterMap["document"]): Element | undefined =>
  document.childNodes
    .filter((node) => defaultTreeAdapter.isElementNode(node))
    .flatMap((root) => root.childNodes)
    .filter((node) => defaultTreeAdapter.isElementNode(node))
    .find((node) => node.tagName === "body")

/** Without a `<body>` the content begins with its first node. */
const contentStart = (body: Element | undefined): number | undefined => {
  const starts = (body?.childNodes ?? []).flatMap((node) => node.sourceCodeLocation?.startOffset ?? [])
  return starts.length === 0 ? undefined : starts.reduce((least, start) => Math.min(least, start))
}

const findPreheader = (body: Element): Preheader | null => {
  const waiting: Array<DefaultTreeAdapterMap["childNode"]> = [...body.childNodes].reverse()
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!defaultTreeAdapter.isElementNode(node)) continue
    const found = asPreheader(node)
    if (found !== null) return found
    for (let at = node.childNodes.length - 1; at >= 0; at--) {
      const child = node.childNodes[at]
      if (child !== undefined) waiting.push(child)
    }
  }
  return null
}

const asPreheader = (element: Element): Preheader | null => {
  const location = element.sourceCodeLocation
  if (location?.startTag === undefined || location.endTag === undefined) return null
  const has = (name: string, test: (value: string) => boolean) =>
    element.attrs.some((attribute) => attribute.name === name && test(attribute.value))
  const ours = has(preheader_attribute, () => true)
  const theirs = has("class", (value) => value.split(/\s+/).includes("preheader"))
  // An author's preheader has only text: some authors use the class for a whole visible row.
  if (!ours && !(theirs && element.childNodes.every((child) => defaultTreeAdapter.isTextNode(child)))) return null
  return {
    start: location.startOffset,
    end: location.endOffset,
    contentStart: location.startTag.endOffset,
    contentEnd: location.endTag.startOffset,
    ours,
  }
}

const opening = `<div ${preheader_attribute} style="display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all">`
const closing = "</div>"

/**
 * Replaces the preheader's text, or inserts a preheader at the start of the body. Null removes it. The rest stays the same.
 */
export const withPreheader = (html: string, text: string | null): string => {
  const { preheader, bodyStart } = scan(html)
  if (preheader === null) {
    return text === null
      ? html
      : html.slice(0, bodyStart) + opening + escapeHtml(text) + closing + html.slice(bodyStart)
  }
  return text === null && preheader.ours
    ? html.slice(0, preheader.start) + html.slice(preheader.end)
    : html.slice(0, preheader.contentStart) + escapeHtml(text ?? "") + html.slice(preheader.contentEnd)
}

export const preheaderParser: SyncParser<{ readonly html: string; readonly text: string | null }, string> = {
  name: "preheader",
  run: ({ html, text }) => withPreheader(html, text),
  sizeOf: ({ html }) => html.length,
}
