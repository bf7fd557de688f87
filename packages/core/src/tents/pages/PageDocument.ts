// The served page: form targets, honeypots and branding, by edits of the source. All other bytes stay the same.
import { parseHtml } from "../../documents/ParseHtml.ts"
import { attribute, type Edit, edited, type Element, elements, type Node } from "../../documents/HtmlElements.ts"
import type { TentId } from "../../kernel/Ids.ts"
import type { SyncParser } from "../../ports/Parsers.ts"

export interface PageOptions {
  readonly tentId: TentId
  readonly branding: boolean
}

/** A field that visitors don't see and bots fill in. */
export const honeypot_name = "tentpole_website"

/** Sets the targets of forms, adds a honeypot to each, and adds the branding line. */
export const toPublished = (html: string, { tentId, branding }: PageOptions): string => {
  const document = parseHtml(html, { sourceCodeLocationInfo: true })
  const edits: Array<Edit> = formsOf(document).flatMap(({ element, formId }) => formEdits(element, tentId, formId))
  if (branding) edits.push({ from: endOfBody(document, html), to: endOfBody(document, html), text: branding_line })
  return edited(html, edits)
}

interface PublishedInput {
  readonly html: string
  readonly options: PageOptions
}

export const publishedParser: SyncParser<PublishedInput, string> = {
  name: "published_page",
  run: ({ html, options }) => toPublished(html, options),
  sizeOf: ({ html }) => html.length,
}

/** The attribute of a form with the address that a visitor sees after a submission. */
export const success_url_name = "data-success-url"

/**
 * A page that the AI wrote, without success addresses that its template does not have: a prompt or a file could make the AI send
 * visitors to another site. People add them to the HTML. Throws `TooManyElements`.
 */
export const withoutNewSuccessUrls = (html: string, template: string | null): string => {
  const known = new Set(template === null ? [] : elements(parseHtml(template)).map(successUrlOf))
  const edits = elements(parseHtml(html, { sourceCodeLocationInfo: true })).flatMap((element): ReadonlyArray<Edit> => {
    const place = element.sourceCodeLocation?.attrs?.[success_url_name]
    if (place === undefined || known.has(successUrlOf(element))) return []
    return [{ from: place.startOffset, to: place.endOffset, text: "" }]
  })
  // The parser repeats unclosed elements with their places.
  return edited(html, [...new Map(edits.map((edit) => [edit.from, edit])).values()])
}

interface AiPage {
  readonly html: string
  /** The HTML that the AI changed or followed. */
  readonly basis: string | null
}

export const successUrlParser: SyncParser<AiPage, string> = {
  name: "success_urls",
  run: ({ basis, html }) => withoutNewSuccessUrls(html, basis),
  sizeOf: ({ basis, html }) => html.length + (basis?.length ?? 0),
}

/** Empty when the element has none. */
export const successUrlOf = (element: Element): string => attribute(element, success_url_name).trim()

export interface FormOfPage {
  readonly formId: string
  readonly element: Element
}

const form_id_length_max = 200

/** An id that can be part of an address, where `..` goes up, and of a trigger. */
const isFormId = (text: string): boolean =>
  !/^\.{0,2}$/.test(text) && text.length <= form_id_length_max && text.isWellFormed()

/** The forms of a document in order. A form's id is its `id`, else its `name`, else `form-<n>` with n from 1. */
export const formsOf = (document: Node): ReadonlyArray<FormOfPage> =>
  elements(document)
    .filter((element) => element.tagName === "form")
    .map((element, index) => ({
      element,
      formId: [attribute(element, "id"), attribute(element, "name")].find(isFormId) ?? `form-${index + 1}`,
    }))

/** An `<aside>`, because the page may have a `<footer>` and should have only one. */
const branding_line =
  '<aside aria-label="Maker" style="padding:1rem;text-align:center;font:14px/1.5 system-ui,sans-serif;opacity:.8">Made with Tentpole</aside>'

const honeypot =
  `<div style="position:absolute;left:-9999px;height:1px;width:1px;overflow:hidden" aria-hidden="true">` +
  `<label>Leave this empty <input type="text" name="${honeypot_name}" tabindex="-1" autocomplete="off"></label></div>`

const formEdits = (form: Element, tentId: TentId, formId: string): ReadonlyArray<Edit> => {
  const start = form.sourceCodeLocation?.startTag
  // The parser creates no form without a tag in the source.
  if (start === undefined) return []
  const old = Object.entries(form.sourceCodeLocation?.attrs ?? {})
    .filter(([name]) => name === "action" || name === "method")
    .map(([, at]) => ({ from: at.startOffset, to: at.endOffset, text: "" }))
  const nameEnd = start.startOffset + "<form".length
  const target = `/f/${tentId}/${encodeURIComponent(formId)}`
  return [
    ...old,
    { from: nameEnd, to: nameEnd, text: ` action="${target}" method="post"` },
    { from: start.endOffset, to: start.endOffset, text: honeypot },
  ]
}

const endOfBody = (document: Node, html: string): number => {
  const body = elements(document).find((element) => element.tagName === "body")
  return body?.sourceCodeLocation?.endTag?.startOffset ?? html.length
}
