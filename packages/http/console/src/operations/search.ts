// Search parameters of the screens of operations, as they are in the address.
export const audit_days = [1, 7, 30, 90] as const

export type AuditDays = (typeof audit_days)[number]

const isDays = (value: unknown): value is AuditDays => audit_days.some((each) => each === value)

export interface AuditSearch {
  readonly actor?: string
  /** An action that this console does not know is ignored. */
  readonly action?: string
  /** The last days. Default: all. */
  readonly days?: AuditDays
  /** The whole installation. Default: this workspace. */
  readonly all?: true
}

export const auditSearch = ({ action, actor, all, days }: Readonly<Record<string, unknown>>): AuditSearch => ({
  ...(typeof actor === "string" && actor !== "" ? { actor } : {}),
  ...(typeof action === "string" && action !== "" ? { action } : {}),
  ...(isDays(days) ? { days } : {}),
  ...(all === true ? { all } : {}),
})
