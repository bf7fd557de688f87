// Pages and emails are written by models, by people and by mixtures of both: what they say is data. Before it is kept it is
// cleaned by a sanitiser, and what comes out is looked at again by a check that shares no code with it.
import { Context, type Result, Schema } from "effect"
import { type DefaultTreeAdapterMap, parse } from "parse5"
import { elements } from "./HtmlElements.ts"

/** The HTML can't be made safe, or is none. `reason` ends a sentence that begins with "The page" or "The email". */
export class Unclean extends Schema.TaggedError<Unclean>()("Unclean", {
  reason: Schema.String,
  /** A page, where it is not said. */
  document: Schema.optional(Schema.Literals(["page", "email"])),
}) {
  override get message(): string {
    return `The ${this.document ?? "page"} ${this.reason}`
  }
}

export class Cleaner extends Context.Service<
  Cleaner,
  {
    /**
     * A whole document of what may stay of the one given: no script, event handler, `<base>`, meta refresh, frame, foreign
     * form target, `javascript:` address. The outcome has no `dangersOf`.
     */
    readonly clean: (html: string) => Result.Result<string, Unclean>
    /**
     * The same for an email: one that has no `emailDangersOf` comes back byte for byte, but for what is no text (NUL, halves
     * of surrogate pairs). Of another one everything stays that may, as it was written: merge tokens, styles and the comments
     * for Outlook too. The outcome has no `emailDangersOf`.
     */
    readonly cleanEmail: (html: string) => Result.Result<string, Unclean>
  }
>()("tentpole/Cleaner") {}

/** What is judged by: addresses, and elements that may not be there at all. */
export interface DangerRules {
  readonly isHarmless: (address: string) => boolean
  readonly forbidden: ReadonlySet<string>
}

/** What a browser would find in a document that could act by itself or lead a form astray; empty when it is clean. */
export const dangersOf = (html: string, rules: DangerRules = pageRules): ReadonlyArray<string> =>
  elements(parse(html, { scriptingEnabled: false })).flatMap((element) => [
    ...(rules.forbidden.has(element.tagName.toLowerCase()) ? [`<${element.tagName}>`] : []),
    ...element.attrs.flatMap((attribute) => attributeDangers(element, attribute, rules.isHarmless)),
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
  element: DefaultTreeAdapterMap["element"],
  attribute: { readonly name: string; readonly value: string },
  isHarmless: (address: string) => boolean,
): ReadonlyArray<string> => {
  const name = attribute.name.toLowerCase()
  const here = `${name} of <${element.tagName}>`
  if (name === "http-equiv" && saysWhatItIs(element)) return []
  if (name.startsWith("on") || forbiddenAttributes.has(name)) return [here]
  return addressAttributes.has(name) && !isHarmless(attribute.value) ? [`${here}: ${attribute.value.slice(0, 40)}`] : []
}

/** A `<meta>` that tells the encoding that every document here has, or the newest mode of an old browser: it does nothing. */
const saysWhatItIs = ({ tagName, attrs }: DefaultTreeAdapterMap["element"]): boolean => {
  const value = (name: string) => attrs.find((each) => each.name === name)?.value.trim() ?? ""
  const equivalent = value("http-equiv").toLowerCase()
  if (tagName !== "meta") return false
  return equivalent === "content-type"
    ? /^text\/html; ?charset=["']?utf-8["']?$/i.test(value("content"))
    : equivalent === "x-ua-compatible" && /^ie=(edge|\d+)$/i.test(value("content"))
}

/** Browsers drop white space and control characters of an address before they read its scheme. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const ignored = /[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028\u2029\ufeff]/g

export const isHarmlessAddress = (address: string): boolean => {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address.replace(ignored, ""))?.[1]?.toLowerCase()
  if (scheme === undefined || ["http", "https", "mailto", "tel"].includes(scheme)) return true
  return scheme === "data" && /^data:image\/(png|jpeg|gif|webp|avif);/i.test(address.trim())
}

const pageRules: DangerRules = { isHarmless: isHarmlessAddress, forbidden: forbiddenTags }
