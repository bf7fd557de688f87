// Edits of a text by position: everything else stays the same byte for byte.

/** Replaces the text from `from` to before `to`. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** The source with edits that do not overlap. */
export const edited = (source: string, edits: ReadonlyArray<Edit>): string => {
  let text = ""
  let at = 0
  for (const edit of edits.toSorted((left, right) => left.from - right.from)) {
    text += source.slice(at, edit.from) + edit.text
    at = edit.to
  }
  return text + source.slice(at)
}
