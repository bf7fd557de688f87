// Tests of the requests to an identity provider: their parameters, and the limits of its answers.
import { layerWith } from "@tentpole/adapters/oidc/OidcProvider"
import { settingsLayer, tagged } from "@tentpole/core/contract"
import type { OidcLogin } from "@tentpole/core/accounts/oidc/Oidc"
import { OidcProvider } from "@tentpole/core/accounts/oidc/OidcProvider"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, References } from "effect"
import { createServer, type RequestListener } from "node:http"
import { OidcServer } from "../support/OidcServer.ts"

const login: OidcLogin = { state: "s", nonce: "n", verifier: "v".repeat(43), returnPath: "/", expires_ms: 0 }
const answer_s = 0.5

const providerAt = (issuer: string) => {
  const oidc = { issuer, clientId: "tentpole", clientSecret: Redacted.make("x"), roleClaim: null, only: false }
  const quiet = Layer.succeed(References.MinimumLogLevel, "None")
  return Effect.provide(
    OidcProvider,
    layerWith(answer_s).pipe(Layer.provide(settingsLayer({ oidc })), Layer.provideMerge(quiet)),
  )
}

/** The address of a server with these answers. */
const served = (answer: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer(answer)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      }),
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      return `http://localhost:${typeof address === "object" && address !== null ? address.port : 0}`
    }),
  )

describe("the identity provider", () => {
  it.live("gets a request for a code, with state, nonce and PKCE, and asks again on demand", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => OidcServer.start()),
        (started) => Effect.promise(() => started.close()),
      )
      const { authorize } = yield* providerAt(server.issuer)
      const { origin, searchParams } = new URL(yield* authorize(login, false))
      assert.strictEqual(origin, server.issuer)
      assert.deepStrictEqual(Object.fromEntries(searchParams), {
        client_id: "tentpole",
        response_type: "code",
        scope: "openid email profile",
        redirect_uri: "http://localhost:8083/auth/v1/oidc/callback",
        state: "s",
        nonce: "n",
        code_challenge: "7w_YNF9DSfIdPf_pRjSq646_kPr-2-o9NAl16JGghdM",
        code_challenge_method: "S256",
      })
      assert.include(yield* authorize(login, true), "prompt=login")
    }).pipe(Effect.scoped),
  )

  tagged(it.live, "attack/redirect")(
    "is unavailable if it redirects, answers too much or too late, or is another one",
    () =>
      Effect.gen(function* () {
        const answers: ReadonlyArray<RequestListener> = [
          (_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
          (_, response) => void response.end(`"${"a".repeat(2 ** 20)}"`),
          () => undefined,
          (_, response) => void response.writeHead(200, { "content-type": "application/json" }).write("{"),
          (_, response) =>
            void response
              .writeHead(200, { "content-type": "application/json" })
              .end('{"issuer":"https://evil.example"}'),
          (_, response) => void response.end("no JSON"),
          (_, response) => void response.destroy(),
        ]
        for (const answer of answers) {
          const { authorize } = yield* providerAt(yield* served(answer))
          assert.strictEqual((yield* Effect.flip(authorize(login, false)))._tag, "Unavailable")
        }
      }).pipe(Effect.scoped),
  )
})
