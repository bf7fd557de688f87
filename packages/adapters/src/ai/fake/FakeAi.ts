// The AI adapter that needs no provider: it creates pages, emails and column matches by rules. The same request always gives
// the same answer.
import { Ai, type EmailRequest, type PageRequest, type WrittenEmail } from "@tentpole/core/ports/Ai"
import { accents, type Palette, paletteOr } from "@tentpole/core/rendering/Palette"
import { Effect, Layer } from "effect"
import { asksForPage, readBrief } from "./FakePromptParser.ts"
import { matchesFor } from "./FakeColumns.ts"
import { composeEmail } from "./FakeEmail.ts"
import { readEmailBrief } from "./FakeEmailBrief.ts"
import { composePage } from "./FakePage.ts"
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import { scaffold_text } from "@tentpole/core/rendering/EmailLayout"
import { type Edit, edited, elements } from "@tentpole/core/documents/HtmlElements"
import { parseHtml } from "@tentpole/core/documents/ParseHtml"
import type { DefaultTreeAdapterMap } from "parse5"

export const layer = Layer.succeed(
  Ai,
  Ai.of({
    generatePage: (request) => Effect.sync(() => pageFor(request)),
    generateEmail: (request) => Effect.sync(() => emailFor(request)),
    asksForPage: (prompt, options) => Effect.sync(() => asksForPage(prompt, options)),
    matchColumns: (request) => Effect.sync(() => matchesFor(request)),
  }),
)

export const emailFor = ({ prompt, name, brand, basis }: EmailRequest): WrittenEmail => {
  const brief = readEmailBrief(prompt, name)
  const written = composeEmail({ brief, name, brand, palette: palette(brand?.primaryColor ?? null, prompt) })
  return basis === null ? written : { ...written, html: retitled(basis, brief.headline, prompt) }
}

export const pageFor = ({ prompt, name, brand, template }: PageRequest): string => {
  const brief = readBrief(prompt, name)
  if (template !== null) return retitled(template, brief.headline, prompt)
  return composePage({ brief, name, brand, palette: palette(brand?.primaryColor ?? null, prompt) })
}

const palette = (color: string | null, prompt: string): Palette =>
  paletteOr(color, accents[hash(prompt) % accents.length] ?? accents[0])

/** FNV-1a, 32 bits. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return value
}

type Element = DefaultTreeAdapterMap["element"]

/**
 * The edit of a template or existing email: a new title and first heading, with the prompt below the heading. Every other byte
 * stays the same, including tokens and comments for Outlook.
 */
const retitled = (template: string, headline: string, prompt: string): string => {
  const all = elements(parseHtml(template, { sourceCodeLocationInfo: true }))
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
