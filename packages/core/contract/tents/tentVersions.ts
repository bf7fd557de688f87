// Contract tests of the versions and revisions in `TentStore`.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { GenerationId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { encodeText } from "../../src/kernel/Bytes.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { publish, TentChange } from "../../src/tents/machine.ts"
import { PublishedPages } from "../../src/tents/pages/PublishedPages.ts"
import type { NewVersion, Tent } from "../../src/tents/Tent.ts"
import { TentStore } from "../../src/tents/TentStore.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { Fresh } from "../kernel/fresh.ts"
import { at, contextOf, html, moves } from "./tentMoves.ts"

const upload = (text: string): NewVersion => ({ html: text, madeBy: "upload", byName: "Ö key" })

export const tentVersions = <E>(
  name: string,
  live: Layer.Layer<TentStore | PublishedPages | WorkspaceStore | Transactor | Fresh, E>,
) =>
  layer(live, { excludeTestServices: true })(`Versions of tents (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const store = yield* TentStore
      const pages = yield* PublishedPages
      const workspaces = yield* WorkspaceStore
      const { transact } = yield* Transactor
      const fresh = yield* Fresh
      const workspace = yield* fresh.workspace()
      const own = moves(store, transact, fresh)
      const write = (tent: Pick<Tent, "id">, version: NewVersion, ms = 60) =>
        own.change(workspace, tent.id, (before) => Result.getOrThrow(TentChange.write(before, version, at(ms))))
      const revise = Effect.fnUntraced(function* (tent: Pick<Tent, "id">, ms = 70) {
        const request = {
          id: GenerationId.make(yield* fresh.id),
          prompt: "blue",
          createdByName: "a key",
          createdBy: "worker",
        } as const
        return yield* transact(
          Effect.gen(function* () {
            const facts = {
              tent: yield* store.lock(workspace, tent.id),
              latest: yield* store.latestRevision(workspace, tent.id),
            }
            const change = yield* Effect.fromResult(TentChange.revise(facts, request, at(ms)))
            yield* store.apply(workspace, change)
            return change.revision?.after ?? (yield* Effect.die("a revision is in its change"))
          }),
        )
      })
      const settle = (tent: Pick<Tent, "id">, id: GenerationId, outcome: Result.Result<string, string>) =>
        transact(
          Effect.gen(function* () {
            const locked = yield* store.lock(workspace, tent.id)
            const change = TentChange.settleRevision(locked, yield* store.revision(workspace, tent.id, id), outcome, {
              generatedBy: "sample",
              now: at(80),
            })
            if (change !== null) yield* store.apply(workspace, change)
            return change
          }),
        )
      const credits = Effect.map(workspaces.get(workspace), (found) => found.credits)
      return { store, pages, workspace, fresh, transact, credits, ...own, write, revise, settle }
    })
    const numbers = (store: TentStore["Service"], workspace: WorkspaceId, { id }: Pick<Tent, "id">) =>
      Effect.map(store.versions(workspace, id, { after: null, limit: 100 }), ({ items }) =>
        items.map(({ version }) => version),
      )

    it.effect("stores each version with its maker, size and time, and reads the newest first in slices", () =>
      Effect.gen(function* () {
        const { store, workspace, completed, write } = yield* begin
        const tent = yield* completed(workspace)
        const after = yield* write(tent, upload("<p>Ö</p>"))
        assert.deepStrictEqual(yield* store.get(workspace, tent.id), after)
        assert.strictEqual(after?.currentVersion, 2)
        const first = yield* store.versions(workspace, tent.id, { after: null, limit: 1 })
        const second = yield* store.versions(workspace, tent.id, { after: first.next, limit: 1 })
        const bytes = encodeText(html).length
        assert.deepStrictEqual(
          [...first.items, ...second.items],
          [
            { version: 2, madeBy: "upload", byName: "Ö key", size_bytes: 9, createdAt: at(60) },
            { version: 1, madeBy: "generation", byName: "a key", size_bytes: bytes, createdAt: at(3) },
          ],
        )
        assert.strictEqual(second.next, null)
        assert.strictEqual(yield* store.content(workspace, tent.id), "<p>Ö</p>")
        assert.strictEqual(yield* store.html(workspace, tent.id, 1), html)
        assert.strictEqual((yield* Effect.flip(store.html(workspace, tent.id, 3)))._tag, "NotFound")
      }),
    )

    it.effect("creates a tent with its page, and completes an idle or failed one", () =>
      Effect.gen(function* () {
        const { store, workspace, accept, change, transact, write, credits, accepted } = yield* begin
        const { id } = yield* accepted({})
        const asked = { idle: null, id, name: "n", createdByName: "a key", userId: null, requestedAlias: null }
        const created = TentChange.create({ ...asked, html, autoPublish: false, now: at(1) })
        yield* transact(store.apply(workspace, created))
        assert.deepStrictEqual(yield* store.get(workspace, id), created.after)
        assert.strictEqual(yield* store.content(workspace, id), html)
        assert.strictEqual(yield* credits, 1000)
        const failed = yield* accept(workspace, {})
        yield* change(workspace, failed.id, (tent) => TentChange.fail(tent, "no", at(5)))
        const after = yield* write(failed, upload("<p>mended</p>"))
        assert.deepStrictEqual(yield* store.get(workspace, failed.id), after)
        assert.deepStrictEqual([after?.generation.status, after?.currentVersion], ["completed", 1])
      }),
    )

    it.effect("does not change the published page until the tent is published again", () =>
      Effect.gen(function* () {
        const { store, pages, workspace, transact, completed, publishAs, write } = yield* begin
        const tent = yield* completed(workspace)
        yield* publishAs(workspace, tent.id, {})
        const before = yield* pages.getPage(workspace, { by: "id", id: tent.id })
        yield* write(tent, upload("<p>new</p>"))
        assert.deepStrictEqual(yield* pages.getPage(workspace, { by: "id", id: tent.id }), before)
        const written = yield* store.get(workspace, tent.id)
        assert.strictEqual(written.publication?.status === "published" && written.publication.version, 1)
        const outcome = yield* transact(
          Effect.gen(function* () {
            const facts = yield* store.lockPublishing(workspace, tent.id, null)
            const decided = yield* Effect.fromResult(publish(written, {}, { ...contextOf(facts), html: "<p>new</p>" }))
            if (decided.change !== null) yield* store.apply(workspace, decided.change)
            return decided
          }),
        )
        assert.deepStrictEqual(yield* store.get(workspace, tent.id), outcome.change?.after)
        assert.include((yield* pages.getPage(workspace, { by: "id", id: tent.id }))?.html, "<p>new</p>")
      }),
    )

    it.effect("stores versions of concurrent requests one after the other", () =>
      Effect.gen(function* () {
        const { store, workspace, completed, write } = yield* begin
        const tent = yield* completed(workspace)
        yield* Effect.all(
          ["a", "b", "c", "d"].map((text) => write(tent, upload(text))),
          { concurrency: 4 },
        )
        assert.deepStrictEqual(yield* numbers(store, workspace, tent), [5, 4, 3, 2, 1])
      }),
    )

    it.effect("refuses a change that was decided on an older version", () =>
      Effect.gen(function* () {
        const { store, workspace, transact, completed, write } = yield* begin
        const tent = yield* completed(workspace)
        yield* write(tent, upload("a"))
        const stale = Result.getOrThrow(TentChange.write(tent, upload("b"), at(90)))
        assert.strictEqual((yield* Effect.exit(transact(store.apply(workspace, stale))))._tag, "Failure")
        assert.deepStrictEqual(yield* numbers(store, workspace, tent), [2, 1])
      }),
    )

    it.effect("a revision takes a credit, runs alone, and becomes the next version", () =>
      Effect.gen(function* () {
        const { store, workspace, completed, revise, settle, credits } = yield* begin
        const tent = yield* completed(workspace)
        const revision = yield* revise(tent)
        assert.deepStrictEqual(yield* store.revision(workspace, tent.id, revision.id), revision)
        assert.deepStrictEqual(yield* store.latestRevision(workspace, tent.id), revision)
        assert.strictEqual((yield* store.get(workspace, tent.id)).revisionStatus, "generating")
        assert.strictEqual((yield* Effect.flip(revise(tent)))._tag, "GenerationInProgress")
        assert.strictEqual(yield* credits, 998)
        const done = yield* settle(tent, revision.id, Result.succeed("<p>blue</p>"))
        assert.deepStrictEqual(yield* store.get(workspace, tent.id), done?.after)
        assert.strictEqual((yield* store.revision(workspace, tent.id, revision.id)).version, 2)
        assert.strictEqual(yield* store.content(workspace, tent.id), "<p>blue</p>")
        assert.strictEqual(yield* settle(tent, revision.id, Result.fail("late")), null)
        assert.strictEqual(yield* credits, 998)
      }),
    )

    it.effect("a failed revision returns its credit and changes no version, and the next one can start", () =>
      Effect.gen(function* () {
        const { store, workspace, completed, revise, settle, credits } = yield* begin
        const tent = yield* completed(workspace)
        const revision = yield* revise(tent)
        const failed = yield* settle(tent, revision.id, Result.fail("I would rather not"))
        assert.deepStrictEqual(yield* store.get(workspace, tent.id), failed?.after)
        assert.strictEqual((yield* store.revision(workspace, tent.id, revision.id)).error, "I would rather not")
        assert.deepStrictEqual(yield* numbers(store, workspace, tent), [1])
        assert.strictEqual(yield* credits, 999)
        // The clock has gone backwards: the revision is still the latest one.
        const next = yield* revise(tent, 1)
        assert.strictEqual((yield* store.latestRevision(workspace, tent.id))?.id, next.id)
      }),
    )

    it.effect("deletes versions and revisions with the tent, and returns the credit of a revision in progress", () =>
      Effect.gen(function* () {
        const { store, workspace, completed, revise, remove, credits } = yield* begin
        const tent = yield* completed(workspace)
        const revision = yield* revise(tent)
        yield* remove(workspace, tent.id)
        assert.strictEqual(yield* credits, 999)
        assert.deepStrictEqual(yield* numbers(store, workspace, tent), [])
        assert.strictEqual((yield* Effect.flip(store.revision(workspace, tent.id, revision.id)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(store.html(workspace, tent.id, 1)))._tag, "NotFound")
      }),
    )

    it.effect("shows neither versions nor revisions to another workspace or of another tent", () =>
      Effect.gen(function* () {
        const { store, workspace, fresh, completed, revise } = yield* begin
        const [tent, another] = [yield* completed(workspace), yield* completed(workspace)]
        const other = yield* fresh.workspace()
        const { id } = yield* revise(tent)
        assert.deepStrictEqual(yield* numbers(store, other, tent), [])
        for (const attempt of [
          Effect.asVoid(store.html(other, tent.id, 1)),
          Effect.asVoid(store.revision(other, tent.id, id)),
          Effect.asVoid(store.revision(workspace, another.id, id)),
        ]) {
          assert.strictEqual((yield* Effect.flip(attempt))._tag, "NotFound")
        }
        assert.strictEqual(yield* store.latestRevision(other, tent.id), null)
        assert.strictEqual(yield* store.latestRevision(workspace, another.id), null)
      }),
    )
  })
