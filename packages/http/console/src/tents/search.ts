// Search parameters of the screens of pages, as they are in the address.
export const tent_filters = ["completed", "generating", "queued", "pending", "failed"] as const

export type TentStatus = (typeof tent_filters)[number]

type Raw = Readonly<Record<string, unknown>>

export const isTentStatus = (value: unknown): value is TentStatus => tent_filters.some((each) => each === value)

/** A text of the address; numbers were parsed from their text. */
const textOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : null

export interface TentListSearch {
  readonly search?: string
  readonly status?: TentStatus
}

export const tentListSearch = ({ search, status }: Raw): TentListSearch => {
  const text = textOf(search)
  return { ...(text === null ? {} : { search: text }), ...(isTentStatus(status) ? { status } : {}) }
}

export const tabs = ["page", "traffic", "signups", "forms", "files", "code"] as const

export type Tab = (typeof tabs)[number]

export const isTab = (value: unknown): value is Tab => tabs.some((each) => each === value)

export const ranges_days = [7, 30, 90, 400] as const

export type Days = (typeof ranges_days)[number]

export const isDays = (value: unknown): value is Days => ranges_days.some((each) => each === value)

export interface TentSearch {
  /** Default: the page. */
  readonly tab?: Exclude<Tab, "page">
  /** Days of traffic. Default: 30. */
  readonly days?: Days
}

export const tentSearch = ({ days, tab }: Raw): TentSearch => ({
  ...(isTab(tab) && tab !== "page" ? { tab } : {}),
  ...(isDays(days) && days !== 30 ? { days } : {}),
})

export interface BulkSearch {
  readonly template?: string
  /** The job whose progress is shown. */
  readonly job?: string
}

export const bulkSearch = ({ job, template }: Raw): BulkSearch => {
  const [of, from] = [textOf(job), textOf(template)]
  return { ...(from === null ? {} : { template: from }), ...(of === null ? {} : { job: of }) }
}
