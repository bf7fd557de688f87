// The use cases of users: signing in, sessions, and the user's own settings.
import { Context, DateTime, Effect, Layer } from "effect"
import { Transactor } from "../kernel/changes/Transactor.ts"
import type { SessionId, UserId } from "../kernel/Ids.ts"
import { Invalid, type NotFound, type Unavailable } from "../kernel/Refusal.ts"
import { fold } from "../kernel/Text.ts"
import { parseEmail } from "../kernel/values/EmailAddress.ts"
import { Settings } from "../kernel/Settings.ts"
import type { Role } from "../workspaces/Role.ts"
import type { Workspace } from "../workspaces/Workspace.ts"
import { WorkspaceStore } from "../workspaces/WorkspaceStore.ts"
import {
  type EmailTaken,
  OidcOnly,
  type PasskeyRefused,
  type PasskeyTaken,
  SignedOut,
  SignInAgain,
  type SignInRefused,
  type TooManySignIns,
} from "./AccountErrors.ts"
import { AccountStore, type SignedIn } from "./AccountStore.ts"
import { PasswordHasher } from "./Password.ts"
import { hostOf } from "./oidc/Oidc.ts"
import { relyingPartyOf } from "./passkeys/Passkey.ts"
import { isLive, isRecent, isToken, seen_every_s, type Session } from "./Session.ts"
import type { Credentials, NewSession, SignInOrigin } from "./signIn/Credentials.ts"
import { linkSignIn } from "./signIn/LinkSignIn.ts"
import { oidcSignIn } from "./signIn/OidcSignIn.ts"
import { signInSteps } from "./signIn/SignInSteps.ts"
import type { SignInLink } from "./SignInLink.ts"
import { signInLinks } from "./SignInLinks.ts"
import { checkUserName, type Membership, type SignInMethods, type User } from "./User.ts"

/** What a link is for, as its holder may know it. */
export interface LinkView {
  readonly link: SignInLink
  readonly workspace: Workspace | null
  /** Whether the address has a user already, who signs in with the existing password or a passkey. */
  readonly hasAccount: boolean
}

export interface UserFields {
  readonly name?: string
  readonly password?: string
  readonly currentPassword?: string
}

/** The normalized address, or the text itself: refusals of any text are counted. */
const addressOf = (email: string): string => parseEmail(email)?.normalized ?? fold(email)

type SignInFailure =
  | OidcOnly
  | SignInRefused
  | Invalid
  | EmailTaken
  | PasskeyRefused
  | PasskeyTaken
  | TooManySignIns
  | Unavailable

export class Accounts extends Context.Service<
  Accounts,
  {
    readonly methods: SignInMethods
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
      const { transact } = yield* Transactor
      const { oidc, publicConsoleUrl, sessionIdle_minutes } = yield* Settings
      const links = yield* signInLinks
      const steps = yield* signInSteps
      const byLink = yield* linkSignIn(steps)
      const byIdentity = yield* oidcSignIn(steps)
      const { hash, hashOf, limit, newPassword, newSession, ownerOf, record, verified } = steps

      const isOidcOnly = oidc?.only === true

      const renamed = Effect.fnUntraced(function* (id: UserId, change: Partial<User>) {
        const user = { ...(yield* store.lockUser(id)), ...change }
        yield* Effect.orDie(store.putUser(user))
        return user
      })

      const byPassword = Effect.fnUntraced(function* (email: string, password: string, origin: SignInOrigin) {
        const account = addressOf(email)
        const found = yield* store.findUserByEmail(account)
        const user = yield* verified(found, password, { account, network: origin.network })
        const isOutdated = user.passwordHash !== null && hasher.isOutdated(user.passwordHash)
        const renewed = isOutdated ? { ...user, passwordHash: yield* hash(password) } : user
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
        methods: {
          password: !isOidcOnly,
          passkeyHost: isOidcOnly ? null : (relyingPartyOf(publicConsoleUrl)?.host ?? null),
          oidcHost: oidc === null ? null : hostOf(oidc.issuer),
        },
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
          if ("link" in credentials) return yield* byLink(credentials, origin)
          if ("identity" in credentials) return yield* byIdentity(credentials.identity, origin)
          if (oidc?.only === true) return yield* new OidcOnly({ issuer: oidc.issuer })
          if ("email" in credentials) return yield* byPassword(credentials.email, credentials.password, origin)
          return yield* transact(newSession(yield* ownerOf(credentials.passkey, origin), origin, "passkey"))
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
          const change = { ...name, ...(yield* newPassword(fields.password)) }
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
