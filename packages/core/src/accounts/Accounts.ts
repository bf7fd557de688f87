// The use cases of users: signing in by link or password, sessions, and the user's own settings.
import { Context, DateTime, Effect, Layer, Semaphore } from "effect"
import { Actor } from "../kernel/changes/Actor.ts"
import { type AuditAction, AuditLog } from "../kernel/changes/AuditLog.ts"
import { Transactor } from "../kernel/changes/Transactor.ts"
import { Ids, SessionId, UserId } from "../kernel/Ids.ts"
import { Invalid, type NotFound, Unavailable } from "../kernel/Refusal.ts"
import { fold } from "../kernel/Text.ts"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import { Secrets } from "../kernel/Secrets.ts"
import { Settings } from "../kernel/Settings.ts"
import { includes, type Role } from "../workspaces/Role.ts"
import type { Workspace } from "../workspaces/Workspace.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import { EmailTaken, SignedOut, SignInAgain, SignInRefused, type TooManySignIns } from "./AccountErrors.ts"
import { AccountStore, type SignedIn } from "./AccountStore.ts"
import { checkPassword, PasswordHasher } from "./Password.ts"
import {
  agent_length_max,
  isLive,
  isRecent,
  isToken,
  newToken,
  seen_every_s,
  type Session,
  session_days,
  tokenHash,
} from "./Session.ts"
import { refusalCount } from "./RefusalCount.ts"
import { type Attempt, signInLimit } from "./SignInLimit.ts"
import type { Invitation, RecoveryLink, SignInLink } from "./SignInLink.ts"
import { signInLinks } from "./SignInLinks.ts"
import { checkUserEmail, checkUserName, type Membership, type User } from "./User.ts"

/** Where a sign-in comes from. */
export interface SignInOrigin {
  /** The `User-Agent`. */
  readonly agent: string
  /** Null for calls inside the process, which are not limited. */
  readonly network: string | null
}

export interface LinkCredentials {
  readonly token: string
  readonly name?: string
  readonly email?: string
}

export type Credentials =
  | { readonly link: LinkCredentials; readonly password?: string }
  | { readonly email: string; readonly password: string }

/** A new session. `token` is returned once and not stored. */
export interface NewSession extends SignedIn {
  readonly token: string
  readonly memberships: ReadonlyArray<Membership>
}

/** What a link is for, as its holder may know it. */
export interface LinkView {
  readonly link: SignInLink
  readonly workspace: Workspace | null
  /** Whether the address has a user already, who signs in with the password that exists. */
  readonly hasAccount: boolean
}

export interface UserFields {
  readonly name?: string
  readonly password?: string
  readonly currentPassword?: string
}

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

/** The normalized address, or the text itself: refusals of any text are counted. */
const addressOf = (email: string): string => parseEmail(email)?.normalized ?? fold(email)

type SignInFailure = SignInRefused | Invalid | EmailTaken | TooManySignIns | Unavailable

export class Accounts extends Context.Service<
  Accounts,
  {
    /** While no user exists: a new link of the first start, which replaces earlier ones. Null if there are users. */
    readonly firstLink: Effect.Effect<string | null>
    /** A link with which the user signs in and can set a new password. */
    readonly recoveryLink: (email: string) => Effect.Effect<string, NotFound>
    /** Does not use the link up. */
    readonly link: (token: string, origin: SignInOrigin) => Effect.Effect<LinkView, NotFound | TooManySignIns>
    readonly signIn: (credentials: Credentials, origin: SignInOrigin) => Effect.Effect<NewSession, SignInFailure>
    /** The session of a cookie. */
    readonly authenticate: (token: string) => Effect.Effect<SignedIn, SignedOut>
    /** Whether the session of a cookie has not ended. Unlike a request, it does not prolong the session. */
    readonly isLive: (token: string) => Effect.Effect<boolean>
    readonly memberships: (user: UserId) => Effect.Effect<ReadonlyArray<Membership>>
    /** A workspace by id or slug. One in which the user is no member is not found. */
    readonly memberOf: (
      user: UserId,
      workspace: string,
    ) => Effect.Effect<{ readonly workspace: Workspace; readonly role: Role }, NotFound>
    readonly sessions: (user: UserId) => Effect.Effect<ReadonlyArray<Session>>
    readonly endSession: (user: UserId, session: SessionId) => Effect.Effect<void, NotFound>
    /** A new password ends all sessions and returns a new one; else null. */
    readonly updateUser: (
      current: SignedIn,
      fields: UserFields,
      origin: SignInOrigin,
    ) => Effect.Effect<
      { readonly user: User; readonly session: NewSession | null },
      Invalid | SignInAgain | TooManySignIns | Unavailable | NotFound
    >
  }
>()("tentpole/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const store = yield* AccountStore
      const workspaces = yield* WorkspaceStore
      const hasher = yield* PasswordHasher
      const secrets = yield* Secrets
      const ids = yield* Ids
      const audit = yield* AuditLog
      const { transact } = yield* Transactor
      const { sessionIdle_minutes } = yield* Settings
      const limit = yield* signInLimit
      const links = yield* signInLinks
      const hashed = yield* hashingTurns
      const refusals = yield* refusalCount

      const token = newToken.pipe(Effect.provideService(Secrets, secrets))
      const hashOf = (text: string) => tokenHash(secrets, text)

      const renamed = Effect.fnUntraced(function* (id: UserId, change: Partial<User>) {
        const user = { ...(yield* store.lockUser(id)), ...change }
        yield* Effect.orDie(store.putUser(user))
        return user
      })

      const record = (action: AuditAction, target: string, details: Readonly<Record<string, unknown>> = {}) =>
        audit.append([{ workspaceId: null, action, target, details }])

      const refuse = Effect.fnUntraced(function* (attempt: Attempt) {
        yield* refusals.count
        yield* limit.refused(attempt)
        return yield* new SignInRefused()
      })

      /** The user with this password. It takes the same time for every refusal. */
      const verified = Effect.fnUntraced(function* (user: User | null, password: string, attempt: Attempt) {
        yield* limit.admit(attempt)
        const isRight = yield* hasher.verify(password, user?.passwordHash ?? null)
        return isRight && user !== null ? user : yield* refuse(attempt)
      }, hashed)

      const newSession = Effect.fnUntraced(function* (user: User, { agent }: SignInOrigin, by: "link" | "password") {
        const now = yield* DateTime.now
        const raw = yield* token
        const session: Session = {
          id: SessionId.make(yield* ids.next),
          userId: user.id,
          hash: hashOf(raw),
          agent: agent.slice(0, agent_length_max).toWellFormed(),
          createdAt: now,
          seenAt: now,
          expiresAt: DateTime.add(now, { days: session_days }),
        }
        yield* store.addSession(session)
        yield* record("user.signed_in", user.id, { by }).pipe(Effect.provideService(Actor, `user:${user.id}`))
        return { token: raw, session, user, memberships: yield* store.memberships(user.id) } satisfies NewSession
      })

      const newUser = Effect.fnUntraced(function* (
        fields: { readonly name: string; readonly email: string; readonly password: string },
        operator: boolean,
      ) {
        const name = yield* Effect.fromResult(checkUserName(fields.name))
        const { normalized, written } = yield* Effect.fromResult(checkUserEmail(fields.email))
        const password = yield* Effect.fromResult(checkPassword("password", fields.password))
        return {
          id: UserId.make(yield* ids.random),
          name,
          email: written,
          emailNormalized: normalized,
          passwordHash: yield* hashed(hasher.hash(password)),
          operator,
          createdAt: yield* DateTime.now,
        } satisfies User
      })

      /** Uses the link up. Of two concurrent calls, one is refused. */
      const take = ({ hash }: SignInLink) =>
        Effect.flatMap(DateTime.now, (now) => store.takeLink(hash, now)).pipe(
          Effect.catchTag("NotFound", () => new SignInRefused()),
        )

      const byFirstLink = Effect.fnUntraced(function* (
        link: SignInLink,
        fields: { readonly name: string; readonly email: string; readonly password: string },
        origin: SignInOrigin,
      ) {
        const user = yield* newUser(fields, true)
        return yield* transact(
          Effect.gen(function* () {
            yield* take(link)
            yield* store.putUser(user)
            const workspace = yield* workspaces.findFirst
            if (workspace !== null) yield* store.putMember(workspace.id, user.id, { role: "owner", at: user.createdAt })
            return yield* newSession(user, origin, "link")
          }),
        )
      })

      const byInvitation = Effect.fnUntraced(function* (
        link: Invitation,
        fields: { readonly name: string; readonly password: string },
        origin: SignInOrigin,
      ) {
        const { normalized } = yield* Effect.fromResult(checkUserEmail(link.email))
        const existing = yield* store.findUserByEmail(normalized)
        const user =
          existing === null
            ? yield* newUser({ ...fields, email: link.email }, false)
            : yield* verified(existing, fields.password, { account: normalized, network: origin.network })
        return yield* transact(
          Effect.gen(function* () {
            yield* take(link)
            if (existing === null) yield* store.putUser(user)
            const members = yield* store.lockMembers(link.workspaceId)
            const before = members.find(({ userId }) => userId === user.id)?.role
            // An invitation never takes a role away.
            const role = before !== undefined && includes(before, link.role) ? before : link.role
            yield* store.putMember(link.workspaceId, user.id, { role, at: yield* DateTime.now })
            yield* audit
              .append([{ workspaceId: link.workspaceId, action: "member.joined", target: user.id, details: { role } }])
              .pipe(Effect.provideService(Actor, `user:${user.id}`))
            return yield* newSession(user, origin, "link")
          }),
        )
      })

      const withPassword = Effect.fnUntraced(function* (password: string) {
        const checked = yield* Effect.fromResult(checkPassword("password", password))
        return { passwordHash: yield* hashed(hasher.hash(checked)) }
      })

      const byRecovery = Effect.fnUntraced(function* (
        link: RecoveryLink,
        password: string | undefined,
        origin: SignInOrigin,
      ) {
        const change = password === undefined ? {} : yield* withPassword(password)
        return yield* transact(
          Effect.gen(function* () {
            yield* take(link)
            const user = { ...(yield* store.lockUser(link.userId)), ...change }
            yield* store.putUser(user)
            yield* store.endSessions(user.id)
            return yield* newSession(user, origin, "link")
          }).pipe(Effect.catchTag("NotFound", () => new SignInRefused())),
        )
      })

      const byLink = Effect.fnUntraced(function* (
        { email, name, token: raw }: LinkCredentials,
        password: string | undefined,
        origin: SignInOrigin,
      ) {
        const attempt = { account: null, network: origin.network }
        yield* limit.admit(attempt)
        const link = yield* store
          .findLink(hashOf(raw), yield* DateTime.now)
          .pipe(Effect.catchTag("NotFound", () => refuse(attempt)))
        if (link.purpose === "recovery") return yield* byRecovery(link, password, origin)
        const fields = { name: name ?? "", email: email ?? "", password: password ?? "" }
        return yield* link.purpose === "first" ? byFirstLink(link, fields, origin) : byInvitation(link, fields, origin)
      })

      const byPassword = Effect.fnUntraced(function* (email: string, password: string, origin: SignInOrigin) {
        const account = addressOf(email)
        const found = yield* store.findUserByEmail(account)
        const user = yield* verified(found, password, { account, network: origin.network })
        const isOutdated = user.passwordHash !== null && hasher.isOutdated(user.passwordHash)
        const renewed = isOutdated ? { ...user, passwordHash: yield* hashed(hasher.hash(password)) } : user
        return yield* transact(
          Effect.andThen(isOutdated ? store.putUser(renewed) : Effect.void, newSession(renewed, origin, "password")),
        )
      })

      /** Fails unless the caller knows the current password. Users without one need a recent sign-in. */
      const proven = Effect.fnUntraced(function* (
        { session, user }: SignedIn,
        password: string | undefined,
        { network }: SignInOrigin,
      ) {
        if (user.passwordHash === null) {
          return isRecent(session, yield* DateTime.now) ? undefined : yield* new SignInAgain()
        }
        yield* verified(user, password ?? "", { account: user.emailNormalized, network }).pipe(
          Effect.catchTag("SignInRefused", () => Invalid.at("current_password", "is not the current password")),
        )
      })

      const liveSession = Effect.fnUntraced(function* (raw: string) {
        if (!isToken(raw)) return yield* new SignedOut()
        const found = yield* store.findSession(hashOf(raw)).pipe(Effect.catchTag("NotFound", () => new SignedOut()))
        return isLive(found.session, yield* DateTime.now, sessionIdle_minutes) ? found : yield* new SignedOut()
      })

      return Accounts.of({
        firstLink: links.first.pipe(transact, Effect.withSpan("Accounts.firstLink")),
        recoveryLink: Effect.fn("Accounts.recoveryLink")((email) => links.recovery(addressOf(email)), transact),

        link: Effect.fn("Accounts.link")(function* (raw, { network }) {
          const attempt = { account: null, network }
          yield* limit.admit(attempt)
          const link = yield* store
            .findLink(hashOf(raw), yield* DateTime.now)
            .pipe(Effect.tapError(() => limit.refused(attempt)))
          const account = link.purpose === "first" ? null : yield* store.findUserByEmail(addressOf(link.email))
          const workspace = link.purpose === "invitation" ? yield* workspaces.get(link.workspaceId) : null
          return { link, workspace, hasAccount: account !== null }
        }),

        signIn: Effect.fn("Accounts.signIn")(function* (credentials, origin) {
          return "link" in credentials
            ? yield* byLink(credentials.link, credentials.password, origin)
            : yield* byPassword(credentials.email, credentials.password, origin)
        }),

        authenticate: Effect.fn("Accounts.authenticate")(function* (raw) {
          const found = yield* liveSession(raw)
          const now = yield* DateTime.now
          if (now.epochMilliseconds - found.session.seenAt.epochMilliseconds > seen_every_s * 1000) {
            yield* transact(store.touchSession(found.session.id, now))
          }
          return found
        }),

        isLive: (raw) => Effect.isSuccess(liveSession(raw)),

        memberships: store.memberships,
        memberOf: store.findMember,
        sessions: Effect.fn("Accounts.sessions")(function* (user) {
          const now = yield* DateTime.now
          return (yield* store.sessions(user)).filter((each) => isLive(each, now, sessionIdle_minutes))
        }),

        endSession: Effect.fn("Accounts.endSession")(function* (user, session) {
          yield* store.endSession(user, session)
          yield* record("session.ended", session)
        }, transact),

        updateUser: Effect.fn("Accounts.updateUser")(function* (current, fields, origin) {
          const name = fields.name === undefined ? {} : { name: yield* Effect.fromResult(checkUserName(fields.name)) }
          if (fields.password === undefined)
            return { user: yield* transact(renamed(current.user.id, name)), session: null }
          yield* proven(current, fields.currentPassword, origin)
          const change = { ...name, ...(yield* withPassword(fields.password)) }
          return yield* transact(
            Effect.gen(function* () {
              const user = yield* renamed(current.user.id, change)
              yield* store.endSessions(user.id)
              return { user, session: yield* newSession(user, origin, "password") }
            }),
          )
        }),
      })
    }),
  )
}
