// The use case of hosted pages: samples of them for a look, without a person, a link or a message.
import { Context, Effect, Layer } from "effect"
import type { TopicId, WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import { topicNotFound } from "../topics/TopicErrors.ts"
import { TopicStore } from "../topics/TopicStore.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { type HostedPageSamples, hostedPageSamples } from "./HostedPage.ts"

export class HostedPages extends Context.Service<
  HostedPages,
  {
    /** Writes nothing. `topic` null: the first active one. */
    readonly preview: (workspace: WorkspaceId, topic: TopicId | null) => Effect.Effect<HostedPageSamples, NotFound>
  }
>()("tentpole/HostedPages") {
  static readonly layer = Layer.effect(
    HostedPages,
    Effect.gen(function* () {
      const topics = yield* TopicStore
      const workspaces = yield* WorkspaceStore
      return HostedPages.of({
        preview: Effect.fn("HostedPages.preview")(function* (workspaceId, topicId) {
          const all = (yield* topics.list(workspaceId)).map(({ topic }) => topic)
          const wanted = topicId === null ? null : all.find(({ id }) => id === topicId)
          if (wanted === undefined) return yield* topicNotFound()
          return hostedPageSamples(yield* Effect.orDie(workspaces.get(workspaceId)), all, wanted)
        }),
      })
    }),
  )
}
