// The use cases of passkeys: challenges for browsers, and the passkeys of a user.
import { Context, DateTime, Effect, Layer } from "effect"
import { AuditLog } from "../../kernel/changes/AuditLog.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { Ids, type PasskeyId, type SignInLinkId, UserId } from "../../kernel/Ids.ts"
import { Invalid, type NotFound } from "../../kernel/Refusal.ts"
import { Secrets } from "../../kernel/Secrets.ts"
import {
  type LastPasskey,
  type OidcOnly,
  type PasskeyRefused,
  type PasskeysUnavailable,
  type PasskeyTaken,
  SignInAgain,
  TooManyPasskeys,
  type TooManySignIns,
} from "../AccountErrors.ts"
import { AccountStore, type SignedIn } from "../AccountStore.ts"
import { isRecent, isToken, newToken, tokenHash } from "../Session.ts"
import type { LinkCredentials, SignInOrigin } from "../signIn/Credentials.ts"
import { signInLimit } from "../signIn/SignInLimit.ts"
import { checkUserEmail, checkUserName, type User } from "../User.ts"
import {
  challenge_minutes,
  checkPasskeyRemoval,
  type Passkey,
  type PasskeyRegistration,
  passkeys_max,
  type RelyingParty,
} from "./Passkey.ts"
import { passkeyProofs } from "./PasskeyProofs.ts"
import { PasskeyStore } from "./PasskeyStore.ts"

/** What a challenge is for: a sign-in, or a new passkey of a signed-in user or of the user of a link. */
export type ChallengePurpose =
  | { readonly purpose: "sign_in" }
  | { readonly purpose: "register"; readonly current: SignedIn }
  | { readonly purpose: "register"; readonly link: LinkCredentials }

/** What a browser shows to the user who gets a passkey. */
export interface PasskeyUser extends Pick<User, "id" | "name" | "email"> {
  /** The user's passkeys, so that no device gets a second one. */
  readonly passkeys: ReadonlyArray<Passkey>
}

export interface NewChallenge {
  readonly challenge: string
  readonly relyingParty: RelyingParty
  /** Null: the challenge of a sign-in. */
  readonly user: PasskeyUser | null
  /** The token of the browser, for its cookie. */
  readonly browser: string
}

type Browser = Pick<SignInOrigin, "browser" | "network">

export class Passkeys extends Context.Service<
  Passkeys,
  {
    /** A challenge for this browser. It works once, for five minutes. */
    readonly start: (
      purpose: ChallengePurpose,
      origin: Browser,
    ) => Effect.Effect<NewChallenge, Invalid | NotFound | OidcOnly | PasskeysUnavailable | SignInAgain | TooManySignIns>
    readonly list: (user: UserId) => Effect.Effect<ReadonlyArray<Passkey>>
    readonly create: (
      current: SignedIn,
      registration: PasskeyRegistration,
      origin: Browser,
    ) => Effect.Effect<Passkey, Invalid | NotFound | PasskeyRefused | PasskeyTaken | TooManyPasskeys>
    /** The last passkey of a user without a password stays. */
    readonly delete: (user: UserId, id: PasskeyId) => Effect.Effect<void, LastPasskey | NotFound>
  }
>()("tentpole/Passkeys") {
  static readonly layer = Layer.effect(
    Passkeys,
    Effect.gen(function* () {
      const store = yield* PasskeyStore
      const accounts = yield* AccountStore
      const secrets = yield* Secrets
      const ids = yield* Ids
      const audit = yield* AuditLog
      const limit = yield* signInLimit
      const proofs = yield* passkeyProofs
      const { transact } = yield* Transactor

      const token = newToken.pipe(Effect.provideService(Secrets, secrets))

      const known = Effect.fnUntraced(function* ({ email, id, name }: Pick<User, "id" | "name" | "email">) {
        return { id, email, name, passkeys: yield* store.passkeys(id) } satisfies PasskeyUser
      })

      /** The user of a link: the existing one, or the one that the link will create. */
      const userOfLink = Effect.fnUntraced(function* (given: LinkCredentials, network: string | null) {
        const attempt = { account: null, network }
        yield* limit.admit(attempt)
        const link = yield* accounts
          .findLink(tokenHash(secrets, given.token), yield* DateTime.now)
          .pipe(Effect.tapError(() => limit.refused(attempt)))
        if (link.purpose === "recovery") {
          return { linkId: link.id, user: yield* known(yield* transact(accounts.lockUser(link.userId))) }
        }
        const { normalized, written } = yield* Effect.fromResult(
          checkUserEmail(link.purpose === "first" ? (given.email ?? "") : link.email),
        )
        if ((yield* accounts.findUserByEmail(normalized)) !== null) {
          return yield* Invalid.at("link", "is for a user who exists: sign in with the password or a passkey")
        }
        const name = yield* Effect.fromResult(checkUserName(given.name ?? ""))
        const id = UserId.make(yield* ids.random)
        return { linkId: link.id, user: { id, name, email: written, passkeys: [] } satisfies PasskeyUser }
      })

      interface Subject {
        readonly user: PasskeyUser | null
        readonly linkId: SignInLinkId | null
      }

      const subjectOf = Effect.fnUntraced(function* (asked: ChallengePurpose, network: string | null) {
        if (asked.purpose === "sign_in") return { user: null, linkId: null } satisfies Subject
        if ("link" in asked) return yield* userOfLink(asked.link, network)
        const { session, user } = asked.current
        if (!isRecent(session, yield* DateTime.now)) return yield* new SignInAgain()
        return { user: yield* known(user), linkId: null } satisfies Subject
      })

      return Passkeys.of({
        start: Effect.fn("Passkeys.start")(function* (purpose, { browser, network }) {
          const relyingParty = yield* proofs.relyingParty
          yield* limit.challenged(network)
          const { linkId, user } = yield* subjectOf(purpose, network)
          const challenge = yield* token
          // A browser keeps its token, so that its tabs can have challenges side by side.
          const own = browser !== null && isToken(browser) ? browser : yield* token
          yield* transact(
            store.addChallenge({
              challenge,
              browserHash: tokenHash(secrets, own),
              userId: user?.id ?? null,
              linkId,
              expiresAt: DateTime.add(yield* DateTime.now, { minutes: challenge_minutes }),
            }),
          )
          return { challenge, relyingParty, user, browser: own }
        }),

        list: store.passkeys,

        create: Effect.fn("Passkeys.create")(function* ({ user }, registration, { browser }) {
          const passkey = yield* proofs.created(
            registration,
            browser,
            ({ linkId, userId }) => linkId === null && userId === user.id,
          )
          return yield* transact(
            Effect.gen(function* () {
              yield* accounts.lockUser(user.id)
              if ((yield* store.passkeys(user.id)).length >= passkeys_max) {
                return yield* new TooManyPasskeys({ passkeys_max })
              }
              yield* proofs.add(passkey)
              return passkey
            }),
          )
        }),

        delete: Effect.fn("Passkeys.delete")(function* (userId, id) {
          const { passwordHash } = yield* accounts.lockUser(userId)
          const passkeys = yield* store.passkeys(userId)
          const passkey = yield* Effect.fromResult(checkPasskeyRemoval(passkeys, id, passwordHash !== null))
          yield* store.removePasskey(passkey.id)
          const details = { passkey_id: passkey.id }
          yield* audit.append([{ workspaceId: null, action: "passkey.removed", target: userId, details }])
        }, transact),
      })
    }),
  )
}
