// HTML of the service's own pages: a title and a body in a card with the owner's logo or name and colour, without scripts.
import { escapeHtml, isWebUrl } from "@tentpole/core/rendering/Escapes"
import { night, paletteOr, paper, softNight, softPaper, usual_color } from "@tentpole/core/rendering/Palette"
import type { PageOwner } from "@tentpole/core/tents/pages/PageHead"
import { publicNameOf } from "@tentpole/core/workspaces/Workspace"

/** The colours of a brand, readable on each other in light and dark schemes (WCAG AA). */
const colors = (color: string | null): string => {
  const { accent, accentDark, onAccent, onAccentDark, own } = paletteOr(color, usual_color)
  return (
    `:root{color-scheme:light dark;--ground:${softPaper};--card:${paper};--text:#15202b;--line:#d8dee4;--own:${own};--accent:${accent};--on-accent:${onAccent}}` +
    `@media (prefers-color-scheme:dark){:root{--ground:${night};--card:${softNight};--text:#eef2f6;--line:#2c3845;--own:${accentDark};--accent:${accentDark};--on-accent:${onAccentDark}}}`
  )
}

/** The logo is on white in both schemes, because most logos are dark. */
const style =
  "*{box-sizing:border-box}" +
  "body{margin:0;background:var(--ground);color:var(--text);font:1.0625rem/1.6 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;-webkit-text-size-adjust:100%}" +
  "main{max-width:35rem;margin:clamp(1.5rem,12vh,7rem) auto 2rem;padding:clamp(1.75rem,6vw,3rem);background:var(--card);border:1px solid var(--line);border-top:4px solid var(--own);border-radius:.75rem;overflow-wrap:anywhere}" +
  "@media (max-width:37rem){main{margin:1.5rem 1rem}}" +
  ".brand{margin:0 0 1.75rem;font-weight:700}" +
  ".brand img{display:block;max-width:100%;max-height:3rem;padding:.35rem .5rem;border-radius:.5rem;background:#fff}" +
  "@media (prefers-color-scheme:light){.brand img{padding:0}}" +
  "h1{margin:0 0 .75rem;font-size:clamp(1.5rem,1.2rem + 1.4vw,2rem);line-height:1.2;letter-spacing:-.01em;text-wrap:balance}" +
  "p,ul,blockquote{margin:0 0 1.5rem}p:has(+ul),p:has(+blockquote){margin-bottom:.5rem}main>:last-child{margin-bottom:0}" +
  "ul{padding-left:1.25rem}blockquote{padding-left:1rem;border-left:3px solid var(--line)}" +
  "a{color:var(--accent);font-weight:600;text-underline-offset:.2em}" +
  "button{font:inherit;font-weight:650;padding:.8rem 1.6rem;border:0;border-radius:.75rem;background:var(--accent);color:var(--on-accent);cursor:pointer}" +
  "form>button{margin:0 .5rem .75rem 0}" +
  "button.other{background:none;color:var(--accent);box-shadow:inset 0 0 0 2px var(--accent)}" +
  "fieldset{margin:0 0 1.5rem;padding:0;border:0}legend{padding:0;margin:0 0 .75rem;font-weight:650}" +
  "label{display:flex;gap:.75rem;padding:.6rem 0;cursor:pointer}input[type=checkbox]{flex:none;width:1.5rem;height:1.5rem;margin:.05rem 0 0;accent-color:var(--accent)}" +
  "label span{display:block}label small{display:block;font-size:.9375rem}" +
  ":focus-visible{outline:3px solid var(--accent);outline-offset:3px;border-radius:.25rem}"

const brandLine = (owner: PageOwner): string => {
  const name = escapeHtml(publicNameOf(owner) ?? "")
  const shown =
    owner.logoUrl !== null && isWebUrl(owner.logoUrl)
      ? `<img src="${escapeHtml(owner.logoUrl)}" alt="${name}" height="48">`
      : name
  return shown === "" ? "" : `\n<p class="brand">${shown}</p>`
}

/** The title and the body are HTML. Null: no workspace owns the page. `head` is appended to the head. */
export const hostedHtml = (owner: PageOwner | null, title: string, body: string, head = ""): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">${head}
<title>${title}</title>
<style>${colors(owner?.primaryColor ?? null)}${style}</style>
</head>
<body><main>${owner === null ? "" : brandLine(owner)}
<h1>${title}</h1>
${body}
</main></body>
</html>
`
