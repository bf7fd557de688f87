// The handlers of accounts.
import { Accounts } from "@tentpole/core/accounts/Accounts"
import { Passkeys } from "@tentpole/core/accounts/passkeys/Passkeys"
import type { SignedIn } from "@tentpole/core/accounts/AccountStore"
import { Effect, Layer, Predicate } from "effect"
import type { HttpServerRequest } from "effect/http"
import { SessionCookie } from "../console/SessionCookie.ts"
import { body } from "../edge/Errors.ts"
import { withHeaders } from "../edge/RateLimit.ts"
import { handlersFor } from "../GroupHandlers.ts"
import { answer, toCamelCase } from "../Wire.ts"
import { AccountsApi, CurrentSession } from "./AccountsApi.ts"
import { toCredentials, toMethodsWire, toSessionsWire, toSessionWire } from "./AccountsWire.ts"
import { toLinkWire } from "./LinkWire.ts"
import { onResponseTo, originOf, replaceSession } from "./SignInRequests.ts"
import { toOptionsWire, toPasskeysWire, toPasskeyWire, toPurpose } from "./PasskeysWire.ts"

type Request = HttpServerRequest.HttpServerRequest

const handlersOf = handlersFor(AccountsApi, Effect.succeed([] as const))

const sessionHandlersOf = handlersFor(
  AccountsApi,
  Effect.map(CurrentSession, (current): readonly [SignedIn] => [current]),
)

/** Sets `Retry-After` if too many sign-ins were refused. */
const limited =
  (request: Request) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.tapError(effect, (refusal) =>
      Predicate.hasProperty(refusal, "wait_s")
        ? onResponseTo(request)(withHeaders({ "retry-after": String(refusal.wait_s) }))
        : Effect.void,
    )

const services = Effect.all({ accounts: Accounts, cookie: SessionCookie, passkeys: Passkeys })

const notSafe = body(
  "https_required",
  "Over plain HTTP the session could be read on its way. Serve the console over HTTPS and set PUBLIC_CONSOLE_URL, or open it on the same machine as localhost",
)

const signIn = handlersOf("signIn", services, ({ accounts, cookie, passkeys }) => {
  return {
    methods: () => Effect.succeed(toMethodsWire(accounts.methods)),
    passkeyOptions: ({ payload, request }) =>
      Effect.gen(function* () {
        const current = accounts.authenticate(cookie.tokenOf(request) ?? "")
        const started = yield* passkeys.start(yield* toPurpose(payload, current), yield* originOf(cookie, request))
        yield* onResponseTo(request)(cookie.browser.set(started.browser))
        return started
      }).pipe(limited(request), answer(toOptionsWire)),
    link: ({ payload, request }) =>
      Effect.flatMap(originOf(cookie, request), (origin) => accounts.link(payload.token, origin)).pipe(
        limited(request),
        answer(toLinkWire),
      ),
    create: ({ payload, request }) =>
      cookie.isSafe
        ? Effect.flatMap(originOf(cookie, request), (origin) => accounts.signIn(toCredentials(payload), origin)).pipe(
            limited(request),
            Effect.tap(replaceSession(accounts, cookie, request)),
            answer(toSessionWire),
          )
        : Effect.fail(notSafe),
  }
})

const sessions = sessionHandlersOf("sessions", services, ({ accounts, cookie }) => ({
  current: (_, current) =>
    Effect.map(accounts.memberships(current.user.id), (memberships) => toSessionWire({ ...current, memberships })),
  signOut: ({ request }, { session, user }) =>
    // Another request may have ended the session already.
    Effect.andThen(Effect.ignore(accounts.endSession(user.id, session.id)), onResponseTo(request)(cookie.remove)),
  list: (_, { session, user }) => Effect.map(accounts.sessions(user.id), toSessionsWire(session)),
  end: ({ params }, { user }) => accounts.endSession(user.id, params.session_id).pipe(answer(() => undefined)),
}))

const user = sessionHandlersOf("user", services, ({ accounts, cookie }) => ({
  update: ({ payload, request }, current) =>
    Effect.gen(function* () {
      const { session, user } = yield* accounts.updateUser(
        current,
        toCamelCase(payload),
        yield* originOf(cookie, request),
      )
      if (session !== null) yield* onResponseTo(request)(cookie.set(session.token))
      const memberships = yield* accounts.memberships(user.id)
      return { session: session?.session ?? current.session, user, memberships }
    }).pipe(limited(request), answer(toSessionWire)),
}))

const passkeys = sessionHandlersOf("passkeys", services, ({ cookie, passkeys }) => ({
  list: (_, { user }) => Effect.map(passkeys.list(user.id), toPasskeysWire),
  create: ({ payload, request }, current) =>
    Effect.flatMap(originOf(cookie, request), (origin) => passkeys.create(current, toCamelCase(payload), origin)).pipe(
      answer(toPasskeyWire),
    ),
  remove: ({ params }, { user }) => passkeys.delete(user.id, params.passkey_id).pipe(answer(() => undefined)),
}))

export const groups = Layer.mergeAll(signIn, sessions, passkeys, user)
