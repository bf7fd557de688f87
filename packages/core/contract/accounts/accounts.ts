// Contract tests of users, members, sessions and one-time links.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { AccountStore } from "../../src/accounts/AccountStore.ts"
import type { Session } from "../../src/accounts/Session.ts"
import type { Invitation } from "../../src/accounts/SignInLink.ts"
import type { User } from "../../src/accounts/User.ts"
import { SessionId, SignInLinkId, UserId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { AdministrationStore } from "../../src/operations/administration/AdministrationStore.ts"
import { Fresh } from "../kernel/fresh.ts"

const at = (ms: number) => DateTime.makeUnsafe(ms)
const all = { after: null, limit: 100 }

const begin = Effect.gen(function* () {
  const store = yield* AccountStore
  const { transact } = yield* Transactor
  const fresh = yield* Fresh
  const workspace = yield* fresh.workspace()
  const hash = Effect.map(fresh.id, (id) =>
    Uint8Array.from(id.replaceAll("-", ""), (character) => character.charCodeAt(0)),
  )

  const user = Effect.fnUntraced(function* (fields: Partial<User> = {}) {
    const id = UserId.make(yield* fresh.id)
    const made: User = {
      id,
      name: "Ann",
      email: `Ann.${id}@Example.org`,
      emailNormalized: `ann.${id}@example.org`,
      passwordHash: "scrypt$1",
      oidcIssuer: null,
      oidcSubject: null,
      operator: false,
      createdAt: at(5),
      ...fields,
    }
    yield* transact(store.putUser(made))
    return made
  })
  const session = Effect.fnUntraced(function* (of: User, ms = 1) {
    const made: Session = {
      id: SessionId.make(yield* fresh.id),
      userId: of.id,
      hash: yield* hash,
      agent: "Browser/1 ä",
      createdAt: at(ms),
      provedAt: at(ms + 1),
      seenAt: at(ms),
      expiresAt: at(9_000),
    }
    yield* transact(store.addSession(made))
    return made
  })
  const invitation = Effect.fnUntraced(function* (ms = 1, of: WorkspaceId = workspace, name = "bob") {
    const made: Invitation = {
      id: SignInLinkId.make(yield* fresh.id),
      purpose: "invitation",
      hash: yield* hash,
      email: `${name.toUpperCase()}@example.org`,
      emailNormalized: `${name}@example.org`,
      workspaceId: of,
      role: "sender",
      createdAt: at(ms),
      expiresAt: at(1_000),
    }
    yield* transact(store.addLink(made))
    return made
  })
  const join = (of: User, role: "owner" | "viewer", ms = 1) =>
    transact(store.putMember(workspace, of.id, { role, at: at(ms) }))
  return { fresh, invitation, join, session, store, transact, user, workspace }
})

/** Two calls side by side. */
const bySide = <A, E, R>(one: Effect.Effect<A, E, R>, two: Effect.Effect<A, E, R>) =>
  Effect.all([one, two], { concurrency: 2 })

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onSuccess: () => "succeeded", onFailure: ({ _tag }) => _tag })

type Needs = AccountStore | AdministrationStore | Fresh | Transactor

export const accounts = <E>(name: string, live: Layer.Layer<Needs, E>) =>
  layer(live, { excludeTestServices: true })(`AccountStore (${name})`, (it) => {
    it.effect("finds a user by address, and replaces all fields but the creation", () =>
      Effect.gen(function* () {
        const { store, transact, user } = yield* begin
        const ann = yield* user()
        assert.deepStrictEqual(yield* store.findUserByEmail(ann.emailNormalized), ann)
        assert.isNull(yield* store.findUserByEmail("nobody@example.org"))
        assert.isTrue(yield* store.hasUsers)
        const changed = { ...ann, name: "Ann Lee", passwordHash: null, operator: true }
        yield* transact(store.putUser({ ...changed, createdAt: at(77) }))
        assert.deepStrictEqual(yield* transact(store.lockUser(ann.id)), changed)
        assert.include(
          (yield* store.users(10_000)).map(({ id }) => id),
          ann.id,
        )
      }),
    )

    it.effect("gives an address to one of two users that are created at once", () =>
      Effect.gen(function* () {
        const { fresh, user } = yield* begin
        const emailNormalized = `${yield* fresh.id}@example.org`
        const tags = yield* bySide(tagOf(user({ emailNormalized })), tagOf(user({ emailNormalized })))
        assert.deepStrictEqual([...tags].sort(), ["EmailTaken", "succeeded"])
      }),
    )

    it.effect("finds a user by the identity provider's id, which one of two users gets", () =>
      Effect.gen(function* () {
        const { fresh, store, user } = yield* begin
        const bound = { oidcIssuer: "https://login.example.org", oidcSubject: yield* fresh.id }
        const tags = yield* bySide(tagOf(user(bound)), tagOf(user(bound)))
        assert.deepStrictEqual([...tags].sort(), ["EmailTaken", "succeeded"])
        assert.deepInclude(yield* store.findUserBySubject(bound.oidcIssuer, bound.oidcSubject), bound)
        assert.isNull(yield* store.findUserBySubject("https://other.example.org", bound.oidcSubject))
      }),
    )

    it.effect("finds a session with its user by hash, and stores the last request", () =>
      Effect.gen(function* () {
        const { session, store, transact, user } = yield* begin
        const ann = yield* user()
        const made = yield* session(ann)
        assert.deepStrictEqual(yield* store.findSession(made.hash), { session: made, user: ann })
        yield* transact(store.touchSession(made.id, at(70)))
        yield* transact(store.touchSession(made.id, at(60)))
        assert.deepStrictEqual((yield* store.findSession(made.hash)).session.seenAt, at(70))
        assert.strictEqual(yield* tagOf(store.findSession(new Uint8Array(32))), "NotFound")
      }),
    )

    it.effect("ends a session of its user only, or all of a user", () =>
      Effect.gen(function* () {
        const { session, store, transact, user } = yield* begin
        const [ann, bob] = [yield* user(), yield* user()]
        const made = [yield* session(ann, 1), yield* session(ann, 3), yield* session(ann, 2)]
        const other = yield* session(bob)
        const order = Effect.map(store.sessions(ann.id), (sessions) => sessions.map(({ id }) => id))
        assert.deepStrictEqual(yield* order, [made[1]?.id, made[2]?.id, made[0]?.id])
        assert.strictEqual(yield* tagOf(transact(store.endSession(ann.id, other.id))), "NotFound")
        yield* transact(store.endSession(bob.id, other.id))
        assert.strictEqual(yield* tagOf(store.findSession(other.hash)), "NotFound")
        yield* transact(store.endSessions(ann.id))
        assert.deepStrictEqual(yield* order, [])
      }),
    )

    it.effect("gives a link to one of two callers, and to none after it expired", () =>
      Effect.gen(function* () {
        const { invitation, store, transact } = yield* begin
        const link = yield* invitation()
        assert.deepInclude(yield* store.findLink(link.hash, at(999)), link)
        assert.strictEqual(yield* tagOf(store.findLink(link.hash, at(1_000))), "NotFound")
        assert.strictEqual(yield* tagOf(transact(store.takeLink(link.hash, at(1_000)))), "NotFound")
        const take = tagOf(transact(store.takeLink(link.hash, at(999))))
        assert.deepStrictEqual([...(yield* bySide(take, take))].sort(), ["NotFound", "succeeded"])
      }),
    )

    it.effect("lists a workspace's invitations, and removes one of it only", () =>
      Effect.gen(function* () {
        const { fresh, invitation, store, transact, workspace } = yield* begin
        const other = yield* fresh.workspace()
        const made = [yield* invitation(1), yield* invitation(3)]
        const foreign = yield* invitation(2, other)
        const listed = yield* store.invitations(workspace, { ...all, at: at(999) })
        assert.deepStrictEqual(
          listed.items.map(({ id }) => id),
          [made[1]?.id, made[0]?.id],
        )
        const later = yield* store.invitations(workspace, { ...all, at: at(1_000) })
        assert.deepStrictEqual(later.items, [])
        assert.strictEqual(yield* tagOf(transact(store.removeInvitation(workspace, foreign.id))), "NotFound")
        assert.deepInclude(yield* transact(store.removeInvitation(other, foreign.id)), { role: "sender" })
        assert.strictEqual(yield* tagOf(store.findLink(foreign.hash, at(1))), "NotFound")
      }),
    )

    it.effect("takes the invitations of an address that have not expired", () =>
      Effect.gen(function* () {
        const { fresh, invitation, store, transact, workspace } = yield* begin
        const other = yield* fresh.workspace()
        const name = yield* fresh.id
        const made = [yield* invitation(1, workspace, name), yield* invitation(2, other, name)]
        const foreign = yield* invitation(1)
        const take = (ms: number) => transact(store.takeInvitations(`${name}@example.org`, at(ms)))
        assert.deepStrictEqual(yield* take(1_000), [])
        const ids = (yield* take(999)).map(({ id }) => id)
        assert.sameMembers(
          ids,
          made.map(({ id }) => id),
        )
        assert.deepStrictEqual(yield* take(999), [])
        assert.strictEqual(yield* tagOf(store.findLink(foreign.hash, at(1))), "succeeded")
      }),
    )

    it.effect("knows a member's workspaces by id and slug, until they are deleted", () =>
      Effect.gen(function* () {
        const { join, store, transact, user, workspace } = yield* begin
        const [ann, bob] = [yield* user(), yield* user()]
        yield* join(ann, "viewer")
        yield* join(ann, "owner", 9)
        const [membership] = yield* store.memberships(ann.id)
        assert.deepInclude(membership, { workspaceId: workspace, role: "owner" })
        for (const named of [workspace, membership?.slug ?? ""]) {
          const { role, workspace: found } = yield* store.findMember(ann.id, named)
          assert.deepStrictEqual([role, found.id], ["owner", workspace])
          assert.strictEqual(yield* tagOf(store.findMember(bob.id, named)), "NotFound")
        }
        const { retire } = yield* AdministrationStore
        yield* transact(retire(workspace, at(10)))
        assert.deepStrictEqual(yield* store.memberships(ann.id), [])
        assert.strictEqual(yield* tagOf(store.findMember(ann.id, workspace)), "NotFound")
      }),
    )

    it.effect("lists members with their last request, and removes one", () =>
      Effect.gen(function* () {
        const { join, session, store, transact, user, workspace } = yield* begin
        const [ann, bob] = [yield* user(), yield* user({ name: "Bob" })]
        yield* join(ann, "owner", 1)
        yield* join(bob, "viewer", 2)
        yield* session(ann, 50)
        const { items } = yield* store.members(workspace, all)
        assert.deepStrictEqual(yield* store.getMember(workspace, ann.id), items[1])
        assert.deepStrictEqual(items, [
          { id: bob.id, name: "Bob", email: bob.email, role: "viewer", createdAt: at(2), seenAt: null },
          { id: ann.id, name: "Ann", email: ann.email, role: "owner", createdAt: at(1), seenAt: at(50) },
        ])
        assert.sameDeepMembers(
          [...(yield* transact(store.lockMembers(workspace)))],
          [
            { userId: ann.id, role: "owner" },
            { userId: bob.id, role: "viewer" },
          ],
        )
        yield* transact(store.removeMember(workspace, bob.id))
        assert.strictEqual(yield* tagOf(transact(store.removeMember(workspace, bob.id))), "NotFound")
        assert.strictEqual(yield* tagOf(store.getMember(workspace, bob.id)), "NotFound")
      }),
    )
  })
