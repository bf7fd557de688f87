// The plain text of an email's HTML. Tokens stay as they are, and are filled in later.
import { compile } from "html-to-text"
import { tagsIn } from "../documents/ParseHtml.ts"
import { html_size_bytes_max } from "../documents/Clean.ts"
import type { SyncParser } from "../ports/Parsers.ts"
import { preheader_attribute } from "./Markup.ts"

/** Deeper elements are left out, because the library recurses. No usual email nests as deep. */
const depth_max = 400

const convert = compile({
  // A line break could split a token. Mail clients wrap lines themselves.
  wordwrap: false,
  limits: { maxDepth: depth_max, maxInputLength: html_size_bytes_max, ellipsis: "" },
  selectors: [
    { selector: "a", options: { hideLinkHrefIfSameAsText: true } },
    { selector: "img", format: "skip" },
    { selector: "title", format: "skip" },
    { selector: `[${preheader_attribute}]`, format: "skip" },
    // Emails use tables for layout: each cell is a block, so that the words of neighbours don't join.
    { selector: "table", format: "block" },
    { selector: "td", format: "block" },
    { selector: "th", format: "block" },
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
})

/** Throws `TooManyElements`. */
export const plainText = (html: string): string => {
  tagsIn(html)
  return convert(html)
    .replace(/\n{3,}/g, "\n\n")
    .trim()
}

export const plainTextParser: SyncParser<string, string> = {
  name: "plain_text",
  run: plainText,
  sizeOf: (html) => html.length,
}
