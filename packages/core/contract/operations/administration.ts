// Contract tests of operator use cases: listings, page domains and the end of a workspace.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { AdministrationStore } from "../../src/operations/administration/AdministrationStore.ts"
import type { PageDomain } from "../../src/workspaces/PageDomain.ts"
import { IdempotencyStore } from "../../src/operations/idempotency/IdempotencyStore.ts"
import { ApiKeyId, PageDomainId } from "../../src/kernel/Ids.ts"
import { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { SuppressionStore } from "../../src/sending/SuppressionStore.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { WorkspaceChange } from "../../src/workspaces/Workspace.ts"
import { eventually, settledMark } from "../kernel/eventually.ts"
import { Fresh } from "../kernel/fresh.ts"
import { PublishedPages } from "../../src/tents/pages/PublishedPages.ts"
import { eventsOf } from "../contacts/notifications.ts"

const at = (ms: number) => DateTime.makeUnsafe(ms)
const first = { after: null, limit: 100 }
const everything = { ...first, search: null, reason: null }

const begin = Effect.gen(function* () {
  const store = yield* AdministrationStore
  const workspaces = yield* WorkspaceStore
  const { transact } = yield* Transactor
  const fresh = yield* Fresh
  const workspace = yield* fresh.workspace()
  const pageDomain = Effect.fnUntraced(function* (domain: string, ms = 1) {
    const made: PageDomain = { id: PageDomainId.make(yield* fresh.id), domain, createdAt: at(ms) }
    return made
  })
  const key = Effect.fnUntraced(function* (ms: number) {
    const id = ApiKeyId.make(yield* fresh.id)
    const hash = Uint8Array.from(id, (character) => character.charCodeAt(0))
    const none = { expiresAt: null, revokedAt: null, lastUsedAt: null }
    const made = {
      ...none,
      id,
      workspaceId: workspace,
      name: "k",
      prefix: "p",
      role: "viewer" as const,
      hash,
      createdAt: at(ms),
    }
    yield* transact(workspaces.addKey(made))
    return made
  })
  const { site } = yield* PublishedPages
  const atHost = (host: string) => Effect.map(site({ host, slug: null }), (found) => found?.workspaceId ?? null)
  return { atHost, fresh, key, pageDomain, store, transact, workspace, workspaces }
})

type Needs =
  | AdministrationStore
  | Fresh
  | IdempotencyStore
  | Outbox
  | PublishedPages
  | SuppressionStore
  | Transactor
  | WorkspaceStore

export const administration = <E>(name: string, live: Layer.Layer<Needs, E>) =>
  layer(live, { excludeTestServices: true })(`Administration (${name})`, (it) => {
    it.effect("lists newest first, page by page, ties by id", () =>
      Effect.gen(function* () {
        const { key, store, workspace } = yield* begin
        const made = [yield* key(1), yield* key(3), yield* key(2), yield* key(3)]
        const wanted = made
          .map(({ createdAt, id }) => [-createdAt.epochMilliseconds, id] as const)
          .sort(([a, one], [b, two]) => a - b || (one < two ? -1 : 1))
          .map(([, id]) => id)
        const one = yield* store.keys(workspace, { after: null, limit: 3 })
        const two = yield* store.keys(workspace, { after: one.next, limit: 3 })
        assert.deepStrictEqual(
          [...one.items, ...two.items].map(({ id }) => id),
          wanted,
        )
        assert.isNull(two.next)
        const ids = (yield* store.workspaces(first)).items.map(({ id }) => id)
        assert.strictEqual(ids.filter((id) => id === workspace).length <= 1, true)
      }),
    )

    it.effect("stores the time of the first revocation of a key", () =>
      Effect.gen(function* () {
        const { key, store, transact, workspace, workspaces } = yield* begin
        const { id } = yield* key(1)
        yield* transact(workspaces.revokeKey(workspace, id, at(2_000)))
        yield* transact(workspaces.revokeKey(workspace, id, at(3_000)))
        const { items } = yield* store.keys(workspace, first)
        assert.strictEqual(items[0]?.revokedAt?.epochMilliseconds, 2_000)
      }),
    )

    it.effect("gives a page domain to one of several concurrent requests", () =>
      Effect.gen(function* () {
        const { atHost, fresh, pageDomain, store, transact } = yield* begin
        const host = `pages-${yield* fresh.id}.test`
        const add = Effect.gen(function* () {
          const workspace = yield* fresh.workspace()
          return yield* Effect.result(
            Effect.as(transact(store.addPageDomain(workspace, yield* pageDomain(host))), workspace),
          )
        })
        const all = yield* Effect.all([add, add, add, add], { concurrency: 4 })
        const won = all.flatMap((each) => (each._tag === "Success" ? [each.success] : []))
        const lost = all.flatMap((each) => (each._tag === "Failure" ? [each.failure._tag] : []))
        assert.deepStrictEqual([won.length, lost], [1, ["PageDomainTaken", "PageDomainTaken", "PageDomainTaken"]])
        assert.strictEqual(yield* atHost(host), won[0])
      }),
    )

    it.effect("frees a removed page domain, which another workspace cannot remove", () =>
      Effect.gen(function* () {
        const { atHost, fresh, pageDomain, store, transact, workspace } = yield* begin
        const other = yield* fresh.workspace()
        const domain = yield* pageDomain(`pages-${yield* fresh.id}.test`)
        yield* transact(store.addPageDomain(workspace, domain))
        assert.deepStrictEqual((yield* store.pageDomains(workspace, first)).items, [domain])
        assert.deepStrictEqual((yield* store.pageDomains(other, first)).items, [])
        assert.strictEqual((yield* Effect.flip(transact(store.removePageDomain(other, domain.id))))._tag, "NotFound")
        assert.deepStrictEqual(yield* transact(store.removePageDomain(workspace, domain.id)), domain)
        assert.isNull(yield* atHost(domain.domain))
        yield* transact(store.addPageDomain(other, yield* pageDomain(domain.domain)))
      }),
    )

    it.effect("hides a retired workspace and frees its slug and hosts", () =>
      Effect.gen(function* () {
        const { atHost, fresh, key, pageDomain, store, transact, workspace, workspaces } = yield* begin
        const made = yield* key(1)
        const { slug } = yield* workspaces.get(workspace)
        const domain = yield* pageDomain(`pages-${yield* fresh.id}.test`)
        yield* transact(store.addPageDomain(workspace, domain))
        yield* transact(store.retire(workspace, at(5)))
        for (const found of [
          workspaces.get(workspace),
          workspaces.findBySlug(slug),
          workspaces.findKey(made.hash, at(2)),
          transact(workspaces.lock(workspace)),
          transact(store.retire(workspace, at(6))),
        ]) {
          assert.strictEqual((yield* Effect.flip(Effect.asVoid(found)))._tag, "NotFound")
        }
        assert.isNull(yield* atHost(domain.domain))
        assert.isFalse((yield* store.workspaces(first)).items.some(({ id }) => id === workspace))
        const next = yield* fresh.workspace({ slug })
        yield* transact(store.addPageDomain(next, domain))
      }),
    )

    it.effect("reports an added and a removed page domain and a retired workspace to caches of pages", () =>
      Effect.gen(function* () {
        const { fresh, pageDomain, store, transact, workspace } = yield* begin
        const domain = yield* pageDomain(`pages-${yield* fresh.id}.test`)
        const { version } = yield* PublishedPages
        yield* settledMark(version(null))
        const isReported = <A, E>(change: Effect.Effect<A, E>) =>
          Effect.gen(function* () {
            const before = yield* version(null)
            yield* change
            yield* eventually(version(null), (mark) => mark !== before)
          })
        yield* isReported(transact(store.addPageDomain(workspace, domain)))
        yield* isReported(transact(store.removePageDomain(workspace, domain.id)))
        yield* isReported(transact(store.retire(workspace, at(5))))
      }),
    )

    it.effect("erases everything of a workspace and nothing of another", () =>
      Effect.gen(function* () {
        const { fresh, store, transact, workspace } = yield* begin
        const keys = yield* IdempotencyStore
        const suppressions = yield* SuppressionStore
        const outbox = yield* Outbox
        const other = yield* fresh.workspace()
        const claim = { holder: yield* fresh.id, lease_ms: 3_600_000, retention_ms: 3_600_000, bodyHash: null }
        const event = { type: "x", contactId: null, at: at(1), data: {} }
        for (const each of [workspace, other]) {
          yield* transact(suppressions.suppress(each, { email: "a@x.test", reason: "manual", createdAt: at(1) }))
          yield* transact(keys.claim(each, new Uint8Array(32), claim))
          yield* transact(outbox.append(each, [event]))
        }
        yield* transact(store.retire(workspace, at(5)))
        yield* Effect.all([store.erase(workspace), store.erase(workspace)], { concurrency: 2 })
        yield* store.erase(workspace)
        assert.strictEqual((yield* suppressions.list(workspace, everything)).items.length, 0)
        assert.strictEqual((yield* suppressions.list(other, everything)).items.length, 1)
        assert.strictEqual((yield* transact(keys.claim(other, new Uint8Array(32), claim)))._tag, "Running")
        assert.strictEqual((yield* eventsOf(other)).length, 1)
      }),
    )

    it.effect("finds nothing to update in a workspace that was retired meanwhile", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, workspaces } = yield* begin
        const before = yield* workspaces.get(workspace)
        yield* transact(store.retire(workspace, at(5)))
        const late = transact(
          Effect.gen(function* () {
            yield* workspaces.lock(workspace)
            yield* workspaces.apply(yield* Effect.fromResult(WorkspaceChange.update(before, { credits: 1 }, at(6))))
          }),
        )
        assert.strictEqual((yield* Effect.flip(late))._tag, "NotFound")
      }),
    )
  })
