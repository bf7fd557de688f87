// What signs a user in, and the session that begins with it.
import type { Identity } from "../oidc/Oidc.ts"
import type { PasskeyAssertion, PasskeyRegistration } from "../passkeys/Passkey.ts"
import type { SignedIn } from "../AccountStore.ts"
import type { Membership } from "../User.ts"

/** Where a sign-in comes from. */
export interface SignInOrigin {
  /** The `User-Agent`. */
  readonly agent: string
  /** Null for calls inside the process, which are not limited. */
  readonly network: string | null
  /** The token of the browser that requested a challenge for a passkey. Null: it requested none. */
  readonly browser: string | null
}

export interface LinkCredentials {
  readonly token: string
  readonly name?: string
  readonly email?: string
}

export interface ByLink {
  readonly link: LinkCredentials
  /** The new password, or the existing one of an invited user. */
  readonly password?: string
  /** A new passkey, or an existing one of an invited user. */
  readonly passkey?: PasskeyRegistration | PasskeyAssertion
}

export type Credentials =
  | ByLink
  | { readonly email: string; readonly password: string }
  | { readonly passkey: PasskeyAssertion }
  | { readonly identity: Identity }

/** A new session. `token` is returned once and not stored. */
export interface NewSession extends SignedIn {
  readonly token: string
  readonly memberships: ReadonlyArray<Membership>
}
