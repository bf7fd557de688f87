// The page of a tent template that is created without content: branded, complete, for light and dark schemes.
import { escapeHtml, isWebUrl } from "../rendering/Escapes.ts"
import { publicNameOf, type Workspace } from "../workspaces/Workspace.ts"

export const pageScaffold = ({ brand }: Pick<Workspace, "brand">): string => {
  const name = escapeHtml(publicNameOf(brand) ?? "")
  const color = brand.primaryColor !== null && hexColor.test(brand.primaryColor) ? brand.primaryColor : "#2563eb"
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name || "Page"}</title>
<style>
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1f2933; --soft: #f3f4f6; }
@media (prefers-color-scheme: dark) { :root { --paper: #15191e; --ink: #e8eaed; --soft: #1f252c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif; border-top: 4px solid ${color}; }
header, main, footer { max-width: 62rem; margin: 0 auto; padding: 1.5rem; }
header { font-weight: 700; }
header img { display: block; height: 2.5rem; width: auto; }
h1 { font-size: clamp(2rem, 6vw, 3.25rem); line-height: 1.15; margin: 2rem 0 1rem; overflow-wrap: anywhere; }
section { margin-top: 2.5rem; padding: 1.5rem; background: var(--soft); border-radius: 0.75rem; }
h2 { margin: 0 0 0.5rem; font-size: 1.375rem; }
</style>
</head>
<body>
${logo(brand.logoUrl, name)}
<main>
<h1>Say what this page is about</h1>
<p>Then say in a sentence or two why it matters to the reader.</p>
<section>
<h2>One thing worth knowing</h2>
<p>What it is, and what it brings.</p>
</section>
</main>
${name === "" ? "" : `<footer><p>${name}</p></footer>`}
</body>
</html>
`
}

const hexColor = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

/** Nothing without a logo and a name. */
const logo = (url: string | null, name: string): string => {
  const shown = url !== null && isWebUrl(url) ? `<img src="${escapeHtml(url)}" alt="${name}">` : name
  return shown === "" ? "" : `<header>${shown}</header>`
}
