// The cleaner of emails, which cuts what is not allowed out of the source. Everything else stays where it is and as it is
// written: mail programs depend on details, and tokens occur anywhere. sanitize-html decides which attributes a tag may have,
// one tag at a time, so it does not have to agree with a browser on where a tag ends. A cut can create a new tag, so rounds
// repeat until an independent check finds nothing.
import { emailDangersOf, readingsOf } from "@tentpole/core/documents/EmailDangers"
import { limited, Unclean } from "@tentpole/core/documents/Clean"
import { type Edit, edited } from "@tentpole/core/documents/HtmlElements"
import { escapeHtml } from "@tentpole/core/rendering/Escapes"
import { Result } from "effect"
import { cleanCssAttribute, cssCuts, isEmailCssAddress } from "./CleanCss.ts"
import { readTags, type Tag, type TagAttribute } from "./EmailTags.ts"
import { isAllowed, type TagJudge, tagJudge } from "./EmailTagPolicy.ts"
import { bounded } from "./HtmlBounds.ts"

/** An email within the HTML limits that has no `emailDangersOf` is returned unchanged. */
export const cleanEmail = (source: string): Result.Result<string, Unclean> =>
  Result.flatMap(bounded(source), ({ html }) => limited(() => withoutDangers(html)))

/** The limit on sanitiser calls. A newsletter needs some hundred. */
const calls_max = 5_000

/** The limit on rounds. Each round removes what the one before uncovered. */
const rounds_max = 10

const withoutDangers = (html: string): Result.Result<string, Unclean> => {
  const judge = tagJudge()
  let cleaned = html
  for (let round = 0; emailDangersOf(cleaned).length > 0; round++) {
    if (round === rounds_max) return Result.fail(new Unclean({ reason: "could not be made safe" }))
    for (let at = 0; at < readingsOf(cleaned).length; at++) {
      const edits = editsOf(cleaned, readingsOf(cleaned)[at] ?? cleaned, judge)
      if (judge.calls_count() > calls_max) return Result.fail(new Unclean({ reason: "has too many different tags" }))
      cleaned = edited(cleaned, edits)
    }
  }
  return Result.succeed(cleaned)
}

/** Whether a document with all forbidden constructs is returned without them and otherwise complete. */
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

/** Elements that are removed with their content. Of other forbidden elements only the tags are removed. */
const removedWithContent = new Set(["script", "iframe", "noembed", "noframes", "template", "applet", "select"])

/** Without an end tag these extend to the end of the document, and their content was not checked. */
const hidden = new Set(["script", "iframe", "noembed", "noframes"])

/** The parts of the source to cut, in source order. */
const editsOf = (source: string, reading: string, judge: TagJudge): ReadonlyArray<Edit> => {
  const tags = readTags(reading)
  const edits: Array<Edit> = []
  for (let at = 0; at < tags.length; at++) {
    const tag = tags[at]
    if (judge.calls_count() > calls_max) break
    if (tag === undefined || (edits.at(-1)?.to ?? 0) > tag.from) continue
    if (tag.kind === "start" && removedWithContent.has(tag.name) && !tag.isVoid) {
      const unclosed = reading === source && hidden.has(tag.name) ? source.length : tag.to
      edits.push({ from: tag.from, to: endOf(tags, at) ?? unclosed, text: "" })
    } else if (!isAllowed(tag.name)) edits.push({ from: tag.from, to: tag.to, text: "" })
    else if (tag.kind === "start") {
      edits.push(...tagEdits(source, tag, judge))
      if (tag.name === "style") edits.push(...sheetEdits(reading, tag, tags[at + 1]))
    }
  }
  return edits
}

/** The position after the element that begins with this tag; null when it does not end. */
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

/** The cuts in a style sheet; all of it when it contains tags, as in a drawing. */
const sheetEdits = (reading: string, { to: from }: Tag, next: Tag | undefined): ReadonlyArray<Edit> => {
  const to = next?.from ?? reading.length
  const isWhole = next === undefined || (next.name === "style" && next.kind === "end")
  if (!isWhole) return [{ from, to, text: "" }]
  return cssCuts(reading.slice(from, to), isEmailCssAddress).map((cut) => ({
    ...cut,
    from: from + cut.from,
    to: from + cut.to,
  }))
}

/** An attribute as written; one with CSS is written again without its dangers. */
const attributeText = (source: string, { name, value, from, to }: TagAttribute): string | null => {
  const css = cleanCssAttribute(name, value, isEmailCssAddress)
  if (css === value) return source.slice(from, to)
  return css === null ? null : `${name}="${escapeHtml(css)}"`
}

/**
 * Writes a tag that loses attributes again from the attributes that stay, each with its exact source text: a repeated
 * attribute would become effective when its first occurrence is removed.
 */
const tagEdits = (source: string, tag: Tag, judge: TagJudge): ReadonlyArray<Edit> => {
  const allowed = judge.allowedAttributes(tag)
  const texts = allowed.map((each) => attributeText(source, each))
  const isUnchanged = allowed.every(({ from, to }, at) => texts[at] === source.slice(from, to))
  if (isUnchanged && allowed.length === tag.attributes.length) return []
  const isNothing = tag.name === "meta" && !allowed.some(({ name }) => name !== "content")
  const written = [source.slice(tag.from, tag.from + 1 + tag.name.length), ...texts.filter((text) => text !== null)]
  const end = source.slice(tag.from, tag.to).endsWith("/>") ? " />" : ">"
  return [{ from: tag.from, to: tag.to, text: isNothing ? "" : written.join(" ") + end }]
}
