// The AI adapter that needs no provider: it creates pages, emails and column matches by rules. The same request always gives
// the same answer.
import {
  Ai,
  AiRefused,
  type Brand,
  type ColumnMatch,
  type ColumnsRequest,
  type EmailRequest,
  type PageRequest,
  type WrittenEmail,
} from "@tentpole/core/ports/Ai"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type Parser, Parsers } from "@tentpole/core/ports/Parsers"
import { type Edit, edited, elements } from "@tentpole/core/documents/HtmlElements"
import { parseHtml } from "@tentpole/core/documents/ParseHtml"
import { scaffold_text } from "@tentpole/core/rendering/EmailLayout"
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import { isKnown } from "@tentpole/core/rendering/MergeTokens"
import { accents, type Palette, paletteOr } from "@tentpole/core/rendering/Palette"
import { Effect, Layer } from "effect"
import type { DefaultTreeAdapterMap } from "parse5"
import { type Brief, readBrief } from "./Brief.ts"
import { headlineOf, pitchOf, valuesOf } from "./Copy.ts"
import { matchesFor } from "./FakeColumns.ts"
import { composeEmail } from "./FakeEmail.ts"
import { composePage, unshown } from "./FakePage.ts"
import { asksForPage } from "./Intent.ts"
import { refusal, type Revised, revised } from "./Revise.ts"
import { masked } from "./Sentences.ts"

const sizeOfRequest = ({ prompt }: { readonly prompt: string }, basis: string | null): number =>
  prompt.length + (basis?.length ?? 0)

export const fakePages: Parser<FakePageRequest, string> = {
  name: "fake_page",
  run: (request) => pageFor(request),
  sizeOf: (request) => sizeOfRequest(request, request.template),
}

export const fakeRevisions: Parser<FakePageRequest & { readonly template: string }, Revised> = {
  name: "fake_revision",
  run: (request) => revisionFor(request),
  sizeOf: (request) => sizeOfRequest(request, request.template),
}

export const fakeEmails: Parser<EmailRequest, WrittenEmail> = {
  name: "fake_email",
  run: (request) => emailFor(request),
  sizeOf: (request) => sizeOfRequest(request, request.basis),
}

interface Intent {
  readonly prompt: string
  readonly options: Parameters<Ai["Service"]["asksForPage"]>[2]
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
    const answer = <Input, Output>(workspace: WorkspaceId, parser: Parser<Input, Output>, input: Input) =>
      Effect.mapError(parsers.run(parser, input, workspace), ({ message }) => new AiRefused({ reason: message }))
    return Ai.of({
      provider: "sample",
      generatePage: (workspace, { prompt, name, brand, template, isRevision = false }) =>
        isRevision && template !== null
          ? Effect.flatMap(answer(workspace, fakeRevisions, { prompt, name, brand, template }), (revision) =>
              "html" in revision
                ? Effect.succeed(revision.html)
                : Effect.fail(new AiRefused({ reason: revision.refused })),
            )
          : answer(workspace, fakePages, { prompt, name, brand, template }),
      generateEmail: (workspace, request) => answer(workspace, fakeEmails, request),
      asksForPage: (workspace, prompt, options) => parsers.run(fakeIntents, { prompt, options }, workspace),
      matchColumns: (workspace, request) => answer(workspace, fakeColumns, request),
    })
  }),
)

export const emailFor = ({ prompt, brand, basis }: EmailRequest): WrittenEmail => {
  const { text, restore } = masked(prompt, (token) => isKnown(token))
  const revision = basis === null ? null : revised(basis, text)
  if (revision !== null && "html" in revision) return { html: restore(revision.html), subject: null, previewText: null }
  const read = readBrief(text)
  // The topic of an instruction is no headline.
  const brief = revision !== null || changesAll.test(text) ? { ...read, topic: "", title: null } : read
  const { html, subject, previewText } = composeEmail({ brief, brand, palette: paletteFor(brief, brand, prompt) })
  return {
    html: restore(basis === null ? html : onBasis(basis, brief)),
    subject: subject && restore(subject),
    previewText: previewText && restore(previewText),
  }
}

/** `Shorten it`, `Make the text friendlier`. */
const changesAll =
  /^\s?(?:please\s)?(?:make|shorten|cut|improve|rewrite|fix|change|polish|translate)\s(?:it|this|them|everything|the (?:text|email|mail|copy|message))\b/i

type FakePageRequest = Pick<PageRequest, "prompt" | "name" | "brand" | "template">

export const pageFor = ({ prompt, name, brand, template }: FakePageRequest): string => {
  // The variables of a template are filled when a tent is created from it.
  const { text, restore } = masked(prompt, ({ name: token }) => token.startsWith("api."))
  const brief = readBrief(text)
  if (template !== null) return restore(onBasis(template, brief))
  return restore(composePage({ brief, brand, palette: paletteFor(brief, brand, prompt), otherwise: name }))
}

/** The page with the instruction followed: a simple edit, or what the instruction says added below the heading. */
export const revisionFor = (request: FakePageRequest & { readonly template: string }): Revised => {
  const { template } = request
  const simple = revised(template, request.prompt)
  if (simple !== null) return simple
  const { text, restore } = masked(request.prompt, ({ name: token }) => token.startsWith("api."))
  // The topic of an instruction is no headline.
  const html = restore(onBasis(template, { ...readBrief(text), topic: "", title: null }))
  return html === template ? refusal() : { html }
}

const paletteFor = ({ subject: { accent } }: Brief, brand: Brand | null, prompt: string): Palette =>
  paletteOr(brand?.primaryColor ?? null, accent ?? accents[hash(prompt) % accents.length] ?? accents[0])

/** FNV-1a, 32 bits. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return value
}

type Element = DefaultTreeAdapterMap["element"]

/**
 * The edit of a template or existing email: the title and the first heading when the prompt has a topic, and what the prompt
 * says below the heading. Every other byte stays the same, including tokens and comments for Outlook.
 */
const onBasis = (basis: string, brief: Brief): string => {
  const all = elements(parseHtml(basis, { sourceCodeLocationInfo: true }))
  const title = all.find((element) => element.tagName === "title")
  const headings = ["h1", "h2", "h3"].flatMap((level) => all.filter((element) => element.tagName === level))
  const heading = headings.find((element) => element.sourceCodeLocation?.endTag !== undefined)
  const asked = brief.topic === "" && brief.title === null ? null : headlineOf(brief, "")
  // A heading that says it already says more: `Opening in Bern`.
  const headline = asked !== null && textIn(basis, heading).includes(asked.toLowerCase()) ? null : asked
  const renamed = headline === null ? [] : [...textEdits(title, headline), ...textEdits(heading, headline)]
  const said = contentOf(brief, edited(basis, renamed))
  const begun = basis.indexOf(scaffold_text)
  // Replaces the scaffold's placeholder text if there is one.
  if (begun >= 0) {
    const text = escapeHtml(said.length === 0 ? pitchOf(brief, headline ?? "") : said.join(" "))
    return edited(basis, [...renamed, { from: begun, to: begun + scaffold_text.length, text }])
  }
  const below = placeBelow(heading, all) ?? basis.length
  const text = said.map((each) => `\n<p>${escapeHtml(each)}</p>`).join("")
  return edited(basis, text === "" ? renamed : [...renamed, { from: below, to: below, text }])
}

/** What the prompt says and the document does not: sentences, offers, values, points and figures. */
const contentOf = (brief: Brief, basis: string): ReadonlyArray<string> => {
  const facts = brief.facts.join(" ").toLowerCase()
  const values = valuesOf(brief).flatMap(([label, text]) =>
    basis.includes(escapeHtml(text)) || facts.includes(text.toLowerCase()) ? [] : [`${label}: ${text}`],
  )
  const points = brief.lists.flatMap((list) =>
    list.points.map(({ note, price, time, title }) =>
      [time, title, price, note].filter((part) => part !== null).join(" "),
    ),
  )
  const said = [...brief.facts, ...brief.offers, ...values, ...points]
  return [...said, ...unshown(brief, `${said.join(" ")} ${basis}`)]
}

const textIn = (basis: string, element: Element | undefined): string =>
  textEdits(element, "")
    .map(({ from, to }) => basis.slice(from, to).toLowerCase())
    .join("")

const textEdits = (element: Element | undefined, text: string): ReadonlyArray<Edit> => {
  const from = element?.sourceCodeLocation?.startTag?.endOffset
  const to = element?.sourceCodeLocation?.endTag?.startOffset
  return from === undefined || to === undefined ? [] : [{ from, to, text: escapeHtml(text) }]
}

/** The position after the heading, else at the start of the body. */
const placeBelow = (heading: Element | undefined, all: ReadonlyArray<Element>): number | undefined =>
  heading?.sourceCodeLocation?.endOffset ??
  all.find((element) => element.tagName === "body")?.sourceCodeLocation?.startTag?.endOffset
