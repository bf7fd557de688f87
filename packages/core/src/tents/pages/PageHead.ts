// What a page says of itself where it is shared, found and kept in a tab: tags that follow from what it says already and from
// its owner's brand. What its author wrote stays; only what is missing is added.
import { type DefaultTreeAdapterMap, parse } from "parse5"
import { escapeHtml } from "../../rendering/Escapes.ts"
import { accents, paletteOr } from "../../rendering/Palette.ts"
import { trim } from "../../kernel/Text.ts"
import { elements } from "../../documents/HtmlElements.ts"

type Element = DefaultTreeAdapterMap["element"]

/** The brand, as far as a page's head tells of it. */
export interface PageOwner {
  readonly name: string
  readonly primaryColor: string | null
  readonly logoUrl: string | null
  readonly iconUrl: string | null
}

/** The document with what its head lacks; as it is when it has no head. `url` is its one public address. */
export const withHead = (html: string, url: string, owner: PageOwner): string => {
  const document = parse(html, { sourceCodeLocationInfo: true })
  const all = elements(document)
  const end = all.find(({ tagName }) => tagName === "head")?.sourceCodeLocation?.endTag?.startOffset
  if (end === undefined) return html
  return `${html.slice(0, end)}${missingTags(all, url, owner).join("\n")}\n${html.slice(end)}`
}

const missingTags = (all: ReadonlyArray<Element>, url: string, owner: PageOwner): ReadonlyArray<string> => {
  const first = (tag: string) => all.find(({ tagName }) => tagName === tag)
  const metas = new Map(
    all
      .filter(({ tagName }) => tagName === "meta")
      .map((meta) => [attribute(meta, "name") || attribute(meta, "property"), attribute(meta, "content")]),
  )
  const title = textOf(first("title")) || textOf(first("h1")) || owner.name
  const description = metas.get("description") || shortened(textOf(all.find(isProse)))
  const picture = pictureOf(all, url, owner)
  const wanted: ReadonlyArray<readonly [kind: "name" | "property", name: string, content: string | null]> = [
    ["name", "description", description],
    ["property", "og:type", "website"],
    ["property", "og:title", title],
    ["property", "og:description", description],
    ["property", "og:url", url],
    ["property", "og:site_name", owner.name],
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

const attribute = (element: Element, name: string): string =>
  element.attrs.find((each) => each.name === name)?.value ?? ""

const textOf = (element: Element | undefined): string => {
  const texts: Array<string> = []
  const open: Array<DefaultTreeAdapterMap["node"]> = element === undefined ? [] : [element]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.nodeName === "#text" && "value" in node) texts.push(node.value)
    if ("childNodes" in node) open.push(...[...node.childNodes].reverse())
  }
  return trim(texts.join("").replace(/\s+/g, " "))
}

const prose_length_min = 40
const description_length_max = 200

/** A paragraph that says something, as against a label. */
const isProse = (element: Element): boolean => element.tagName === "p" && textOf(element).length >= prose_length_min

const shortened = (text: string): string =>
  text.length <= description_length_max ? text : `${text.slice(0, description_length_max).replace(/\s+\S*$/, "")}…`

interface Picture {
  readonly url: string
  readonly text: string | null
  /** A picture of the page; a logo is shown small. */
  readonly large: boolean
}

/** Who shares a page fetches its picture by its whole address: one within the document has none. */
const pictureOf = (all: ReadonlyArray<Element>, url: string, owner: PageOwner): Picture | null => {
  for (const image of all.filter(({ tagName }) => tagName === "img")) {
    const address = wholeAddress(attribute(image, "src").trim(), url)
    if (address === null) continue
    return { url: address, text: attribute(image, "alt") || null, large: address !== owner.logoUrl }
  }
  const logo = owner.logoUrl === null ? null : wholeAddress(owner.logoUrl, url)
  return logo === null ? null : { url: logo, text: owner.name, large: false }
}

const wholeAddress = (address: string, url: string): string | null => {
  if (/^https?:\/\//i.test(address)) return address
  const [, scheme = "", host = ""] = /^(https?:)(\/\/[^/]+)/.exec(url) ?? []
  if (address.startsWith("//")) return `${scheme}${address}`
  return address.startsWith("/") ? `${scheme}${host}${address}` : null
}

/** The brand's own, else its initial on its colour, within the document: no request more. */
const iconOf = ({ iconUrl, name, primaryColor }: PageOwner): string => {
  if (iconUrl !== null && /^https?:\/\//i.test(iconUrl)) return iconUrl
  const { own, onOwn } = paletteOr(primaryColor, accents[0])
  const [initial = ""] = name.toUpperCase().toWellFormed()
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${own}"/><text x="16" y="22.5" font-family="system-ui,sans-serif" font-size="19" font-weight="700" text-anchor="middle" fill="${onOwn}">${escapeHtml(initial)}</text></svg>`
  return `data:image/svg+xml,${encodeURIComponent(drawing)}`
}
