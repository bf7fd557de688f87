// What a form asks a visitor to agree to: the label of a check box, or the text of the form with the words of its button.
import { attribute, type Element, elements, type Node } from "../documents/HtmlElements.ts"
import { consent_text_length_max } from "../topics/GivenConsent.ts"

/** By the names of check boxes: their labels. */
export type CheckboxTexts = ReadonlyMap<string, string>

/** Elements whose text visitors do not see as text of the form. */
const unread: ReadonlySet<string> = new Set(["script", "style", "template", "select", "textarea", "noscript", "svg"])

const isHidden = (element: Element): boolean =>
  unread.has(element.tagName) ||
  element.attrs.some(({ name }) => name === "hidden") ||
  attribute(element, "aria-hidden") === "true"

const plain = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, consent_text_length_max).trim()

/** The text that a visitor sees of an element. Iterative, because authors decide the depth. */
const seenText = (root: Node): string => {
  const parts: Array<string> = []
  const open: Array<Node> = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ("value" in node) parts.push(node.value)
    if ("tagName" in node && isHidden(node)) continue
    if ("tagName" in node && node.tagName === "input" && /^submit$/i.test(attribute(node, "type"))) {
      parts.push(attribute(node, "value"))
    }
    if ("childNodes" in node) open.push(...[...node.childNodes].reverse())
    parts.push(" ")
  }
  return plain(parts.join(""))
}

/** The text of the form, as it is read from top to bottom. */
export const formText = (form: Element): string => seenText(form)

const isCheckbox = (element: Element): boolean =>
  element.tagName === "input" && /^checkbox$/i.test(attribute(element, "type").trim())

/** Of several check boxes with one name, the first one's. A box without a label has the text of the form. */
export const checkboxTexts = (form: Element, wholeText: string): CheckboxTexts => {
  const all = elements(form)
  const labels = all.filter(({ tagName }) => tagName === "label")
  const byId = new Map(labels.map((label) => [attribute(label, "for"), label]))
  const around = new Map(labels.flatMap((label) => elements(label).map((inside) => [inside, label])))
  const texts = new Map<string, string>()
  for (const box of all.filter(isCheckbox)) {
    const name = attribute(box, "name")
    if (name === "" || texts.has(name)) continue
    const id = attribute(box, "id")
    const label = (id === "" ? undefined : byId.get(id)) ?? around.get(box)
    const text = label === undefined ? plain(attribute(box, "aria-label")) : seenText(label)
    texts.set(name, text === "" ? wholeText : text)
  }
  return texts
}
