// The creation of one-time links. Each returns the token of the link, which is not stored.
import { DateTime, Effect } from "effect"
import { AuditLog } from "../kernel/changes/AuditLog.ts"
import { Ids, SignInLinkId, type WorkspaceId } from "../kernel/Ids.ts"
import { NotFound } from "../kernel/Refusal.ts"
import { Secrets } from "../kernel/Secrets.ts"
import type { Role } from "../workspaces/Role.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { AccountStore } from "./AccountStore.ts"
import { newToken, tokenHash } from "./Session.ts"
import { first_link_minutes, invitation_minutes, type LinkPurpose, recovery_link_minutes } from "./SignInLink.ts"
import { checkUserEmail } from "./User.ts"

export const signInLinks = Effect.gen(function* () {
  const store = yield* AccountStore
  const workspaces = yield* WorkspaceStore
  const secrets = yield* Secrets
  const ids = yield* Ids
  const audit = yield* AuditLog
  const newLinkToken = newToken.pipe(Effect.provideService(Secrets, secrets))

  const add = Effect.fnUntraced(function* <Purpose extends LinkPurpose>(what: Purpose, minutes: number) {
    const raw = yield* newLinkToken
    const now = yield* DateTime.now
    const expiresAt = DateTime.add(now, { minutes })
    const id = SignInLinkId.make(yield* ids.next)
    const link = { ...what, id, hash: tokenHash(secrets, raw), createdAt: now, expiresAt }
    yield* store.addLink(link)
    return { link, token: raw }
  })

  return {
    /** Replaces earlier links of the first start. Null if there are users. */
    first: Effect.gen(function* () {
      if (yield* store.hasUsers) return null
      yield* store.removeFirstLinks
      return (yield* add({ purpose: "first" }, first_link_minutes)).token
    }),

    recovery: Effect.fnUntraced(function* (normalized: string) {
      const user = (yield* store.findUserByEmail(normalized)) ?? (yield* new NotFound({ resource: "user" }))
      return (yield* add({ purpose: "recovery", email: user.email, userId: user.id }, recovery_link_minutes)).token
    }),

    invitation: Effect.fnUntraced(function* (
      workspaceId: WorkspaceId,
      invited: { readonly email: string; readonly role: Role },
    ) {
      const { normalized: emailNormalized, written: email } = yield* Effect.fromResult(checkUserEmail(invited.email))
      const { role } = invited
      yield* workspaces.lock(workspaceId)
      const purpose = { purpose: "invitation", email, emailNormalized, workspaceId, role } as const
      const { link: invitation, token } = yield* add(purpose, invitation_minutes)
      yield* audit.append([{ workspaceId, action: "member.invited", target: invitation.id, details: { role } }])
      return { invitation, token }
    }),
  }
})
