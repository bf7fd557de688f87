// What the sanitisers of pages and emails share: the limits on size and depth of HTML before it is cleaned, so that any input
// is parsed in a short time, and options.
import { html_size_bytes_max, limited, Unclean } from "@tentpole/core/documents/Clean"
import { parseHtml } from "@tentpole/core/documents/ParseHtml"
import { Result } from "effect"
import type { DefaultTreeAdapterMap } from "parse5"
import type sanitizeHtml from "sanitize-html"

type Document = DefaultTreeAdapterMap["document"]

/** The words of lists that are separated by spaces. */
export const words = (...lists: ReadonlyArray<string>): Array<string> => lists.flatMap((list) => list.split(" "))

const depth_max = 200
const left_open_max = 500

/**
 * HTML that can be stored, with its document as a browser parses it. Refuses HTML that is too large or too deep, before
 * parsing where possible.
 */
export const bounded = (
  source: string,
): Result.Result<{ readonly html: string; readonly document: Document }, Unclean> => {
  if (source.length > html_size_bytes_max) {
    return Result.fail(
      new Unclean({ reason: `is larger than ${html_size_bytes_max / 2 ** 20} MB. Ask for a shorter one` }),
    )
  }
  // Parsing takes time with the square of the number of open elements, so such a page is refused before parsing.
  if (leftOpen(source) > left_open_max) return Result.fail(new Unclean({ reason: "leaves too many elements open" }))
  // Removes text that can't be stored: NUL, and halves of surrogate pairs.
  const html = source.replaceAll("\0", "").toWellFormed()
  // Scripting is off: no script runs.
  return limited(() => {
    const document = parseHtml(html, { scriptingEnabled: false })
    return depthOf(document) > depth_max
      ? Result.fail(new Unclean({ reason: `nests its elements deeper than ${depth_max} levels` }))
      : Result.succeed({ html, document })
  })
}

/** Elements with an optional end tag, and void elements. */
const endless = new Set(
  words(
    "p li dt dd tr td th thead tbody tfoot colgroup col option optgroup rt rp html head body",
    "area base br embed hr img input link meta source track wbr path circle rect line stop",
  ),
)

/** An estimate of the largest number of elements open at once. Tags in comments and attributes count too. */
const leftOpen = (html: string): number => {
  let open = 0
  let most = 0
  for (const [, end, name = "", closed] of html.matchAll(/<(\/?)([a-z][a-z0-9:-]{0,30})(?:[^<>]{0,2000}(\/)>)?/gi)) {
    if (endless.has(name.toLowerCase()) || closed !== undefined) continue
    open = end === "" ? open + 1 : Math.max(0, open - 1)
    most = Math.max(most, open)
  }
  return most
}

const depthOf = (root: Document): number => {
  let deepest = 0
  const open: Array<{ readonly node: DefaultTreeAdapterMap["node"]; readonly depth: number }> = [
    { node: root, depth: 0 },
  ]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { node, depth } = at
    deepest = Math.max(deepest, depth)
    for (const child of "childNodes" in node ? node.childNodes : []) open.push({ node: child, depth: depth + 1 })
    if ("content" in node) open.push({ node: node.content, depth: depth + 1 })
  }
  return deepest
}

export const sanitizerOptions = {
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowProtocolRelative: true,
  parseStyleAttributes: false,
  enforceHtmlBoundary: false,
} satisfies sanitizeHtml.IOptions
