// The use cases of owners: the members of a workspace, their roles, and invitations.
import { Context, DateTime, Effect, Layer, Result, Schema } from "effect"
import { type AuditAction, AuditLog } from "../kernel/changes/AuditLog.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import type { SignInLinkId, UserId, WorkspaceId } from "../kernel/Ids.ts"
import {
  type BrokenCursor,
  type Listed,
  listed,
  type ListedBy,
  type Sliced,
  sliceOf,
  type SliceQuery,
} from "../kernel/Page.ts"
import { type Invalid, NotFound, refusalClass } from "../kernel/Refusal.ts"
import type { Role } from "../workspaces/Role.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { AccountStore, type MemberRow } from "./AccountStore.ts"
import type { Invitation } from "./SignInLink.ts"
import { signInLinks } from "./SignInLinks.ts"

export class LastOwner extends refusalClass<LastOwner>()("LastOwner", {
  code: "last_owner",
  fields: { userId: Schema.String },
  message: () => "This is the last owner of the workspace. Make another member an owner first",
}) {}

type Listing<A> = (workspace: WorkspaceId, by: ListedBy) => Effect.Effect<Listed<A>, BrokenCursor | NotFound>

interface MemberRole {
  readonly userId: UserId
  readonly role: Role
}

/** The member's role before a change to `role`; null: the member is removed. A workspace keeps an owner. */
export const checkMemberChange = (
  members: ReadonlyArray<MemberRole>,
  userId: UserId,
  role: Role | null,
): Result.Result<Role, NotFound | LastOwner> => {
  const before = members.find((member) => member.userId === userId)
  if (before === undefined) return Result.fail(new NotFound({ resource: "member" }))
  const owners = members.filter((member) => member.role === "owner")
  return role !== "owner" && before.role === "owner" && owners.length === 1
    ? Result.fail(new LastOwner({ userId }))
    : Result.succeed(before.role)
}

export class Members extends Context.Service<
  Members,
  {
    readonly list: Listing<MemberRow>
    readonly update: (
      workspace: WorkspaceId,
      user: UserId,
      role: Role,
    ) => Effect.Effect<MemberRow, NotFound | LastOwner>
    readonly delete: (workspace: WorkspaceId, user: UserId) => Effect.Effect<void, NotFound | LastOwner>
    /** Unused invitations that have not expired. */
    readonly invitations: Listing<Invitation>
    /** A link that makes the person with this address a member. Its token is returned once. */
    readonly invite: (
      workspace: WorkspaceId,
      invited: { readonly email: string; readonly role: Role },
    ) => Effect.Effect<{ readonly invitation: Invitation; readonly token: string }, NotFound | Invalid>
    readonly uninvite: (workspace: WorkspaceId, invitation: SignInLinkId) => Effect.Effect<void, NotFound>
  }
>()("tentpole/Members") {
  static readonly layer = Layer.effect(
    Members,
    Effect.gen(function* () {
      const store = yield* AccountStore
      const workspaces = yield* WorkspaceStore
      const audit = yield* AuditLog
      const { transact } = yield* Transactor
      const links = yield* signInLinks

      const record = (
        workspaceId: WorkspaceId,
        action: AuditAction,
        target: string,
        details: Readonly<Record<string, unknown>>,
      ) => audit.append([{ workspaceId, action, target, details }])

      const ofWorkspace = <A>(
        list: (workspace: WorkspaceId, query: SliceQuery) => Effect.Effect<Sliced<A>>,
      ): Listing<A> =>
        Effect.fnUntraced(function* (workspace, by) {
          yield* workspaces.get(workspace)
          return listed(yield* list(workspace, yield* sliceOf(by)))
        })

      /** The role before the change, with the members locked. */
      const before = Effect.fnUntraced(function* (workspace: WorkspaceId, user: UserId, role: Role | null) {
        yield* workspaces.lock(workspace)
        return yield* Effect.fromResult(checkMemberChange(yield* store.lockMembers(workspace), user, role))
      })

      return Members.of({
        list: ofWorkspace(store.members),

        update: Effect.fn("Members.update")(function* (workspace, user, role) {
          const from = yield* before(workspace, user, role)
          if (from !== role) {
            yield* store.putMember(workspace, user, { role, at: yield* DateTime.now })
            yield* record(workspace, "member.changed", user, { from, to: role })
          }
          return yield* store.getMember(workspace, user)
        }, transact),

        delete: Effect.fn("Members.delete")(function* (workspace, user) {
          const role = yield* before(workspace, user, null)
          yield* store.removeMember(workspace, user)
          yield* record(workspace, "member.removed", user, { role })
        }, transact),

        invitations: ofWorkspace(
          Effect.fnUntraced(function* (workspace, query) {
            return yield* store.invitations(workspace, { ...query, at: yield* DateTime.now })
          }),
        ),

        invite: Effect.fn("Members.invite")(links.invitation, transact),

        uninvite: Effect.fn("Members.uninvite")(function* (workspace, id) {
          yield* workspaces.lock(workspace)
          const { role } = yield* store.removeInvitation(workspace, id)
          yield* record(workspace, "member.uninvited", id, { role })
        }, transact),
      })
    }),
  )
}
