// The fake AI's edit of a template or existing email: a new title and first heading, with the prompt below the heading.
// Every other byte stays the same, including tokens and comments for Outlook.
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import { scaffold_text } from "@tentpole/core/rendering/EmailScaffold"
import { elements } from "@tentpole/core/documents/HtmlElements"
import { type DefaultTreeAdapterMap, parse } from "parse5"
import { type Edit, edited } from "../html/Edits.ts"

type Element = DefaultTreeAdapterMap["element"]

export const retitled = (template: string, headline: string, prompt: string): string => {
  const all = elements(parse(template, { sourceCodeLocationInfo: true }))
  const title = all.find((element) => element.tagName === "title")
  const headings = ["h1", "h2", "h3"].flatMap((level) => all.filter((element) => element.tagName === level))
  const heading = headings.find((element) => element.sourceCodeLocation?.endTag !== undefined)
  const paragraph = escapeHtml(prompt.trim())
  const begun = template.indexOf(scaffold_text)
  // Replaces the scaffold's placeholder text if there is one.
  const below = placeBelow(heading, all) ?? template.length
  const saying: Edit =
    begun < 0
      ? { from: below, to: below, text: `\n<p>${paragraph}</p>` }
      : { from: begun, to: begun + scaffold_text.length, text: paragraph }
  return edited(template, [...textEdits(title, headline), ...textEdits(heading, headline), saying])
}

const textEdits = (element: Element | undefined, text: string): ReadonlyArray<Edit> => {
  const from = element?.sourceCodeLocation?.startTag?.endOffset
  const to = element?.sourceCodeLocation?.endTag?.startOffset
  return from === undefined || to === undefined ? [] : [{ from, to, text: escapeHtml(text) }]
}

/** The position after the heading, else at the start of the body. */
const placeBelow = (heading: Element | undefined, all: ReadonlyArray<Element>): number | undefined =>
  heading?.sourceCodeLocation?.endOffset ??
  all.find((element) => element.tagName === "body")?.sourceCodeLocation?.startTag?.endOffset
