// The style sheet of the fake's pages: one for phones and desktops, by day and by night, for every look that there is.
import { night, type Palette, paper, softNight, softPaper } from "@tentpole/core/rendering/Palette"
import type { Look } from "./FakePageLook.ts"

export const styles = (palette: Palette, look: Look): string =>
  `${colours(palette)}${shape(look)}${layout}${parts}${heroes[look.hero]}${cards[look.cards]}`

const colours = ({ own, onOwn, accent, onAccent, accentDark, onAccentDark }: Palette): string => `
:root{color-scheme:light dark;--own:${own};--on-own:${onOwn};--accent:${accent};--on-accent:${onAccent};--ground:${paper};--soft:${softPaper};--text:#15202b;--faint:#475462;--line:#d8dee4;--edge:#768390}
@media (prefers-color-scheme:dark){:root{--accent:${accentDark};--on-accent:${onAccentDark};--ground:${night};--soft:${softNight};--text:#eef2f6;--faint:#b3bfca;--line:#2c3845;--edge:#7d8b99}}
.g0{fill:color-mix(in srgb,var(--accent) 10%,var(--ground))}
.g1{fill:color-mix(in srgb,var(--accent) 22%,var(--ground))}
.g2{fill:var(--soft)}
.t0{fill:var(--own)}
.t1{fill:color-mix(in srgb,var(--own) 55%,#f6b73c)}
.t2{fill:color-mix(in srgb,var(--own) 70%,var(--ground))}
.t3{fill:color-mix(in srgb,var(--own) 45%,var(--ground))}
.t4{fill:color-mix(in srgb,var(--own) 26%,var(--ground))}
`

const shape = ({ corners, headings }: Look): string => `
:root{--small:${corners.small};--large:${corners.large};--button:${corners.button}}
h1,h2,h3,.name,.say{font-family:${headings}}
`

const layout = `
*,*::before,*::after{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--ground);color:var(--text);font:1.0625rem/1.65 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
h1,h2,h3{line-height:1.12;letter-spacing:-.02em;margin:0;text-wrap:balance;overflow-wrap:break-word}
h1{font-size:clamp(2.3rem,1.3rem + 4.4vw,4.1rem);font-weight:800}
h2{font-size:clamp(1.7rem,1.25rem + 1.9vw,2.6rem);font-weight:750}
h3{font-size:1.2rem}
p{margin:0;text-wrap:pretty}
a{color:var(--accent)}
img{max-width:100%;height:auto;display:block}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px;border-radius:2px}
.wide,.narrow{margin-inline:auto;padding-inline:clamp(1.25rem,5vw,3rem);max-width:74rem}
.narrow{max-width:48rem}
.part{padding-block:clamp(3.5rem,8vw,6.5rem)}
.intro{color:var(--faint);max-width:52ch;margin-top:.9rem;font-size:1.1rem}
.skip{position:absolute;left:-999px;top:0;z-index:1;padding:.75rem 1rem;background:var(--accent);color:var(--on-accent)}
.skip:focus{left:0}
`

const parts = `
.bar .wide{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.25rem 1.5rem;padding-block:1rem}
.bar nav{display:flex;flex-wrap:wrap;gap:.1rem 1.25rem}
.bar nav a{color:var(--faint);text-decoration:none;font-weight:550;padding-block:.45rem}
.bar nav a:hover{color:var(--accent);text-decoration:underline}
.name{font-weight:750;font-size:1.1rem;color:var(--text);text-decoration:none}
.name img{max-height:2.25rem;width:auto}
.kicker{color:var(--accent);font-weight:700;letter-spacing:.02em;margin-bottom:1rem}
.lead{font-size:clamp(1.1rem,1rem + .6vw,1.35rem);color:var(--faint);max-width:46ch;margin-top:1.25rem}
.actions{display:flex;flex-wrap:wrap;align-items:center;gap:1rem 1.5rem;margin-top:2.25rem}
.button{display:inline-block;border:0;border-radius:var(--button);background:var(--accent);color:var(--on-accent);font:inherit;font-weight:650;padding:.9rem 1.6rem;text-decoration:none;cursor:pointer;transition:translate .15s}
.button:hover{translate:0 -2px}
.quiet{font-weight:600}
.art{display:block;width:100%;border-radius:var(--large)}
.card{border:1px solid var(--line);border-radius:var(--large);padding:1.75rem;background:var(--ground)}
.card p{color:var(--faint);margin-top:.5rem}
.mark{display:inline-grid;place-items:center;width:2.75rem;height:2.75rem;margin-bottom:1.1rem;border-radius:var(--small);background:color-mix(in srgb,var(--accent) 13%,transparent);color:var(--accent)}
.mark svg{width:1.5rem;height:1.5rem;fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.steps{list-style:none;counter-reset:step;display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,16rem),1fr));gap:2rem;margin:2.5rem 0 0;padding:0}
.steps li{counter-increment:step;border-top:3px solid var(--accent);padding-top:1.1rem}
.steps li::before{content:counter(step) ".";display:block;color:var(--accent);font-weight:800;font-size:1.1rem;margin-bottom:.35rem}
.steps p{color:var(--faint);margin-top:.4rem}
.soft{background:var(--soft)}
.say{background:var(--own);color:var(--on-own)}
.say .wide{padding-block:clamp(3.5rem,8vw,6rem)}
.say p{font-size:clamp(1.6rem,1.1rem + 2.6vw,2.9rem);line-height:1.2;font-weight:700;letter-spacing:-.02em;max-width:24ch;text-wrap:balance}
.say .button{margin-top:2rem;background:var(--on-own);color:var(--own);font-size:1.0625rem;letter-spacing:0}
.say :focus-visible{outline-color:var(--on-own)}
details{border-bottom:1px solid var(--line)}
summary{cursor:pointer;font-weight:650;font-size:1.1rem;padding:1.1rem 0;list-style-position:inside}
details p{color:var(--faint);padding-bottom:1.25rem;max-width:60ch}
.questions{margin-top:1.75rem}
.join{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:2.5rem clamp(2rem,6vw,5rem);align-items:start}
.sheet{border:1px solid var(--line);border-radius:var(--large);background:var(--ground);padding:clamp(1.25rem,4vw,2.25rem);box-shadow:0 1.5rem 3.5rem -2rem color-mix(in srgb,var(--own) 45%,transparent)}
form{display:grid;gap:1.1rem}
.field{display:grid;gap:.35rem}
label{font-weight:600}
input,textarea{width:100%;border:1px solid var(--edge);border-radius:var(--small);background:var(--ground);color:var(--text);font:inherit;padding:.75rem .9rem}
.foot{color:var(--faint);font-size:.95rem;border-top:1px solid var(--line)}
.foot .wide{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.5rem 1.5rem;padding-block:2rem}
`

/** The picture stands beside the words, below them, or the words on the page's own colour. */
const heroes: Readonly<Record<Look["hero"], string>> = {
  beside: `
.hero .wide{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:clamp(2.5rem,6vw,5rem);align-items:center;padding-block:clamp(2.5rem,6vw,5.5rem)}
.hero .art{aspect-ratio:1}
`,
  below: `
.hero{text-align:center;background:linear-gradient(180deg,var(--soft),var(--ground))}
.hero .wide{padding-block:clamp(3rem,7vw,6rem) 0}
.hero h1,.hero .lead{margin-inline:auto}
.hero h1{max-width:20ch}
.hero .actions{justify-content:center}
.hero .art{aspect-ratio:3;min-height:12rem;margin-top:clamp(2.5rem,6vw,4.5rem)}
`,
  colour: `
.hero{background:var(--own);color:var(--on-own)}
.hero .wide{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:clamp(2.5rem,6vw,5rem);align-items:center;padding-block:clamp(3rem,7vw,6rem)}
.hero .kicker,.hero .lead,.hero .quiet{color:var(--on-own)}
.hero .button{background:var(--on-own);color:var(--own)}
.hero :focus-visible{outline-color:var(--on-own)}
.hero .art{aspect-ratio:1.15}
.hero .g0,.hero .g1,.hero .g2{fill:color-mix(in srgb,var(--own) 86%,var(--on-own))}
.hero .t0{fill:var(--on-own)}
.hero .t1{fill:color-mix(in srgb,#ffcf5c 80%,var(--own))}
.hero .t2{fill:color-mix(in srgb,var(--own) 62%,var(--on-own))}
.hero .t3{fill:color-mix(in srgb,var(--own) 42%,var(--on-own))}
.hero .t4{fill:color-mix(in srgb,var(--own) 24%,var(--on-own))}
`,
}

const cards: Readonly<Record<Look["cards"], string>> = {
  grid: `
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr));gap:1.25rem;margin-top:2.5rem}
`,
  rows: `
.cards{display:grid;margin-top:2.5rem;border-top:1px solid var(--line)}
.card{display:grid;grid-template-columns:auto 1fr;column-gap:1.5rem;border:0;border-bottom:1px solid var(--line);border-radius:0;padding:1.6rem 0;background:none}
.card .mark{grid-row:span 2;margin:0}
@media (min-width:48rem){.card{grid-template-columns:auto minmax(12rem,1fr) 2fr;align-items:baseline}.card .mark{grid-row:auto;align-self:center}.card p{margin:0}.card h3{font-size:1.35rem}}
`,
  bento: `
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,15rem),1fr));gap:1.25rem;margin-top:2.5rem}
.card{background:var(--soft);border-color:transparent}
.card:first-child{background:var(--accent);color:var(--on-accent)}
.card:first-child p{color:inherit;font-size:1.15rem}
.card:first-child h3{font-size:1.6rem}
.card:first-child .mark{background:var(--on-accent);color:var(--accent)}
@media (min-width:48rem){.card:first-child{grid-column:span 2;padding:2.5rem}}
`,
}
