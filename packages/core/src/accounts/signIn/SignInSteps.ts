// The steps that all ways to sign in share: limits, proofs of who the user is, and the new session.
import { DateTime, Effect, Semaphore } from "effect"
import { Actor } from "../../kernel/changes/Actor.ts"
import { type AuditAction, AuditLog } from "../../kernel/changes/AuditLog.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { Ids, SessionId, type WorkspaceId } from "../../kernel/Ids.ts"
import { Unavailable } from "../../kernel/Refusal.ts"
import { Secrets } from "../../kernel/Secrets.ts"
import { includes } from "../../workspaces/Role.ts"
import { SignInRefused } from "../AccountErrors.ts"
import { AccountStore } from "../AccountStore.ts"
import { checkPassword, PasswordHasher } from "../Password.ts"
import { handleOf, isCounterAhead, type PasskeyAssertion } from "../passkeys/Passkey.ts"
import { passkeyProofs } from "../passkeys/PasskeyProofs.ts"
import { PasskeyStore } from "../passkeys/PasskeyStore.ts"
import { agent_length_max, newToken, type Session, session_days, tokenHash } from "../Session.ts"
import type { Invitation } from "../SignInLink.ts"
import type { User } from "../User.ts"
import type { NewSession, SignInOrigin } from "./Credentials.ts"
import { refusalCount } from "./RefusalCount.ts"
import { type Attempt, signInLimit } from "./SignInLimit.ts"

/** Passwords that a process hashes at once. Each takes 19 MiB and some 80 ms of a processor. */
const hashes_max = 4
/** Sign-ins that wait for their turn. */
const waiting_max = 100

/** Runs an effect in one of the turns of hashing. Fails if too many wait. */
const hashingTurns = Effect.map(Semaphore.make(hashes_max), (turns) => {
  let waiting = 0
  return <A, E, R>(hash: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
    Effect.suspend((): Effect.Effect<A, E | Unavailable, R> => {
      if (waiting >= waiting_max) return new Unavailable({ part: "sign-in" })
      waiting++
      return Effect.ensuring(
        turns.withPermits(1)(hash),
        Effect.sync(() => {
          waiting--
        }),
      )
    })
})

type SignInWay = "link" | "oidc" | "passkey" | "password"

export const signInSteps = Effect.gen(function* () {
  const store = yield* AccountStore
  const passkeys = yield* PasskeyStore
  const hasher = yield* PasswordHasher
  const secrets = yield* Secrets
  const ids = yield* Ids
  const audit = yield* AuditLog
  const { transact } = yield* Transactor
  const limit = yield* signInLimit
  const refusals = yield* refusalCount
  const hashed = yield* hashingTurns
  const proofs = yield* passkeyProofs

  const token = newToken.pipe(Effect.provideService(Secrets, secrets))
  const hashOf = (text: string) => tokenHash(secrets, text)
  const hash = (password: string) => hashed(hasher.hash(password))

  const record = (action: AuditAction, target: string, details: Readonly<Record<string, unknown>> = {}) =>
    audit.append([{ workspaceId: null, action, target, details }])

  /** Entries whose actor is the user. */
  const recordIn = (
    workspaceId: WorkspaceId | null,
    action: AuditAction,
    { id }: User,
    details: Readonly<Record<string, unknown>>,
  ) => audit.append([{ workspaceId, action, target: id, details }]).pipe(Effect.provideService(Actor, `user:${id}`))
  const recordAs = (user: User, action: AuditAction, details: Readonly<Record<string, unknown>>) =>
    recordIn(null, action, user, details)

  const refuse = Effect.fnUntraced(function* (attempt: Attempt) {
    yield* refusals.count
    yield* limit.refused(attempt)
    return yield* new SignInRefused()
  })

  /** Stores the signatures that the device has counted. False if they are fewer than before: the passkey was copied. */
  const counted = Effect.fnUntraced(function* (user: User, credentialId: string, counter: number) {
    yield* store.lockUser(user.id)
    const { passkey } = yield* passkeys.findPasskey(credentialId)
    const isAhead = isCounterAhead(passkey.counter, counter)
    if (isAhead) yield* Effect.orDie(passkeys.putPasskey({ ...passkey, counter, usedAt: yield* DateTime.now }))
    else yield* record("passkey.refused", user.id, { passkey_id: passkey.id, counter, before: passkey.counter })
    return isAhead
  }, transact)

  return {
    hashOf,
    hash,
    record,
    refuse,
    limit,
    proofs,
    recordIn,
    recordAs,

    /** Makes a user a member, as an invitation says. It never takes a role away. */
    join: Effect.fnUntraced(function* (user: User, { role: invited, workspaceId }: Invitation) {
      const before = (yield* store.lockMembers(workspaceId)).find(({ userId }) => userId === user.id)?.role
      const role = before !== undefined && includes(before, invited) ? before : invited
      yield* store.putMember(workspaceId, user.id, { role, at: yield* DateTime.now })
      yield* recordIn(workspaceId, "member.joined", user, { role })
    }),

    /** The user with this password. It takes the same time for every refusal. */
    verified: Effect.fnUntraced(function* (user: User | null, password: string, attempt: Attempt) {
      yield* limit.admit(attempt)
      const isRight = yield* hasher.verify(password, user?.passwordHash ?? null)
      return isRight && user !== null ? user : yield* refuse(attempt)
    }, hashed),

    /** The user of a passkey. */
    ownerOf: Effect.fnUntraced(function* (assertion: PasskeyAssertion, { browser, network }: SignInOrigin) {
      const stranger: Attempt = { account: null, network }
      yield* limit.admit(stranger)
      const found = yield* proofs.named(assertion, browser)
      if (found === null) return yield* refuse(stranger)
      const { user } = found
      const attempt: Attempt = { account: user.emailNormalized, network }
      yield* limit.admit(attempt)
      const counter = assertion.userHandle === handleOf(user.id) ? yield* found.counted : null
      if (counter === null) return yield* refuse(attempt)
      const isTaken = yield* counted(user, assertion.id, counter).pipe(
        // The passkey was removed at the same time.
        Effect.catchTag("NotFound", () => Effect.succeed(false)),
      )
      return isTaken ? user : yield* refuse(attempt)
    }),

    newPassword: Effect.fnUntraced(function* (password: string) {
      const checked = yield* Effect.fromResult(checkPassword("password", password))
      return { passwordHash: yield* hash(checked) }
    }),

    /** `provedAt`: if the person did not prove now who they are. */
    newSession: Effect.fnUntraced(function* (
      user: User,
      { agent }: SignInOrigin,
      by: SignInWay,
      provedAt?: DateTime.Utc | null,
    ) {
      const now = yield* DateTime.now
      const raw = yield* token
      const session: Session = {
        id: SessionId.make(yield* ids.next),
        userId: user.id,
        hash: hashOf(raw),
        agent: agent.slice(0, agent_length_max).toWellFormed(),
        createdAt: now,
        provedAt: provedAt === undefined ? now : provedAt,
        seenAt: now,
        expiresAt: DateTime.add(now, { days: session_days }),
      }
      yield* store.addSession(session)
      yield* recordAs(user, "user.signed_in", { by })
      return { token: raw, session, user, memberships: yield* store.memberships(user.id) } satisfies NewSession
    }),
  }
})

export type SignInSteps = Effect.Success<typeof signInSteps>
