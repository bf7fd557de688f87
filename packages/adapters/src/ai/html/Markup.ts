// What the sanitisers of pages and emails share.
import type { DefaultTreeAdapterMap } from "parse5"
import type sanitizeHtml from "sanitize-html"

/** The words of lists that are separated by spaces. */
export const words = (...lists: ReadonlyArray<string>): Array<string> => lists.flatMap((list) => list.split(" "))

/** An attribute's value; empty when it is missing. */
export const attribute = (element: DefaultTreeAdapterMap["element"], name: string): string =>
  element.attrs.find((each) => each.name === name)?.value ?? ""

/** Options of sanitize-html for pages and emails. */
export const sanitizerOptions = {
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowProtocolRelative: true,
  parseStyleAttributes: false,
  enforceHtmlBoundary: false,
} satisfies sanitizeHtml.IOptions
