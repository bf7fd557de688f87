// Moves of tents for contract tests: each locks, decides and applies in its own transaction.
import { DateTime, Effect } from "effect"
import { TentId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { type Alias, isAlias } from "../../src/tents/Alias.ts"
import { autoPublish, publish, TentChange } from "../../src/tents/machine.ts"
import type { PublishFacts, PublishInput } from "../../src/tents/Publishing.ts"
import type { Addressed } from "../../src/tents/pages/PageAddress.ts"
import type { Tent, TentRequest } from "../../src/tents/Tent.ts"
import type { TentStore } from "../../src/tents/TentStore.ts"
import type { Transactor } from "../../src/kernel/changes/Transactor.ts"
import type { Fresh } from "../kernel/fresh.ts"

export const at = (ms: number) => DateTime.makeUnsafe(ms)

export const alias = (text: string): Alias => {
  if (!isAlias(text)) throw new Error(`${text} is no alias`)
  return text
}

export const html = "<!doctype html><html><head><title>x</title></head><body><h1>Ö</h1></body></html>"
const etagOf = (text: string) => `e${text.length}`

const urlOf = ({ alias: own, id }: Addressed) => `https://pages.example.org/${own ?? `t/${id}`}`

export const contextOf = (facts: PublishFacts) => ({ facts, html, etagOf, urlOf, now: at(50) })

export interface Wanted {
  readonly name?: string
  readonly userId?: string
  readonly now?: DateTime.Utc
  readonly autoPublish?: boolean
  readonly alias?: Alias
  readonly request?: Partial<TentRequest>
}

/** The moves of a tent. */
export const moves = (
  store: TentStore["Service"],
  transact: Transactor["Service"]["transact"],
  fresh: Fresh["Service"],
) => {
  const accepted = Effect.fnUntraced(function* (wanted: Wanted) {
    const id = TentId.make(yield* fresh.id)
    const change = TentChange.accept({
      idle: null,
      id,
      name: wanted.name ?? "a tent",
      createdByName: "a key",
      userId: wanted.userId ?? null,
      request: {
        prompt: "a page",
        includeBrand: true,
        template: null,
        assetIds: [],
        reasoning: null,
        variables: {},
        aliasTurn: 1,
        autoPublish: wanted.autoPublish ?? false,
        ...wanted.request,
      },
      requestedAlias: wanted.alias ?? null,
      now: wanted.now ?? at(1),
    })
    return { id, change }
  })
  const accept = Effect.fnUntraced(function* (workspace: WorkspaceId, wanted: Wanted) {
    const { change } = yield* accepted(wanted)
    yield* transact(store.apply(workspace, change))
    return change.after ?? (yield* Effect.die("an accepted tent is there"))
  })
  /** The tent after the move; null when there was nothing to do or the tent was deleted. */
  const change = (workspace: WorkspaceId, id: TentId, decide: (tent: Tent) => TentChange | null) =>
    transact(
      Effect.gen(function* () {
        const decided = decide(yield* store.lock(workspace, id))
        if (decided === null) return null
        yield* store.apply(workspace, decided)
        return decided.after
      }),
    )
  const remove = (workspace: WorkspaceId, id: TentId) =>
    change(workspace, id, (tent) => TentChange.remove({ tent, assetIds: [] }, at(60)))
  const completed = Effect.fnUntraced(function* (workspace: WorkspaceId, wanted: Wanted = {}) {
    const { id } = yield* accept(workspace, wanted)
    yield* change(workspace, id, (tent) => TentChange.begin(tent, at(2)))
    const after = yield* change(workspace, id, (tent) => TentChange.complete(tent, html, "sample", at(3)))
    return after ?? (yield* Effect.die("a completed tent is there"))
  })
  const publishAs = (workspace: WorkspaceId, id: TentId, wish: PublishInput) =>
    transact(
      Effect.gen(function* () {
        const tent = yield* store.lock(workspace, id)
        const facts = yield* store.lockPublishing(workspace, id, wish.alias ?? tent.alias)
        const { change: decided } = yield* Effect.fromResult(publish(tent, wish, contextOf(facts)))
        if (decided !== null) yield* store.apply(workspace, decided)
        return decided?.after ?? null
      }),
    )
  const autoPublished = (workspace: WorkspaceId, id: TentId) =>
    transact(
      Effect.gen(function* () {
        const tent = yield* store.lock(workspace, id)
        const done = TentChange.complete(tent, html, "sample", at(6)) ?? (yield* Effect.die("it is being generated"))
        const facts = yield* store.lockPublishing(workspace, id, tent.publication?.requestedAlias ?? null)
        const decided = autoPublish(done, contextOf(facts))
        yield* store.apply(workspace, decided)
        return decided.after
      }),
    )
  return { accepted, accept, change, remove, completed, publishAs, autoPublished }
}
