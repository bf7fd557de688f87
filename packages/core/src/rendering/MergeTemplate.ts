// A compiled text with slots for merge values.
import { escapeHtml, escapeUrlPart, isWebUrl, plainWords, safeUrl } from "./Escapes.ts"
import type { LinkKind, MessageLinks } from "./message/Message.ts"
import { MessageTooLarge } from "./MessageTooLarge.ts"
import { findTokens, resolveToken, type MergeToken, type TokenValues } from "./MergeTokens.ts"

/**
 * The place of a slot, which decides how its value is escaped. `html`: text or a quoted attribute. `address`: the beginning
 * of an attribute that holds a URL; `url`: later in it. `target`: the beginning of a link's target outside HTML. `raw`:
 * style, script and handlers. `plain`: the text part, and headers before they are encoded, which need no escaping.
 */
export type Place = "html" | "address" | "url" | "target" | "raw" | "plain"

export type Slot =
  | { readonly kind: "token"; readonly place: Place; readonly token: MergeToken }
  /** The end of one of the message's own addresses, after its constant beginning. `index` is that of a redirect. */
  | { readonly kind: "address"; readonly of: LinkKind; readonly index: number | null }
  /** In an attribute: the redirect of this index if the filled target is a web address, else the target itself. */
  | { readonly kind: "click"; readonly index: number; readonly target: MergeTemplate }
  /** In a conditional comment, in text or a quoted attribute: two hyphens before an author's `>` would end the comment. */
  | { readonly kind: "commented"; readonly slot: Slot }

export type MergeTemplate = ReadonlyArray<string | Slot>

/** The data for filling slots. */
export interface MergeValues extends TokenValues {
  readonly links: MessageLinks
  /** The maximum size of a filled text, as of the whole message. */
  readonly bytes_max: number
}

/** A replacement in a text. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly pieces: MergeTemplate
}

/** The text with edits that do not overlap. */
export const applied = (source: string, edits: ReadonlyArray<Edit>): MergeTemplate => {
  const pieces: Array<string | Slot> = []
  let at = 0
  for (const edit of [...edits].sort((left, right) => left.start - right.start)) {
    pieces.push(source.slice(at, edit.start), ...edit.pieces)
    at = edit.end
  }
  pieces.push(source.slice(at))
  return joined(pieces)
}

/** A text with its tokens as slots of one place. */
export const toMergeTemplate = (text: string, place: Place): MergeTemplate =>
  applied(
    text,
    findTokens(text).map(({ token, ...at }) => ({ ...at, pieces: [{ kind: "token", place, token }] })),
  )

/** Joins adjacent strings. */
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

/** The text that a template was made from; tokens without their formats and fallbacks. */
export const sourceOf = (template: MergeTemplate): string =>
  template.map((piece) => (typeof piece === "string" ? piece : nameIn(piece))).join("")

const nameIn = (slot: Slot): string => {
  if (slot.kind === "commented") return nameIn(slot.slot)
  return slot.kind === "token" ? `{{${slot.token.name}}}` : ""
}

/** Throws `MessageTooLarge`. */
export const fill = (template: MergeTemplate, values: MergeValues): string => {
  let text = ""
  for (const piece of template) {
    text += typeof piece === "string" ? piece : fillSlot(piece, values)
    // A UTF-16 unit has at least one byte.
    if (text.length > values.bytes_max) throw new MessageTooLarge({ bytes_max: values.bytes_max })
  }
  return text
}

export const fillSlot = (slot: Slot, values: MergeValues): string => {
  switch (slot.kind) {
    case "token":
      return write(slot.place, slot.token, values)
    case "address":
      return values.links.token(slot.of, slot.index)
    case "click": {
      const url = fill(slot.target, values)
      return escapeHtml(isWebUrl(url) ? values.links.click(slot.index) : url)
    }
    case "commented":
      return fillSlot(slot.slot, values).replaceAll("-", "&#45;")
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
