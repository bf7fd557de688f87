// Sign-in by a one-time link: it creates a user, adds one to a workspace, or lets one in who can't sign in otherwise.
import { DateTime, Effect } from "effect"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { Ids, UserId } from "../../kernel/Ids.ts"
import { Invalid } from "../../kernel/Refusal.ts"
import { Settings } from "../../kernel/Settings.ts"
import { WorkspaceStore } from "../../workspaces/WorkspaceStore.ts"
import { OidcOnly, SignInRefused } from "../AccountErrors.ts"
import { AccountStore } from "../AccountStore.ts"
import type { Passkey, PasskeyRegistration } from "../passkeys/Passkey.ts"
import type { FirstLink, Invitation, RecoveryLink, SignInLink } from "../SignInLink.ts"
import { checkUserEmail, checkUserName, type User } from "../User.ts"
import type { ByLink, SignInOrigin } from "./Credentials.ts"
import type { SignInSteps } from "./SignInSteps.ts"

type Secrets = Omit<ByLink, "link">

const isRegistration = (passkey: ByLink["passkey"]): passkey is PasskeyRegistration =>
  passkey !== undefined && "attestation" in passkey

export const linkSignIn = Effect.fnUntraced(function* (steps: SignInSteps) {
  const store = yield* AccountStore
  const workspaces = yield* WorkspaceStore
  const ids = yield* Ids
  const { oidc } = yield* Settings
  const { transact } = yield* Transactor

  /** Uses the link up. Of two concurrent calls, one is refused. */
  const take = ({ hash }: SignInLink) =>
    Effect.flatMap(DateTime.now, (now) => store.takeLink(hash, now)).pipe(
      Effect.catchTag("NotFound", () => new SignInRefused()),
    )

  /** The passkey that was created for this link, or null if there is none. */
  const createdFor = (link: SignInLink, { passkey }: Secrets, { browser }: SignInOrigin) =>
    isRegistration(passkey)
      ? steps.proofs.created(passkey, browser, ({ linkId }) => linkId === link.id)
      : Effect.succeed(null)

  const addPasskey = (passkey: Passkey | null) => (passkey === null ? Effect.void : steps.proofs.add(passkey))

  const newUser = Effect.fnUntraced(function* (
    fields: { readonly name: string; readonly email: string; readonly operator: boolean },
    { password }: Secrets,
    passkey: Passkey | null,
  ) {
    const name = yield* Effect.fromResult(checkUserName(fields.name))
    const { normalized, written } = yield* Effect.fromResult(checkUserEmail(fields.email))
    // The first user of an installation without passwords signs in with the provider from then on.
    const hasPassword = password !== undefined || (passkey === null && oidc?.only !== true)
    return {
      id: passkey?.userId ?? UserId.make(yield* ids.random),
      name,
      email: written,
      emailNormalized: normalized,
      oidcIssuer: null,
      oidcSubject: null,
      passwordHash: hasPassword ? (yield* steps.newPassword(password ?? "")).passwordHash : null,
      operator: fields.operator,
      createdAt: yield* DateTime.now,
    } satisfies User
  })

  const byFirstLink = Effect.fnUntraced(function* (
    link: FirstLink,
    { link: { email = "", name = "" }, ...secrets }: ByLink,
    origin: SignInOrigin,
  ) {
    const passkey = yield* createdFor(link, secrets, origin)
    const user = yield* newUser({ name, email, operator: true }, secrets, passkey)
    return yield* transact(
      Effect.gen(function* () {
        yield* take(link)
        yield* store.putUser(user)
        yield* addPasskey(passkey)
        const workspace = yield* workspaces.findFirst
        if (workspace !== null) yield* store.putMember(workspace.id, user.id, { role: "owner", at: user.createdAt })
        return yield* steps.newSession(user, origin, "link")
      }),
    )
  })

  /** An invited user who exists, by the password or a passkey. */
  const existingUser = Effect.fnUntraced(function* (user: User, { passkey, password }: Secrets, origin: SignInOrigin) {
    const attempt = { account: user.emailNormalized, network: origin.network }
    if (passkey === undefined) return yield* steps.verified(user, password ?? "", attempt)
    if (isRegistration(passkey)) return yield* Invalid.at("passkey", "must be one that the user has already")
    const owner = yield* steps.ownerOf(passkey, origin)
    return owner.id === user.id ? owner : yield* steps.refuse(attempt)
  })

  const byInvitation = Effect.fnUntraced(function* (
    link: Invitation,
    { link: { name = "" }, ...secrets }: ByLink,
    origin: SignInOrigin,
  ) {
    const { normalized } = yield* Effect.fromResult(checkUserEmail(link.email))
    const existing = yield* store.findUserByEmail(normalized)
    const passkey = existing === null ? yield* createdFor(link, secrets, origin) : null
    const user =
      existing === null
        ? yield* newUser({ name, email: link.email, operator: false }, secrets, passkey)
        : yield* existingUser(existing, secrets, origin)
    return yield* transact(
      Effect.gen(function* () {
        yield* take(link)
        if (existing === null) yield* store.putUser(user)
        yield* addPasskey(passkey)
        yield* steps.join(user, link)
        return yield* steps.newSession(user, origin, "link")
      }),
    )
  })

  const byRecovery = Effect.fnUntraced(function* (link: RecoveryLink, secrets: Secrets, origin: SignInOrigin) {
    const change = secrets.password === undefined ? {} : yield* steps.newPassword(secrets.password)
    const passkey = yield* createdFor(link, secrets, origin)
    return yield* transact(
      Effect.gen(function* () {
        yield* take(link)
        const user = { ...(yield* store.lockUser(link.userId)), ...change }
        yield* store.putUser(user)
        yield* addPasskey(passkey)
        yield* store.endSessions(user.id)
        return yield* steps.newSession(user, origin, "link")
      }).pipe(Effect.catchTag("NotFound", () => new SignInRefused())),
    )
  })

  return Effect.fnUntraced(function* (credentials: ByLink, origin: SignInOrigin) {
    const attempt = { account: null, network: origin.network }
    yield* steps.limit.admit(attempt)
    const link = yield* store
      .findLink(steps.hashOf(credentials.link.token), yield* DateTime.now)
      .pipe(Effect.catchTag("NotFound", () => steps.refuse(attempt)))
    switch (link.purpose) {
      case "first":
        return yield* byFirstLink(link, credentials, origin)
      case "invitation":
        if (oidc?.only === true) return yield* new OidcOnly({ issuer: oidc.issuer })
        return yield* byInvitation(link, credentials, origin)
      case "recovery":
        return yield* byRecovery(link, credentials, origin)
    }
  })
})
