// Search parameters of the screens of imports.
export const session_steps = ["columns", "look"] as const

export type SessionStep = (typeof session_steps)[number]

export const result_statuses = ["failed", "skipped", "updated", "created"] as const

export type ResultStatus = (typeof result_statuses)[number]

type Raw = Readonly<Record<string, unknown>>

/** What a new import makes of its file. Default: contacts. */
export interface NewImportSearch {
  readonly as?: "suppressions"
}

export const newImportSearch = ({ as }: Raw): NewImportSearch => (as === "suppressions" ? { as } : {})

export interface SessionSearch extends NewImportSearch {
  /** Default: columns. */
  readonly step?: SessionStep
}

export const sessionSearch = ({ step, ...raw }: Raw): SessionSearch => {
  const found = session_steps.find((each) => each === step)
  return { ...newImportSearch(raw), ...(found === undefined ? {} : { step: found }) }
}

export interface RunSearch {
  /** Default: the rejected rows of a run that has some, otherwise all. */
  readonly status?: ResultStatus | "all"
}

export const isResultStatus = (value: unknown): value is ResultStatus | "all" =>
  value === "all" || result_statuses.some((each) => each === value)

export const runSearch = ({ status }: Raw): RunSearch => (isResultStatus(status) ? { status } : {})
