// The HTML sanitiser of pages, built on sanitize-html. The body passes an allow-list; the head is built again from known
// elements, so no input reaches it unchecked. Emails are cleaned in another way (SanitizeEmail.ts).
import { type Clean, Cleaner, dangersOf, limited, Unclean } from "@tentpole/core/documents/Clean"
import { attribute, elements, textOf } from "@tentpole/core/documents/HtmlElements"
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import { type Parser, Parsers } from "@tentpole/core/ports/Parsers"
import { Effect, Layer, Result } from "effect"
import { type DefaultTreeAdapterMap, defaultTreeAdapter, html as standard, serialize } from "parse5"
import sanitizeHtml from "sanitize-html"
import { cleanCss, cleanCssAttribute, isPageCssAddress } from "./CleanCss.ts"
import { bounded, sanitizerOptions, words } from "./HtmlBounds.ts"
import { cleanEmail, isEmailCleanerAtWork } from "./SanitizeEmail.ts"

type Element = DefaultTreeAdapterMap["element"]
type Document = DefaultTreeAdapterMap["document"]

/** Dies when the sanitiser does not work: a page that only looks clean is worse than no page. */
export const layer = Layer.effect(
  Cleaner,
  Effect.gen(function* () {
    const proof = clean(probe)
    const works =
      Result.isSuccess(proof) &&
      expected.every((text) => proof.success.includes(text)) &&
      !forbidden.test(proof.success)
    if (!works || !isEmailCleanerAtWork())
      return yield* Effect.die(new Error("The HTML sanitiser does not work: reinstall the packages"))
    const parsers = yield* Parsers
    const cleanerOf =
      (parser: typeof pageCleaner): Clean =>
      (html, workspace) =>
        Effect.flatMap(parsers.run(parser, html, workspace), (cleaned) =>
          "html" in cleaned ? Effect.succeed(cleaned.html) : Effect.fail(new Unclean(cleaned)),
        )
    return Cleaner.of({ clean: cleanerOf(pageCleaner), cleanEmail: cleanerOf(emailCleaner) })
  }),
)

/** The result of a cleaner as plain data. */
type Cleaned = { readonly html: string } | { readonly reason: string }

const toCleaned = (result: Result.Result<string, Unclean>): Cleaned =>
  Result.match(result, { onSuccess: (html) => ({ html }), onFailure: ({ reason }) => ({ reason }) })

export const pageCleaner: Parser<string, Cleaned> = {
  name: "clean_page",
  run: (html) => toCleaned(clean(html)),
  sizeOf: (html) => html.length,
}

export const emailCleaner: Parser<string, Cleaned> = {
  name: "clean_email",
  run: (html) => toCleaned(cleanEmail(html)),
  sizeOf: (html) => html.length,
}

export const clean = (source: string): Result.Result<string, Unclean> =>
  Result.flatMap(bounded(source), ({ document }) => limited(() => cleanPage(document)))

const cleanPage = (document: Document): Result.Result<string, Unclean> => {
  const head = headOf(document)
  const body = elements(document).find((element) => element.tagName === "body")
  if (body === undefined) return Result.fail(new Unclean({ reason: "has no body" }))
  removeStyles(document)
  cleanStyleAttributes(document)
  const attributes = attributesOf(body)
  const inner = serialize(body)
  for (const svg of [true, false]) {
    const whole = compose(head, attributes, sanitizeHtml(inner, options(svg)))
    if (dangersOf(whole).length === 0) return Result.succeed(whole)
  }
  return Result.fail(new Unclean({ reason: "could not be made safe" }))
}

const probe =
  `<title>kept</title><style>p{color:red}</style><base href=//x><p onclick=x() style="color:red">kept too</p><script>x()</script>` +
  `<form id=f action=//x><input name=email formaction=//x></form><a href="java&#10;script:x()">a</a><iframe srcdoc=x></iframe>` +
  `<svg><style><img src=x onerror=x()></style><script>x()</script></svg><meta http-equiv=refresh content=0>`
const expected = [
  "<title>kept</title>",
  "p{color:red}",
  'style="color:red"',
  "kept too",
  '<form id="f">',
  'name="email"',
]
const forbidden = /script|onclick|onerror|x\(\)|\/\/x|base|iframe|refresh/i

/** The allowed `meta` names besides the title: how the page is shown where it is shared. */
const allowedMetas = {
  name: new Set(words("description author theme-color color-scheme twitter:card twitter:title twitter:description")),
  property: new Set(words("og:title og:description og:type og:site_name og:locale")),
}

const headOf = (document: Document) => {
  const all = elements(document).filter((element) => element.namespaceURI === standard.NS.HTML)
  const title = all.find((element) => element.tagName === "title")
  const html = all.find((element) => element.tagName === "html")
  const lang = html === undefined ? "" : attribute(html, "lang")
  return {
    lang: /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(lang) ? lang : "en",
    title: title === undefined ? "" : textOf(title).trim(),
    metas: all.filter((element) => element.tagName === "meta").flatMap(metasOf),
    css: all
      .filter((element) => element.tagName === "style")
      .map((element) => cleanSheet(textOf(element)))
      .join("\n"),
  }
}

/** Whole tags. */
const metasOf = (element: Element): ReadonlyArray<string> =>
  (["name", "property"] as const).flatMap((kind) => {
    const name = attribute(element, kind).toLowerCase()
    const content = escapeHtml(attribute(element, "content"))
    return allowedMetas[kind].has(name) ? [`<meta ${kind}="${name}" content="${content}">`] : []
  })

/** A style sheet without imports, addresses of other hosts, and text that would end its element. */
const cleanSheet = (css: string): string =>
  cleanCss(css.replaceAll("<!--", "").replaceAll("-->", ""), isPageCssAddress).replaceAll("</", "<\\/")

/** Cleans the CSS in attributes, in place. */
const cleanStyleAttributes = (document: Document): void => {
  for (const element of elements(document)) {
    element.attrs = element.attrs.flatMap((each) => {
      const value = cleanCssAttribute(each.name, each.value, isPageCssAddress)
      return value === null ? [] : [{ ...each, value }]
    })
  }
}

const removeStyles = (document: Document): void => {
  for (const element of elements(document)) {
    if (element.tagName.toLowerCase() === "style") defaultTreeAdapter.detachNode(element)
  }
}

const attributesOf = (body: Element): string =>
  ["id", "class", "style"]
    .map((name) => [name, attribute(body, name)] as const)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join("")

const compose = (head: ReturnType<typeof headOf>, bodyAttributes: string, body: string): string =>
  [
    "<!doctype html>",
    `<html lang="${head.lang}">`,
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(head.title)}</title>`,
    ...head.metas,
    ...(head.css.trim() === "" ? [] : [`<style>${head.css}</style>`]),
    "</head>",
    `<body${bodyAttributes}>`,
    body.trim(),
    "</body>",
    "</html>",
    "",
  ].join("\n")

/** An address, or a raster image inside the document. */
const isPicture = (src: string): boolean =>
  !/^\s*data:/i.test(src) || /^\s*data:image\/(png|jpeg|gif|webp|avif);base64,/i.test(src)

const sections = "address article aside footer header h1 h2 h3 h4 h5 h6 hgroup main nav section search div"
const prose = "blockquote dd dl dt figcaption figure hr li menu ol p pre ul details summary dialog"
const phrases =
  "a abbr b bdi bdo br cite code data dfn em i kbd mark q rp rt ruby s samp small span strong sub sup time u var wbr del ins"
const media = "img picture source audio video track"
const tables = "caption col colgroup table tbody td tfoot th thead tr"
const forms = "form button datalist fieldset input label legend meter optgroup option output progress select textarea"
const drawings = "svg g path circle ellipse line polyline polygon rect text tspan defs stop"
/** SVG names in SVG's spelling, and in the lower case that the parser produces outside SVG. */
const gradients = "linearGradient radialGradient lineargradient radialgradient"

const shapes = words(
  "d cx cy r rx ry x x1 x2 y y1 y2 fx fy width height points transform fill fill-opacity fill-rule stroke stroke-width",
  "stroke-linecap stroke-linejoin stroke-dasharray stroke-opacity opacity offset stop-color stop-opacity viewbox xmlns",
  "preserveaspectratio gradientunits gradienttransform text-anchor font-size font-weight font-family dominant-baseline",
)

const options = (svg: boolean): sanitizeHtml.IOptions => ({
  allowedTags: words(sections, prose, phrases, media, tables, forms, ...(svg ? [drawings, gradients] : [])),
  disallowedTagsMode: "discard",
  // Elements that are removed together with their text.
  nonTextTags: words("script style noscript template iframe object title math", svg ? "" : "svg"),
  allowedAttributes: {
    "*": words("id class style title lang dir hidden role tabindex aria-* data-* itemprop itemscope itemtype"),
    a: words("href name target rel download"),
    img: words("src srcset sizes alt width height loading decoding"),
    source: words("src srcset sizes type media"),
    audio: words("src controls loop muted preload"),
    video: words("src controls loop muted preload poster width height playsinline"),
    track: words("src kind srclang label default"),
    td: words("colspan rowspan headers"),
    th: words("colspan rowspan headers scope"),
    col: words("span"),
    colgroup: words("span"),
    ol: words("start reversed type"),
    li: words("value"),
    time: words("datetime"),
    data: words("value"),
    details: words("open name"),
    form: words("name autocomplete novalidate"),
    fieldset: words("name disabled"),
    label: words("for"),
    button: words("type name value disabled"),
    input: words(
      "type name value placeholder required disabled readonly checked min max step minlength maxlength pattern size list multiple autocomplete inputmode enterkeyhint",
    ),
    textarea: words("name placeholder required disabled readonly rows cols minlength maxlength autocomplete"),
    select: words("name required disabled multiple size autocomplete"),
    option: words("value label selected disabled"),
    optgroup: words("label disabled"),
    output: words("name for"),
    meter: words("value min max low high optimum"),
    progress: words("value max"),
    ...(svg ? Object.fromEntries(words(drawings, gradients).map((tag) => [tag, shapes])) : {}),
  },
  ...sanitizerOptions,
  allowedSchemesByTag: {
    img: ["http", "https", "data"],
    source: ["http", "https"],
    audio: ["http", "https"],
    video: ["http", "https"],
  },
  allowedSchemesAppliedToAttributes: ["href", "src", "srcset", "poster", "cite"],
  transformTags: {
    // A page that opens another must not give it access to itself.
    a: (tagName, attribs) => ({
      tagName,
      attribs: attribs["target"] === undefined ? attribs : { ...attribs, target: "_blank", rel: "noopener noreferrer" },
    }),
    img: (tagName, { src = "", srcset = "", ...attribs }) => ({
      tagName,
      attribs: {
        ...attribs,
        ...(isPicture(src) ? { src } : {}),
        ...(srcset === "" || /\bdata:/i.test(srcset) ? {} : { srcset }),
      },
    }),
  },
})
