// The HTML parser with a limit on the elements that it creates. The parser repeats unclosed elements such as `<b>` in every
// paragraph that follows, so a few kilobytes of HTML could fill the memory.
import { type DefaultTreeAdapterMap, defaultTreeAdapter, parse, type ParserOptions, type TreeAdapter } from "parse5"
import { ParserLimitExceeded } from "../ports/Parsers.ts"

/** The HTML makes the parser create too many elements. */
export class TooManyElements extends ParserLimitExceeded {
  override readonly name = "TooManyElements"
}

/** More would need more memory than a parsing thread has. A newsletter has some thousand. */
export const html_tags_max = 100_000

/** HTML that closes its elements needs at most two for each start tag, because the parser adds bodies to tables. */
const elements_per_tag_max = 3
const elements_without_tags_max = 1_000

/** The parser throws `TooManyElements` when the tree of this source becomes too large. One source, one adapter. */
export const limitedTree = (source: string): TreeAdapter<DefaultTreeAdapterMap> => {
  const tags_count = tagsIn(source)
  let left = elements_without_tags_max + elements_per_tag_max * tags_count
  return {
    ...defaultTreeAdapter,
    createElement: (...element) => {
      if (--left < 0) throw new TooManyElements("repeats too many unclosed elements")
      return defaultTreeAdapter.createElement(...element)
    },
  }
}

/** A document as a browser parses it. Throws `TooManyElements`. */
export const parseHtml = (
  html: string,
  options: Pick<ParserOptions<DefaultTreeAdapterMap>, "scriptingEnabled" | "sourceCodeLocationInfo"> = {},
): DefaultTreeAdapterMap["document"] => parse(html, { ...options, treeAdapter: limitedTree(html) })

/** The number of tags, except for end tags. Throws `TooManyElements`. */
export const tagsIn = (source: string): number => {
  let count = 0
  for (let at = source.indexOf("<"); at >= 0; at = source.indexOf("<", at + 1)) {
    if (source[at + 1] !== "/") count++
  }
  if (count > html_tags_max) throw new TooManyElements(`has more than ${html_tags_max} tags`)
  return count
}
