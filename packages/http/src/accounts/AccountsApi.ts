// The API of accounts: served under /auth/v1 by the console's listener, and described at /auth/v1/openapi.json.
import type { SignedIn } from "@tentpole/core/accounts/AccountStore"
import { PasskeyId, SessionId } from "@tentpole/core/kernel/Ids"
import { Context } from "effect"
import { HttpApi, HttpApiMiddleware, HttpApiSchema, HttpApiSecurity, OpenApi } from "effect/http-api"
import { completeDocument, documentOrigin } from "../description/Description.ts"
import { errors } from "../edge/Errors.ts"
import { Validation } from "../edge/Validation.ts"
import * as Endpoint from "../Endpoint.ts"
import { MethodsWire, SessionsWire, SessionWire, SignIn, UpdateUser } from "./AccountsWire.ts"
import { LinkWire, NamedLink } from "./LinkWire.ts"
import { AskOptions, OptionsWire, PasskeysWire, PasskeyWire, RegistrationWire } from "./PasskeysWire.ts"

/** The session of the request's cookie. */
export class CurrentSession extends Context.Service<CurrentSession, SignedIn>()("tentpole/http/CurrentSession") {}

export class SignedInOnly extends HttpApiMiddleware.Service<SignedInOnly, { provides: CurrentSession }>()(
  "tentpole/http/SignedInOnly",
  {
    error: errors("unauthorized", "rate_limited"),
    security: { cookie: HttpApiSecurity.apiKey({ key: "__Host-tentpole", in: "cookie" }) },
  },
) {}

const signIn = Endpoint.group("signIn", "Links and sign-ins.").add(
  Endpoint.get("methods", "/auth/v1/methods", {
    needs: "anyone",
    summary: "Get the ways to sign in",
    description: "Returns which ways to sign in this installation has.",
    success: MethodsWire,
  }),
  Endpoint.post("passkeyOptions", "/auth/v1/passkeys/options", {
    needs: "anyone",
    summary: "Get options for a passkey",
    description:
      "Returns what a browser needs to sign in with a passkey, or to create one. The challenge works once, for five minutes, and in this browser only: the response sets a cookie. A new passkey without a link needs a session with a sign-in of the last 15 minutes.",
    payload: AskOptions,
    success: OptionsWire,
    errors: [
      "validation_failed",
      "unauthorized",
      "sign_in_refused",
      "sign_in_again",
      "not_found",
      "passkeys_unavailable",
      "rate_limited",
    ],
  }),
  Endpoint.post("link", "/auth/v1/links", {
    needs: "anyone",
    summary: "Get a one-time link",
    description:
      "Returns what a one-time link is for, without using it up. Unknown, used and expired links return 404.",
    payload: NamedLink,
    success: LinkWire,
    errors: ["not_found", "rate_limited"],
  }),
  Endpoint.post("create", "/auth/v1/sessions", {
    needs: "anyone",
    summary: "Sign in",
    description:
      "Signs in with an email and a password, with a passkey, or with a one-time link, and sets the session's cookie. The first link creates the operator, an invitation creates a user or adds one to the workspace, a recovery link can set a new password or add a passkey. All refusals are the same.",
    payload: SignIn,
    success: SessionWire.pipe(HttpApiSchema.status(201)),
    errors: [
      "validation_failed",
      "passkey_refused",
      "sign_in_refused",
      "https_required",
      "conflict",
      "rate_limited",
      "unavailable",
    ],
  }),
)

const sessions = Endpoint.group("sessions", "The sessions of the signed-in user.")
  .add(
    Endpoint.get("current", "/auth/v1/session", {
      needs: "user",
      summary: "Get the session",
      description: "Returns the signed-in user with the workspaces and roles.",
      success: SessionWire,
    }),
    Endpoint.delete("signOut", "/auth/v1/session", {
      needs: "user",
      summary: "Sign out",
      description: "Ends the session and removes its cookie.",
    }),
    Endpoint.get("list", "/auth/v1/sessions", {
      needs: "user",
      summary: "List sessions",
      description: "Returns the user's sessions, the newest first.",
      success: SessionsWire,
    }),
    Endpoint.delete("end", "/auth/v1/sessions/:session_id", {
      needs: "user",
      summary: "End a session",
      description: "Ends a session of the user. Its next request is refused.",
      params: { session_id: SessionId },
    }),
  )
  .middleware(SignedInOnly)

const passkeys = Endpoint.group("passkeys", "The passkeys of the signed-in user.")
  .add(
    Endpoint.get("list", "/auth/v1/passkeys", {
      needs: "user",
      summary: "List passkeys",
      description: "Returns the user's passkeys, the oldest first.",
      success: PasskeysWire,
    }),
    Endpoint.post("create", "/auth/v1/passkeys", {
      needs: "user",
      recentSignIn: true,
      summary: "Add a passkey",
      description: "Adds the passkey that this browser created for the last options. A user can have 20.",
      payload: RegistrationWire,
      success: PasskeyWire.pipe(HttpApiSchema.status(201)),
      errors: ["validation_failed", "passkey_refused", "conflict", "not_found"],
    }),
    Endpoint.delete("remove", "/auth/v1/passkeys/:passkey_id", {
      needs: "user",
      recentSignIn: true,
      summary: "Remove a passkey",
      description: "Removes a passkey of the user. The last one of a user without a password stays.",
      params: { passkey_id: PasskeyId },
      errors: ["not_found", "last_passkey"],
    }),
  )
  .middleware(SignedInOnly)

const user = Endpoint.group("user", "The signed-in user.")
  .add(
    Endpoint.patch("update", "/auth/v1/user", {
      needs: "user",
      summary: "Update the user",
      description:
        "Changes the name or the password. A new password ends all sessions of the user; the response sets the cookie of a new one. A user without a password needs a sign-in of the last 15 minutes.",
      payload: UpdateUser,
      success: SessionWire,
      errors: ["validation_failed", "sign_in_again", "not_found", "rate_limited", "unavailable"],
    }),
  )
  .middleware(SignedInOnly)

export const AccountsApi = HttpApi.make("tentpole-accounts")
  .add(signIn)
  .add(sessions)
  .add(passkeys)
  .add(user)
  .middleware(Validation)
  .annotate(HttpApi.ParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.HeadersParseOptions, {})
  .annotate(OpenApi.Title, "Tentpole Accounts API")
  .annotate(OpenApi.Version, "1.0.0")
  .annotate(
    OpenApi.Description,
    "Sign-in, sessions and the signed-in user, on the console's address. The session is a cookie; requests other than GET need the header `X-Tentpole-Console: 1`. With the cookie, the console's address also serves `/v1` (the header `X-Tentpole-Workspace` names the workspace by id or slug) and `/admin/v1`.",
  )
  .annotateMerge(documentOrigin)
  .annotate(OpenApi.Transform, completeDocument({ limited: false }))
