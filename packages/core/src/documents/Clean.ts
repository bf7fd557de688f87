// The port to the HTML sanitiser, and the check of its results. Models and people write pages and emails, so their HTML is
// untrusted. The check shares no code with the sanitiser.
import { Context, type Result, Schema } from "effect"
import { parse } from "parse5"
import { attribute, type Element, elements } from "./HtmlElements.ts"

/** The HTML is no document, or can't be made safe. `reason` completes a sentence that begins with "The page" or "The email". */
export class Unclean extends Schema.TaggedError<Unclean>()("Unclean", { reason: Schema.String }) {}

export class Cleaner extends Context.Service<
  Cleaner,
  {
    /**
     * Removes scripts, event handlers, `<base>`, meta refreshes, frames, foreign form targets and `javascript:` addresses. Returns
     * a whole document without `dangersOf`.
     */
    readonly clean: (html: string) => Result.Result<string, Unclean>
    /**
     * The same for an email. An email without `emailDangersOf` stays the same byte for byte, except for NUL and lone surrogates.
     * Of any other one, everything harmless stays as written: merge tokens, styles and Outlook's conditional comments too. The
     * result has no `emailDangersOf`.
     */
    readonly cleanEmail: (html: string) => Result.Result<string, Unclean>
  }
>()("tentpole/Cleaner") {}

/** The rules of the check: which addresses are harmless, and which elements are forbidden. */
export interface DangerRules {
  readonly isHarmless: (address: string) => boolean
  readonly forbidden: ReadonlySet<string>
}

/** Parts of a document that could run code or redirect a form in a browser; empty if it is safe. */
export const dangersOf = (html: string, rules: DangerRules = pageRules): ReadonlyArray<string> =>
  elements(parse(html, { scriptingEnabled: false })).flatMap((element) => [
    ...(rules.forbidden.has(element.tagName.toLowerCase()) ? [`<${element.tagName}>`] : []),
    ...element.attrs.flatMap((each) => attributeDangers(element, each, rules.isHarmless)),
  ])

export const forbiddenTags: ReadonlySet<string> = new Set([
  "script",
  "base",
  "iframe",
  "frame",
  "frameset",
  "object",
  "embed",
  "applet",
  "link",
  "noscript",
  "template",
  "portal",
  "foreignobject",
  "annotation-xml",
  "animate",
  "animatemotion",
  "animatetransform",
  "set",
  "use",
])

const forbiddenAttributes = new Set(["srcdoc", "formaction", "http-equiv", "ping", "action"])

const addressAttributes = new Set(
  "href src srcset poster background cite data longdesc lowsrc dynsrc xlink:href".split(" "),
)

const attributeDangers = (
  element: Element,
  { name: written, value }: Element["attrs"][number],
  isHarmless: (address: string) => boolean,
): ReadonlyArray<string> => {
  const name = written.toLowerCase()
  const here = `${name} of <${element.tagName}>`
  if (name === "http-equiv" && isHarmlessMeta(element)) return []
  if (name.startsWith("on") || forbiddenAttributes.has(name)) return [here]
  return addressAttributes.has(name) && !isHarmless(value) ? [`${here}: ${value.slice(0, 40)}`] : []
}

/** A `<meta>` without effect: the encoding that every document has here, or the newest mode of an old browser. */
const isHarmlessMeta = (element: Element): boolean => {
  const value = (name: string) => attribute(element, name)?.trim() ?? ""
  const equivalent = value("http-equiv").toLowerCase()
  if (element.tagName !== "meta") return false
  return equivalent === "content-type"
    ? /^text\/html; ?charset=["']?utf-8["']?$/i.test(value("content"))
    : equivalent === "x-ua-compatible" && /^ie=(edge|\d+)$/i.test(value("content"))
}

/** Browsers remove white space and control characters from an address before they read its scheme. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const ignored = /[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028\u2029\ufeff]/g

export const isHarmlessAddress = (address: string): boolean => {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address.replace(ignored, ""))?.[1]?.toLowerCase()
  if (scheme === undefined || ["http", "https", "mailto", "tel"].includes(scheme)) return true
  return scheme === "data" && /^data:image\/(png|jpeg|gif|webp|avif);/i.test(address.trim())
}

const pageRules: DangerRules = { isHarmless: isHarmlessAddress, forbidden: forbiddenTags }
