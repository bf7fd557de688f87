// Contract tests of the port that serves published pages.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { addressPath } from "../../src/tents/pages/PageAddress.ts"
import { PublishedPages } from "../../src/tents/pages/PublishedPages.ts"
import { TentChange } from "../../src/tents/machine.ts"
import { TentStore } from "../../src/tents/TentStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { WorkspaceChange } from "../../src/workspaces/Workspace.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { eventually, settledMark } from "./eventually.ts"
import { Fresh } from "./fresh.ts"
import { alias, at, moves } from "../tents/tentMoves.ts"

export const pages = <E>(
  name: string,
  live: Layer.Layer<TentStore | PublishedPages | WorkspaceStore | Transactor | Fresh, E>,
) =>
  layer(live, { excludeTestServices: true })(`Published pages (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const store = yield* TentStore
      const pages = yield* PublishedPages
      const workspaces = yield* WorkspaceStore
      const { transact } = yield* Transactor
      const fresh = yield* Fresh
      const workspace = yield* fresh.workspace()
      return { store, pages, workspaces, transact, fresh, workspace, ...moves(store, transact, fresh) }
    })

    it.effect("serves published pages by alias and by id, and nothing else", () =>
      Effect.gen(function* () {
        const { pages, workspace, completed, publishAs, change } = yield* begin
        const tent = yield* completed(workspace)
        const byId = { by: "id", id: tent.id } as const
        const byAlias = { by: "alias", alias: alias("shown") } as const
        assert.strictEqual(yield* pages.getPage(workspace, byId), null)
        const live = yield* publishAs(workspace, tent.id, { alias: alias("shown") })
        const page = yield* pages.getPage(workspace, byAlias)
        assert.deepStrictEqual(yield* pages.getPage(workspace, byId), page)
        assert.strictEqual(page?.tentId, tent.id)
        assert.deepStrictEqual(page?.address, byAlias)
        assert.include(page?.html, "<h1>Ö</h1>")
        assert.strictEqual(live?.publication?.status === "published" && live.publication.etag, page?.etag)
        yield* change(workspace, tent.id, (before) => TentChange.unpublish(before, at(9)))
        assert.strictEqual(yield* pages.getPage(workspace, byAlias), null)
        assert.strictEqual(yield* pages.getPage(workspace, byId), null)
      }),
    )

    it.effect("lists published pages by their address, and nothing else", () =>
      Effect.gen(function* () {
        const { pages, workspace, fresh, completed, publishAs, change } = yield* begin
        const [one, two, three] = [
          yield* completed(workspace),
          yield* completed(workspace),
          yield* completed(workspace),
        ]
        for (const { id } of [one, two, three]) yield* publishAs(workspace, id, {})
        yield* publishAs(workspace, two.id, { alias: alias("known") })
        yield* change(workspace, three.id, (before) => TentChange.unpublish(before, at(9)))
        const listed = yield* pages.list(workspace)
        const paths = listed.map(
          ({ address, publishedAt }) => `${addressPath(address)} ${publishedAt.epochMilliseconds}`,
        )
        assert.sameMembers(paths, [`/t/${one.id} 50`, "/known 50"])
        assert.deepStrictEqual(yield* pages.list(yield* fresh.workspace()), [])
      }),
    )

    it.effect("changes the mark of a page as soon as the served page changes, and not before", () =>
      Effect.gen(function* () {
        const { pages, workspace, fresh, completed, publishAs, change } = yield* begin
        const tent = yield* completed(workspace)
        const other = yield* fresh.workspace()
        const marks = [yield* settledMark(pages.version(workspace))]
        const others = yield* pages.version(other)
        assert.strictEqual(yield* pages.version(workspace), marks[0])
        yield* publishAs(workspace, tent.id, {})
        marks.push(yield* pages.version(workspace))
        // The transaction's own notification arrives as well.
        yield* Effect.sleep("100 millis")
        marks.push(yield* pages.version(workspace))
        yield* change(workspace, tent.id, (before) => TentChange.unpublish(before, at(9)))
        marks.push(yield* pages.version(workspace))
        assert.notStrictEqual(marks[0], marks[1])
        assert.notStrictEqual(marks[2], marks[3])
        assert.strictEqual(yield* pages.version(other), others)
      }),
    )

    it.effect("finds a site by its slug with the brand's images, and changes its mark with them", () =>
      Effect.gen(function* () {
        const { store, pages, workspaces, transact, workspace } = yield* begin
        const { slug } = yield* workspaces.get(workspace)
        assert.deepStrictEqual(yield* store.site(workspace), { slug, ownHost: null })
        const host = `${slug}.localhost`
        // The workspace's own name is internal.
        assert.deepStrictEqual(yield* pages.site({ host, slug }), {
          workspaceId: workspace,
          slug,
          ownHost: null,
          name: null,
          primaryColor: null,
          logoUrl: null,
          iconUrl: null,
        })
        assert.strictEqual(yield* pages.site({ host: "unknown.localhost", slug: "unknown" }), null)
        assert.strictEqual(yield* pages.site({ host: "unknown.test", slug: null }), null)
        yield* settledMark(pages.version(workspace))
        const before = yield* pages.version(null)
        yield* transact(
          Effect.gen(function* () {
            const was = yield* workspaces.lock(workspace)
            const brand = { logoUrl: "https://cdn.test/l.png", name: "Acme" }
            yield* workspaces.apply(yield* Effect.fromResult(WorkspaceChange.update(was, { brand }, at(5))))
          }),
        )
        yield* eventually(pages.version(null), (mark) => mark !== before)
        assert.deepInclude(yield* pages.site({ host, slug }), { logoUrl: "https://cdn.test/l.png", name: "Acme" })
      }),
    )
  })
