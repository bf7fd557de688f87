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
import { retitled } from "./FakeTemplate.ts"

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
