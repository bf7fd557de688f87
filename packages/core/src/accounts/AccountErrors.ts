// The refusals of accounts.
import { Schema } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"
import { recent_sign_in_minutes } from "./Session.ts"

/** The same error for unknown addresses, wrong passwords, users without a password, passkeys, and unusable links. */
export class SignInRefused extends refusalClass<SignInRefused>()("SignInRefused", {
  code: "sign_in_refused",
  message: () =>
    "The email and the password do not belong together, the passkey is unknown here, or the link is used up or expired",
}) {}

/** The identity provider is the only way to sign in. */
export class OidcOnly extends refusalClass<OidcOnly>()("OidcOnly", {
  code: "sign_in_refused",
  fields: { issuer: Schema.String },
  message: ({ issuer }) => `This installation signs in with ${issuer} only`,
}) {}

/** There is no session, or it has ended. */
export class SignedOut extends refusalClass<SignedOut>()("SignedOut", {
  code: "unauthorized",
  message: () => "There is no session, or it has ended. Sign in",
}) {}

export class SignInAgain extends refusalClass<SignInAgain>()("SignInAgain", {
  code: "sign_in_again",
  message: () => `This needs a sign-in of the last ${recent_sign_in_minutes} minutes. Sign in again`,
}) {}

export class TooManySignIns extends refusalClass<TooManySignIns>()("TooManySignIns", {
  code: "rate_limited",
  fields: { wait_s: Schema.Int },
  message: ({ wait_s }) => `Too many attempts to sign in. Try again in ${wait_s} second${wait_s === 1 ? "" : "s"}`,
}) {}

export class EmailTaken extends refusalClass<EmailTaken>()("EmailTaken", {
  code: "conflict",
  message: () => "Another user has this email address",
}) {}

/** The answer of a browser that created a passkey is not valid. */
export class PasskeyRefused extends refusalClass<PasskeyRefused>()("PasskeyRefused", {
  code: "passkey_refused",
  message: () => "The passkey does not answer the last options of this browser. Get new options, and try again",
}) {}

export class PasskeyTaken extends refusalClass<PasskeyTaken>()("PasskeyTaken", {
  code: "conflict",
  message: () => "This passkey is registered already",
}) {}

export class TooManyPasskeys extends refusalClass<TooManyPasskeys>()("TooManyPasskeys", {
  code: "conflict",
  fields: { passkeys_max: Schema.Int },
  message: ({ passkeys_max }) => `A user can have at most ${passkeys_max} passkeys. Remove one first`,
}) {}

export class LastPasskey extends refusalClass<LastPasskey>()("LastPasskey", {
  code: "last_passkey",
  message: () => "This passkey is the only way to sign in. Set a password or add another passkey first",
}) {}

export class PasskeysUnavailable extends refusalClass<PasskeysUnavailable>()("PasskeysUnavailable", {
  code: "passkeys_unavailable",
  fields: { consoleUrl: Schema.String },
  message: ({ consoleUrl }) =>
    `Passkeys need a host name over HTTPS, or localhost: ${consoleUrl} can't have them. PUBLIC_CONSOLE_URL sets the address`,
}) {}
