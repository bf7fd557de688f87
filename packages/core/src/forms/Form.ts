// What a form on a published page declares: the fields it takes, and where its sender goes next. What a visitor sends
// besides is not this form's, whoever sends it.
import type { DefaultTreeAdapterMap } from "parse5"
import { parse } from "parse5"
import type { TentId } from "../kernel/Ids.ts"
import { elements } from "../documents/HtmlElements.ts"
import { formsOf, honeypot_name } from "../tents/pages/PageDocument.ts"

type Element = DefaultTreeAdapterMap["element"]

export interface Form {
  readonly tentId: TentId
  readonly formId: string
  /** Names of its fields, in their order. */
  readonly fields: ReadonlyArray<string>
  /** Where to go after sending, as the page's author wrote it; null: to a page of thanks. */
  readonly successUrl: string | null
}

export const field_name_length_max = 200

/** The forms of a page by their ids. Of two under one id, as at the top and at the bottom of a page, the fields join. */
export const readForms = (tentId: TentId, html: string): ReadonlyMap<string, Form> => {
  const forms = new Map<string, Form>()
  for (const { element, formId } of formsOf(parse(html))) {
    const before = forms.get(formId)
    const fields = [...new Set([...(before?.fields ?? []), ...fieldsOf(element)])]
    const successUrl = before?.successUrl ?? attribute(element, "data-success-url")?.trim() ?? null
    forms.set(formId, { tentId, formId, fields, successUrl: successUrl === "" ? null : successUrl })
  }
  return forms
}

const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find((each) => each.name === name)?.value

const fieldElements: ReadonlySet<string> = new Set(["input", "select", "textarea", "button"])

/** Inputs that send no answer: the browser's own buttons, pictures, and files, which forms don't take. */
const silentInputs: ReadonlySet<string> = new Set(["file", "image", "reset"])

const fieldsOf = (form: Element): ReadonlyArray<string> =>
  elements(form).flatMap((element) => {
    if (!fieldElements.has(element.tagName)) return []
    const name = attribute(element, "name") ?? ""
    if (silentInputs.has(attribute(element, "type")?.toLowerCase() ?? "") || !isFieldName(name)) return []
    return [name]
  })

/** `__proto__` would be a field of every object that is made of answers. */
const isFieldName = (name: string): boolean =>
  name !== "" && name !== honeypot_name && name !== "__proto__" && name.length <= field_name_length_max
