// The page of a refused submission: the form with the visitor's answers and a message at each field that has a mistake, by edits
// of the page's source. All other bytes stay the same.
import { parseHtml } from "../documents/ParseHtml.ts"
import { attribute, type Edit, edited, type Element, elements, textOf } from "../documents/HtmlElements.ts"
import type { Issue } from "../kernel/Refusal.ts"
import type { SyncParser } from "../ports/Parsers.ts"
import { escapeHtml } from "../rendering/Escapes.ts"
import { formsOf, honeypot_name } from "../tents/pages/PageDocument.ts"
import type { SentFields } from "./Answers.ts"

export interface Refused {
  readonly html: string
  readonly formId: string
  readonly sent: SentFields
  /** `path` is the name of a field; empty for the form. */
  readonly issues: ReadonlyArray<Issue>
}

/** Null when the page has no such form. */
export const refusedPage = ({ formId, html, issues, sent }: Refused): string | null => {
  const forms = formsOf(parseHtml(html, { sourceCodeLocationInfo: true })).filter((form) => form.formId === formId)
  const shown = forms.map(({ element }) => ({ element, fields: elements(element).filter(isField) }))
  // Of two forms with one id, the one that has the fields.
  const named = issues.filter(({ path }) => path !== "")
  const form = shown.find(({ fields }) => named.every(({ path }) => fields.some(isNamed(path)))) ?? shown[0]
  const start = form?.element.sourceCodeLocation?.startTag?.endOffset
  if (form === undefined || start === undefined) return null
  const marks = marksIn(form.fields, issues)
  const answers = answersOf(sent)
  const edits = form.fields.flatMap((field) => fieldEdits(field, answers, marks.get(field)))
  const others = issues.filter(({ path }) => !form.fields.some(isNamed(path)))
  return edited(html, [{ from: start, to: start, text: summary(others, marks.size === 0) }, ...edits])
}

export const refusedFormParser: SyncParser<Refused, string | null> = {
  name: "refused_form",
  run: refusedPage,
  sizeOf: ({ html, sent }) => sent.reduce((size, [name, value]) => size + name.length + value.length, html.length),
}

/** Inputs without an answer of the visitor, and inputs whose answer is never written into a page. */
const unshownInputs: ReadonlySet<string> = new Set("hidden password file submit button image reset".split(" "))

const typeOf = (field: Element): string => attribute(field, "type").trim().toLowerCase()

const isField = (element: Element): boolean =>
  attribute(element, "name") !== honeypot_name &&
  (element.tagName === "select" || element.tagName === "textarea" || element.tagName === "input")

const isNamed =
  (name: string) =>
  (field: Element): boolean =>
    attribute(field, "name") === name

interface Mark {
  readonly id: string
  readonly message: string
  /** The browser scrolls to the first field with a mistake. */
  readonly isFirst: boolean
}

/** The message of a name is at its first field. */
const marksIn = (fields: ReadonlyArray<Element>, issues: ReadonlyArray<Issue>): ReadonlyMap<Element, Mark> => {
  const marks = new Map<Element, Mark>()
  for (const field of fields) {
    const issue = issues.find(({ path }) => isNamed(path)(field))
    const isMarked = [...marks.keys()].some(isNamed(attribute(field, "name")))
    if (issue === undefined || isMarked || typeOf(field) === "hidden") continue
    marks.set(field, { id: `form-error-${marks.size + 1}`, message: issue.message, isFirst: marks.size === 0 })
  }
  return marks
}

/** The values of each name in the order of its fields. */
const answersOf = (sent: SentFields): Map<string, Array<string>> => {
  const answers = new Map<string, Array<string>>()
  for (const [name, value] of sent) {
    const known = answers.get(name)
    if (known === undefined) answers.set(name, [value])
    else known.push(value)
  }
  return answers
}

const fieldEdits = (field: Element, answers: Map<string, Array<string>>, mark: Mark | undefined) => {
  const values = answers.get(attribute(field, "name"))
  const added = new Map(mark === undefined ? [] : marking(field, mark))
  const edits: Array<Edit> = []
  if (field.tagName === "select") {
    if (values !== undefined) edits.push(...optionEdits(field, values))
  } else if (field.tagName === "textarea") {
    const value = values?.shift()
    if (value !== undefined) edits.push(...contentEdits(field, value))
  } else if (!unshownInputs.has(typeOf(field))) {
    if (typeOf(field) === "checkbox" || typeOf(field) === "radio") {
      added.set("checked", values?.includes(attribute(field, "value") || "on") === true ? "" : null)
    } else {
      const value = values?.shift()
      if (value !== undefined) added.set("value", value)
    }
  }
  edits.push(...attributeEdits(field, added))
  const end = field.sourceCodeLocation?.endOffset
  if (mark !== undefined && end !== undefined) edits.push({ from: end, to: end, text: note(mark) })
  return edits
}

const marking = (field: Element, { id, isFirst }: Mark): ReadonlyArray<readonly [string, string | null]> => [
  ["aria-invalid", "true"],
  ["aria-describedby", `${attribute(field, "aria-describedby")} ${id}`.trim()],
  ["autofocus", isFirst ? "" : null],
]

/** Null removes an attribute. Of two attributes with one name the first counts. */
const attributeEdits = (
  { sourceCodeLocation, tagName }: Element,
  values: ReadonlyMap<string, string | null>,
): ReadonlyArray<Edit> => {
  if (!sourceCodeLocation) return []
  const nameEnd = sourceCodeLocation.startOffset + 1 + tagName.length
  const added = [...values].map(([name, value]) => (value === null ? "" : ` ${name}="${escapeHtml(value)}"`)).join("")
  return [
    { from: nameEnd, to: nameEnd, text: added },
    ...[...values.keys()].flatMap((name) => {
      const old = sourceCodeLocation.attrs?.[name]
      return old === undefined ? [] : [{ from: old.startOffset, to: old.endOffset, text: "" }]
    }),
  ]
}

const optionEdits = (select: Element, values: ReadonlyArray<string>): ReadonlyArray<Edit> =>
  elements(select)
    .filter(({ tagName }) => tagName === "option")
    .flatMap((option) => {
      const own = option.attrs.find(({ name }) => name === "value")?.value ?? textOf(option).trim()
      return attributeEdits(option, new Map([["selected", values.includes(own) ? "" : null]]))
    })

/** Parsers drop a line break at the beginning of a text area. */
const contentEdits = ({ sourceCodeLocation }: Element, value: string): ReadonlyArray<Edit> => {
  const [from, to] = [sourceCodeLocation?.startTag?.endOffset, sourceCodeLocation?.endTag?.startOffset]
  return from === undefined || to === undefined ? [] : [{ from, to, text: `\n${escapeHtml(value)}` }]
}

/** Its own background: the page's colours are unknown. */
const style =
  "display:block;box-sizing:border-box;margin:.4rem 0;padding:.5rem .75rem;border-left:4px solid #b42318;background:#fff1f0;" +
  "color:#7a1a12;font:600 1rem/1.5 system-ui,sans-serif;text-align:left"

const note = ({ id, message }: Mark): string => `<span id="${id}" style="${style}">${escapeHtml(message)}.</span>`

const summary = (issues: ReadonlyArray<Issue>, isFocused: boolean): string => {
  const messages = issues.map(({ message }) => `<br>${escapeHtml(message)}.`).join("")
  return `<div role="alert"${isFocused ? ' tabindex="-1" autofocus' : ""} style="${style}">Nothing was sent yet. Please check what you entered.${messages}</div>`
}
