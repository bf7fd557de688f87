// Contract tests of the audit log.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { AccountStore } from "../../src/accounts/AccountStore.ts"
import type { User } from "../../src/accounts/User.ts"
import { encodeText } from "../../src/kernel/Bytes.ts"
import { ApiKeyId, UserId } from "../../src/kernel/Ids.ts"
import type { ApiKey } from "../../src/workspaces/ApiKey.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { Actor } from "../../src/kernel/changes/Actor.ts"
import { type AuditAction, AuditLog, type AuditQuery } from "../../src/kernel/changes/AuditLog.ts"
import { TentChange } from "../../src/tents/machine.ts"
import { BlastStore } from "../../src/blasts/BlastStore.ts"
import { TentStore } from "../../src/tents/TentStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { furnished } from "../blasts/blastWorld.ts"
import { Fresh } from "./fresh.ts"
import { moves } from "../tents/tentMoves.ts"

const begin = Effect.gen(function* () {
  const log = yield* AuditLog
  const { transact } = yield* Transactor
  const fresh = yield* Fresh
  const workspaceId = yield* fresh.workspace()
  const tell = (action: AuditAction, target = "x") =>
    transact(log.append([{ workspaceId, action, target, details: { n: 1, of: ["ä", null] } }]))
  const all = Effect.map(log.list({ workspaceId, after: null, limit: 100 }), ({ items }) => items)
  return { all, fresh, log, tell, transact, workspaceId }
})

type Needs = AccountStore | AuditLog | WorkspaceStore | Effect.Services<ReturnType<typeof furnished>> | TentStore

export const auditLog = <E>(name: string, live: Layer.Layer<Needs, E>) =>
  layer(live, { excludeTestServices: true })(`AuditLog (${name})`, (it) => {
    it.effect("stores actor, action and target of an entry, and nothing more", () =>
      Effect.gen(function* () {
        const { all, tell, workspaceId } = yield* begin
        yield* tell("key.created", "a key").pipe(Effect.provideService(Actor, "key:tp_live_abcd"))
        yield* tell("key.revoked")
        const entries = yield* all
        const [created, revoked] = ["key.created", "key.revoked"].map((of) =>
          entries.find(({ action }) => action === of),
        )
        assert.deepStrictEqual(
          { ...created, id: "", at: null },
          {
            id: "",
            at: null,
            actor: "key:tp_live_abcd",
            actorName: null,
            targetName: null,
            workspaceId,
            action: "key.created",
            target: "a key",
            details: { n: 1, of: ["ä", null] },
          },
        )
        assert.strictEqual(revoked?.actor, "worker")
      }),
    )

    it.effect("writes no entry for a failed operation", () =>
      Effect.gen(function* () {
        const { all, log, transact, workspaceId } = yield* begin
        const event = { workspaceId, action: "key.created", target: "x", details: {} } as const
        yield* Effect.exit(transact(Effect.andThen(log.append([event]), Effect.fail("no"))))
        yield* transact(log.append([]))
        assert.deepStrictEqual(yield* all, [])
      }),
    )

    it.effect("lists entries page by page, newest first, each once", () =>
      Effect.gen(function* () {
        const { all, log, tell, transact, workspaceId } = yield* begin
        yield* tell("key.created", "first")
        const same = ["a", "b", "c"].map(
          (target) => ({ workspaceId, action: "key.revoked", target, details: {} }) as const,
        )
        yield* transact(log.append(same))
        const whole = yield* all
        const times = whole.map((entry) => entry.at.epochMilliseconds)
        assert.deepStrictEqual(
          times,
          [...times].sort((left, right) => right - left),
        )
        const [one, two] = [
          yield* log.list({ workspaceId, after: null, limit: 3 }),
          yield* log.list({ workspaceId, after: null, limit: 4 }),
        ]
        assert.isNull(two.next)
        const rest = yield* log.list({ workspaceId, after: one.next, limit: 3 })
        assert.deepStrictEqual([...one.items, ...rest.items], whole)
        assert.isNull(rest.next)
      }),
    )

    it.effect("separates the entries of workspaces, and lists those of all without a workspace", () =>
      Effect.gen(function* () {
        const one = yield* begin
        const other = yield* begin
        yield* one.tell("key.created", "mine")
        yield* other.tell("key.created", "theirs")
        assert.deepStrictEqual(
          (yield* one.all).map(({ target }) => target),
          ["mine"],
        )
        const ofAll = yield* one.log.list({ after: null, limit: 2 })
        assert.sameMembers(
          ofAll.items.map(({ target }) => target),
          ["mine", "theirs"],
        )
      }),
    )

    it.effect("lists the entries of an actor, of an action, and of a time", () =>
      Effect.gen(function* () {
        const { all, log, tell, workspaceId } = yield* begin
        const slice = { workspaceId, after: null, limit: 10 }
        const targets = (filter: Partial<AuditQuery>) =>
          Effect.map(log.list({ ...slice, ...filter }), ({ items }) => items.map(({ target }) => target))
        yield* tell("key.created", "one").pipe(Effect.provideService(Actor, "user:1"))
        yield* tell("key.revoked", "two").pipe(Effect.provideService(Actor, "admin"))
        const [last] = yield* all
        const at = last?.at ?? assert.fail("there is an entry")
        assert.deepStrictEqual(yield* targets({ actor: "user:1" }), ["one"])
        assert.deepStrictEqual(yield* targets({ action: "key.revoked" }), ["two"])
        assert.deepStrictEqual(yield* targets({ actor: "user:1", action: "key.revoked" }), [])
        assert.sameMembers([...(yield* targets({ to: DateTime.add(at, { milliseconds: 1 }) }))], ["one", "two"])
        assert.deepStrictEqual(yield* targets({ from: DateTime.add(at, { milliseconds: 1 }) }), [])
        assert.include(yield* targets({ from: at }), last?.target)
      }),
    )

    it.effect("names the user or the key that acted, and the user, key or workspace that was changed", () =>
      Effect.gen(function* () {
        const { all, fresh, tell, transact, workspaceId } = yield* begin
        const id = UserId.make(yield* fresh.id)
        const email = `${id}@example.org`
        const { putUser } = yield* AccountStore
        const ann: User = {
          id,
          name: "Ann Lee",
          email,
          emailNormalized: email,
          passwordHash: null,
          oidcIssuer: null,
          oidcSubject: null,
          operator: false,
          createdAt: DateTime.makeUnsafe(1),
        }
        yield* transact(putUser(ann))
        const key: ApiKey = {
          id: ApiKeyId.make(yield* fresh.id),
          workspaceId,
          name: "Website",
          prefix: "tp_live_efgh",
          role: "owner",
          hash: encodeText(id),
          expiresAt: null,
          revokedAt: null,
          lastUsedAt: null,
          createdAt: DateTime.makeUnsafe(1),
        }
        yield* transact((yield* WorkspaceStore).addKey(key))
        yield* tell("member.changed", id).pipe(Effect.provideService(Actor, `user:${id}`))
        yield* tell("key.created").pipe(Effect.provideService(Actor, "key:tp_live_efgh"))
        yield* tell("key.revoked", key.id).pipe(Effect.provideService(Actor, "cli"))
        yield* tell("workspace.updated", workspaceId)
        const { name } = yield* (yield* WorkspaceStore).get(workspaceId)
        assert.sameDeepMembers(
          (yield* all).map(({ actorName, targetName }) => [actorName, targetName]),
          [
            ["Ann Lee", "Ann Lee"],
            ["Website", null],
            [null, "Website"],
            [null, name],
          ],
        )
      }),
    )

    it.effect("records a launch", () =>
      Effect.gen(function* () {
        const world = yield* furnished()
        const id = yield* world.sending("a", [yield* world.person("ann")])
        const log = yield* AuditLog
        const { items } = yield* log.list({ workspaceId: world.workspace, after: null, limit: 10 })
        const { blast } = yield* (yield* BlastStore).get(world.workspace, id, yield* DateTime.now)
        assert.deepStrictEqual(
          items.map(({ action, target, targetName }) => [action, target, targetName]),
          [["blast.sending", id, blast.name]],
        )
        const ofAll = yield* log.list({ after: null, limit: 1 })
        assert.deepStrictEqual(
          ofAll.items.map(({ target, targetName }) => [target, targetName]),
          [[id, blast.name]],
        )
      }),
    )

    it.effect("records the creation, publication and unpublication of a tent", () =>
      Effect.gen(function* () {
        const { all, fresh, transact, workspaceId } = yield* begin
        const tents = moves(yield* TentStore, transact, fresh)
        const { id } = yield* tents.completed(workspaceId, { userId: "u 7" })
        yield* tents.publishAs(workspaceId, id, { removeBranding: true })
        yield* tents.change(workspaceId, id, (tent) => TentChange.unpublish(tent, DateTime.makeUnsafe(77)))
        assert.sameMembers(
          (yield* all).map(({ action, target }) => `${action} ${target}`),
          [`tent.created ${id}`, `tent.published ${id}`, `tent.unpublished ${id}`],
        )
        const { name } = yield* (yield* TentStore).get(workspaceId, id)
        assert.deepStrictEqual([...new Set((yield* all).map(({ targetName }) => targetName))], [name])
        const created = (yield* all).find(({ action }) => action === "tent.created")
        assert.deepStrictEqual(created?.details, { user_id: "u 7" })
      }),
    )
  })
