// What the screens of topics show and send. Pure.
import type { Subscription, Topic, TopicOfContact } from "@tentpole/client"
import { ApiError } from "@tentpole/client/Failures"
import type { Tone } from "../parts/StatusBadge.tsx"

export const topicTones: Readonly<Record<Topic["status"], Tone>> = { active: "good", archived: "quiet" }

export const requestTones: Readonly<Record<Subscription["status"], Tone>> = {
  pending: "busy",
  confirmed: "good",
  expired: "quiet",
  superseded: "quiet",
}

export const choiceTones: Readonly<Record<TopicOfContact["status"], Tone>> = {
  subscribed: "good",
  pending: "busy",
  unsubscribed: "quiet",
}

export interface TopicValues extends Pick<Topic, "name" | "default_subscription" | "visibility" | "double_opt_in"> {
  readonly description: string
  /** Null: after the last one; of a topic that exists: as it is. */
  readonly position: number | null
}

export const newTopic: TopicValues = {
  name: "",
  description: "",
  default_subscription: "unsubscribed",
  visibility: "public",
  double_opt_in: true,
  position: null,
}

export const valuesOf = ({ description, ...topic }: Topic): TopicValues => ({
  ...topic,
  description: description ?? "",
})

/** What can be changed later. */
export const editOf = ({ description, double_opt_in, name, position, visibility }: TopicValues) => ({
  name: name.trim(),
  description: description.trim() === "" ? null : description.trim(),
  visibility,
  double_opt_in,
  ...(position === null ? {} : { position }),
})

export const creationOf = (values: TopicValues) => ({
  ...editOf(values),
  default_subscription: values.default_subscription,
})

const paths = { blast: "/blasts", flow: "/flows", form: "/tents" } as const

export interface TopicUse {
  readonly type: keyof typeof paths | "contacts"
  readonly name: string | null
  readonly count: number
  /** The screen of what uses the topic. Null: contacts. */
  readonly path: string | null
}

const useOf = (value: unknown): ReadonlyArray<TopicUse> => {
  const { count, id, name, type } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (typeof count !== "number") return []
  if (type === "contacts") return [{ type, name: null, count, path: null }]
  if (type !== "blast" && type !== "flow" && type !== "form") return []
  if (typeof id !== "string" || typeof name !== "string") return []
  return [{ type, name, count, path: `${paths[type]}/${id}` }]
}

/** What uses the topic, of the refusal of its deletion. */
export const usesIn = (error: unknown): ReadonlyArray<TopicUse> => {
  const used = error instanceof ApiError && error.code === "topic_in_use" ? error.body["used_by"] : []
  return Array.isArray(used) ? used.flatMap(useOf) : []
}
