// Search parameters of the screens of emails and templates.
export const statuses = ["draft", "approved"] as const
export type Status = (typeof statuses)[number]

export const isStatus = (value: unknown): value is Status => statuses.some((status) => status === value)

export interface EmailSearch {
  readonly search?: string
  readonly status?: Status
}

export const emailSearch = ({ search, status }: Readonly<Record<string, unknown>>): EmailSearch => ({
  ...(typeof search === "string" || typeof search === "number" ? { search: String(search) } : {}),
  ...(isStatus(status) ? { status } : {}),
})

export interface TemplateSearch extends EmailSearch {
  readonly of?: "tents"
}

export const templateSearch = (raw: Readonly<Record<string, unknown>>): TemplateSearch => ({
  ...emailSearch(raw),
  ...(raw["of"] === "tents" ? { of: "tents" } : {}),
})
