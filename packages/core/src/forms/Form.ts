// A form of a published page: its fields, and the page after a submission. Other fields of a request are ignored.
import { parseHtml } from "../documents/ParseHtml.ts"
import type { TentId } from "../kernel/Ids.ts"
import type { Parser } from "../ports/Parsers.ts"
import { attribute, type Element, elements } from "../documents/HtmlElements.ts"
import { type CheckboxTexts, checkboxTexts, formText } from "./ConsentText.ts"
import { formsOf, honeypot_name, successUrlOf } from "../tents/pages/PageDocument.ts"

export interface Form {
  readonly tentId: TentId
  readonly formId: string
  /** Names of its fields in order. */
  readonly fields: ReadonlyArray<string>
  /** The author's page after a submission; null: a thank-you page of this service. */
  readonly successUrl: string | null
  /** What the HTML says of consent: slugs of topics (`data-topics`), and the name of a check box (`data-consent-field`). */
  readonly consent: { readonly topics: ReadonlyArray<string>; readonly field: string | null } | null
  /** The labels of its check boxes. */
  readonly checkboxes: CheckboxTexts
  /** What a visitor reads in it. */
  readonly text: string
}

export const field_name_length_max = 200

/** The forms of a page by id. Two forms with one id, such as at the top and bottom of a page, are joined. */
export const readForms = (tentId: TentId, html: string): ReadonlyMap<string, Form> => {
  const forms = new Map<string, Form>()
  for (const { element, formId } of formsOf(parseHtml(html))) {
    const before = forms.get(formId)
    const fields = [...new Set([...(before?.fields ?? []), ...fieldsOf(element)])]
    const text = before?.text ?? formText(element)
    const successUrl = before?.successUrl ?? successUrlOf(element)
    forms.set(formId, {
      tentId,
      formId,
      fields,
      successUrl: successUrl === "" ? null : successUrl,
      consent: before?.consent ?? consentIn(element),
      checkboxes: new Map([...checkboxTexts(element, text), ...(before?.checkboxes ?? [])]),
      text,
    })
  }
  return forms
}

const consent_topics_max = 20

/** Slugs in `data-topics`, with spaces or commas between them. Null: the form says nothing of consent. */
const consentIn = (form: Element): Form["consent"] => {
  const slugs = attribute(form, "data-topics")
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((slug) => slug !== "")
  const field = attribute(form, "data-consent-field").trim()
  return slugs.length === 0 ? null : { topics: slugs.slice(0, consent_topics_max), field: field === "" ? null : field }
}

export const formParser: Parser<{ readonly tentId: TentId; readonly html: string }, ReadonlyMap<string, Form>> = {
  name: "forms",
  run: ({ tentId, html }) => readForms(tentId, html),
  sizeOf: ({ html }) => html.length,
}

const fieldElements: ReadonlySet<string> = new Set(["input", "select", "textarea", "button"])

/** Inputs without an answer: the browser's buttons, pictures, and files, which forms don't accept. */
const silentInputs: ReadonlySet<string> = new Set(["file", "image", "reset"])

const fieldsOf = (form: Element): ReadonlyArray<string> =>
  elements(form).flatMap((element) => {
    if (!fieldElements.has(element.tagName)) return []
    const name = attribute(element, "name")
    if (silentInputs.has(attribute(element, "type").toLowerCase()) || !isFieldName(name)) return []
    return [name]
  })

/** `__proto__` would set the prototype of an object of answers. */
const isFieldName = (name: string): boolean =>
  name !== "" && name !== honeypot_name && name !== "__proto__" && name.length <= field_name_length_max
