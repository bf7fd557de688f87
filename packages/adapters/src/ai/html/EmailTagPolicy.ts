// The attributes that a tag of an email may have. sanitize-html decides on one tag at a time, with the elements and attributes
// that emails use, including some that are obsolete on the web.
import { addressesOf } from "@tentpole/core/documents/EmailDangers"
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import sanitizeHtml from "sanitize-html"
import type { Tag, TagAttribute } from "./EmailTags.ts"
import { sanitizerOptions, words } from "./HtmlBounds.ts"

export type TagJudge = ReturnType<typeof tagJudge>

export const tagJudge = () => {
  const verdicts = new Map<string, ReadonlySet<string>>()
  let calls_count = 0
  return {
    allowedAttributes: (tag: Tag): ReadonlyArray<TagAttribute> => {
      if (tag.attributes.length === 0) return []
      const key = JSON.stringify([tag.name, tag.attributes.map(({ name, value }) => [name, value])])
      const spellings = verdicts.has(key) ? [] : spellingsOf(tag)
      calls_count += spellings.length
      const verdict = verdicts.get(key) ?? survivors(tag, spellings)
      verdicts.set(key, verdict)
      return tag.attributes.filter(({ name }) => verdict.has(name))
    },
    /** The number of calls of the sanitiser: one for each different tag, and for each value that tokens can produce. */
    calls_count: () => calls_count,
  }
}

type Spelling = ReadonlyArray<readonly [name: string, value: string]>

/** The values that a tag's attributes can have when the tokens in addresses are replaced. */
const spellingsOf = ({ attributes }: Tag): ReadonlyArray<Spelling> => {
  const values = attributes.map(({ name, value }) => (addressAttributes.has(name) ? addressesOf(value) : [value]))
  const most = Math.max(...values.map(({ length }) => length))
  return Array.from({ length: most }, (_, at) =>
    attributes.map(({ name }, index) => [name, values[index]?.[at] ?? values[index]?.[0] ?? ""] as const),
  )
}

/** The names of the attributes that the sanitiser accepts in every spelling. */
const survivors = (tag: Tag, spellings: ReadonlyArray<Spelling>): ReadonlySet<string> => {
  const settled = [...(isPlainMeta(tag) ? ["http-equiv"] : []), ...(holdsPicture(tag) ? ["src"] : [])]
  const passed = spellings.map((spelling) => sanitized(tag.name, spelling))
  return new Set(
    tag.attributes
      .map(({ name }) => name)
      .filter((name) => settled.includes(name) || passed.every((names) => names.has(name))),
  )
}

const sanitized = (tag: string, spelling: Spelling): ReadonlySet<string> => {
  let passed: ReadonlySet<string> = new Set()
  const written = spelling.map(([name, value]) => ` ${name}="${escapeHtml(value)}"`).join("")
  sanitizeHtml(`<${tag}${written}></${tag}>`, {
    ...options,
    exclusiveFilter: ({ attribs }) => {
      passed = new Set(Object.keys(attribs))
      return false
    },
  })
  return passed
}

/** Whether a `meta` tag only declares the encoding of the mail or an old browser's newest mode. */
const isPlainMeta = ({ name, attributes }: Tag): boolean => {
  const value = (of: string) =>
    attributes
      .find((each) => each.name === of)
      ?.value.trim()
      .toLowerCase() ?? ""
  return name === "meta" && plainMetas.has(`${value("http-equiv")} ${value("content")}`)
}

/** Whether the tag is a raster image inside the email: the only data address that is allowed. */
const holdsPicture = ({ name, attributes }: Tag): boolean =>
  name === "img" &&
  attributes.some((each) => each.name === "src" && /^data:image\/(png|jpeg|gif|webp|avif);base64,/i.test(each.value))

const plainMetas = new Set(["content-type text/html; charset=utf-8", "x-ua-compatible ie=edge"])

/** HTML elements, including obsolete ones that emails use. */
const allowedTags = new Set(
  words(
    "html head title meta style body",
    "address article aside footer header h1 h2 h3 h4 h5 h6 hgroup main nav section search div center",
    "blockquote dd dl dt figcaption figure hr li menu dir ol p pre ul details summary",
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i ins kbd mark nobr q rp rt ruby s samp small span strike",
    "strong sub sup time tt u var wbr img map area picture source audio video track marquee",
    "caption col colgroup table tbody td tfoot th thead tr",
    "form button fieldset input label legend meter output progress textarea",
    "svg g path circle ellipse line polyline polygon rect text tspan defs stop lineargradient radialgradient",
    "xml",
  ),
)

/** Elements of Office, which occur in conditional comments: vector drawings and settings. */
export const isAllowed = (tag: string): boolean => allowedTags.has(tag) || /^[vow]:[a-z0-9]+$/.test(tag)

const addressAttributes = new Set(words("href src srcset poster background cite longdesc lowsrc dynsrc xlink:href"))

const options: sanitizeHtml.IOptions = {
  // Tag names are checked above. The sanitiser decides on attributes only.
  allowedTags: false,
  allowVulnerableTags: true,
  nonBooleanAttributes: [],
  allowedAttributes: {
    "*": words(
      "id class style title lang dir hidden role tabindex aria-* data-* item* xmlns xmlns:* xml:* o:* v:* w:*",
      "align valign width height bgcolor background color face size border bordercolor cellpadding cellspacing char charoff",
      "nowrap noshade colspan rowspan headers scope span summary frame rules clear compact type start reversed value",
      "href name target rel download shape coords alt src srcset sizes loading decoding hspace vspace ismap usemap lowsrc dynsrc",
      "media charset content property scheme text link vlink alink marginheight marginwidth topmargin leftmargin bottommargin",
      "rightmargin cite datetime open controls loop muted preload poster playsinline kind srclang label default longdesc",
      "for autocomplete novalidate placeholder required disabled readonly checked selected min max step minlength maxlength",
      "pattern list multiple inputmode rows cols low high optimum",
      "d cx cy r rx ry x x1 x2 y y1 y2 fx fy points transform fill fill-opacity fill-rule stroke stroke-width stroke-linecap",
      "stroke-linejoin stroke-dasharray stroke-opacity opacity offset stop-color stop-opacity viewbox preserveaspectratio",
      "gradientunits gradienttransform text-anchor font-size font-weight font-family dominant-baseline xlink:href",
      "arcsize strokecolor strokeweight stroked fillcolor filled inset coordsize coordorigin path color2 angle position aspect",
      "origin focus method recolor gain blacklevel alignshape spid",
    ),
  },
  ...sanitizerOptions,
  allowedSchemesByTag: { img: ["http", "https"], "v:fill": ["http", "https"], "v:imagedata": ["http", "https"] },
  allowedSchemesAppliedToAttributes: [...addressAttributes],
}
