// `OidcProvider` by openid-client, which is loaded with the first sign-in: code flow with PKCE. The provider's document is
// fetched when it is needed and cached. Answers have limits on time and size, and redirects are not followed.
import { SignInRefused } from "@tentpole/core/accounts/AccountErrors"
import { callback_path, type Identity, type OidcLogin } from "@tentpole/core/accounts/oidc/Oidc"
import { OidcProvider } from "@tentpole/core/accounts/oidc/OidcProvider"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { type OidcSettings, Settings } from "@tentpole/core/kernel/Settings"
import { Cache, Duration, Effect, Exit, Layer, Redacted } from "effect"
import type { ClientAuth, Configuration, CustomFetch, IDToken, UserInfoResponse } from "openid-client"

const answer_default_s = 5
const answer_bytes_max = 2 ** 20
/** The provider's document may change. The library itself fetches new keys when it meets an unknown one. */
const document_ttl = Duration.hours(1)
/** How long a failure is cached, so that a provider that is down is not requested for every sign-in. */
const failure_ttl = Duration.seconds(5)

const library = () => import("openid-client")

/** The provider does not answer, or not with an answer of its protocol. */
class ProviderDown extends Error {}

const isDown = (error: unknown): boolean =>
  error instanceof ProviderDown || (error instanceof Error && isDown(error.cause))

const boundedFetch =
  (answer_s: number): CustomFetch =>
  async (url, options) => {
    try {
      const answer = await fetch(url, {
        ...options,
        redirect: "manual",
        signal: AbortSignal.timeout(answer_s * 1000),
      } as RequestInit)
      if (answer.status >= 500) throw new Error(`answered ${answer.status}`)
      const pieces: Array<Uint8Array> = []
      let length = 0
      const body: AsyncIterable<Uint8Array> | null = answer.body
      for await (const piece of body ?? []) {
        length += piece.length
        if (length > answer_bytes_max) throw new Error("answered too much")
        pieces.push(piece)
      }
      const { headers, status } = answer
      return new Response(length === 0 ? null : Buffer.concat(pieces), { headers, status })
    } catch (cause) {
      throw new ProviderDown(cause instanceof Error ? cause.message : String(cause), { cause })
    }
  }

const authentication = async (secret: Redacted.Redacted | null): Promise<ClientAuth> => {
  const { ClientSecretBasic, ClientSecretPost, None } = await library()
  if (secret === null) return None()
  const [basic, post] = [ClientSecretBasic(Redacted.value(secret)), ClientSecretPost(Redacted.value(secret))]
  // Providers that name no method know the first one.
  return (server, ...rest) =>
    (server.token_endpoint_auth_methods_supported?.includes("client_secret_basic") ?? true)
      ? basic(server, ...rest)
      : post(server, ...rest)
}

/** The provider's document. Rejects if the provider can't be reached, or is another one. */
export const discover = async (
  { clientId, clientSecret, issuer }: OidcSettings,
  answer_s = answer_default_s,
): Promise<Configuration> => {
  // oxlint-disable-next-line typescript/no-deprecated -- the configuration allows plain HTTP to this machine only
  const { allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks } = await library()
  const insecure = issuer.startsWith("http:") ? [allowInsecureRequests] : []
  return discovery(new URL(issuer), clientId, undefined, await authentication(clientSecret), {
    [customFetch]: boundedFetch(answer_s),
    timeout: answer_s,
    execute: [enableNonRepudiationChecks, ...insecure],
  })
}

/** The library's errors also contain tokens and claims, which no log may have. */
const reasonOf = (error: unknown) =>
  error instanceof Error
    ? { reason: error.message, cause: error.cause instanceof Error ? error.cause.message : null }
    : {}

type Claims = Readonly<Partial<IDToken & UserInfoResponse>>

const textOr = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** Who signed in: by the ID token and, where it lacks the address or the role claim, by the provider's document of the user. */
const identityOf = async (config: Configuration, returned: URL, login: OidcLogin, roleClaim: string | null) => {
  const { authorizationCodeGrant, fetchUserInfo } = await library()
  const tokens = await authorizationCodeGrant(config, returned, {
    expectedState: login.state,
    expectedNonce: login.nonce,
    pkceCodeVerifier: login.verifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new Error("the answer has no ID token")
  const { issuer, userinfo_endpoint } = config.serverMetadata()
  const isWhole = ["email", roleClaim ?? "email"].every((name) => claims[name] !== undefined)
  const more: Claims =
    isWhole || userinfo_endpoint === undefined ? {} : await fetchUserInfo(config, tokens.access_token, claims.sub)
  // The verification belongs to the address beside it.
  const { email, email_verified } = claims["email"] === undefined ? more : (claims as Claims)
  const all: Claims = { ...more, ...claims }
  return {
    issuer,
    subject: claims.sub,
    email: textOr(email),
    emailVerified: email_verified === true,
    name: textOr(all.name),
    authTime_s: typeof claims.auth_time === "number" ? claims.auth_time : null,
    roleClaim: roleClaim === null ? undefined : all[roleClaim],
  } satisfies Identity
}

export const layerWith = (answer_s: number) =>
  Layer.effect(
    OidcProvider,
    Effect.gen(function* () {
      const { oidc, publicConsoleUrl } = yield* Settings
      const redirect_uri = `${publicConsoleUrl}${callback_path}`
      const unavailable = new Unavailable({
        part: "identity provider",
        reason: "The identity provider does not answer at the moment. Try again in a few minutes",
      })

      const found = yield* Cache.makeWith(
        (settings: OidcSettings) =>
          Effect.tryPromise({ try: () => discover(settings, answer_s), catch: (cause) => cause }).pipe(
            Effect.tapError((cause) => Effect.logWarning("the identity provider can't be used", reasonOf(cause))),
            Effect.mapError(() => unavailable),
          ),
        { capacity: 1, timeToLive: (exit) => (Exit.isSuccess(exit) ? document_ttl : failure_ttl) },
      )
      const provider = oidc === null ? Effect.fail(unavailable) : Cache.get(found, oidc)

      return OidcProvider.of({
        authorize: ({ nonce, state, verifier }, again) =>
          Effect.flatMap(provider, (config) =>
            Effect.tryPromise({
              try: async () => {
                const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library()
                return buildAuthorizationUrl(config, {
                  redirect_uri,
                  scope: "openid email profile",
                  state,
                  nonce,
                  code_challenge: await calculatePKCECodeChallenge(verifier),
                  code_challenge_method: "S256",
                  // With `max_age` the provider must say when it asked the person.
                  ...(again ? { prompt: "login", max_age: "0" } : {}),
                }).href
              },
              catch: () => unavailable,
            }),
          ),

        exchange: (returned, login) =>
          Effect.flatMap(provider, (config) =>
            Effect.tryPromise({
              try: () => identityOf(config, new URL(returned, publicConsoleUrl), login, oidc?.roleClaim ?? null),
              catch: (cause) => cause,
            }).pipe(
              Effect.tapError((cause) =>
                Effect.logInfo("a sign-in with the identity provider was refused", reasonOf(cause)),
              ),
              Effect.mapError((cause) => (isDown(cause) ? unavailable : new SignInRefused())),
            ),
          ),
      })
    }),
  )

export const layer = layerWith(answer_default_s)
