// Passwords: which ones can be chosen, and the port that hashes them.
import { Context, type Effect, Result } from "effect"
import { Invalid } from "../kernel/Refusal.ts"
import { charactersIn, fold } from "../kernel/Text.ts"
import { commonPasswords } from "./CommonPasswords.ts"

export const password_length_min = 12
export const password_length_max = 200

export const checkPassword = (path: string, password: string): Result.Result<string, Invalid> => {
  const length = charactersIn(password)
  if (length < password_length_min || length > password_length_max) {
    return Result.fail(Invalid.at(path, `must have ${password_length_min} to ${password_length_max} characters`))
  }
  return commonPasswords.has(fold(password))
    ? Result.fail(Invalid.at(path, "is one of the most common passwords: choose another one"))
    : Result.succeed(password)
}

export class PasswordHasher extends Context.Service<
  PasswordHasher,
  {
    /** Returns a text that names the algorithm and its parameters. */
    readonly hash: (password: string) => Effect.Effect<string>
    /** Whether the password is the hashed one. Without a hash (null) it is not, after the same time. */
    readonly verify: (password: string, hash: string | null) => Effect.Effect<boolean>
    /** Whether the text is of an older algorithm: the password is hashed again at the next sign-in. */
    readonly isOutdated: (hash: string) => boolean
  }
>()("tentpole/PasswordHasher") {}
