// What use cases of sign-in and of passkeys share: the answers of browsers to challenges.
import { DateTime, Effect, Result } from "effect"
import { Actor } from "../../kernel/changes/Actor.ts"
import { AuditLog } from "../../kernel/changes/AuditLog.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { Ids, PasskeyId } from "../../kernel/Ids.ts"
import { Secrets } from "../../kernel/Secrets.ts"
import { Settings } from "../../kernel/Settings.ts"
import { OidcOnly, PasskeyRefused, PasskeysUnavailable } from "../AccountErrors.ts"
import { isToken, tokenHash } from "../Session.ts"
import {
  type Challenge,
  challengeIn,
  checkPasskeyName,
  type Passkey,
  type PasskeyAssertion,
  type PasskeyRegistration,
  relyingPartyOf,
} from "./Passkey.ts"
import { PasskeyStore } from "./PasskeyStore.ts"
import { PasskeyVerifier } from "./PasskeyVerifier.ts"

export const passkeyProofs = Effect.gen(function* () {
  const store = yield* PasskeyStore
  const verifier = yield* PasskeyVerifier
  const secrets = yield* Secrets
  const ids = yield* Ids
  const audit = yield* AuditLog
  const { transact } = yield* Transactor
  const { oidc, publicConsoleUrl } = yield* Settings
  const party = oidc?.only === true ? null : relyingPartyOf(publicConsoleUrl)

  const relyingParty =
    oidc?.only === true
      ? Effect.fail(new OidcOnly({ issuer: oidc.issuer }))
      : party === null
        ? Effect.fail(new PasskeysUnavailable({ consoleUrl: publicConsoleUrl }))
        : Effect.succeed(party)

  /** Uses up the challenge that an answer names. Null if it is not one of this browser. */
  const take = Effect.fnUntraced(function* (clientData: string, browser: string | null) {
    const challenge = challengeIn(clientData)
    if (party === null || challenge === null || browser === null || !isToken(browser)) return null
    const taken = store.takeChallenge(challenge, tokenHash(secrets, browser), yield* DateTime.now)
    return yield* transact(taken).pipe(
      Effect.map((found) => ({ ...found, asked: { ...party, challenge } })),
      Effect.catchTag("NotFound", () => Effect.succeed(null)),
    )
  })

  return {
    relyingParty,

    /** The passkey that a browser created for a user. It is not stored yet. */
    created: Effect.fnUntraced(function* (
      registration: PasskeyRegistration,
      browser: string | null,
      isExpected: (challenge: Challenge) => boolean,
    ) {
      const name = yield* Effect.fromResult(checkPasskeyName(registration.name))
      const challenge = yield* take(registration.clientData, browser)
      const isRight = challenge !== null && challenge.userId !== null && isExpected(challenge)
      const read = isRight ? yield* verifier.readRegistration(registration, challenge.asked) : null
      if (read === null || !isRight || challenge.userId === null) {
        return yield* new PasskeyRefused()
      }
      return {
        ...read,
        id: PasskeyId.make(yield* ids.next),
        userId: challenge.userId,
        transports: registration.transports,
        name,
        createdAt: yield* DateTime.now,
        usedAt: null,
      } satisfies Passkey
    }),

    /** Stores a new passkey. */
    add: Effect.fnUntraced(function* (passkey: Passkey) {
      yield* store.putPasskey(passkey)
      const { id, userId } = passkey
      yield* audit
        .append([{ workspaceId: null, action: "passkey.added", target: userId, details: { passkey_id: id } }])
        .pipe(Effect.provideService(Actor, `user:${userId}`))
    }),

    /** The passkey of an answer, with its user, and a check of the signature. Null if this browser requested no such answer. */
    named: Effect.fnUntraced(function* (assertion: PasskeyAssertion, browser: string | null) {
      const challenge = yield* take(assertion.clientData, browser)
      if (challenge === null || challenge.userId !== null) return null
      const found = yield* Effect.result(store.findPasskey(assertion.id))
      if (Result.isFailure(found)) return null
      const { passkey, user } = found.success
      return { user, counted: verifier.verify(assertion, challenge.asked, passkey.publicKey) }
    }),
  }
})
