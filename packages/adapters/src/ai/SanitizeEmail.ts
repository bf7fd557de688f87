// Cleans emails by cutting: what may not stay is taken out of the source, and everything else keeps its place and its
// spelling, since mail programs are moody and tokens stand anywhere. Which attributes a tag may keep is sanitize-html's
// judgement, asked about one tag at a time, so that it never has to agree with a browser on where a tag ends. A cut can
// make a tag of what was none: it goes on until a check that judges by other rules finds nothing.
import { addressesOf, emailDangersOf, readingsOf } from "@tentpole/core/emails/EmailDangers"
import { Unclean } from "@tentpole/core/tents/Clean"
import { Result } from "effect"
import { type DefaultTreeAdapterMap, Parser, type Token } from "parse5"
import sanitizeHtml from "sanitize-html"
import { bounded } from "./HtmlBounds.ts"

/** An email within the bounds of HTML that has no `emailDangersOf` comes back as it is. */
export const cleanEmail = (source: string): Result.Result<string, Unclean> =>
  bounded(source).pipe(
    Result.flatMap(({ html }) => withoutDangers(html)),
    Result.mapError(({ reason }) => new Unclean({ reason, document: "email" })),
  )

/** Each round takes out what the one before has brought to light. */
const rounds_max = 10

const withoutDangers = (html: string): Result.Result<string, Unclean> => {
  const judge = judgeOfTags()
  let cleaned = html
  for (let round = 0; emailDangersOf(cleaned).length > 0; round++) {
    if (round === rounds_max) return Result.fail(new Unclean({ reason: "could not be made safe" }))
    for (let at = 0; at < readingsOf(cleaned).length; at++) {
      const edits = editsOf(cleaned, readingsOf(cleaned)[at] ?? cleaned, judge)
      if (judge.distinct() > distinct_tags_max) {
        return Result.fail(new Unclean({ reason: `has more than ${distinct_tags_max} different tags` }))
      }
      cleaned = edited(cleaned, edits)
    }
  }
  return Result.succeed(cleaned)
}

/** Whether a document with everything that is forbidden comes back without it and with the rest. */
export const isEmailCleanerAtWork = (): boolean => {
  const proof = cleanEmail(probe)
  return Result.isSuccess(proof) && proof.success === proven
}

const probe =
  `<!doctype html><html xmlns:v="urn:v"><base href=//x><meta http-equiv=refresh content=0><style>@media print{p{color:red}}</style>` +
  `<p onclick=x() bgcolor="{{contact.city|red}}">{{contact.first_name|there}}</p><script>x()</script><iframe src=//x></iframe>` +
  `<!--[if mso]><v:rect href="{{unsubscribe_url}}" onclick="x()"><script>x()</script></v:rect><![endif]-->` +
  `<form action=//x><a href="java&#10;script:x()">a</a><a href='java{{x}}script:x()'>b</a><img src=x onerror=x()>`
const proven =
  `<!doctype html><html xmlns:v="urn:v"><style>@media print{p{color:red}}</style>` +
  `<p bgcolor="{{contact.city|red}}">{{contact.first_name|there}}</p>` +
  `<!--[if mso]><v:rect href="{{unsubscribe_url}}"></v:rect><![endif]-->` +
  `<form><a>a</a><a>b</a><img src=x>`

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

const edited = (source: string, edits: ReadonlyArray<Edit>): string => {
  let text = ""
  let at = 0
  for (const edit of edits) {
    text += source.slice(at, edit.from) + edit.text
    at = edit.to
  }
  return text + source.slice(at)
}

interface Tag {
  readonly kind: "start" | "end"
  readonly name: string
  readonly from: number
  readonly to: number
  readonly attributes: ReadonlyArray<TagAttribute>
  /** No end belongs to it. */
  readonly isVoid: boolean
}

interface TagAttribute {
  readonly name: string
  /** Its references decoded. */
  readonly value: string
  readonly from: number
  readonly to: number
}

/** The tags of a document as a browser's tokenizer finds them, also those that its tree has no use for. */
class TagReader extends Parser<DefaultTreeAdapterMap> {
  readonly tags: Array<Tag> = []

  constructor() {
    super({ sourceCodeLocationInfo: true, scriptingEnabled: false })
  }

  override onStartTag(token: Token.TagToken): void {
    const { tagName: name, location } = token
    const attributes = token.attrs.flatMap((attribute) => {
      const place = location?.attrs?.[attribute.name]
      return place === undefined ? [] : [{ ...attribute, from: place.startOffset, to: place.endOffset }]
    })
    super.onStartTag(token)
    if (location === null) return
    const { startOffset: from, endOffset: to } = location
    this.tags.push({ kind: "start", name, from, to, attributes, isVoid: token.selfClosing && token.ackSelfClosing })
  }

  override onEndTag(token: Token.TagToken): void {
    const { tagName: name, location } = token
    super.onEndTag(token)
    if (location === null) return
    this.tags.push({
      kind: "end",
      name,
      from: location.startOffset,
      to: location.endOffset,
      attributes: [],
      isVoid: true,
    })
  }
}

/** Elements that go with everything in them. Of others only the tags go. */
const whole = new Set(["script", "iframe", "noembed", "noframes", "template", "applet"])

/** What is to be cut of the source, in its order, as this reading shows it. */
const editsOf = (source: string, reading: string, judge: Judge): ReadonlyArray<Edit> => {
  const reader = new TagReader()
  reader.tokenizer.write(reading, true)
  const { tags } = reader
  const edits: Array<Edit> = []
  for (let at = 0; at < tags.length; at++) {
    const tag = tags[at]
    if (tag === undefined || (edits.at(-1)?.to ?? 0) > tag.from) continue
    if (tag.kind === "start" && whole.has(tag.name) && !tag.isVoid) {
      const end = endOf(tags, at)
      // Without an end it runs to that of the document: nobody saw that, where the document is read as it stands.
      edits.push({ from: tag.from, to: end ?? (reading === source ? source.length : tag.to), text: "" })
    } else if (!isAllowed(tag.name)) edits.push({ from: tag.from, to: tag.to, text: "" })
    else if (tag.kind === "start") edits.push(...tagEdits(source, tag, judge))
  }
  return edits
}

/** Where the element ends that begins with this tag; null when it does not. */
const endOf = (tags: ReadonlyArray<Tag>, start: number): number | null => {
  const name = tags[start]?.name
  let open = 0
  for (let at = start; at < tags.length; at++) {
    const tag = tags[at]
    if (tag === undefined || tag.name !== name) continue
    if (tag.kind === "end") open--
    else if (!tag.isVoid) open++
    if (open === 0) return tag.to
  }
  return null
}

/**
 * A tag that loses something is written anew from the attributes that it keeps, each as it was: an attribute that is said
 * twice would come to light when its first one goes.
 */
const tagEdits = (source: string, tag: Tag, judge: Judge): ReadonlyArray<Edit> => {
  const kept = judge.keeps(tag)
  if (kept.length === tag.attributes.length) return []
  const isNothing = tag.name === "meta" && !kept.some(({ name }) => name !== "content")
  const written = [
    source.slice(tag.from, tag.from + 1 + tag.name.length),
    ...kept.map(({ from, to }) => source.slice(from, to)),
  ]
  const end = source.slice(tag.from, tag.to).endsWith("/>") ? " />" : ">"
  return [{ from: tag.from, to: tag.to, text: isNothing ? "" : written.join(" ") + end }]
}

interface Judge {
  /** The attributes that may stay. */
  readonly keeps: (tag: Tag) => ReadonlyArray<TagAttribute>
  /** How many different tags it was asked about. */
  readonly distinct: () => number
}

/** As many as a moment is enough for; newsletters have some hundred. */
const distinct_tags_max = 5000

const judgeOfTags = (): Judge => {
  const verdicts = new Map<string, ReadonlySet<string>>()
  return {
    keeps: (tag) => {
      if (tag.attributes.length === 0) return []
      const key = JSON.stringify([tag.name, tag.attributes.map(({ name, value }) => [name, value])])
      const known = verdicts.get(key)
      const verdict = known ?? (verdicts.size > distinct_tags_max ? new Set<string>() : survivors(tag))
      if (known === undefined) verdicts.set(key, verdict)
      return tag.attributes.filter(({ name }) => verdict.has(name))
    },
    distinct: () => verdicts.size,
  }
}

/** The names of a tag's attributes that the sanitiser lets pass, whatever the tokens in addresses become. */
const survivors = (tag: Tag): ReadonlySet<string> => {
  const names = [...(isPlainMeta(tag) ? ["http-equiv"] : []), ...(holdsPicture(tag) ? ["src"] : [])]
  const filled = tag.attributes.map(({ name, value }) => ({
    name,
    values: addressAttributes.has(name) ? addressesOf(value) : [value],
  }))
  const readings_count = Math.max(...filled.map(({ values }) => values.length))
  let kept = new Set([...names, ...filled.map(({ name }) => name)])
  for (let reading = 0; reading < readings_count; reading++) {
    const attributes = filled.map(({ name, values }) => [name, values[reading] ?? values[0] ?? ""] as const)
    const passed = sanitized(tag.name, attributes)
    kept = new Set([...kept].filter((name) => names.includes(name) || passed.has(name)))
  }
  return kept
}

const sanitized = (
  tag: string,
  attributes: ReadonlyArray<readonly [name: string, value: string]>,
): ReadonlySet<string> => {
  let passed: ReadonlySet<string> = new Set()
  const written = attributes.map(([name, value]) => ` ${name}="${escape(value)}"`).join("")
  sanitizeHtml(`<${tag}${written}></${tag}>`, {
    ...options,
    exclusiveFilter: ({ attribs }) => {
      passed = new Set(Object.keys(attribs))
      return false
    },
  })
  return passed
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Tells the encoding that mail is sent in, or asks for an old browser's newest mode. */
const isPlainMeta = ({ name, attributes }: Tag): boolean => {
  const value = (of: string) =>
    attributes
      .find((each) => each.name === of)
      ?.value.trim()
      .toLowerCase() ?? ""
  return name === "meta" && plainMetas.has(`${value("http-equiv")} ${value("content")}`)
}

/** A raster picture in the email itself: the one thing that an address may bring with it. */
const holdsPicture = ({ name, attributes }: Tag): boolean =>
  name === "img" &&
  attributes.some((each) => each.name === "src" && /^data:image\/(png|jpeg|gif|webp|avif);base64,/i.test(each.value))

const plainMetas = new Set(["content-type text/html; charset=utf-8", "x-ua-compatible ie=edge"])

const words = (...lists: ReadonlyArray<string>): Array<string> => lists.flatMap((list) => list.split(" "))

/** Of HTML, and what emails still have of its past. */
const allowedTags = new Set(
  words(
    "html head title meta style body",
    "address article aside footer header h1 h2 h3 h4 h5 h6 hgroup main nav section search div center",
    "blockquote dd dl dt figcaption figure hr li menu dir ol p pre ul details summary",
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i ins kbd mark nobr q rp rt ruby s samp small span strike",
    "strong sub sup time tt u var wbr img map area picture source audio video track marquee",
    "caption col colgroup table tbody td tfoot th thead tr",
    "form button datalist fieldset input label legend meter optgroup option output progress select textarea",
    "svg g path circle ellipse line polyline polygon rect text tspan defs stop lineargradient radialgradient",
    "xml",
  ),
)

/** Of Office too, whose elements stand in conditional comments: vector drawings and settings. */
const isAllowed = (tag: string): boolean => allowedTags.has(tag) || /^[vow]:[a-z0-9]+$/.test(tag)

const addressAttributes = new Set(words("href src srcset poster background cite longdesc lowsrc dynsrc xlink:href"))

const options: sanitizeHtml.IOptions = {
  // Which tags stay is judged above; of these it is asked for the attributes.
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
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowedSchemesByTag: { img: ["http", "https"], "v:fill": ["http", "https"], "v:imagedata": ["http", "https"] },
  allowedSchemesAppliedToAttributes: [...addressAttributes],
  allowProtocolRelative: true,
  parseStyleAttributes: false,
  enforceHtmlBoundary: false,
}
