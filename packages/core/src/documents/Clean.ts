// The port to the HTML sanitiser, and the check of its results. Models and people write pages and emails, so their HTML is
// untrusted. The check shares no code with the sanitiser. Also the validation of HTML before it is stored.
import { Context, Effect, Result, Schema } from "effect"
import { attribute, type Element, elements, textOf } from "./HtmlElements.ts"
import type { WorkspaceId } from "../kernel/Ids.ts"
import { cssAttributeDangersOf, cssDangersOf } from "./CssDangers.ts"
import { encodeText } from "../kernel/Bytes.ts"
import { Invalid } from "../kernel/Refusal.ts"
import { isBlank } from "../kernel/Text.ts"
import type { Parsers, SyncParser, TooComplex } from "../ports/Parsers.ts"
import { parseHtml, TooManyElements } from "./ParseHtml.ts"
import { HtmlTooLarge } from "./DocumentErrors.ts"

/** The HTML is no document, or can't be made safe. `reason` completes a sentence that begins with "The page" or "The email". */
export class Unclean extends Schema.TaggedError<Unclean>()("Unclean", { reason: Schema.String }) {}

export class Cleaner extends Context.Service<
  Cleaner,
  {
    /**
     * Removes scripts, event handlers, `<base>`, meta refreshes, frames, foreign form targets, `javascript:` addresses, and of CSS
     * imports and addresses of other hosts. Returns a whole document without `dangersOf`.
     */
    readonly clean: Clean
    /**
     * The same for an email. An email without `emailDangersOf` stays the same byte for byte, except for NUL and lone surrogates.
     * Of any other one, everything harmless stays as written: merge tokens, styles and Outlook's conditional comments too. The
     * result has no `emailDangersOf`.
     */
    readonly cleanEmail: Clean
  }
>()("tentpole/Cleaner") {}

/** The rules of the check: which addresses are harmless, and which elements are forbidden. */
export interface DangerRules {
  readonly isHarmless: (address: string) => boolean
  readonly forbidden: ReadonlySet<string>
}

/** Parts of a document that could run code, load style sheets or redirect a form in a browser; empty if it is safe. Throws `TooManyElements`. */
export const dangersOf = (html: string, rules: DangerRules = pageRules): ReadonlyArray<string> => [
  ...new Set(readingsOf(html).flatMap((reading) => dangersIn(reading, rules))),
]

/** Browsers of different years parse the content of `<select>` differently: an element that one skips another runs. */
const readingsOf = (html: string): ReadonlyArray<string> =>
  /<select/i.test(html) ? [html, html.replace(/<(\/?)select/gi, "<$1x-select")] : [html]

const dangersIn = (html: string, rules: DangerRules): ReadonlyArray<string> =>
  elements(parseHtml(html, { scriptingEnabled: false })).flatMap((element) => [
    ...(rules.forbidden.has(element.tagName.toLowerCase()) ? [`<${element.tagName}>`] : []),
    ...element.attrs.flatMap((each) => attributeDangers(element, each, rules.isHarmless)),
    ...(element.tagName === "style" ? cssDangersOf(textOf(element)).map((danger) => `${danger} in <style>`) : []),
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
  const styling = cssAttributeDangersOf(name, value)
  if (styling.length > 0) return styling.map((danger) => `${danger} in ${here}`)
  return addressAttributes.has(name) && !isHarmless(value) ? [`${here}: ${value.slice(0, 40)}`] : []
}

/** A `<meta>` without effect: the encoding that every document has here, or the newest mode of an old browser. */
const isHarmlessMeta = (element: Element): boolean => {
  const value = (name: string) => attribute(element, name).trim()
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

/** The largest HTML that can be rendered and mailed in reasonable time; an installation may set less. */
export const html_size_bytes_max = 4 * 1024 * 1024

/** Makes HTML safe: answers the whole document, or why that is impossible. */
export type Clean = (html: string, workspace: WorkspaceId) => Effect.Effect<string, Unclean | TooComplex>

/** The active content of HTML; empty when it is safe. */
export type Dangers = SyncParser<string, ReadonlyArray<string>>

export const pageDangers: Dangers = {
  name: "page_dangers",
  run: (html) => dangersOf(html),
  sizeOf: (html) => html.length,
}

/** Returns HTML without active content byte for byte; cleans any other. */
export const cleanUnlessSafe =
  (clean: Clean, parsers: Parsers): Clean =>
  (html, workspace) =>
    // The cleaner comes first: it refuses HTML that would take the parser of `dangersOf` a long time.
    Effect.flatMap(clean(html, workspace), (cleaned) =>
      Effect.map(parsers.run(pageDangers, html, workspace), (dangers) => (dangers.length === 0 ? html : cleaned)),
    )

/** Refuses HTML with which the work throws `TooManyElements` or `Unclean`. */
export const limited = <A>(work: () => Result.Result<A, Unclean>): Result.Result<A, Unclean> => {
  try {
    return work()
  } catch (error) {
    if (error instanceof Unclean) return Result.fail(error)
    if (error instanceof TooManyElements) return Result.fail(new Unclean({ reason: error.message }))
    throw error
  }
}

/** HTML that is neither empty nor too large. */
export const checkHtml = (
  html: string,
  bytes_max = html_size_bytes_max,
): Result.Result<string, Invalid | HtmlTooLarge> => {
  if (isBlank(html)) return Result.fail(Invalid.at("html", "must not be empty"))
  const size_bytes = html.length > bytes_max ? html.length : encodeText(html).length
  return size_bytes > bytes_max ? Result.fail(new HtmlTooLarge({ size_bytes, bytes_max })) : Result.succeed(html)
}

/** HTML that may be stored; issues are at the body's `html`. `dangers` checks the cleaner's result with other code. */
export type Storable = (
  html: string,
  workspace: WorkspaceId,
) => Effect.Effect<string, Invalid | HtmlTooLarge | TooComplex>

export const storable =
  (
    clean: Clean,
    dangers: Dangers,
    { bytes_max, parsers }: { readonly bytes_max: number; readonly parsers: Parsers },
  ): Storable =>
  (html, workspace) =>
    Effect.gen(function* () {
      const checked = yield* Effect.fromResult(checkHtml(html, bytes_max))
      const cleaned = yield* clean(checked, workspace).pipe(
        Effect.catchTag("Unclean", ({ reason }) => Invalid.at("html", reason)),
      )
      const found = yield* parsers.run(dangers, cleaned, workspace)
      return found.length === 0 ? cleaned : yield* Invalid.at("html", "can't be sanitized: it contains active content")
    })
