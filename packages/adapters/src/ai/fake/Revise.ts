// Revisions of a page by the fake AI: simple instructions are followed by edits of the source, others are refused. An
// instruction is never printed.
import { attribute, type Edit, edited, type Element, elements, type Node } from "@tentpole/core/documents/HtmlElements"
import { parseHtml } from "@tentpole/core/documents/ParseHtml"
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import { type Palette, paletteOr } from "@tentpole/core/rendering/Palette"
import { capital, stripped } from "./Figures.ts"

export type Revised = { readonly html: string } | { readonly refused: string }

const reason =
  "Sample text can't follow this instruction. It can shorten or change the headline, change the colour, add or remove a section, and replace words. Set AI_PROVIDER for other changes"

const instruction_length_max = 2_000

/** Null: no rule knows the instruction. */
export const revised = (html: string, instruction: string): Revised | null => {
  const text = stripped(instruction.slice(0, instruction_length_max).replace(/\s+/g, " "), " .!").replace(
    /^(?:please|kindly|can you|could you)\s/i,
    "",
  )
  for (const rule of rules) {
    const found = rule(html, text)
    if (found !== null) return found
  }
  return null
}

export const refusal = (): Revised => ({ refused: reason })

type Rule = (html: string, text: string) => Revised | null

const unquoted = (text: string): string => stripped(text, ` "'“”‘’.,`)

const parsed = (html: string): ReadonlyArray<Element> => elements(parseHtml(html, { sourceCodeLocationInfo: true }))

interface Inner {
  readonly from: number
  readonly to: number
}

/** Where the content of an element is in the source. */
const innerOf = (element: Element | undefined): Inner | null => {
  const from = element?.sourceCodeLocation?.startTag?.endOffset
  const to = element?.sourceCodeLocation?.endTag?.startOffset
  return from === undefined || to === undefined ? null : { from, to }
}

const textsIn = (root: Node): ReadonlyArray<string> => {
  const texts: Array<string> = []
  const open: Array<Node> = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.nodeName === "#text" && "value" in node) texts.push(node.value)
    if ("childNodes" in node) open.push(...[...node.childNodes].reverse())
  }
  return texts
}

const wordsOf = (element: Element): string => textsIn(element).join("").replace(/\s+/g, " ").trim()

const headline = /\b(?:headline|heading|title|h1)\b/i

const newHeadline: Rule = (html, text) => {
  if (!headline.test(text)) return null
  const all = parsed(html)
  const heading = all.find(({ tagName }) => tagName === "h1") ?? all.find(({ tagName }) => tagName === "h2")
  const [, wanted] = /\b(?:to|say|says|read|reads|be):?\s(?!be\b|more\b|less\b)["'“]?(.{1,200})$/i.exec(text) ?? []
  const isShorter = /\b(?:short|shorter|shorten|shortened|briefer|more concise|cut)\b/i.test(text)
  if (heading === undefined || (!isShorter && wanted === undefined)) return null
  const before = wordsOf(heading)
  const after = isShorter ? shorter(before) : unquoted(wanted ?? "")
  if (after === "" || after === before) return { refused: "The headline can't be shortened any more" }
  const title = all.find(({ tagName }) => tagName === "title")
  const edits = [heading, ...(title !== undefined && wordsOf(title) === before ? [title] : [])].flatMap((element) => {
    const inner = innerOf(element)
    return inner === null ? [] : [{ ...inner, text: escapeHtml(after) }]
  })
  return { html: edited(html, edits) }
}

const words_max = 4

/** Up to the first break, else without the words that introduce it, else the first words. */
const shorter = (text: string): string => {
  // A cut could go through a merge token.
  if (text.includes("{{")) return text
  const first = stripped(text.split(/:|\s[–—-]\s|[,;.!?]/)[0] ?? "", " ")
  if (first !== "" && first.length < text.length) return first
  const plain = capital(text.replace(/^(?:our|the|an?|your|my)\s(?:new\s)?/i, ""))
  const [head = ""] = plain.split(/\s(?:for|with|in|at|on|of|from|that|which|by|and)\s/i)
  if (head !== "" && head.length < plain.length) return head
  if (plain.length < text.length) return plain
  const words = text.split(" ")
  return words.slice(0, Math.max(1, Math.min(words_max, words.length - 1))).join(" ")
}

const colors: Readonly<Record<string, string>> = {
  blue: "#1d4ed8",
  navy: "#1e3a8a",
  red: "#be123c",
  green: "#15803d",
  teal: "#0f766e",
  purple: "#7c3aed",
  violet: "#7c3aed",
  pink: "#be185d",
  orange: "#c2410c",
  yellow: "#ca8a04",
  brown: "#92400e",
  black: "#1f2937",
  grey: "#4b5563",
  gray: "#4b5563",
}

const colorIn = (text: string): string | null => {
  const hex = /#[0-9a-f]{6}\b/i.exec(text)?.[0]
  const name = text
    .toLowerCase()
    .match(/[a-z]+/g)
    ?.findLast((word) => Object.hasOwn(colors, word))
  return hex ?? (name === undefined ? null : (colors[name] ?? null))
}

/** The colours that the pages of the fake AI declare, in light and in dark schemes. */
const declared = /(--(?:own|on-own|accent|on-accent)):\s?#[0-9a-f]{3,6}/gi

const newColor: Rule = (html, text) => {
  const color = /\b(?:colou?rs?|make|use|turn|change|blue|red|green)\b/i.test(text) ? colorIn(text) : null
  if (color === null) return null
  const palette = paletteOr(color, color)
  const seen = new Set<string>()
  const changed = html.replace(declared, (_, name: string) => {
    const isDark = seen.has(name)
    seen.add(name)
    return `${name}:${valueOf(palette, name, isDark)}`
  })
  if (seen.size > 0) return { html: changed }
  const style =
    `<style>h1,h2,h3,a{color:${palette.accent}}` +
    `@media (prefers-color-scheme:dark){h1,h2,h3,a{color:${palette.accentDark}}}</style>`
  const at = parsed(html).find(({ tagName }) => tagName === "head")?.sourceCodeLocation?.endTag?.startOffset ?? 0
  return { html: edited(html, [{ from: at, to: at, text: style }]) }
}

const valueOf = (
  { accent, accentDark, onAccent, onAccentDark, onOwn, own }: Palette,
  name: string,
  isDark: boolean,
) => {
  if (name === "--own") return own
  if (name === "--on-own") return onOwn
  if (name === "--accent") return isDark ? accentDark : accent
  return isDark ? onAccentDark : onAccent
}

/** Sections with their first heading, without the one of the page's headline. */
const sectionsIn = (all: ReadonlyArray<Element>) =>
  all
    .filter(({ tagName }) => tagName === "section")
    .flatMap((section) => {
      const inside = elements(section)
      const heading = inside.find(({ tagName }) => tagName === "h2" || tagName === "h3")
      if (heading === undefined || inside.some(({ tagName }) => tagName === "h1")) return []
      return [{ section, inside, title: wordsOf(heading).toLowerCase() }]
    })

const withoutSection: Rule = (html, text) => {
  const [, asked] = /^(?:remove|delete|drop|take out|take away|hide)\s(.{1,200})$/i.exec(text) ?? []
  if (asked === undefined) return null
  const name = unquoted(
    unquoted(asked)
      .replace(/^(?:the|our|that|whole)\s/i, "")
      .replace(/\b(?:section|block|part)\b/i, " ")
      .replace(/\s{2,}/g, " ")
      .replace(/^\s?(?:called|titled|about|named|with)\s/i, ""),
  ).toLowerCase()
  const all = parsed(html)
  const found = sectionsIn(all).find(
    ({ inside, title }) =>
      (name !== "" && title.includes(name)) ||
      (/\bform$/.test(name) && inside.some(({ tagName }) => tagName === "form")),
  )
  const at = found?.section.sourceCodeLocation
  if (found === undefined || !at) return { refused: `The page has no section "${name}"` }
  const gone = new Set(
    elements(found.section)
      .map((element) => attribute(element, "id"))
      .filter((id) => id !== ""),
  )
  const edits = all.flatMap((link): ReadonlyArray<Edit> => {
    const place = link.sourceCodeLocation
    const href = attribute(link, "href")
    const isInside = place && place.startOffset >= at.startOffset && place.endOffset <= at.endOffset
    if (!place || isInside || link.tagName !== "a" || !href.startsWith("#") || !gone.has(href.slice(1))) return []
    return [{ from: place.startOffset, to: place.endOffset, text: "" }]
  })
  return { html: edited(html, [...once(edits), { from: at.startOffset, to: at.endOffset, text: "" }]) }
}

/** The parser repeats unclosed links with their places. */
const once = (edits: ReadonlyArray<Edit>): ReadonlyArray<Edit> => [
  ...new Map(edits.map((edit) => [edit.from, edit])).values(),
]

const withSection: Rule = (html, text) => {
  const [, asked] =
    /^(?:add|include|insert|append|put in|write)\s(?:an?\s|another\s|one more\s)?(?:new\s|short\s|small\s)?(?:section|block|part|paragraph)\s(?:about|on|for|with|called|titled|that explains|explaining)\s(.{2,300})$/i.exec(
      text,
    ) ?? []
  if (asked === undefined) return null
  const at = asked.search(/:\s/)
  const about = unquoted(at < 0 ? asked : asked.slice(0, at))
  const topic = about.replace(/^(?:our|the|your|my|an?)\s/i, "")
  const said = at < 0 ? `Here you find everything about ${about}` : capital(unquoted(asked.slice(at + 1)))
  const all = parsed(html)
  const sections = sectionsIn(all)
  const form = sections.find(({ inside }) => inside.some(({ tagName }) => tagName === "form"))
  const end = (tag: string) => all.find(({ tagName }) => tagName === tag)?.sourceCodeLocation?.endTag?.startOffset
  const place = form?.section.sourceCodeLocation?.startOffset ?? end("main") ?? end("body") ?? html.length
  const section = `<section class="part"><div class="wide">\n<h2>${escapeHtml(capital(topic))}</h2>\n<p class="lead">${escapeHtml(said)}.</p>\n</div></section>\n`
  return { html: edited(html, [{ from: place, to: place, text: section }]) }
}

const mention: Rule = (html, text) => {
  const [, asked = ""] = /^(?:mention|say|state|point out)\s(?:that\s)?(.{2,300})$/i.exec(text) ?? []
  const heading = parsed(html).find(({ tagName }) => tagName === "h1" || tagName === "h2")
  const place = heading?.sourceCodeLocation?.endOffset
  if (asked === "" || place === undefined) return null
  return { html: edited(html, [{ from: place, to: place, text: `\n<p>${escapeHtml(capital(unquoted(asked)))}.</p>` }]) }
}

const replacedWords: Rule = (html, text) => {
  const [, asked, wanted] =
    /^(?:change|replace|rename|swap|turn)\s(?:the words?\s|every\s|all\s)?(.{1,200}?)\s(?:to|with|by|into|for)\s(.{1,200})$/i.exec(
      text,
    ) ?? []
  if (asked === undefined || wanted === undefined || /\bcolou?r\b/i.test(asked)) return null
  const [from, to] = [unquoted(asked), unquoted(wanted)]
  const edits = from === "" ? [] : occurrences(html, from, to)
  return edits.length === 0 ? { refused: `The page has no text "${from}"` } : { html: edited(html, edits) }
}

const silent: ReadonlySet<string> = new Set(["style", "script", "svg"])

/** Edits of the texts that visitors read. */
const occurrences = (html: string, from: string, to: string): ReadonlyArray<Edit> => {
  const wanted = escapeHtml(from).toLowerCase()
  const edits: Array<Edit> = []
  const open: Array<Node> = [parseHtml(html, { sourceCodeLocationInfo: true })]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ("childNodes" in node && !silent.has(node.nodeName)) open.push(...node.childNodes)
    const place = node.nodeName === "#text" ? node.sourceCodeLocation : null
    if (!place) continue
    const source = html.slice(place.startOffset, place.endOffset).toLowerCase()
    for (let at = source.indexOf(wanted); at >= 0; at = source.indexOf(wanted, at + wanted.length)) {
      if (isLetter(source[at - 1]) || isLetter(source[at + wanted.length])) continue
      const begin = place.startOffset + at
      edits.push({ from: begin, to: begin + wanted.length, text: escapeHtml(to) })
    }
  }
  return once(edits)
}

const isLetter = (character: string | undefined): boolean => character !== undefined && /[\p{L}\d]/u.test(character)

const rules: ReadonlyArray<Rule> = [withSection, withoutSection, newHeadline, mention, replacedWords, newColor]
