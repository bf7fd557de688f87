// The draft of an email or template in the page: what differs from the stored one. Pure.
import type { Fields } from "./written.ts"

/** The document of the block editor that wrote the HTML. */
export interface Design {
  readonly editor: string
  readonly document: unknown
}

export interface Content {
  readonly html: string
  /** Belongs to this HTML; null: it was not written with blocks. */
  readonly design: Design | null
  readonly fields: Fields
}

export interface Draft extends Content {
  /** What was stored when the draft began, or was saved last. */
  readonly base: Content
}

export interface Changes {
  readonly html?: string
  readonly design?: Design | null
  readonly fields: Partial<Fields>
}

export const begin = (base: Content): Draft => ({ ...base, base })

const names = (fields: Fields): ReadonlyArray<keyof Fields> => Object.keys(fields) as ReadonlyArray<keyof Fields>

/** Each part as `choose` decides. */
const mapped = (fields: Fields, choose: (name: keyof Fields) => string): Fields =>
  Object.fromEntries(names(fields).map((name) => [name, choose(name)])) as Fields

/** The draft over another stored state: parts that the person did not change follow it. */
export const rebased = ({ base, design, fields, html }: Draft, next: Content): Draft => ({
  base: next,
  ...(html === base.html ? { html: next.html, design: next.design } : { html, design }),
  fields: mapped(next.fields, (name) => (fields[name] === base.fields[name] ? next.fields[name] : fields[name])),
})

export const changesOf = ({ base, design, fields, html }: Draft): Changes => ({
  ...(html === base.html ? {} : { html, design }),
  fields: Object.fromEntries(
    names(fields).flatMap((name) => (fields[name] === base.fields[name] ? [] : [[name, fields[name]]])),
  ),
})

export const isChanged = (draft: Draft): boolean => {
  const { fields, html } = changesOf(draft)
  return html !== undefined || Object.keys(fields).length > 0
}

/** The draft after these changes were stored. */
export const saved = (draft: Draft, { design = null, fields, html }: Changes): Draft => ({
  ...draft,
  base: { ...draft.base, ...(html === undefined ? {} : { html, design }), fields: { ...draft.base.fields, ...fields } },
})

/** Changes for the storage of the tab. Null: there are none. */
export const toStored = (draft: Draft): string | null => (isChanged(draft) ? JSON.stringify(changesOf(draft)) : null)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isDesign = (value: unknown): value is Design =>
  isRecord(value) && typeof value["editor"] === "string" && isRecord(value["document"])

/** The draft of stored changes. What is not readable is ignored. */
export const fromStored = (text: string | null, base: Content): Draft => {
  if (text === null) return begin(base)
  try {
    const read: unknown = JSON.parse(text)
    if (!isRecord(read)) return begin(base)
    const { design, fields, html } = read
    const given = isRecord(fields) ? fields : {}
    return {
      base,
      ...(typeof html === "string"
        ? { html, design: isDesign(design) ? design : null }
        : { html: base.html, design: base.design }),
      fields: mapped(base.fields, (name) => {
        const value = given[name]
        return typeof value === "string" ? value : base.fields[name]
      }),
    }
  } catch {
    return begin(base)
  }
}
