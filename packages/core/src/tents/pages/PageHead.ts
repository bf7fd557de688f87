// Missing tags for search engines, social media and browser tabs, derived from the page and its owner's brand.
import { parseHtml } from "../../documents/ParseHtml.ts"
import type { Brand } from "../../ports/Ai.ts"
import type { Parser } from "../../ports/Parsers.ts"
import { escapeHtml } from "../../rendering/Escapes.ts"
import { accents, paletteOr } from "../../rendering/Palette.ts"
import { publicNameOf } from "../../workspaces/Workspace.ts"
import { trim } from "../../kernel/Text.ts"
import { attribute, type Element, elements, type Node } from "../../documents/HtmlElements.ts"

/** The owner's brand, as far as pages show it. */
export type PageOwner = Pick<Brand, "name" | "primaryColor" | "logoUrl" | "iconUrl">

/** Adds the missing tags to the head; unchanged when there is no head. `url` is the page's canonical address. */
export const withHead = (html: string, url: string, owner: PageOwner): string => {
  const document = parseHtml(html, { sourceCodeLocationInfo: true })
  const all = elements(document)
  const end = all.find(({ tagName }) => tagName === "head")?.sourceCodeLocation?.endTag?.startOffset
  if (end === undefined) return html
  return `${html.slice(0, end)}${missingTags(all, url, owner).join("\n")}\n${html.slice(end)}`
}

interface HeadInput {
  readonly html: string
  readonly url: string
  readonly owner: PageOwner
}

export const headParser: Parser<HeadInput, string> = {
  name: "page_head",
  run: ({ html, url, owner }) => withHead(html, url, owner),
  sizeOf: ({ html }) => html.length,
}

const missingTags = (all: ReadonlyArray<Element>, url: string, owner: PageOwner): ReadonlyArray<string> => {
  const first = (tag: string) => all.find(({ tagName }) => tagName === tag)
  const metas = new Map(
    all
      .filter(({ tagName }) => tagName === "meta")
      .map((meta) => [attribute(meta, "name") || attribute(meta, "property"), attribute(meta, "content")]),
  )
  const title = textOf(first("title")) || textOf(first("h1")) || publicNameOf(owner)
  const description = metas.get("description") || shortened(textOf(all.find(isProse)))
  const picture = pictureOf(all, url, owner)
  const wanted: ReadonlyArray<readonly [kind: "name" | "property", name: string, content: string | null]> = [
    ["name", "description", description],
    ["property", "og:type", "website"],
    ["property", "og:title", title],
    ["property", "og:description", description],
    ["property", "og:url", url],
    ["property", "og:site_name", publicNameOf(owner)],
    ["property", "og:image", picture?.url ?? null],
    ["property", "og:image:alt", picture?.text ?? null],
    ["name", "twitter:card", picture?.large === true ? "summary_large_image" : "summary"],
  ]
  return [
    ...wanted.flatMap(([kind, name, content]) =>
      metas.has(name) || !content ? [] : [`<meta ${kind}="${name}" content="${escapeHtml(content)}">`],
    ),
    `<link rel="canonical" href="${escapeHtml(url)}">`,
    `<link rel="icon" href="${escapeHtml(iconOf(owner))}">`,
  ]
}

const textOf = (element: Element | undefined): string => {
  const texts: Array<string> = []
  const open: Array<Node> = element === undefined ? [] : [element]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.nodeName === "#text" && "value" in node) texts.push(node.value)
    if ("childNodes" in node) open.push(...[...node.childNodes].reverse())
  }
  return trim(texts.join("").replace(/\s+/g, " "))
}

const prose_length_min = 40
const description_length_max = 200

/** A paragraph long enough to describe the page, not a label. */
const isProse = (element: Element): boolean => element.tagName === "p" && textOf(element).length >= prose_length_min

const shortened = (text: string): string =>
  text.length <= description_length_max ? text : `${text.slice(0, description_length_max).replace(/\s+\S*$/, "")}…`

interface Picture {
  readonly url: string
  readonly text: string | null
  /** True for a picture of the page, false for a logo, which is shown small. */
  readonly large: boolean
}

/** Social media fetch the picture by its absolute address, so a data URL can't be used. */
const pictureOf = (all: ReadonlyArray<Element>, url: string, owner: PageOwner): Picture | null => {
  for (const image of all.filter(({ tagName }) => tagName === "img")) {
    const address = wholeAddress(attribute(image, "src").trim(), url)
    if (address === null) continue
    return { url: address, text: attribute(image, "alt") || null, large: address !== owner.logoUrl }
  }
  const logo = owner.logoUrl === null ? null : wholeAddress(owner.logoUrl, url)
  return logo === null ? null : { url: logo, text: publicNameOf(owner), large: false }
}

const wholeAddress = (address: string, url: string): string | null => {
  if (/^https?:\/\//i.test(address)) return address
  const [, scheme = "", host = ""] = /^(https?:)(\/\/[^/]+)/.exec(url) ?? []
  if (address.startsWith("//")) return `${scheme}${address}`
  return address.startsWith("/") ? `${scheme}${host}${address}` : null
}

/** The brand's icon, else its initial (without a name: a dot) on its colour as a data URL, which costs no request. */
const iconOf = (owner: PageOwner): string => {
  const { iconUrl, primaryColor } = owner
  if (iconUrl !== null && /^https?:\/\//i.test(iconUrl)) return iconUrl
  const { own, onOwn } = paletteOr(primaryColor, accents[0])
  const [initial] = (publicNameOf(owner) ?? "").toUpperCase().toWellFormed()
  const mark =
    initial === undefined
      ? `<circle cx="16" cy="16" r="7" fill="${onOwn}"/>`
      : `<text x="16" y="22.5" font-family="system-ui,sans-serif" font-size="19" font-weight="700" text-anchor="middle" fill="${onOwn}">${escapeHtml(initial)}</text>`
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${own}"/>${mark}</svg>`
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`
}
