// Sign-in with an identity provider by OpenID Connect: what it says about a person, and what follows from it.
import { DateTime, Option, Result } from "effect"
import { parseEmail } from "../../kernel/values/EmailAddress.ts"
import { type Role, roles } from "../../workspaces/Role.ts"
import { checkUserName, type User, user_name_length_max } from "../User.ts"

/** What the provider says about the person who signed in. */
export interface Identity {
  readonly issuer: string
  /** The provider's id of the person, which never changes. */
  readonly subject: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
  /** When the provider last asked the person for a proof, in seconds since 1970 (`auth_time`). Null: it did not say. */
  readonly authTime_s: number | null
  /** The value of the claim that `OIDC_ROLE_CLAIM` names. */
  readonly roleClaim: unknown
}

/** The provider as people know it: the host of the issuer. */
export const hostOf = (issuer: string): string => issuer.replace(/^https?:\/\//, "").split("/")[0] ?? issuer

/** A sign-in that is under way. It is sealed in a cookie of the browser. */
export interface OidcLogin {
  readonly state: string
  readonly nonce: string
  /** The PKCE code verifier. */
  readonly verifier: string
  /** Where the browser goes on. */
  readonly returnPath: string
  readonly expires_ms: number
}

export const login_minutes = 10

export const callback_path = "/auth/v1/oidc/callback"

const path_length_max = 1_000
/** A screen of a workspace. A second slash at the beginning would name another host. */
const screenPath = /^\/w\/[\w-]+(?:\/[\w~%.-]+)*(?:\?[\w~%.=&+:,-]*)?$/

/** The path if it is one of the console's screens, else the first page. */
export const returnPathOf = (path: string | null): string =>
  path !== null && path.length <= path_length_max && screenPath.test(path) ? path : "/"

/** The name of a new user: that of the provider, else the address. */
export const nameOf = ({ name }: Identity, address: string): string =>
  Result.getOrElse(checkUserName(name ?? ""), () => address.slice(0, user_name_length_max))

/** The address, if the provider has verified it. Another one may belong to anybody. */
export const verifiedEmail = ({ email, emailVerified }: Identity) =>
  emailVerified && email !== null ? parseEmail(email) : null

/** A time that is ahead of this clock counts as now. */
export const provedAtOf = ({ authTime_s }: Identity, now: DateTime.Utc): DateTime.Utc | null =>
  authTime_s === null ? null : Option.getOrNull(Option.map(DateTime.make(authTime_s * 1_000), DateTime.min(now)))

const isRole = (text: string): text is Role => roles.some((role) => role === text)

/**
 * The roles of a claim by the slug of their workspace: a list of `<slug>:<role>`, or one such text. The highest role counts.
 * Other values, such as further groups, are ignored.
 */
export const rolesIn = (claim: unknown): ReadonlyMap<string, Role> => {
  const found = new Map<string, Role>()
  for (const value of Array.isArray(claim) ? claim : [claim]) {
    const [slug = "", role = "", ...rest] = typeof value === "string" ? value.split(":") : []
    if (slug === "" || !isRole(role) || rest.length > 0) continue
    const before = found.get(slug)
    if (before === undefined || roles.indexOf(role) > roles.indexOf(before)) found.set(slug, role)
  }
  return found
}

/**
 * The existing user of an identity: the one with its subject, else the one with its verified address, unless another subject of
 * the provider has this user. Undefined: refused. Null: there is no such user.
 */
export const userOf = (
  { issuer }: Identity,
  bySubject: User | null,
  byAddress: User | null,
): User | null | undefined => {
  if (bySubject !== null) return bySubject
  return byAddress !== null && byAddress.oidcIssuer === issuer ? undefined : byAddress
}
