// Copies the rules of an email's style sheets to the elements they select. Some mail programs drop style sheets, and models
// write them although the prompt asks for styles at each element. Uploaded and composed emails do not pass through here.
import { attribute, type Edit, edited } from "@tentpole/core/documents/HtmlElements"
import { parseHtml } from "@tentpole/core/documents/ParseHtml"
import { findTokens } from "@tentpole/core/rendering/MergeTokens"
import { Result } from "effect"
import type { DefaultTreeAdapterTypes as Tree } from "parse5"
import { type ChildNode, parse as parseCss } from "postcss"

const html_length_max = 300_000
/** Rules times elements times depth: an email that needs more work stays as it is. */
const steps_max = 20_000_000

interface Rule {
  /** `table .a` has two parts, each a list of tag, `.class` and `#id`. */
  readonly parts: ReadonlyArray<ReadonlyArray<string>>
  readonly specificity: number
  readonly declarations: ReadonlyArray<Declaration>
}

interface Declaration {
  readonly property: string
  readonly value: string
  readonly isImportant: boolean
}

/**
 * The same email with its rules at its elements too; the style sheets stay, for screens and colour schemes. It applies
 * selectors of tags, classes, ids and descendants, and skips other rules. It returns the email unchanged when the CSS is
 * malformed, the HTML has too many elements, or a merge token would change.
 */
export const inlined = (html: string): string => {
  if (html.length > html_length_max || !/<style[\s>]/i.test(html)) return html
  const parsed = Result.try(() => {
    const document = read(parseHtml(html, { sourceCodeLocationInfo: true }))
    return { ...document, rules: rulesOf(document.css) }
  })
  if (Result.isFailure(parsed)) return html
  const { elements, depth, rules } = parsed.success
  if (rules.length * elements.length * depth > steps_max) return html
  // The parser repeats unclosed elements of one tag: the last one counts.
  const edits = new Map(elements.flatMap((element) => editsOf(element, rules)).map((edit) => [edit.from, edit]))
  const written = edited(html, [...edits.values()])
  return tokensOf(written) === tokensOf(html) ? written : html
}

const tokensOf = (html: string): string =>
  findTokens(html)
    .map(({ start, end }) => html.slice(start, end))
    .join("\n")

const isElement = (node: Tree.Node | null): node is Tree.Element => node !== null && "tagName" in node

/** The elements outside the head, and the text of the style sheets for all media. */
const read = (document: Tree.Document) => {
  const elements: Array<Tree.Element> = []
  let [css, depth] = ["", 0]
  const open: Array<{ node: Tree.Node; isInHead: boolean; level: number }> = [
    { node: document, isInHead: false, level: 0 },
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, level } = next
    const isInHead = next.isInHead || node.nodeName === "head"
    depth = Math.max(depth, level)
    if (isElement(node) && node.tagName === "style") {
      if (!/^(|all|screen)$/i.test(attribute(node, "media").trim())) continue
      for (const child of node.childNodes) if ("value" in child) css += `${child.value}\n`
    } else if (isElement(node) && !isInHead) elements.push(node)
    const children = "childNodes" in node ? node.childNodes : []
    for (const child of children.toReversed()) open.push({ node: child, isInHead, level: level + 1 })
  }
  return { elements, css, depth }
}

/** The rules outside at-rules, one for each selector, the weakest first. */
const rulesOf = (css: string): ReadonlyArray<Rule> =>
  parseCss(css)
    .nodes.flatMap((node) =>
      node.type === "rule"
        ? node.selectors.flatMap((selector): ReadonlyArray<Rule> => {
            const texts = selector.split(/\s+/)
            const parts = texts.map((text) => text.match(/[.#]?-?[a-z_][\w-]*|\*/gi) ?? [])
            if (!texts.every((text, at) => parts[at]?.join("") === text)) return []
            const specificity = parts.flat().reduce((sum, name) => sum + (weights[name.charAt(0)] ?? 1), 0)
            return [{ parts, specificity, declarations: declarationsOf(node.nodes) }]
          })
        : [],
    )
    .toSorted((a, b) => a.specificity - b.specificity)

const weights: Readonly<Record<string, number>> = { "#": 1_000_000, ".": 1_000, "*": 0 }

const declarationsOf = (nodes: ReadonlyArray<ChildNode> = []): ReadonlyArray<Declaration> =>
  nodes.flatMap((node) =>
    node.type === "decl" && node.value !== ""
      ? [{ property: node.prop.toLowerCase(), value: node.value, isImportant: node.important === true }]
      : [],
  )

const isMatch = (element: Tree.Element, part: ReadonlyArray<string>): boolean =>
  part.every((name) => {
    if (name.startsWith("#")) return attribute(element, "id") === name.slice(1)
    if (name.startsWith(".")) return attribute(element, "class").split(/\s+/).includes(name.slice(1))
    return name === "*" || element.tagName.toLowerCase() === name.toLowerCase()
  })

const isSelected = (element: Tree.Element, { parts: [...parts] }: Rule): boolean => {
  if (!isMatch(element, parts.pop() ?? [])) return false
  for (let above = element.parentNode; parts.length > 0 && isElement(above); above = above.parentNode) {
    if (isMatch(above, parts.at(-1) ?? [])) parts.pop()
  }
  return parts.length === 0
}

/** The `style` attribute that the rules give an element; none without such rules. */
const editsOf = (element: Tree.Element, rules: ReadonlyArray<Rule>): ReadonlyArray<Edit> => {
  const { startTag, attrs } = element.sourceCodeLocation ?? {}
  const declared = rules.filter((rule) => isSelected(element, rule)).flatMap(({ declarations }) => declarations)
  if (startTag === undefined || declared.length === 0) return []
  const own = Result.try(() => declarationsOf(parseCss(attribute(element, "style")).nodes))
  if (Result.isFailure(own)) return []
  const cascade = [...declared, ...own.success, ...declared.filter(({ isImportant }) => isImportant)]
  const final = new Map<string, string>()
  for (const { property, value } of cascade) {
    // Deleted first: a shorthand and its parts apply in the order of the cascade.
    final.delete(property)
    final.set(property, value)
  }
  const style = [...final].map(([property, value]) => `${property}: ${value};`).join(" ")
  const text = `style="${style.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`
  const written = attrs?.["style"]
  if (written !== undefined) return [{ from: written.startOffset, to: written.endOffset, text }]
  const at = startTag.startOffset + 1 + element.tagName.length
  return [{ from: at, to: at, text: ` ${text}` }]
}
