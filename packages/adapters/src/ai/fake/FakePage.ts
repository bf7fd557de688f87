// The landing page of the fake AI: the template `templates/page.html` with the values of a brief.
import type { Brand } from "@tentpole/core/ports/Ai"
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import { night, type Palette, paper, softNight, softPaper } from "@tentpole/core/rendering/Palette"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Brief, Field, FormBrief } from "./FakePromptParser.ts"

/** Resolves the package folder by the package name, in sources and in built files. */
const template = readFileSync(createRequire(import.meta.url).resolve("@tentpole/adapters/templates/page.html"), "utf8")

/** What a page or an email is composed from. */
export interface Parts<Content> {
  readonly brief: Content
  /** Shown as the owner or sender when there is no brand name. */
  readonly name: string
  readonly brand: Brand | null
  readonly palette: Palette
}

export const composePage = ({ brief, name, brand, palette }: Parts<Brief>): string => {
  const { topic, headline, form, cards_count } = brief
  const owner = escapeHtml(brand?.name ?? name)
  const slots: Readonly<Record<string, string>> = {
    ...palette,
    paper,
    softPaper,
    night,
    softNight,
    owner,
    headline: escapeHtml(headline),
    pitch: escapeHtml(brand?.description ?? `Take a look at ${topic}: what is in it for you, and how to get it.`),
    logo: brand?.logoUrl ? `<img src="${escapeHtml(brand.logoUrl)}" alt="${owner}" height="36">` : owner,
    domain: brand?.domain ? `<p><a href="https://${escapeHtml(brand.domain)}">${escapeHtml(brand.domain)}</a></p>` : "",
    call: form?.heading ?? "See the details",
    callTo: `#${form?.id ?? "more"}`,
    cards: cards.slice(0, cards_count).map(cardOf).join("\n").replaceAll("{}", escapeHtml(topic)),
    form: form === null ? "" : formOf(form),
  }
  return template.replaceAll(/\[\[(\w+)\]\]/g, (_, slot: string) => slots[slot] ?? "")
}

/** General sentences only: a page must not state a price, a date or a name that the prompt does not contain. */
export const cards: ReadonlyArray<readonly [title: string, text: string]> = [
  ["Chosen with care", "We take the time that good things need, and {} shows it."],
  ["Simple to get", "Pick what you like, and we see to the rest."],
  ["Help when you want it", "Ask us anything. We like to talk about what we do."],
  ["Fair from the start", "No small print, no surprises."],
  ["Made to last", "Honest work: something to enjoy for years."],
  ["Yours to shape", "Tell us what you would like to see next."],
]

const cardOf = ([title, text]: readonly [string, string]): string =>
  `<article class="card"><h3>${title}</h3><p>${text}</p></article>`

const formOf = ({ id, heading, button, fields }: FormBrief): string =>
  `<section class="part" aria-labelledby="${id}-title"><div class="wide join">
<h2 id="${id}-title">${heading}</h2>
<form id="${id}">
${fields.map(fieldOf).join("\n")}
<button class="button" type="submit">${button}</button>
</form>
</div></section>`

const fieldOf = ({ name, label, type, autocomplete }: Field): string => {
  const control =
    type === "textarea"
      ? `<textarea id="field-${name}" name="${name}" rows="4"></textarea>`
      : `<input id="field-${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${name === "email" ? " required" : ""}>`
  return `<p class="field"><label for="field-${name}">${label}</label>${control}</p>`
}
