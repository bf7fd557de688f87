// A compiled text with slots for merge values.
import { escapeHtml, escapeUrlPart, isWebUrl, plainWords, safeUrl } from "./Escapes.ts"
import type { LinkKind, MessageLinks } from "./message/Message.ts"
import { MessageTooLarge } from "./MessageTooLarge.ts"
import type { Steps } from "../kernel/runtime/Steps.ts"
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
  readonly work: Work
}

/**
 * What filling has cost so far. A place may take little of a long value, so that the size of the message does not bound the
 * work.
 */
export class Work {
  /** Characters of values. */
  read_length = 0
  #slots = 0
  #written_length = 0
  #pause_at = pause_after

  /** Whether it is time to pause, after a slot or a constant text of this length. */
  isLong(written_length: number): boolean {
    this.#slots++
    this.#written_length += written_length
    const done = this.#slots * slot_cost + this.read_length + this.#written_length
    if (done < this.#pause_at) return false
    this.#pause_at = done + pause_after
    return true
  }
}

/** Filling pauses after so many characters, which take a few milliseconds. */
const pause_after = 2 ** 18
/** A slot without a value costs as much as so many characters. */
const slot_cost = 512

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

/** The same as `fill`, in steps. */
export function* fillInSteps(template: MergeTemplate, values: MergeValues): Steps<string> {
  let text = ""
  for (const piece of template) {
    const filled = typeof piece === "string" ? piece : fillSlot(piece, values)
    text += filled
    checkLength(text.length, values.bytes_max)
    if (values.work.isLong(filled.length)) yield
  }
  return text
}

/** A UTF-16 unit has at least one byte. */
const checkLength = (length: number, bytes_max: number): void => {
  if (length > bytes_max) throw new MessageTooLarge({ bytes_max })
}

/** For short texts. Throws `MessageTooLarge`. */
export const fill = (template: MergeTemplate, values: MergeValues): string => {
  let text = ""
  for (const piece of template) {
    text += typeof piece === "string" ? piece : fillSlot(piece, values)
    checkLength(text.length, values.bytes_max)
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
      const url = fillTarget(slot.target, values)
      return escapeHtml(isWebUrl(url) ? values.links.click(slot.index) : url)
    }
    case "commented":
      return fillSlot(slot.slot, values).replaceAll("-", "&#45;")
  }
}

/** Browsers refuse longer addresses than this. */
export const target_length_max = 2 ** 20

/** Fills the target of a link. Throws `MessageTooLarge`. */
export const fillTarget = (target: MergeTemplate, values: MergeValues): string =>
  fill(target, { ...values, bytes_max: Math.min(values.bytes_max, target_length_max) })

const write = (place: Place, token: MergeToken, values: MergeValues): string => {
  const text = resolveToken(token, values)
  values.work.read_length += text.length
  checkLength(values.work.read_length, values.bytes_max)
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
