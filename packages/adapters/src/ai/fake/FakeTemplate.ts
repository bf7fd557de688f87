// What the fake makes of a template, or of an email that it is asked to change: the title and the first heading become new,
// what was asked for is said below, and every other byte stays as it was, tokens and comments for Outlook included.
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import { scaffold_text } from "@tentpole/core/rendering/EmailScaffold"
import { elements } from "@tentpole/core/documents/HtmlElements"
import { type DefaultTreeAdapterMap, parse } from "parse5"

type Element = DefaultTreeAdapterMap["element"]

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

export const retitled = (template: string, headline: string, prompt: string): string => {
  const all = elements(parse(template, { sourceCodeLocationInfo: true }))
  const title = all.find((element) => element.tagName === "title")
  const headings = ["h1", "h2", "h3"].flatMap((level) => all.filter((element) => element.tagName === level))
  const heading = headings.find((element) => element.sourceCodeLocation?.endTag !== undefined)
  const said = escapeHtml(prompt.trim())
  const begun = template.indexOf(scaffold_text)
  // The scaffold's own words wait to be replaced.
  const saying: Edit =
    begun < 0
      ? inserted(placeBelow(heading, all) ?? template.length, `\n<p>${said}</p>`)
      : { from: begun, to: begun + scaffold_text.length, text: said }
  const edits = [...textEdits(title, headline), ...textEdits(heading, headline), saying]
  return edits
    .toSorted((left, right) => right.from - left.from)
    .reduce((html, { from, to, text }) => html.slice(0, from) + text + html.slice(to), template)
}

const inserted = (at: number, text: string): Edit => ({ from: at, to: at, text })

const textEdits = (element: Element | undefined, text: string): ReadonlyArray<Edit> => {
  const from = element?.sourceCodeLocation?.startTag?.endOffset
  const to = element?.sourceCodeLocation?.endTag?.startOffset
  return from === undefined || to === undefined ? [] : [{ from, to, text: escapeHtml(text) }]
}

/** Behind the heading, else where the body begins. */
const placeBelow = (heading: Element | undefined, all: ReadonlyArray<Element>): number | undefined =>
  heading?.sourceCodeLocation?.endOffset ??
  all.find((element) => element.tagName === "body")?.sourceCodeLocation?.startTag?.endOffset
