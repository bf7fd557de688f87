// The landing page of the fake AI: the template `templates/page.html` with the sections of a brief.
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import { night, paper, softNight, softPaper } from "@tentpole/core/rendering/Palette"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { bare, capital, figuresIn } from "./Figures.ts"
import type { Brief, Point } from "./Brief.ts"
import {
  callOf,
  cardsOf,
  headlineOf,
  kickerOf,
  listsOf,
  moreFacts,
  ownerOf,
  type Parts,
  pitchOf,
  plainTopic,
  type ShownList,
  valuesOf,
} from "./Copy.ts"
import type { Field, FormBrief } from "./Forms.ts"
import { motif } from "./Motifs.ts"
import { motifOfKind } from "./Subjects.ts"

/** Resolves the package folder by the package name, in sources and in built files. */
const template = readFileSync(createRequire(import.meta.url).resolve("@tentpole/adapters/templates/page.html"), "utf8")

/** Longer headlines are set smaller. */
const long_length = 32

/** `otherwise`: the headline of a prompt without a topic. */
export const composePage = ({ brief, brand, palette, otherwise }: Parts & { readonly otherwise: string }): string => {
  const headline = headlineOf(brief, otherwise)
  const pitch = brand?.description ?? pitchOf(brief, headline)
  const name = ownerOf(brief, brand)
  const owner = escapeHtml(name ?? nameless(brief) ?? headline)
  const { form } = brief
  const call = escapeHtml(callOf(brief))
  const callTo = escapeHtml(form === null ? (brief.button?.url ?? "#more") : `#${form.id}`)
  const hero = [offers(brief), values(brief)].join("")
  const sections = sectionsOf(brief, `${headline} ${pitch} ${hero}`)
  const kicker = kickerOf(brief)
  const slots: Readonly<Record<string, string>> = {
    ...palette,
    paper,
    softPaper,
    night,
    softNight,
    owner,
    headline: escapeHtml(headline),
    length: headline.length > long_length ? "long" : "short",
    pitch: escapeHtml(pitch),
    kicker: kicker === null ? "" : `<p class="kicker">${escapeHtml(kicker)}</p>`,
    hero,
    art: motif(
      brief.subject.motif !== null && brief.kind !== "job" && brief.kind !== "webinar" && brief.kind !== "opening"
        ? brief.subject.motif
        : (motifOfKind[brief.kind] ?? (brief.kind === "sale" || brief.kind === "pricing" ? "tag" : "shapes")),
    ),
    logo: brand?.logoUrl ? `<img src="${escapeHtml(brand.logoUrl)}" alt="${owner}" height="36">` : owner,
    domain: brand?.domain ? `<p><a href="https://${escapeHtml(brand.domain)}">${escapeHtml(brand.domain)}</a></p>` : "",
    call,
    callTo,
    nav: [
      ...sections
        .map(({ id, title }, at) => `<a href="#${at === 0 ? "more" : id}">${escapeHtml(title)}</a>`)
        .slice(0, 3),
      ...(form === null ? [] : [`<a href="#${form.id}">${call}</a>`]),
    ].join(""),
    sections: sections.map(sectionHtml).join("\n"),
    form: form === null ? "" : formHtml(form, brief, sections.length % 2 === 0),
  }
  return template.replaceAll(/\[\[(\w+)\]\]/g, (_, slot: string) => slots[slot] ?? "")
}

/** The name of an owner that nothing names. */
const nameless = ({ kind, subject, topic }: Brief): string | null => {
  if (kind === "job") return "Jobs"
  if (kind !== "pricing" || subject.isBusiness || topic === "") return subject.label
  return capital(plainTopic(topic).replace(/^our\s/i, ""))
}

const offers = ({ coupon, offers: all }: Brief): string => {
  const badges = all.map((offer) => `<li>${escapeHtml(offer)}</li>`)
  if (coupon?.code != null) badges.push(`<li>Code <b>${escapeHtml(coupon.code)}</b></li>`)
  return badges.length === 0 ? "" : `<ul class="badges">${badges.join("")}</ul>`
}

const values = (brief: Brief): string => {
  const rows = valuesOf(brief)
  return rows.length === 0
    ? ""
    : `<dl class="values">${rows.map(([label, text]) => `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(text)}</dd></div>`).join("")}</dl>`
}

interface Section {
  readonly id: string
  readonly title: string
  readonly isSample: boolean
  readonly html: string
}

const sectionsOf = (brief: Brief, above: string): ReadonlyArray<Section> => {
  const lists = listsOf(brief)
  const cards = cardsOf(brief, lists)
  const sections: Array<Section> = lists.map((list) => ({
    id: list.name,
    title: list.title,
    isSample: list.isSample,
    html: listHtml(list),
  }))
  if (cards.length > 0) {
    const html = `<div class="cards">${cards.map(([title, text]) => card(title, text)).join("\n")}</div>`
    sections.push({ id: "about", title: "What to expect", isSample: false, html })
  }
  const rest = [
    ...moreFacts(brief),
    ...unshown(brief, [above, ...sections.map(({ html }) => html), moreFacts(brief).join(" ")].join(" ")),
  ]
  if (rest.length > 0) {
    const html = `<ul class="ticks">${rest.map((fact) => `<li>${escapeHtml(fact)}</li>`).join("")}</ul>`
    sections.push({
      id: "notes",
      title: lists.some(({ name }) => name === "points") ? "More" : "Good to know",
      isSample: false,
      html,
    })
  }
  return sections
}

/** The words of figures that no section shows: every figure of the prompt is on the page. */
export const unshown = ({ figures }: Brief, shown: string): ReadonlyArray<string> => {
  const known = figuresIn(shown)
  return figures.flatMap(([figure, words]) => (known.has(bare(figure)) ? [] : [words]))
}

const card = (title: string, text: string): string =>
  `<article class="card"><h3>${escapeHtml(title)}</h3><p>${escapeHtml(text)}</p></article>`

const listHtml = (list: ShownList): string => {
  const { name, points } = list
  if (name === "plans") return `<div class="cards plans">${points.map(plan).join("")}</div>`
  if (name === "menu") return `<ul class="menu">${points.map(dish).join("")}</ul>`
  if (name === "agenda") return `<ol class="agenda">${points.map(slot).join("")}</ol>`
  if (name === "people")
    return `<div class="cards">${points.map((person) => card(person.title, person.note ?? "")).join("")}</div>`
  return `<ul class="ticks">${points.map(tick).join("")}</ul>`
}

const noted = (note: string | null): string => (note === null ? "" : `<span class="note">${escapeHtml(note)}</span>`)

/** The amount is large, and what it is paid for is small. */
const plan = ({ title, note, price }: Point): string => {
  const [, amount, per] = /^(.*?)(\s(?:\/|per|an?|each)\b.*)?$/is.exec(price ?? "") ?? []
  const cost =
    amount === undefined || amount === ""
      ? ""
      : `<p class="price">${escapeHtml(amount)}${per === undefined ? "" : ` <small>${escapeHtml(per.trim())}</small>`}</p>`
  return `<article class="card"><h3>${escapeHtml(title)}</h3>${cost}${note === null ? "" : `<p>${escapeHtml(capital(note))}</p>`}</article>`
}

const dish = ({ title, note, price }: Point): string =>
  `<li><span><b>${escapeHtml(title)}</b>${noted(note)}</span>${price === null ? "" : `<span class="cost">${escapeHtml(price)}</span>`}</li>`

const slot = ({ title, note, time, price }: Point): string =>
  `<li>${time === null ? "" : `<time>${escapeHtml(time)}</time>`}<span><b>${escapeHtml(title)}</b>${noted(note)}${noted(price)}</span></li>`

const tick = ({ title, note, time, price }: Point): string =>
  `<li>${escapeHtml([time, title].filter((part) => part !== null).join(" "))}${price === null ? "" : ` <b>${escapeHtml(price)}</b>`}${noted(note)}</li>`

const sectionHtml = ({ id, title, isSample, html }: Section, at: number): string =>
  `<section id="${at === 0 ? "more" : id}" class="part${at % 2 === 0 ? " soft" : ""}" aria-labelledby="${id}-title"><div class="wide">
<h2 id="${id}-title">${escapeHtml(title)}${isSample ? ` <span class="sample">${id === "plans" || id === "menu" ? "Sample prices" : "Sample"}</span>` : ""}</h2>
${html}
</div></section>`

const formHtml = ({ id, heading, button, fields }: FormBrief, { date, kind }: Brief, isSoft: boolean): string =>
  `<section class="part${isSoft ? " soft" : ""}" aria-labelledby="${id}-title"><div class="wide join">
<div><h2 id="${id}-title">${heading}</h2><p class="lead">${escapeHtml(date !== null && (kind === "webinar" || kind === "event") ? `${date}. ` : "")}We use your details for this only.</p></div>
<form id="${id}">
${fields.map(fieldHtml).join("\n")}
<button class="button" type="submit">${button}</button>
</form>
</div></section>`

const fieldHtml = ({ name, label, type, autocomplete }: Field): string => {
  const control =
    type === "textarea"
      ? `<textarea id="field-${name}" name="${name}" rows="4"></textarea>`
      : `<input id="field-${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${name === "email" ? " required" : ""}>`
  return `<p class="field"><label for="field-${name}">${label}</label>${control}</p>`
}
