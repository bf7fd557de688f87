// How large and how deep HTML may be that is to be cleaned: what parsers can take in a moment, whatever it is.
import { Unclean } from "@tentpole/core/documents/Clean"
import { html_size_bytes_max } from "@tentpole/core/documents/Html"
import { Result } from "effect"
import { type DefaultTreeAdapterMap, parse } from "parse5"

type Document = DefaultTreeAdapterMap["document"]

/** The HTML without what can't be stored, and what a browser makes of it. Scripts are off: there is nothing to run them. */
export interface BoundedHtml {
  readonly html: string
  readonly document: Document
}

const depth_max = 200
const left_open_max = 500

/** Refuses HTML that is larger or deeper than that, before a parser sees it where that can be told. */
export const bounded = (source: string): Result.Result<BoundedHtml, Unclean> => {
  if (source.length > html_size_bytes_max) {
    return Result.fail(
      new Unclean({ reason: `is larger than ${html_size_bytes_max / 2 ** 20} MB. Ask for a shorter one` }),
    )
  }
  // Parsers take time with the square of what stays open: such a page is refused before one sees it.
  if (leftOpen(source) > left_open_max) return Result.fail(new Unclean({ reason: "leaves too many elements open" }))
  // Text that can't be stored: NUL, and halves of surrogate pairs.
  const html = source.replaceAll("\0", "").toWellFormed()
  const document = parse(html, { scriptingEnabled: false })
  return depthOf(document) > depth_max
    ? Result.fail(new Unclean({ reason: `nests its elements deeper than ${depth_max} levels` }))
    : Result.succeed({ html, document })
}

/** Elements that need no end, and those that have none. */
const endless = new Set(
  "p li dt dd tr td th thead tbody tfoot colgroup col option optgroup rt rp html head body area base br embed hr img input link meta source track wbr path circle rect line stop".split(
    " ",
  ),
)

/** About how many elements are open at once at most; what stands in comments and attributes counts too. */
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
