// A landing page, composed from a brief: a header, a hero with a picture of plain shapes, cards, steps, a form when one is wanted,
// questions, a footer. No scripts, one style sheet, the visitor's own fonts and colour scheme.
import type { Brand } from "@tentpole/core/ports/Ai"
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import type { Palette } from "@tentpole/core/rendering/Palette"
import type { Brief, Field, FormBrief, Kind } from "./FakePromptParser.ts"
import { drawing, type Look, lookOf } from "./FakePageLook.ts"
import { styles } from "./FakePageStyle.ts"
import { callLabels, cards, formWords, moreTitles, navLabels, pitches, questions, steps } from "./FakePageWords.ts"

export interface PageParts {
  readonly brief: Brief
  readonly name: string
  readonly brand: Brand | null
  readonly palette: Palette
  /** Of what the page looks like, beside its colours. */
  readonly seed: number
}

export const composePage = ({ brief, name, brand, palette, seed }: PageParts): string => {
  const owner = brand?.name ?? name
  const pitch = brand?.description ?? pitches[brief.kind](brief.topic)
  const look = lookOf(seed)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escapeHtml(pitch)}">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${palette.own}">
<title>${escapeHtml(brief.headline)}</title>
<style>${styles(palette, look)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar"><div class="wide">
${logo(brand, owner)}
${navigation(brief)}
</div></header>
<main id="main">
${hero(brief, { owner, pitch, look, seed })}
<section id="more" class="part" aria-labelledby="more-title"><div class="wide">
<h2 id="more-title">${moreTitles[brief.kind]}</h2>
<div class="cards">
${cardsOf(brief, seed)}
</div>
</div></section>
<section id="steps" class="part soft" aria-labelledby="steps-title"><div class="wide">
<h2 id="steps-title">How it goes</h2>
<ol class="steps">${steps[brief.kind].map(([title, text]) => `<li><h3>${title}</h3><p>${text}</p></li>`).join("")}</ol>
</div></section>
${brief.form === null ? "" : formSection(brief.form, brief.kind)}
<section id="questions" class="part" aria-labelledby="questions-title"><div class="narrow">
<h2 id="questions-title">Good to know</h2>
<div class="questions">${questionsOf(brief)}</div>
</div></section>
${closing(brief, pitch)}
</main>
<footer class="foot"><div class="wide"><p>${escapeHtml(owner)}</p>${domainLink(brand?.domain ?? null)}</div></footer>
</body>
</html>
`
}

const logo = (brand: Brand | null, owner: string): string =>
  brand?.logoUrl
    ? `<a class="name" href="#main"><img src="${escapeHtml(brand.logoUrl)}" alt="${escapeHtml(owner)}" height="36"></a>`
    : `<a class="name" href="#main">${escapeHtml(owner)}</a>`

const domainLink = (domain: string | null): string =>
  domain === null ? "" : `<p><a href="https://${escapeHtml(domain)}">${escapeHtml(domain)}</a></p>`

const navigation = ({ kind, form }: Brief): string =>
  `<nav aria-label="Page"><a href="#more">${navLabels[kind]}</a><a href="#questions">Questions</a>${form === null ? "" : `<a href="#${form.id}">${escapeHtml(form.heading)}</a>`}</nav>`

interface HeroParts {
  readonly owner: string
  readonly pitch: string
  readonly look: Look
  readonly seed: number
}

const hero = ({ kind, headline, form }: Brief, { owner, pitch, look, seed }: HeroParts): string =>
  `<section class="hero"><div class="wide">
<div>
<p class="kicker">${escapeHtml(owner)}</p>
<h1>${escapeHtml(headline)}</h1>
<p class="lead">${escapeHtml(pitch)}</p>
<p class="actions"><a class="button" href="#${form?.id ?? "more"}">${escapeHtml(form?.heading ?? callLabels[kind])}</a><a class="quiet" href="#${form === null ? "questions" : "more"}">${form === null ? "Good to know" : "See more"}</a></p>
</div>
${drawing(look, seed)}
</div></section>`

/** Signs without a meaning of their own, so that they go with any text. */
const signs = [
  "M12 3l2.6 5.9 6.4.6-4.8 4.2 1.4 6.3L12 16.7 6.4 20l1.4-6.3L3 9.5l6.4-.6z",
  "M20 6L9.5 17 4 11.5",
  "M12 21s-7.5-4.6-7.5-10.2A4.3 4.3 0 0 1 12 7.6a4.3 4.3 0 0 1 7.5 3.2C19.5 16.4 12 21 12 21z",
  "M13 2L4.5 13.5H11L10 22l8.5-11.5H12z",
  "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18zM12 7v5l3.5 2",
  "M4 20V9l8-5 8 5v11M9 20v-6h6v6",
]

const cardsOf = ({ kind, topic, cards_count }: Brief, seed: number): string =>
  cards[kind]
    .slice(0, cards_count)
    .map(([title, text], index) => {
      const sign = signs[(seed + index) % signs.length] ?? ""
      return `<article class="card"><span class="mark"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="${sign}"/></svg></span><h3>${title}</h3><p>${escapeHtml(text.replaceAll("{}", topic))}</p></article>`
    })
    .join("\n")

const questionsOf = ({ kind, topic, form }: Brief): string => {
  const asked: ReadonlyArray<readonly [string, string]> = [
    ...questions[kind],
    ...(form === null
      ? []
      : [[`How do I reach you?`, `Fill in the form above: "${form.heading}". It takes less than a minute.`] as const]),
  ]
  return asked
    .map(
      ([question, answer], index) =>
        `<details${index === 0 ? " open" : ""}><summary>${question}</summary><p>${escapeHtml(answer.replaceAll("{}", topic))}</p></details>`,
    )
    .join("")
}

const closing = ({ kind, form }: Brief, pitch: string): string =>
  `<section class="say"><div class="wide"><p>${escapeHtml(pitch)}</p><a class="button" href="#${form?.id ?? "more"}">${escapeHtml(form?.heading ?? callLabels[kind])}</a></div></section>`

const formSection = ({ id, heading, button, fields }: FormBrief, kind: Kind): string =>
  `<section class="part" aria-labelledby="${id}-title"><div class="wide join">
<div><h2 id="${id}-title">${escapeHtml(heading)}</h2><p class="intro">${formWords[kind]}</p></div>
<div class="sheet"><form id="${id}">
${fields.map(fieldOf).join("\n")}
<button class="button" type="submit">${escapeHtml(button)}</button>
</form></div>
</div></section>`

const fieldOf = ({ name, label, type, autocomplete }: Field): string => {
  const required = name === "email" ? " required" : ""
  const control =
    type === "textarea"
      ? `<textarea id="field-${name}" name="${name}" rows="4"></textarea>`
      : `<input id="field-${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${required}>`
  return `<p class="field"><label for="field-${name}">${label}</label>${control}</p>`
}
