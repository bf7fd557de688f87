// Search parameters of the screens of webhooks, as they are in the address.
export const delivery_statuses = ["pending", "delivered", "failed", "skipped"] as const

export type DeliveryStatus = (typeof delivery_statuses)[number]

export const isDeliveryStatus = (value: unknown): value is DeliveryStatus =>
  delivery_statuses.some((each) => each === value)

type Raw = Readonly<Record<string, unknown>>

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)

export interface EndpointSearch {
  /** Default: the log of deliveries. */
  readonly tab?: "settings"
  readonly status?: DeliveryStatus
  /** A type of events. */
  readonly type?: string
}

export const endpointSearch = ({ status, tab, type }: Raw): EndpointSearch => {
  const of = textOf(type)
  return {
    ...(tab === "settings" ? { tab } : {}),
    ...(isDeliveryStatus(status) ? { status } : {}),
    ...(of === null ? {} : { type: of }),
  }
}

export interface CatalogueSearch {
  readonly search?: string
  /** The type that is unfolded. */
  readonly type?: string
}

export const catalogueSearch = ({ search, type }: Raw): CatalogueSearch => {
  const [text, of] = [textOf(search), textOf(type)]
  return { ...(text === null ? {} : { search: text }), ...(of === null ? {} : { type: of }) }
}
