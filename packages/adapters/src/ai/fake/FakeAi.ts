// The AI adapter that needs no provider: it creates pages, emails and column matches by rules. The same request always gives
// the same answer.
import {
  Ai,
  AiRefused,
  type ColumnMatch,
  type ColumnsRequest,
  type EmailRequest,
  type PageRequest,
  type WrittenEmail,
} from "@tentpole/core/ports/Ai"
import { type Parser, Parsers } from "@tentpole/core/ports/Parsers"
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

const sizeOfRequest = ({ prompt }: { readonly prompt: string }, basis: string | null): number =>
  prompt.length + (basis?.length ?? 0)

export const fakePages: Parser<FakePageRequest, string> = {
  name: "fake_page",
  run: (request) => pageFor(request),
  sizeOf: (request) => sizeOfRequest(request, request.template),
}

export const fakeEmails: Parser<EmailRequest, WrittenEmail> = {
  name: "fake_email",
  run: (request) => emailFor(request),
  sizeOf: (request) => sizeOfRequest(request, request.basis),
}

interface Intent {
  readonly prompt: string
  readonly options: Parameters<Ai["Service"]["asksForPage"]>[1]
}

export const fakeIntents: Parser<Intent, boolean> = {
  name: "fake_intent",
  run: ({ prompt, options }) => asksForPage(prompt, options),
  sizeOf: ({ prompt }) => prompt.length,
}

export const fakeColumns: Parser<ColumnsRequest, ReadonlyArray<ColumnMatch>> = {
  name: "fake_columns",
  run: (request) => matchesFor(request),
  sizeOf: ({ columns }) =>
    columns.reduce((size, { header, shapes }) => size + header.length + shapes.join("").length, 0),
}

/** Its work has the limits of parsers, as a provider's answer has a timeout. */
export const layer = Layer.effect(
  Ai,
  Effect.map(Parsers, (parsers) => {
    const answer = <Input, Output>(parser: Parser<Input, Output>, input: Input) =>
      Effect.mapError(parsers.run(parser, input, null), ({ message }) => new AiRefused({ reason: message }))
    return Ai.of({
      generatePage: ({ prompt, name, brand, template }) => answer(fakePages, { prompt, name, brand, template }),
      generateEmail: (request) => answer(fakeEmails, request),
      asksForPage: (prompt, options) => Effect.orDie(parsers.run(fakeIntents, { prompt, options }, null)),
      matchColumns: (request) => answer(fakeColumns, request),
    })
  }),
)

export const emailFor = ({ prompt, name, brand, basis }: EmailRequest): WrittenEmail => {
  const brief = readEmailBrief(prompt, name)
  const written = composeEmail({ brief, name, brand, palette: palette(brand?.primaryColor ?? null, prompt) })
  return basis === null ? written : { ...written, html: retitled(basis, brief.headline, prompt) }
}

type FakePageRequest = Pick<PageRequest, "prompt" | "name" | "brand" | "template">

export const pageFor = ({ prompt, name, brand, template }: FakePageRequest): string => {
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
