// Search parameters of the suppressions.
export const suppression_reasons = ["unsubscribe", "bounce", "complaint", "manual"] as const

export type SuppressionReason = (typeof suppression_reasons)[number]

export const isSuppressionReason = (value: unknown): value is SuppressionReason =>
  suppression_reasons.some((reason) => reason === value)

export interface SuppressionSearch {
  readonly search?: string
  readonly reason?: SuppressionReason
}

export const suppressionSearch = ({ reason, search }: Readonly<Record<string, unknown>>): SuppressionSearch => ({
  // A number in the address was parsed from its text.
  ...(typeof search === "string" || typeof search === "number" ? { search: String(search) } : {}),
  ...(isSuppressionReason(reason) ? { reason } : {}),
})
