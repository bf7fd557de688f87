// One-time links: of the first start, of invitations, and for users who can't sign in. Only a hash of the token is stored.
import type { DateTime } from "effect"
import type { SignInLinkId, UserId, WorkspaceId } from "../kernel/Ids.ts"
import type { Role } from "../workspaces/Role.ts"

interface LinkCommon {
  readonly id: SignInLinkId
  /** SHA-256 of the token. */
  readonly hash: Uint8Array
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

/** Creates the first user of the installation: an operator, and the owner of the first workspace. */
export interface FirstLink extends LinkCommon {
  readonly purpose: "first"
}

/** Makes the person with this address a member. */
export interface Invitation extends LinkCommon {
  readonly purpose: "invitation"
  readonly email: string
  /** Equal for all spellings of the address. */
  readonly emailNormalized: string
  readonly workspaceId: WorkspaceId
  readonly role: Role
}

/** Signs in a user and can set the password. */
export interface RecoveryLink extends LinkCommon {
  readonly purpose: "recovery"
  readonly email: string
  readonly userId: UserId
}

export type SignInLink = FirstLink | Invitation | RecoveryLink

export const linkPurposes = ["first", "invitation", "recovery"] as const

/** What a link is for, without its token and its times. */
export type LinkPurpose =
  | Omit<FirstLink, keyof LinkCommon>
  | Omit<Invitation, keyof LinkCommon>
  | Omit<RecoveryLink, keyof LinkCommon>

export const first_link_minutes = 60
export const recovery_link_minutes = 60
export const invitation_minutes = 7 * 24 * 60

/** The token is in the fragment, which browsers send to no server. */
export const linkUrl = (consoleUrl: string, token: string): string => `${consoleUrl}/#link=${token}`
