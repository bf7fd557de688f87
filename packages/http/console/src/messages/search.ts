// Search parameters of the single messages.
export const message_statuses = ["scheduled", "queued", "sent", "failed", "blocked"] as const

export type MessageStatus = (typeof message_statuses)[number]

export const isMessageStatus = (value: unknown): value is MessageStatus =>
  message_statuses.some((each) => each === value)

export interface MessageSearch {
  readonly status?: MessageStatus
  readonly to?: string
  /** Its name, a colon and its value. While it is typed it may have no colon yet. */
  readonly tag?: string
}

const textOf = (value: unknown): string | null =>
  (typeof value === "string" && value !== "") || typeof value === "number" ? String(value) : null

export const messageSearch = (raw: Readonly<Record<string, unknown>>): MessageSearch => {
  const [to, tag] = [textOf(raw["to"]), textOf(raw["tag"])]
  return {
    ...(isMessageStatus(raw["status"]) ? { status: raw["status"] } : {}),
    ...(to === null ? {} : { to }),
    ...(tag === null ? {} : { tag }),
  }
}

/** The search with a changed part; an empty text removes it. */
export const searching = (search: MessageSearch, name: keyof MessageSearch, text: string): MessageSearch => {
  const { [name]: _, ...rest } = search
  return text === "" ? rest : { ...rest, [name]: text }
}

/** The query of the listing. A tag that is not typed to its end filters nothing yet. */
export const queryOfSearch = ({ tag, ...rest }: MessageSearch): MessageSearch =>
  tag !== undefined && /^[^:]+:/.test(tag) ? { ...rest, tag } : rest
