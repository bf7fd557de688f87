// Contract tests of `WorkspaceStore`.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, type Layer } from "effect"
import { ApiKeyId, DomainId, WorkspaceId } from "../../src/kernel/Ids.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import type { ApiKey } from "../../src/workspaces/ApiKey.ts"
import type { SendingDomain } from "../../src/workspaces/SendingDomain.ts"
import { plans, WorkspaceChange } from "../../src/workspaces/Workspace.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { Fresh } from "../kernel/fresh.ts"

const at = (ms: number) => DateTime.makeUnsafe(ms)

export const workspaces = <E>(name: string, live: Layer.Layer<WorkspaceStore | Transactor | Fresh, E>) =>
  layer(live, { excludeTestServices: true })(`WorkspaceStore (${name})`, (it) => {
    const begin = Effect.gen(function* () {
      const fresh = yield* Fresh
      return { store: yield* WorkspaceStore, ...(yield* Transactor), fresh, workspace: yield* fresh.workspace() }
    })

    const keyOf = Effect.fnUntraced(function* (workspace: WorkspaceId) {
      const id = ApiKeyId.make(yield* (yield* Fresh).id)
      const key: ApiKey = {
        id,
        workspaceId: workspace,
        name: "a key",
        prefix: "tp_live_abcd",
        role: "editor",
        hash: Uint8Array.from(id.replaceAll("-", ""), (character) => character.charCodeAt(0)),
        expiresAt: at(5_000),
        revokedAt: null,
        lastUsedAt: null,
        createdAt: at(1_234),
      }
      return key
    })

    const domainOf = Effect.fnUntraced(function* (domain: string) {
      const made: SendingDomain = {
        id: DomainId.make(yield* (yield* Fresh).id),
        domain,
        status: "pending",
        dkimSelector: "tentpole",
        dkimPublicKey: "AAAA",
        dkimPrivateKeySealed: Uint8Array.of(1, 2, 3),
        verifiedAt: null,
        createdAt: at(1_000),
      }
      return made
    })

    it.effect("reads a workspace as it was written, by id and by slug", () =>
      Effect.gen(function* () {
        const { store, transact, fresh } = yield* begin
        const id = WorkspaceId.make(yield* fresh.id)
        const change = yield* Effect.fromResult(
          WorkspaceChange.create(
            id,
            {
              name: "Äcme",
              slug: `acme-${id}`,
              plan: "pro",
              credits: 7,
              timeZone: "Europe/Zurich",
              defaultCountry: "CH",
              postalAddress: "1 Way",
              senderDefaults: { fromName: "A" },
              brand: { primaryColor: "#123456" },
              sendingPerSecond: 9,
              fourEyes: true,
            },
            at(1_234),
          ),
        )
        yield* transact(store.apply(change))
        assert.deepStrictEqual(yield* store.get(id), change.after)
        assert.deepStrictEqual(yield* store.findBySlug(change.after.slug), change.after)
        assert.isNotNull(yield* store.findFirst)
        assert.deepStrictEqual(yield* store.overviewFacts(id), { plan: plans.pro, pageDomain: null })
      }),
    )

    it.effect("writes a change over the old values", () =>
      Effect.gen(function* () {
        const { store, transact, workspace } = yield* begin
        const after = yield* transact(
          Effect.gen(function* () {
            const before = yield* store.lock(workspace)
            const change = yield* Effect.fromResult(
              WorkspaceChange.update(before, { name: "other", credits: 3, sendingPerSecond: null }, at(9_000)),
            )
            yield* store.apply(change)
            return change.after
          }),
        )
        assert.deepStrictEqual(yield* store.get(workspace), after)
      }),
    )

    it.effect("refuses one of two concurrent workspaces with the same slug", () =>
      Effect.gen(function* () {
        const { store, transact, fresh } = yield* begin
        const slug = `same-${yield* fresh.id}`
        const make = Effect.gen(function* () {
          const id = WorkspaceId.make(yield* fresh.id)
          const change = yield* Effect.fromResult(WorkspaceChange.create(id, { name: "x", slug }, at(0)))
          return yield* Effect.result(transact(store.apply(change)))
        })
        const all = yield* Effect.all([make, make, make], { concurrency: 3 })
        assert.deepStrictEqual(all.map((each) => each._tag).sort(), ["Failure", "Failure", "Success"])
      }),
    )

    it.effect("writes nothing when the transaction fails", () =>
      Effect.gen(function* () {
        const { store, transact, workspace } = yield* begin
        const key = yield* keyOf(workspace)
        yield* Effect.exit(transact(Effect.andThen(store.addKey(key), Effect.fail("no"))))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(store.findKey(key.hash, at(3_000)))))
      }),
    )

    it.effect("finds a key by its hash with its workspace until it is revoked or expires", () =>
      Effect.gen(function* () {
        const { store, transact, workspace } = yield* begin
        const key = yield* keyOf(workspace)
        const short = { ...(yield* keyOf(workspace)), expiresAt: at(2_000) }
        for (const each of [key, short]) yield* transact(store.addKey(each))
        const found = yield* store.findKey(key.hash, at(4_999))
        assert.deepStrictEqual(
          { ...found.key, hash: Array.from(found.key.hash) },
          { ...key, hash: Array.from(key.hash) },
        )
        assert.strictEqual(found.workspace.id, workspace)
        assert.strictEqual((yield* store.findKey(short.hash, at(1_999))).key.id, short.id)
        assert.strictEqual((yield* Effect.flip(store.findKey(short.hash, at(2_000))))._tag, "NotFound")
        yield* transact(store.revokeKey(workspace, key.id, at(2_000)))
        yield* transact(store.revokeKey(workspace, key.id, at(3_000)))
        assert.strictEqual((yield* Effect.flip(store.findKey(key.hash, at(1_000))))._tag, "NotFound")
      }),
    )

    it.effect("moves a key's last use only forward", () =>
      Effect.gen(function* () {
        const { store, transact, workspace } = yield* begin
        const key = yield* keyOf(workspace)
        yield* transact(store.addKey(key))
        yield* transact(store.touchKey(workspace, key.id, at(2_000)))
        yield* transact(store.touchKey(workspace, key.id, at(1_000)))
        assert.strictEqual((yield* store.findKey(key.hash, at(3_000))).key.lastUsedAt?.epochMilliseconds, 2_000)
      }),
    )

    it.effect("neither shows nor changes keys and domains of another workspace", () =>
      Effect.gen(function* () {
        const { store, transact, workspace, fresh } = yield* begin
        const other = yield* fresh.workspace()
        const key = yield* keyOf(workspace)
        const domain = yield* domainOf("a.test")
        yield* transact(Effect.andThen(store.addKey(key), store.putDomain(workspace, domain)))
        assert.deepStrictEqual(yield* store.domains(other), [])
        assert.strictEqual((yield* Effect.flip(transact(store.revokeKey(other, key.id, at(0)))))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(transact(store.removeDomain(other, domain.id))))._tag, "NotFound")
        assert.strictEqual((yield* store.domains(workspace)).length, 1)
      }),
    )

    it.effect("creates, verifies and removes a domain", () =>
      Effect.gen(function* () {
        const { store, transact, workspace } = yield* begin
        const domain = yield* domainOf("b.test")
        yield* transact(store.putDomain(workspace, domain))
        yield* transact(store.putDomain(workspace, { ...domain, status: "verified", verifiedAt: at(7_777) }))
        const [found] = yield* store.domains(workspace)
        assert.strictEqual(found?.status, "verified")
        assert.strictEqual(found?.verifiedAt?.epochMilliseconds, 7_777)
        assert.deepStrictEqual(Array.from(found?.dkimPrivateKeySealed ?? []), [1, 2, 3])
        yield* transact(store.removeDomain(workspace, domain.id))
        assert.deepStrictEqual(yield* store.domains(workspace), [])
      }),
    )
  })
