// Topics for tests of rules.
import { TopicId } from "@tentpole/core/kernel/Ids"
import type { Topic } from "@tentpole/core/topics/Topic"
import { DateTime } from "effect"

export const topicIdOf = (nth: number) => TopicId.make(`00000000-0000-4000-8000-${String(nth).padStart(12, "0")}`)

const at = DateTime.makeUnsafe(1_000)

export const topicOf = (nth: number, more: Partial<Topic> = {}): Topic => ({
  id: topicIdOf(nth),
  name: `Topic ${nth}`,
  slug: `topic-${nth}`,
  description: null,
  defaultSubscription: "unsubscribed",
  visibility: "public",
  doubleOptIn: true,
  position: nth,
  status: "active",
  createdAt: at,
  updatedAt: at,
  ...more,
})
