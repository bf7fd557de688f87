// Cleans emails by cutting: what may not stay is taken out of the source, and everything else keeps its place and its
// spelling, since mail programs are moody and tokens stand anywhere. Which attributes a tag may keep is sanitize-html's
// judgement, asked about one tag at a time, so that it never has to agree with a browser on where a tag ends. A cut can
// make a tag of what was none: it goes on until a check that judges by other rules finds nothing.
import { emailDangersOf, readingsOf } from "@tentpole/core/documents/EmailDangers"
import { Unclean } from "@tentpole/core/documents/Clean"
import { Result } from "effect"
import { readTags, type Tag } from "./EmailTags.ts"
import { isAllowed, type TagJudge, tagJudge } from "./EmailTagPolicy.ts"
import { bounded } from "./HtmlBounds.ts"

/** An email within the bounds of HTML that has no `emailDangersOf` comes back as it is. */
export const cleanEmail = (source: string): Result.Result<string, Unclean> =>
  bounded(source).pipe(
    Result.flatMap(({ html }) => withoutDangers(html)),
    Result.mapError(({ reason }) => new Unclean({ reason, document: "email" })),
  )

/** As many as a moment is enough for; newsletters need some hundred. */
const questions_max = 5_000

/** Each round takes out what the one before has brought to light. */
const rounds_max = 10

const withoutDangers = (html: string): Result.Result<string, Unclean> => {
  const judge = tagJudge()
  let cleaned = html
  for (let round = 0; emailDangersOf(cleaned).length > 0; round++) {
    if (round === rounds_max) return Result.fail(new Unclean({ reason: "could not be made safe" }))
    for (let at = 0; at < readingsOf(cleaned).length; at++) {
      const edits = editsOf(cleaned, readingsOf(cleaned)[at] ?? cleaned, judge)
      if (judge.questions() > questions_max) return Result.fail(new Unclean({ reason: "has too many different tags" }))
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

/** Elements that go with everything in them. Of others only the tags go. */
const whole = new Set(["script", "iframe", "noembed", "noframes", "template", "applet", "select"])

/** Without an end they run to that of the document, and nobody saw what is in them. */
const hidden = new Set(["script", "iframe", "noembed", "noframes"])

/** What is to be cut of the source, in its order, as this reading shows it. */
const editsOf = (source: string, reading: string, judge: TagJudge): ReadonlyArray<Edit> => {
  const tags = readTags(reading)
  const edits: Array<Edit> = []
  for (let at = 0; at < tags.length; at++) {
    const tag = tags[at]
    if (judge.questions() > questions_max) break
    if (tag === undefined || (edits.at(-1)?.to ?? 0) > tag.from) continue
    if (tag.kind === "start" && whole.has(tag.name) && !tag.isVoid) {
      const unclosed = reading === source && hidden.has(tag.name) ? source.length : tag.to
      edits.push({ from: tag.from, to: endOf(tags, at) ?? unclosed, text: "" })
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
const tagEdits = (source: string, tag: Tag, judge: TagJudge): ReadonlyArray<Edit> => {
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
