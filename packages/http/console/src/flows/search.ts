// Search parameters of the screens of flows, as they are in the address.
import type { FlowMembership } from "@tentpole/client"

export const flow_filters = ["draft", "active", "paused", "archived"] as const

export type FlowStatus = (typeof flow_filters)[number]

export const member_filters = ["active", "waiting", "completed", "dropped", "failed"] as const

export type MemberStatus = FlowMembership["status"]

type Raw = Readonly<Record<string, unknown>>

export const isFlowStatus = (value: unknown): value is FlowStatus => flow_filters.some((each) => each === value)

export const isMemberStatus = (value: unknown): value is MemberStatus => member_filters.some((each) => each === value)

/** A text of the address; numbers were parsed from their text. */
const textOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : null

export interface FlowListSearch {
  readonly search?: string
  readonly status?: FlowStatus
}

export const flowListSearch = ({ search, status }: Raw): FlowListSearch => {
  const text = textOf(search)
  return { ...(text === null ? {} : { search: text }), ...(isFlowStatus(status) ? { status } : {}) }
}

export interface FlowSearch {
  /** Default: the canvas; on a phone the list. */
  readonly view?: "list"
  /** The chosen step. */
  readonly step?: string
  /** The chosen trigger, by its position. */
  readonly trigger?: number
  readonly simulate?: true
}

export const flowSearch = ({ simulate, step, trigger, view }: Raw): FlowSearch => {
  const id = textOf(step)
  return {
    ...(view === "list" ? { view } : {}),
    ...(id === null ? {} : { step: id }),
    ...(typeof trigger === "number" && Number.isInteger(trigger) && trigger >= 0 ? { trigger } : {}),
    ...(simulate === true ? { simulate } : {}),
  }
}

export interface MemberSearch {
  readonly search?: string
  readonly status?: MemberStatus
}

export const memberSearch = ({ search, status }: Raw): MemberSearch => {
  const text = textOf(search)
  return { ...(text === null ? {} : { search: text }), ...(isMemberStatus(status) ? { status } : {}) }
}
