// Search parameters of the screens of topics.
import type { Subscription, Topic } from "@tentpole/client"

export const topic_statuses = ["active", "archived"] as const satisfies ReadonlyArray<Topic["status"]>

export const request_statuses = ["pending", "confirmed", "expired", "superseded"] as const satisfies ReadonlyArray<
  Subscription["status"]
>

export interface TopicSearch {
  readonly status?: Topic["status"]
}

export const topicSearch = ({ status }: Readonly<Record<string, unknown>>): TopicSearch => {
  const known = topic_statuses.find((each) => each === status)
  return known === undefined ? {} : { status: known }
}

export const trend_days = [30, 90] as const
export type TrendDays = (typeof trend_days)[number]

export interface TrendSearch {
  readonly days?: TrendDays
}

export const trendSearch = ({ days }: Readonly<Record<string, unknown>>): TrendSearch => {
  const known = trend_days.find((each) => each === days)
  return known === undefined ? {} : { days: known }
}

export interface RequestSearch {
  readonly status?: Subscription["status"]
  readonly topic_id?: string
}

export const requestSearch = ({ status, topic_id }: Readonly<Record<string, unknown>>): RequestSearch => {
  const known = request_statuses.find((each) => each === status)
  return {
    ...(known === undefined ? {} : { status: known }),
    ...(typeof topic_id === "string" && topic_id !== "" ? { topic_id } : {}),
  }
}
