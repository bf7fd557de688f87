// Sign-in by an identity: finds the user, or creates the one who was invited or has a role in the claim.
import { DateTime, Effect } from "effect"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { Ids, UserId, type WorkspaceId } from "../../kernel/Ids.ts"
import { Settings } from "../../kernel/Settings.ts"
import type { Role } from "../../workspaces/Role.ts"
import { WorkspaceStore } from "../../workspaces/WorkspaceStore.ts"
import { AccountStore } from "../AccountStore.ts"
import { checkMemberChange } from "../Members.ts"
import { type Identity, nameOf, rolesIn, userOf, verifiedEmail, provedAtOf } from "../oidc/Oidc.ts"
import type { User } from "../User.ts"
import type { SignInOrigin } from "./Credentials.ts"
import type { SignInSteps } from "./SignInSteps.ts"

export const oidcSignIn = Effect.fnUntraced(function* (steps: SignInSteps) {
  const store = yield* AccountStore
  const workspaces = yield* WorkspaceStore
  const ids = yield* Ids
  const { oidc } = yield* Settings
  const { transact } = yield* Transactor

  /** The roles of the claim by workspace, in the order of their locks; null: invitations decide. */
  const grantedBy = Effect.fnUntraced(function* ({ roleClaim }: Identity) {
    if (oidc === null || oidc.roleClaim === null) return null
    const found = yield* Effect.forEach(rolesIn(roleClaim), ([slug, role]) =>
      workspaces.findBySlug(slug).pipe(
        Effect.map(({ id }) => [[id, role] as const]),
        Effect.catchTag("NotFound", () => Effect.succeed([])),
      ),
    )
    return new Map(found.flat().sort(([one], [two]) => (one < two ? -1 : 1)))
  })

  const newUser = Effect.fnUntraced(function* (identity: Identity) {
    const address = verifiedEmail(identity)
    if (address === null) return null
    return {
      id: UserId.make(yield* ids.random),
      name: nameOf(identity, address.written),
      email: address.written,
      emailNormalized: address.normalized,
      passwordHash: null,
      oidcIssuer: identity.issuer,
      oidcSubject: identity.subject,
      operator: false,
      createdAt: yield* DateTime.now,
    } satisfies User
  })

  /** Gives a user the role of the claim in a workspace; null: none. The last owner stays. */
  const assign = Effect.fnUntraced(function* (user: User, workspaceId: WorkspaceId, role: Role | null) {
    const members = yield* store.lockMembers(workspaceId)
    const from = members.find(({ userId }) => userId === user.id)?.role ?? null
    if (from === role) return
    if (from !== null && checkMemberChange(members, user.id, role)._tag === "Failure") return
    if (role === null) yield* store.removeMember(workspaceId, user.id).pipe(Effect.ignore)
    else yield* store.putMember(workspaceId, user.id, { role, at: yield* DateTime.now })
    const action = from === null ? "member.joined" : role === null ? "member.removed" : "member.changed"
    yield* steps.recordIn(workspaceId, action, user, { from, to: role, by: "claim" })
  })

  const synchronize = Effect.fnUntraced(function* (user: User, granted: ReadonlyMap<WorkspaceId, Role>) {
    const before = (yield* store.memberships(user.id)).map(({ workspaceId }) => workspaceId)
    for (const workspaceId of [...new Set([...before, ...granted.keys()])].sort()) {
      yield* assign(user, workspaceId, granted.get(workspaceId) ?? null)
    }
  })

  /** The user of an identity, bound to its subject. Null: refused. */
  const boundUser = Effect.fnUntraced(function* (identity: Identity, isExpected: boolean) {
    const { issuer, subject } = identity
    const address = verifiedEmail(identity)
    const bySubject = yield* store.findUserBySubject(issuer, subject)
    const byAddress = address === null ? null : yield* store.findUserByEmail(address.normalized)
    const existing = userOf(identity, bySubject, byAddress)
    if (existing === undefined) return null
    const user = existing ?? (isExpected ? yield* newUser(identity) : null)
    if (user === null || bySubject !== null) return user
    const bound = { ...user, oidcIssuer: issuer, oidcSubject: subject }
    yield* store.putUser(bound)
    yield* steps.recordAs(bound, "user.bound", { issuer })
    return bound
  })

  const signedIn = Effect.fnUntraced(function* (identity: Identity, origin: SignInOrigin) {
    const granted = yield* grantedBy(identity)
    if (granted?.size === 0) return null
    const address = verifiedEmail(identity)
    const invitations =
      granted === null && address !== null ? yield* store.takeInvitations(address.normalized, yield* DateTime.now) : []
    const user = yield* boundUser(identity, granted !== null || invitations.length > 0)
    if (user === null) return null
    for (const invitation of invitations) yield* steps.join(user, invitation)
    if (granted !== null) yield* synchronize(user, granted)
    return yield* steps.newSession(user, origin, "oidc", provedAtOf(identity, yield* DateTime.now))
  })

  return Effect.fnUntraced(function* (identity: Identity, origin: SignInOrigin) {
    const attempt = { account: null, network: origin.network }
    yield* steps.limit.admit(attempt)
    return (yield* transact(signedIn(identity, origin))) ?? (yield* steps.refuse(attempt))
  })
})
