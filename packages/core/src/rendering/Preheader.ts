// The preheader: the preview text inside the HTML, so that the HTML shows what is sent.
import { escapeHtml } from "./Escapes.ts"
import { preheader_attribute, scan } from "./Markup.ts"

const opening = `<div ${preheader_attribute} style="display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all">`
const closing = "</div>"

/**
 * Replaces the preheader's text, or inserts a preheader at the start of the body. Null removes it. The rest stays the same.
 */
export const withPreheader = (html: string, text: string | null): string => {
  const { preheader, bodyStart } = scan(html)
  if (preheader === null) {
    return text === null
      ? html
      : html.slice(0, bodyStart) + opening + escapeHtml(text) + closing + html.slice(bodyStart)
  }
  return text === null && preheader.ours
    ? html.slice(0, preheader.start) + html.slice(preheader.end)
    : html.slice(0, preheader.contentStart) + escapeHtml(text ?? "") + html.slice(preheader.contentEnd)
}
