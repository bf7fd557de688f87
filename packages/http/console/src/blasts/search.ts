// Search parameters of the screens of blasts, as they are in the address.
export const blast_filters = ["draft", "scheduled", "sending", "sent", "failed", "cancelled", "archived"] as const

export type BlastStatus = (typeof blast_filters)[number]

type Raw = Readonly<Record<string, unknown>>

export const isStatus = (value: unknown): value is BlastStatus => blast_filters.some((each) => each === value)

/** A text of the address; numbers were parsed from their text. */
const textOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : null

export interface BlastListSearch {
  readonly search?: string
  readonly status?: BlastStatus
}

export const blastListSearch = ({ search, status }: Raw): BlastListSearch => {
  const text = textOf(search)
  return { ...(text === null ? {} : { search: text }), ...(isStatus(status) ? { status } : {}) }
}

export const wizard_steps = ["who", "what", "when", "review"] as const

export type WizardStep = (typeof wizard_steps)[number]

export const categories = [
  "recipients",
  "queued",
  "deferred",
  "sent",
  "failed",
  "unconfirmed",
  "blocked",
  "delivered",
  "opened",
  "clicked",
  "bounced",
  "unsubscribed",
  "spam",
] as const

export type Category = (typeof categories)[number]

export const isCategory = (value: unknown): value is Category => categories.some((each) => each === value)

export const block_reasons = [
  "no_email",
  "unsubscribed",
  "opt_out",
  "invalid_email",
  "suppressed",
  "duplicate_address",
  "cancelled",
  "contact_deleted",
] as const

export const failure_reasons = [
  "hard_bounce",
  "refused",
  "temporarily_refused",
  "unreachable",
  "not_rendered",
  "message_too_large",
  "blast_failed",
  "unconfirmed",
] as const

export type Reason = (typeof block_reasons)[number] | (typeof failure_reasons)[number]

export const isReason = (value: unknown): value is Reason =>
  [...block_reasons, ...failure_reasons].some((each) => each === value)

export interface BlastSearch {
  /** Step of a draft. Default: the first one that misses something. */
  readonly step?: WizardStep
  /** Local time of the schedule in the workspace's zone, such as `2026-11-24T09:00`. Absent: now. */
  readonly at?: string
  readonly operational?: true
  readonly view?: "recipients"
  readonly category?: Category
  readonly domain?: string
  readonly reason?: Reason
  readonly link?: number
  readonly search?: string
}

const localTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/

const drafted = ({ at, operational, step }: Raw): BlastSearch => ({
  ...(wizard_steps.some((each) => each === step) ? { step: step as WizardStep } : {}),
  ...(typeof at === "string" && localTime.test(at) ? { at } : {}),
  ...(operational === true ? { operational } : {}),
})

export const blastSearch = (raw: Raw): BlastSearch => {
  const { category, domain, link, reason, search, view } = raw
  const [its, text] = [textOf(domain), textOf(search)]
  return {
    ...drafted(raw),
    ...(view === "recipients" ? { view } : {}),
    ...(isCategory(category) ? { category } : {}),
    ...(its === null ? {} : { domain: its }),
    ...(isReason(reason) ? { reason } : {}),
    ...(typeof link === "number" && Number.isInteger(link) && link >= 0 ? { link } : {}),
    ...(text === null ? {} : { search: text }),
  }
}

/** The query of the recipients' listing. */
export const recipientQuery = ({ category, domain, link, reason, search }: BlastSearch) => ({
  ...(category === undefined ? {} : { category }),
  ...(domain === undefined ? {} : { domain }),
  ...(reason === undefined ? {} : { reason }),
  ...(link === undefined ? {} : { link_index: link }),
  ...(search === undefined ? {} : { search }),
})
