// The refusals of accounts.
import { Schema } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"
import { recent_sign_in_minutes } from "./Session.ts"

/** The same error for unknown addresses, wrong passwords, users without a password, and unusable links. */
export class SignInRefused extends refusalClass<SignInRefused>()("SignInRefused", {
  code: "sign_in_refused",
  message: () => "The email and the password do not belong together, or the link is used up or expired",
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
  message: ({ wait_s }) => `Too many refused sign-ins. Try again in ${wait_s} second${wait_s === 1 ? "" : "s"}`,
}) {}

export class EmailTaken extends refusalClass<EmailTaken>()("EmailTaken", {
  code: "conflict",
  message: () => "Another user has this email address",
}) {}
