// A text with spots where a recipient's values go. The rest of it is known when the email is compiled.
import { escapeHtml, escapeUrlPart, isWebUrl, plainWords, safeUrl } from "./Escapes.ts"
import type { LinkKind, MessageLinks } from "./message/Message.ts"
import { findTokens, resolveToken, type MergeToken, type TokenValues } from "./MergeTokens.ts"

/**
 * Where a value stands. `html`: text or a quoted attribute. `address`: at the beginning of an attribute that holds one;
 * `url`: further on in it. `target`: at the beginning of a link's target, which is in no HTML. `raw`: style, script and
 * handlers. `plain`: where nothing has to be escaped: the text part, and headers before they are encoded.
 */
export type Place = "html" | "address" | "url" | "target" | "raw" | "plain"

export type Slot =
  | { readonly kind: "token"; readonly place: Place; readonly token: MergeToken }
  /** The end of one of the message's own addresses, whose beginning stands before it. `index` is that of a redirect. */
  | { readonly kind: "address"; readonly of: LinkKind; readonly index: number | null }
  /**
   * In an attribute: the redirect for the link of this index, if its target turns out to be a web address; before a token
   * is filled in nobody can know.
   */
  | { readonly kind: "click"; readonly index: number; readonly target: MergeTemplate }
  /** In a conditional comment, in text or a quoted attribute: two hyphens before an author's `>` would end the comment. */
  | { readonly kind: "commented"; readonly spot: Slot }

export type MergeTemplate = ReadonlyArray<string | Slot>

/** What the spots are filled from. */
export interface MergeValues extends TokenValues {
  readonly links: MessageLinks
}

/** A text's tokens as spots of one place. */
export const toMergeTemplate = (text: string, place: Place): MergeTemplate => {
  const pieces: Array<string | Slot> = []
  let at = 0
  for (const { start, end, token } of findTokens(text)) {
    if (start > at) pieces.push(text.slice(at, start))
    pieces.push({ kind: "token", place, token })
    at = end
  }
  if (at < text.length) pieces.push(text.slice(at))
  return pieces
}

/** Neighbouring strings as one. */
export const joined = (template: MergeTemplate): MergeTemplate => {
  const pieces: Array<string | Slot> = []
  for (const piece of template) {
    const last = pieces.at(-1)
    if (piece === "") continue
    if (typeof piece === "string" && typeof last === "string") pieces[pieces.length - 1] = last + piece
    else pieces.push(piece)
  }
  return pieces
}

export const fill = (template: MergeTemplate, filling: MergeValues): string => {
  let text = ""
  for (const piece of template) text += typeof piece === "string" ? piece : fillSlot(piece, filling)
  return text
}

export const fillSlot = (spot: Slot, filling: MergeValues): string => {
  switch (spot.kind) {
    case "token":
      return write(spot.place, spot.token, filling)
    case "address":
      return filling.links.token(spot.of, spot.index)
    case "click": {
      const url = fill(spot.target, filling)
      return escapeHtml(isWebUrl(url) ? filling.links.click(spot.index) : url)
    }
    case "commented":
      return fillSlot(spot.spot, filling).replaceAll("-", "&#45;")
  }
}

const write = (place: Place, token: MergeToken, values: TokenValues): string => {
  const text = resolveToken(token, values)
  switch (place) {
    case "html":
      return escapeHtml(text)
    case "url":
      return escapeUrlPart(text)
    case "address":
      return escapeHtml(safeUrl(text))
    case "target":
      return safeUrl(text)
    case "raw":
      return plainWords(text)
    case "plain":
      return text
  }
}
