// The AI that needs no provider: pages and columns by rule, the same for the same request. It makes the service whole
// without an account anywhere, and tests and simulations repeatable.
import { Ai, type EmailRequest, type PageRequest, type WrittenEmail } from "@tentpole/core/ai/Ai"
import { elements } from "@tentpole/core/tents/PageDocument"
import { Effect, Layer } from "effect"
import { type DefaultTreeAdapterMap, defaultTreeAdapter, html, parse, serialize } from "parse5"
import { asksForPage, type Brief, readBrief } from "./FakeBrief.ts"
import { matchesFor } from "./FakeColumns.ts"
import { composePage } from "./FakePage.ts"
import { accents, type Palette, paletteOf } from "./Palette.ts"

export const layer = Layer.succeed(
  Ai,
  Ai.of({
    page: (request) => Effect.sync(() => pageFor(request)),
    email: (request) => Effect.sync(() => emailFor(request)),
    asksForPage: (prompt, options) => Effect.sync(() => asksForPage(prompt, options)),
    matchColumns: (request) => Effect.sync(() => matchesFor(request)),
  }),
)

export const emailFor = ({ prompt, name, brand, basis }: EmailRequest): WrittenEmail => {
  const { headline } = readBrief(prompt, name)
  const html =
    basis ??
    composePage({
      brief: { ...readBrief(prompt, name), form: null },
      name,
      brand,
      palette: palette(brand?.primaryColor ?? null, prompt),
    })
  return { html, subject: headline, previewText: null }
}

export const pageFor = ({ prompt, name, brand, template }: PageRequest): string => {
  const brief = readBrief(prompt, name)
  if (template !== null) return onTemplate(template, brief, prompt)
  return composePage({ brief, name, brand, palette: palette(brand?.primaryColor ?? null, prompt) })
}

const palette = (color: string | null, prompt: string): Palette => {
  const own = color === null ? null : paletteOf(color)
  const accent = accents[hash(prompt) % accents.length] ?? accents[0]
  return own ?? paletteOf(accent) ?? { accent, onAccent: "#ffffff", accentDark: "#ffffff", onAccentDark: "#000000" }
}

/** FNV-1a, 32 bits. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return value
}

type Element = DefaultTreeAdapterMap["element"]

/** A template keeps its shape; its title and first heading become the page's own, and what was asked for is said below. */
const onTemplate = (template: string, brief: Brief, prompt: string): string => {
  const document = parse(template)
  const all = elements(document)
  const retitle = (element: Element | undefined, text: string) => {
    if (element === undefined) return
    for (let [child] = element.childNodes; child !== undefined; [child] = element.childNodes) {
      defaultTreeAdapter.detachNode(child)
    }
    defaultTreeAdapter.insertText(element, text)
  }
  const heading = all.find((element) => element.tagName === "h1")
  retitle(
    all.find((element) => element.tagName === "title"),
    brief.headline,
  )
  retitle(heading, brief.headline)
  const parent = heading === undefined ? null : defaultTreeAdapter.getParentNode(heading)
  if (heading !== undefined && parent !== null) {
    const said = defaultTreeAdapter.createElement("p", html.NS.HTML, [])
    defaultTreeAdapter.insertText(said, prompt.trim())
    const next = parent.childNodes[parent.childNodes.indexOf(heading) + 1]
    if (next === undefined) defaultTreeAdapter.appendChild(parent, said)
    else defaultTreeAdapter.insertBefore(parent, said, next)
  }
  return serialize(document)
}
