// A landing page, composed from a brief: a header, a hero, cards, a form when one is wanted, a footer. No scripts, one
// style sheet, the visitor's own fonts and colour scheme.
import type { Brand } from "@tentpole/core/ai/Ai"
import type { Brief, Field, FormBrief, Kind } from "./FakeBrief.ts"
import { night, type Palette, paper, softNight, softPaper } from "@tentpole/core/Palette"

export interface PageParts {
  readonly brief: Brief
  readonly name: string
  readonly brand: Brand | null
  readonly palette: Palette
}

export const composePage = ({ brief, name, brand, palette }: PageParts): string => {
  const owner = brand?.name ?? name
  const pitch = brand?.description ?? pitches[brief.kind](brief.topic)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escape(pitch)}">
<meta name="color-scheme" content="light dark">
<title>${escape(brief.headline)}</title>
<style>${styles(palette)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar"><div class="wide">
${logo(brand, owner)}
<nav aria-label="Page"><a href="#more">${navLabels[brief.kind]}</a>${brief.form === null ? "" : `<a href="#${brief.form.id}">${escape(brief.form.heading)}</a>`}</nav>
</div></header>
<main id="main">
<section class="hero"><div class="wide">
<p class="kicker">${escape(owner)}</p>
<h1>${escape(brief.headline)}</h1>
<p class="lead">${escape(pitch)}</p>
<p class="actions"><a class="button" href="#${brief.form?.id ?? "more"}">${escape(brief.form?.heading ?? callLabels[brief.kind])}</a>${brief.form === null ? "" : '<a class="quiet" href="#more">See more</a>'}</p>
</div></section>
<section id="more" class="wide" aria-labelledby="more-title">
<h2 id="more-title">${moreTitles[brief.kind]}</h2>
<div class="cards">
${cardsOf(brief)}
</div>
</section>
${brief.form === null ? closing(brief) : formSection(brief.form)}
</main>
<footer class="foot"><div class="wide"><p>${escape(owner)}</p>${domainLink(brand?.domain ?? null)}</div></footer>
</body>
</html>
`
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const logo = (brand: Brand | null, owner: string): string =>
  brand?.logoUrl
    ? `<a class="name" href="#main"><img src="${escape(brand.logoUrl)}" alt="${escape(owner)}" height="36"></a>`
    : `<a class="name" href="#main">${escape(owner)}</a>`

const domainLink = (domain: string | null): string =>
  domain === null ? "" : `<p><a href="https://${escape(domain)}">${escape(domain)}</a></p>`

export const pitches: Readonly<Record<Kind, (topic: string) => string>> = {
  event: (topic) => `All you need to know about ${topic}: what happens, who it is for, and how to be there.`,
  place: (topic) => `Welcome to ${topic}. Come by, look around, and stay as long as you like.`,
  software: (topic) => `See what ${topic} does for you, and how little it takes to begin.`,
  community: (topic) => `Good company around ${topic}. Everybody who is curious is welcome.`,
  person: (topic) => `A look at ${topic}: selected work, how it is made, and how to get in touch.`,
  offer: (topic) => `Take a look at ${topic}: what is in it for you, and how to get it.`,
}

const navLabels: Readonly<Record<Kind, string>> = {
  event: "Programme",
  place: "What awaits you",
  software: "Features",
  community: "What we do",
  person: "Work",
  offer: "Details",
}

export const callLabels: Readonly<Record<Kind, string>> = {
  event: "See the programme",
  place: "See what awaits you",
  software: "See the features",
  community: "See what we do",
  person: "See the work",
  offer: "See the details",
}

export const moreTitles: Readonly<Record<Kind, string>> = {
  event: "What to expect",
  place: "What awaits you",
  software: "What it does",
  community: "What we do together",
  person: "How I work",
  offer: "Why it is worth a look",
}

/** Title and text of each card; `{}` stands for what the page is about. */
export const cards: Readonly<Record<Kind, ReadonlyArray<readonly [string, string]>>> = {
  event: [
    ["Something for everyone", "Whether you come for an hour or stay to the end: {} has something for you."],
    ["Meet people", "The best part is who you meet. Bring a friend, or leave with a new one."],
    ["Easy to reach", "Plan your way in a minute. We tell you in good time what to bring."],
    ["Well prepared", "A clear programme, short ways, and somebody to ask wherever you are."],
    ["Fresh ideas", "Things to see, to try and to take home."],
    ["Yours to shape", "Tell us what you would like to see, and it may be there."],
  ],
  place: [
    ["Made with care", "We take the time that good things take, and you can tell."],
    ["At home here", "A place to come in, sit down and feel at ease."],
    ["Close to you", "Around the corner for some, worth the trip for all."],
    ["Fresh every day", "What you find today was made today."],
    ["Good advice", "Ask us anything. We like to talk about what we do."],
    ["For your occasion", "Birthdays, teams, celebrations: we help you plan them."],
  ],
  software: [
    ["Ready in minutes", "Set up once, and begin with what you came for."],
    ["Clear at a glance", "What matters stands in front; the rest is where you look for it."],
    ["Works with yours", "Keep the tools you like. It fits in beside them."],
    ["Safe by default", "Your data stays yours, and careful settings come first."],
    ["Grows with you", "From the first try to the whole team without a change of plan."],
    ["People who answer", "Write to us, and somebody who knows writes back."],
  ],
  community: [
    ["Come as you are", "You need no experience to join in, only some curiosity."],
    ["Learn from each other", "Everybody knows something. We share it."],
    ["Do something together", "Regular meetings, small projects, and time to talk."],
    ["Near you", "We meet where it is easy to come to."],
    ["All through the year", "Each season has its own occasions."],
    ["Your ideas count", "What we do next is up to those who come."],
  ],
  person: [
    ["Listen first", "Every project begins with what you need."],
    ["Craft", "Details decide. They get the time they deserve."],
    ["Clear words", "You always know where we stand and what comes next."],
    ["On time", "What is agreed is kept."],
    ["Small and large", "From a single piece to a whole series."],
    ["After the work", "I am there when questions come later."],
  ],
  offer: [
    ["Chosen with care", "Only what we would take ourselves has found its way into {}."],
    ["Made to last", "Good materials, honest work: something to enjoy for years."],
    ["Simple to get", "Pick what you like, and we see to the rest."],
    ["Fair from the start", "No small print, no surprises."],
    ["Help when you want it", "Not sure which? Ask us, and we find it together."],
    ["For a short time", "Have a look now: the best goes first."],
  ],
}

const cardsOf = ({ kind, topic, cards_count }: Brief): string =>
  cards[kind]
    .slice(0, cards_count)
    .map(
      ([title, text], index) =>
        `<article class="card"><span class="mark" aria-hidden="true">${index + 1}</span><h3>${title}</h3><p>${escape(text.replaceAll("{}", topic))}</p></article>`,
    )
    .join("\n")

const closing = ({ kind, headline }: Brief): string =>
  `<section class="band"><div class="wide"><h2>${escape(headline)}</h2><p><a class="button" href="#more">${callLabels[kind]}</a></p></div></section>`

const formSection = ({ id, heading, button, fields }: FormBrief): string =>
  `<section class="band" aria-labelledby="${id}-title"><div class="narrow">
<h2 id="${id}-title">${escape(heading)}</h2>
<form id="${id}">
${fields.map(fieldOf).join("\n")}
<button class="button" type="submit">${escape(button)}</button>
</form>
</div></section>`

const fieldOf = ({ name, label, type, autocomplete }: Field): string => {
  const required = name === "email" ? " required" : ""
  const control =
    type === "textarea"
      ? `<textarea id="field-${name}" name="${name}" rows="4"></textarea>`
      : `<input id="field-${name}" name="${name}" type="${type}" autocomplete="${autocomplete}"${required}>`
  return `<p class="field"><label for="field-${name}">${label}</label>${control}</p>`
}

const styles = ({ accent, onAccent, accentDark, onAccentDark }: Palette): string => `
:root{color-scheme:light dark;--accent:${accent};--on-accent:${onAccent};--ground:${paper};--soft:${softPaper};--text:#15202b;--faint:#4a5764;--line:#d8dee4}
@media (prefers-color-scheme:dark){:root{--accent:${accentDark};--on-accent:${onAccentDark};--ground:${night};--soft:${softNight};--text:#eef2f6;--faint:#b3bfca;--line:#2c3845}}
*,*::before,*::after{box-sizing:border-box}
html{scroll-behavior:smooth}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--ground);color:var(--text);font:1.0625rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
h1,h2,h3{line-height:1.15;letter-spacing:-.02em;margin:0;text-wrap:balance}
h1{font-size:clamp(2.25rem,1.2rem + 4.6vw,4.25rem);font-weight:800}
h2{font-size:clamp(1.6rem,1.2rem + 1.8vw,2.4rem)}
h3{font-size:1.2rem}
p{margin:0}
a{color:var(--accent)}
img{max-width:100%;height:auto;display:block}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
.wide,.narrow{margin-inline:auto;padding-inline:clamp(1.25rem,5vw,3rem);max-width:72rem}
.narrow{max-width:38rem}
.skip{position:absolute;left:-999px;top:0;padding:.75rem 1rem;background:var(--accent);color:var(--on-accent)}
.skip:focus{left:0}
.bar{border-bottom:1px solid var(--line)}
.bar .wide{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.5rem 1.5rem;padding-block:1rem}
.bar nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
.bar nav a{color:var(--faint);text-decoration:none;font-weight:500;padding-block:.4rem}
.bar nav a:hover{color:var(--accent);text-decoration:underline}
.name{font-weight:700;color:var(--text);text-decoration:none}
.name img{max-height:2.25rem;width:auto}
.hero{background:radial-gradient(60rem 30rem at 85% -10%,color-mix(in srgb,var(--accent) 22%,transparent),transparent 70%),linear-gradient(180deg,var(--soft),var(--ground))}
.hero .wide{padding-block:clamp(4rem,10vw,8rem)}
.hero h1{max-width:18ch}
.kicker{color:var(--accent);font-weight:700;margin-bottom:1rem}
.lead{font-size:clamp(1.1rem,1rem + .6vw,1.35rem);color:var(--faint);max-width:46ch;margin-top:1.25rem}
.actions{display:flex;flex-wrap:wrap;align-items:center;gap:1rem 1.5rem;margin-top:2.25rem}
.button{display:inline-block;border:0;border-radius:.75rem;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:650;padding:.85rem 1.5rem;text-decoration:none;cursor:pointer}
.button:hover{filter:brightness(1.08)}
.quiet{font-weight:600}
#more{padding-block:clamp(3.5rem,8vw,6rem)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));gap:1.25rem;margin-top:2rem}
.card{border:1px solid var(--line);border-radius:1rem;padding:1.75rem;background:var(--ground)}
.card p{color:var(--faint);margin-top:.5rem}
.mark{display:inline-grid;place-items:center;width:2.25rem;height:2.25rem;margin-bottom:1.1rem;border-radius:.7rem;background:color-mix(in srgb,var(--accent) 14%,transparent);color:var(--text);font-weight:700}
.band{background:var(--soft);border-block:1px solid var(--line)}
.band>.wide,.band>.narrow{padding-block:clamp(3.5rem,8vw,6rem)}
.band>.wide{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:1.5rem}
form{display:grid;gap:1.1rem;margin-top:1.75rem}
.field{display:grid;gap:.35rem}
label{font-weight:600}
input,textarea{width:100%;border:1px solid #7b8794;border-radius:.6rem;background:var(--ground);color:var(--text);font:inherit;padding:.75rem .9rem}
form .button{justify-self:start}
.foot{color:var(--faint);font-size:.95rem}
.foot .wide{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.5rem 1.5rem;padding-block:2rem}
`
