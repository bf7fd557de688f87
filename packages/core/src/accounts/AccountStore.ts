// The port to users, members, sessions and links. They are read before the workspace is known.
import { Context, type DateTime, type Effect } from "effect"
import type { SessionId, SignInLinkId, UserId, WorkspaceId } from "../kernel/Ids.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { Sliced, SliceQuery } from "../kernel/Page.ts"
import type { Role } from "../workspaces/Role.ts"
import type { Workspace } from "../workspaces/Workspace.ts"
import type { EmailTaken } from "./AccountErrors.ts"
import type { Session } from "./Session.ts"
import type { Invitation, SignInLink } from "./SignInLink.ts"
import type { Membership, User } from "./User.ts"

export interface SignedIn {
  readonly session: Session
  readonly user: User
}

/** A member as listings show it. */
export interface MemberRow {
  readonly id: UserId
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly createdAt: DateTime.Utc
  /** The last request of the newest session; null if the user has none. */
  readonly seenAt: DateTime.Utc | null
}

export class AccountStore extends Context.Service<
  AccountStore,
  {
    readonly hasUsers: Effect.Effect<boolean>
    /** The oldest users, at most `limit`. */
    readonly users: (limit: number) => Effect.Effect<ReadonlyArray<User>>
    readonly findUserByEmail: (normalized: string) => Effect.Effect<User | null>
    readonly findUserBySubject: (issuer: string, subject: string) => Effect.Effect<User | null>
    readonly lockUser: (id: UserId) => Effect.Effect<User, NotFound, Transaction>
    /** Adds a user, or replaces the one with the same id. Of two concurrent calls with one address or subject, one fails. */
    readonly putUser: (user: User) => Effect.Effect<void, EmailTaken, Transaction>

    readonly findSession: (hash: Uint8Array) => Effect.Effect<SignedIn, NotFound>
    readonly addSession: (session: Session) => Effect.Effect<void, never, Transaction>
    readonly touchSession: (id: SessionId, at: DateTime.Utc) => Effect.Effect<void, never, Transaction>
    /** Newest first. */
    readonly sessions: (user: UserId) => Effect.Effect<ReadonlyArray<Session>>
    readonly endSession: (user: UserId, id: SessionId) => Effect.Effect<void, NotFound, Transaction>
    readonly endSessions: (user: UserId) => Effect.Effect<void, never, Transaction>

    /** A link that has not expired. */
    readonly findLink: (hash: Uint8Array, at: DateTime.Utc) => Effect.Effect<SignInLink, NotFound>
    /** Deletes the link and returns it. Of two concurrent calls, one fails. */
    readonly takeLink: (hash: Uint8Array, at: DateTime.Utc) => Effect.Effect<SignInLink, NotFound, Transaction>
    readonly addLink: (link: SignInLink) => Effect.Effect<void, never, Transaction>
    /** Deletes the links of the first start. */
    readonly removeFirstLinks: Effect.Effect<void, never, Transaction>

    /** Of workspaces that are not deleted, by name. */
    readonly memberships: (user: UserId) => Effect.Effect<ReadonlyArray<Membership>>
    /** The workspace with this id or slug, and the user's role in it. */
    readonly findMember: (
      user: UserId,
      workspace: string,
    ) => Effect.Effect<{ readonly workspace: Workspace; readonly role: Role }, NotFound>
    readonly getMember: (workspace: WorkspaceId, user: UserId) => Effect.Effect<MemberRow, NotFound>
    readonly members: (workspace: WorkspaceId, query: SliceQuery) => Effect.Effect<Sliced<MemberRow>>
    /** Locks the workspace's members, so that no two calls remove the last owners. */
    readonly lockMembers: (
      workspace: WorkspaceId,
    ) => Effect.Effect<ReadonlyArray<{ readonly userId: UserId; readonly role: Role }>, never, Transaction>
    /** Adds a member, or changes the role of one. */
    readonly putMember: (
      workspace: WorkspaceId,
      user: UserId,
      member: { readonly role: Role; readonly at: DateTime.Utc },
    ) => Effect.Effect<void, never, Transaction>
    readonly removeMember: (workspace: WorkspaceId, user: UserId) => Effect.Effect<void, NotFound, Transaction>

    /** Unused invitations that expire after `at`. */
    readonly invitations: (
      workspace: WorkspaceId,
      query: SliceQuery & { readonly at: DateTime.Utc },
    ) => Effect.Effect<Sliced<Invitation>>
    /** Deletes the invitations of an address that expire after `at`, and returns them. */
    readonly takeInvitations: (
      emailNormalized: string,
      at: DateTime.Utc,
    ) => Effect.Effect<ReadonlyArray<Invitation>, never, Transaction>
    readonly removeInvitation: (
      workspace: WorkspaceId,
      id: SignInLinkId,
    ) => Effect.Effect<Invitation, NotFound, Transaction>
  }
>()("tentpole/AccountStore") {}
