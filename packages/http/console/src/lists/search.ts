// Search parameters of the screen of lists.
export const kinds = ["static", "dynamic", "system"] as const

type Kind = (typeof kinds)[number]

export const isKind = (value: unknown): value is Kind => kinds.some((kind) => kind === value)

export interface ListSearch {
  readonly search?: string
  readonly kind?: Kind
}

export const listSearch = ({ kind, search }: Readonly<Record<string, unknown>>): ListSearch => ({
  ...(typeof search === "string" || typeof search === "number" ? { search: String(search) } : {}),
  ...(isKind(kind) ? { kind } : {}),
})
