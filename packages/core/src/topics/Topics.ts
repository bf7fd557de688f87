// The use cases of topics.
import { Context, DateTime, Effect, Layer } from "effect"
import { Ids, TopicId, type WorkspaceId } from "../kernel/Ids.ts"
import { type BrokenCursor, type ListedBy, type Sliced, sliced, sliceOf, type SliceQuery } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { type NewTopic, TopicChange, type TopicEdit } from "./machine.ts"
import type { Topic } from "./Topic.ts"
import type { TopicInUse, TopicLimitReached, TopicNameExists } from "./TopicErrors.ts"
import { type CountedTopic, TopicStore } from "./TopicStore.ts"

export class Topics extends Context.Service<
  Topics,
  {
    /** By position, then by name. `status` null: all. */
    readonly list: (
      workspace: WorkspaceId,
      status: Topic["status"] | null,
      by: ListedBy,
    ) => Effect.Effect<Sliced<CountedTopic>, BrokenCursor>
    readonly get: (workspace: WorkspaceId, id: TopicId) => Effect.Effect<CountedTopic, NotFound>
    /** Changes no contact: the default of the topic counts for all contacts. */
    readonly create: (
      workspace: WorkspaceId,
      topic: Omit<NewTopic, "id">,
    ) => Effect.Effect<CountedTopic, TopicNameExists | TopicLimitReached>
    readonly update: (
      workspace: WorkspaceId,
      id: TopicId,
      edit: TopicEdit,
    ) => Effect.Effect<CountedTopic, NotFound | TopicNameExists | TopicLimitReached>
    /** Refused while something uses it. Consent records stay. */
    readonly delete: (workspace: WorkspaceId, id: TopicId) => Effect.Effect<void, NotFound | TopicInUse>
  }
>()("tentpole/Topics") {
  static readonly layer = Layer.effect(
    Topics,
    Effect.gen(function* () {
      const store = yield* TopicStore
      const ids = yield* Ids
      const { transact } = yield* Transactor

      return Topics.of({
        list: Effect.fn("Topics.list")(function* (workspace, status, by) {
          const slice = yield* sliceOf(by)
          const all = yield* store.list(workspace)
          return sliceOfTopics(
            all.filter(({ topic }) => status === null || topic.status === status),
            slice,
          )
        }),
        get: store.get,

        create: Effect.fn("Topics.create")(
          function* (workspace, wanted) {
            const id = TopicId.make(yield* ids.next)
            const existing = yield* store.lock(workspace)
            const { change, topic } = yield* Effect.fromResult(
              TopicChange.create({ ...wanted, id }, existing, yield* DateTime.now),
            )
            yield* store.apply(workspace, change)
            return yield* Effect.orDie(store.get(workspace, topic.id))
          },
          (body) => transact(body),
        ),

        update: Effect.fn("Topics.update")(
          function* (workspace, id, edit) {
            const existing = yield* store.lock(workspace)
            const { change } = yield* Effect.fromResult(TopicChange.update(id, edit, existing, yield* DateTime.now))
            yield* store.apply(workspace, change)
            return yield* store.get(workspace, id)
          },
          (body) => transact(body),
        ),

        delete: Effect.fn("Topics.delete")(
          function* (workspace, id) {
            const { topic, uses } = yield* store.lockForDelete(workspace, id)
            yield* store.apply(workspace, yield* Effect.fromResult(TopicChange.delete(topic, uses)))
          },
          (body) => transact(body),
        ),
      })
    }),
  )
}

/** The topics behind the cursor, whose time is a position. If its topic is deleted, those with a greater position. */
const sliceOfTopics = (all: ReadonlyArray<CountedTopic>, { after, limit }: SliceQuery): Sliced<CountedTopic> => {
  const last = after === null ? -1 : all.findIndex(({ topic }) => topic.id === after.id)
  const rest = after === null || last >= 0 ? all.slice(last + 1) : all.filter(({ topic }) => topic.position > after.at)
  return sliced(rest.slice(0, limit + 1), limit, ({ topic }) => ({ at: topic.position, id: topic.id }))
}
