// A user: a person who signs in. A member is a user in a workspace.
import type { DateTime } from "effect"
import { Result } from "effect"
import type { UserId, WorkspaceId } from "../kernel/Ids.ts"
import { Invalid } from "../kernel/Refusal.ts"
import { charactersIn, isBlank, trim } from "../kernel/Text.ts"
import { type EmailAddress, parseEmail } from "../kernel/values/EmailAddress.ts"
import type { Role } from "../workspaces/Role.ts"

export interface User {
  readonly id: UserId
  readonly name: string
  readonly email: string
  /** Equal for all spellings of the address; unique. */
  readonly emailNormalized: string
  /** The text of a `PasswordHasher`; null: the user signs in by passkeys and links only. */
  readonly passwordHash: string | null
  /** The identity provider, and its id of the user. Null: the user has not signed in with one. */
  readonly oidcIssuer: string | null
  readonly oidcSubject: string | null
  /** Whether the user operates the installation: creates workspaces, sets plans and credits. */
  readonly operator: boolean
  readonly createdAt: DateTime.Utc
}

/** A user's role in a workspace, with what shows the workspace. */
export interface Membership {
  readonly workspaceId: WorkspaceId
  readonly slug: string
  readonly name: string
  readonly role: Role
}

/** The ways to sign in of an installation. */
export interface SignInMethods {
  /** False: the identity provider is the only way, besides the links of commands. */
  readonly password: boolean
  /** The host of the identity provider. Null: there is none. */
  readonly oidcHost: string | null
  /** The host that passkeys are for. Null: the console's address can't have passkeys. */
  readonly passkeyHost: string | null
}

export const user_name_length_max = 200

export const checkUserName = (name: string): Result.Result<string, Invalid> => {
  const trimmed = trim(name)
  return !isBlank(trimmed) && charactersIn(trimmed) <= user_name_length_max
    ? Result.succeed(trimmed)
    : Result.fail(Invalid.at("name", `must have 1 to ${user_name_length_max} characters`))
}

export const checkUserEmail = (email: string): Result.Result<EmailAddress, Invalid> => {
  const parsed = parseEmail(email)
  return parsed === null
    ? Result.fail(Invalid.at("email", "must be an email address, such as ann@example.com"))
    : Result.succeed(parsed)
}
