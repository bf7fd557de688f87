// Search parameters of the inbox.
export interface InboxSearch {
  readonly to?: string
  readonly subject?: string
  readonly blast_id?: string
}

const textOf = (value: unknown): string | null =>
  typeof value === "string" || typeof value === "number" ? String(value) : null

export const inboxSearch = (raw: Readonly<Record<string, unknown>>): InboxSearch => {
  const [to, subject, blast_id] = [textOf(raw["to"]), textOf(raw["subject"]), textOf(raw["blast_id"])]
  return {
    ...(to === null ? {} : { to }),
    ...(subject === null ? {} : { subject }),
    ...(blast_id === null ? {} : { blast_id }),
  }
}

/** The search with a changed part; an empty text removes it. */
export const searching = (search: InboxSearch, name: "to" | "subject", text: string): InboxSearch => {
  const { [name]: _, ...rest } = search
  return text === "" ? rest : { ...rest, [name]: text }
}
