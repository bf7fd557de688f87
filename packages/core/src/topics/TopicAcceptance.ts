// The check of a topic that something is to be sent with: it exists and is active.
import { Effect } from "effect"
import type { TopicId, WorkspaceId } from "../kernel/Ids.ts"
import { NotFound } from "../kernel/Refusal.ts"
import { ConsentStore } from "./ConsentStore.ts"
import { TopicArchived } from "./TopicErrors.ts"
import { TopicStore } from "./TopicStore.ts"

/** In a transaction: the topic is not deleted before it ends. Null or undefined: no topic is named. */
export const topicAcceptance = Effect.gen(function* () {
  const topics = yield* TopicStore
  const consents = yield* ConsentStore
  return Effect.fnUntraced(function* (workspace: WorkspaceId, id: TopicId | null | undefined) {
    if (id === null || id === undefined) return
    yield* consents.lock(workspace, [], [id])
    const [topic] = yield* topics.many(workspace, [id])
    if (topic === undefined) return yield* new NotFound({ resource: "topic", path: "topic_id" })
    if (topic.status === "archived") return yield* new TopicArchived({ path: "topic_id" })
  })
})
