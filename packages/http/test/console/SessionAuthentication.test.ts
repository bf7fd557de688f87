// Tests of sessions on the console's listener.
import { assert, describe, it, layer } from "@effect/vitest"
import { tagged } from "@tentpole/core/contract"
import { Context, Effect, Layer } from "effect"
import { ask, browserAt, consoleWorld, ofConsole, password, unusedLink } from "../fixtures/ConsoleWorld.ts"
import { testKey } from "../fixtures/World.ts"

const inDefault = { headers: { "x-tentpole-workspace": "default" } }
const codeOf = ({ json, status }: { readonly status: number; readonly json: { readonly code?: string } | null }) =>
  status < 300 ? status : `${status} ${json?.code}`

/** One world for the tests that leave the sessions of Ann and her password as they are. */
const World = Context.Service<Effect.Success<typeof consoleWorld>>("test/World")

layer(Layer.effect(World, consoleWorld), { excludeTestServices: true })("sessions", (test) => {
  const sessionsTest = tagged(test.effect, "attack/sessions")
  const forgeryTest = tagged(test.effect, "attack/forged-request")

  test.effect("begin with the first link: its user is an operator and the owner of the first workspace", () =>
    Effect.gen(function* () {
      const { ann, signedIn, workspace } = yield* World
      assert.strictEqual(signedIn.status, 201)
      const { expires_at, user, memberships } = signedIn.json
      assert.deepInclude(user, { name: "Ann", email: "Ann@example.org", operator: true })
      assert.deepStrictEqual(memberships, [
        { workspace_id: workspace.id, slug: "default", name: "default", role: "owner" },
      ])
      assert.match(expires_at, /^\d{4}-/)
      assert.match(
        String(signedIn.headers["set-cookie"]),
        /^tentpole=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
      )
      assert.deepInclude((yield* ann.call("GET", "/auth/v1/session")).json.user, { name: "Ann" })
    }),
  )

  test.effect("call /v1 in the workspace that the header names by id or slug, and /admin/v1", () =>
    Effect.gen(function* () {
      const { ann, workspace } = yield* World
      assert.strictEqual((yield* ann.call("GET", "/v1/contacts", inDefault)).status, 200)
      const byId = { "x-tentpole-workspace": workspace.id }
      const made = yield* ann.call("POST", "/v1/contacts", {
        json: { items: [{ email: "b@example.com" }] },
        headers: byId,
      })
      assert.strictEqual(made.status, 201)
      assert.strictEqual(codeOf(yield* ann.call("GET", "/v1/contacts")), "400 validation_failed")
      const other = { headers: { "x-tentpole-workspace": "other" } }
      assert.strictEqual(codeOf(yield* ann.call("GET", "/v1/contacts", other)), "404 not_found")
      const listed = yield* ann.call("GET", `/admin/v1/workspaces`)
      assert.strictEqual(listed.json.workspaces.length, 1)
    }),
  )

  sessionsTest("belong to one listener: the API knows no cookie, the console no key", () =>
    Effect.gen(function* () {
      const { ann, api, console } = yield* World
      const cookie = { cookie: ann.cookie() }
      assert.strictEqual(
        codeOf(yield* ask(api, "GET", "/v1/contacts", { headers: { ...cookie, ...inDefault.headers } })),
        "401 unauthorized",
      )
      const authorization = `Bearer ${testKey}`
      assert.strictEqual(codeOf(yield* ask(api, "GET", "/v1/contacts", { headers: { authorization } })), 200)
      const asKey = { ...ofConsole, ...inDefault.headers, authorization }
      assert.strictEqual(codeOf(yield* ask(console, "GET", "/v1/contacts", { headers: asKey })), "401 unauthorized")
      assert.strictEqual(
        codeOf(yield* ask(api, "GET", "/auth/v1/session", { headers: { ...cookie, ...ofConsole } })),
        "404 not_found",
      )
    }),
  )

  sessionsTest("take no token that the browser chose before it signed in", () =>
    Effect.gen(function* () {
      const { console } = yield* World
      const cookie = `tentpole=${"A".repeat(43)}`
      const mallory = browserAt(console)
      const signedIn = yield* mallory.call("POST", "/auth/v1/sessions", {
        json: { email: "ann@example.org", password },
        headers: { cookie },
      })
      assert.strictEqual(signedIn.status, 201)
      assert.notStrictEqual(mallory.cookie(), cookie)
      const fixed = yield* ask(console, "GET", "/auth/v1/session", { headers: { ...ofConsole, cookie } })
      assert.strictEqual(codeOf(fixed), "401 unauthorized")
    }),
  )

  test.effect("begin with an invitation: its role and no more", () =>
    Effect.gen(function* () {
      const { ann, console, workspace } = yield* World
      const invited = yield* ann.call("POST", `/admin/v1/workspaces/${workspace.id}/invitations`, {
        json: { email: "Ben@example.org", role: "viewer" },
      })
      const [, token] = String(invited.json.url).split("#link=")
      const ben = browserAt(console)
      const joined = yield* ben.call("POST", "/auth/v1/sessions", {
        json: { link: { token, name: "Ben" }, password: "a correct battery horse" },
      })
      assert.deepInclude(joined.json.user, { name: "Ben", email: "Ben@example.org", operator: false })
      assert.deepStrictEqual(joined.json.memberships, [
        { workspace_id: workspace.id, slug: "default", name: "default", role: "viewer" },
      ])
      assert.strictEqual((yield* ben.call("GET", "/v1/contacts", inDefault)).status, 200)
      const written = yield* ben.call("POST", "/v1/contacts", {
        json: { items: [{ email: "b@example.com" }] },
        ...inDefault,
      })
      assert.strictEqual(codeOf(written), "403 role_too_low")
      assert.strictEqual(codeOf(yield* ben.call("GET", "/admin/v1/workspaces")), "403 role_too_low")
    }),
  )

  describe("the console's guard", () => {
    forgeryTest("refuses requests of other sites, with a cookie and without", () =>
      Effect.gen(function* () {
        const { ann, console } = yield* World
        const cookie = ann.cookie()
        const own = `http://localhost:${console}`
        const workspace = inDefault.headers
        const wrong: ReadonlyArray<readonly [string, Readonly<Record<string, string>>]> = [
          ["no header at all", {}],
          ["same site", { ...workspace, "sec-fetch-site": "same-site" }],
          ["cross site", { ...workspace, "sec-fetch-site": "cross-site" }],
          ["typed address", { ...workspace, "sec-fetch-site": "none" }],
          ["forged origin", { ...workspace, origin: "http://evil.example" }],
          ["origin of another port", { ...workspace, origin: "http://localhost:1" }],
          ["opaque origin", { ...workspace, origin: "null" }],
          ["a form", { "sec-fetch-site": "same-origin", origin: own }],
          ["strange host", { ...workspace, "sec-fetch-site": "same-origin", host: "rebound.example" }],
          [
            "host that contains the right one",
            { ...workspace, "sec-fetch-site": "same-origin", host: "localhost.evil.example" },
          ],
        ]
        for (const [name, headers] of wrong) {
          for (const path of ["/v1/contacts", "/auth/v1/sessions", "/admin/v1/workspaces"]) {
            const answered = yield* ask(console, "POST", path, { headers: { ...headers, cookie }, json: {} })
            assert.strictEqual(codeOf(answered), "403 cross_origin_refused", `${name}: ${path}`)
          }
        }
        for (const headers of [
          { ...workspace, "sec-fetch-site": "same-origin" },
          { ...workspace, origin: own },
        ]) {
          assert.strictEqual(
            codeOf(yield* ask(console, "GET", "/v1/contacts", { headers: { ...headers, cookie } })),
            200,
          )
        }
        const reading = yield* ask(console, "GET", "/v1/contacts", {
          headers: { ...workspace, cookie, "sec-fetch-site": "same-site" },
        })
        assert.strictEqual(codeOf(reading), "403 cross_origin_refused")
        assert.isUndefined(reading.headers["access-control-allow-origin"])
      }),
    )
  })
})

describe("sessions that end", () => {
  tagged(it.live, "attack/sessions")("can't be replayed after signing out, and are new for each sign-in", () =>
    Effect.gen(function* () {
      const { ann, console } = yield* consoleWorld
      const first = ann.cookie()
      const replay = (cookie: string) =>
        Effect.map(ask(console, "GET", "/auth/v1/session", { headers: { ...ofConsole, cookie } }), codeOf)
      const again = yield* ann.call("POST", "/auth/v1/sessions", { json: { email: "ann@EXAMPLE.org", password } })
      assert.strictEqual(again.status, 201)
      assert.notStrictEqual(ann.cookie(), first)
      assert.strictEqual(yield* replay(first), "401 unauthorized")
      const second = ann.cookie()
      assert.strictEqual(yield* replay(second), 200)
      assert.strictEqual((yield* ann.call("DELETE", "/auth/v1/session")).status, 204)
      assert.strictEqual(ann.cookie(), "tentpole=")
      assert.strictEqual(yield* replay(second), "401 unauthorized")
    }).pipe(Effect.scoped),
  )

  it.live("begin with a recovery link, which ends the others and can set the password", () =>
    Effect.gen(function* () {
      const { accounts, ann, console } = yield* consoleWorld
      const unknown = yield* Effect.flip(accounts.recoveryLink("nobody@example.org"))
      assert.strictEqual(unknown._tag, "NotFound")
      const token = yield* accounts.recoveryLink("ann@example.org")
      const seen = yield* ann.call("POST", "/auth/v1/links", { json: { token } })
      assert.deepInclude(seen.json, { purpose: "recovery", email: "Ann@example.org", has_account: true })
      const other = browserAt(console)
      const changed = "another correct horse battery"
      const recovery = { json: { link: { token }, password: changed } }
      assert.strictEqual((yield* other.call("POST", "/auth/v1/sessions", recovery)).status, 201)
      assert.strictEqual(codeOf(yield* ann.call("GET", "/auth/v1/session")), "401 unauthorized")
      assert.strictEqual(codeOf(yield* ann.call("POST", "/auth/v1/sessions", recovery)), "401 sign_in_refused")
      const again = yield* ann.call("POST", "/auth/v1/sessions", {
        json: { email: "ann@example.org", password: changed },
      })
      assert.strictEqual(again.status, 201)
    }).pipe(Effect.scoped),
  )

  it.live("are listed and ended by their user; a new password ends them all", () =>
    Effect.gen(function* () {
      const { ann, console } = yield* consoleWorld
      const other = browserAt(console)
      yield* other.call("POST", "/auth/v1/sessions", {
        json: { email: "ann@example.org", password },
        headers: { "user-agent": "Other/1" },
      })
      const { sessions } = (yield* ann.call("GET", "/auth/v1/sessions")).json
      assert.deepStrictEqual(
        sessions.map(({ agent, current }: { agent: string; current: boolean }) => [agent, current]),
        [
          ["Other/1", false],
          ["", true],
        ],
      )
      assert.strictEqual((yield* ann.call("DELETE", `/auth/v1/sessions/${sessions[0].session_id}`)).status, 204)
      assert.strictEqual(codeOf(yield* other.call("GET", "/auth/v1/session")), "401 unauthorized")
      const before = ann.cookie()
      const change = (current_password: string) =>
        ann.call("PATCH", "/auth/v1/user", { json: { password: "another long password", current_password } })
      assert.strictEqual(codeOf(yield* change("wrong, but long enough")), "400 validation_failed")
      assert.strictEqual(codeOf(yield* change(password)), 200)
      assert.notStrictEqual(ann.cookie(), before)
      assert.strictEqual(codeOf(yield* ann.call("GET", "/auth/v1/session")), 200)
      const old = yield* ask(console, "GET", "/auth/v1/session", { headers: { ...ofConsole, cookie: before } })
      assert.strictEqual(codeOf(old), "401 unauthorized")
    }).pipe(Effect.scoped),
  )
})

const guessingTest = tagged(it.live, "attack/password-guessing")

describe("sign-in", () => {
  guessingTest("refuses unknown addresses, wrong passwords and used links alike, and limits them", () =>
    Effect.gen(function* () {
      const { console, token } = yield* consoleWorld
      const { call } = browserAt(console)
      const refused = function* (json: unknown) {
        const { json: answered, status } = yield* call("POST", "/auth/v1/sessions", { json })
        const { details: _, ...rest } = answered
        return { status, ...rest }
      }
      const unknown = yield* refused({ email: "nobody@example.org", password })
      assert.deepInclude(unknown, { status: 401, code: "sign_in_refused" })
      assert.deepStrictEqual(yield* refused({ email: "ann@example.org", password: "wrong, but long enough" }), unknown)
      assert.deepStrictEqual(
        yield* refused({ link: { token, name: "Eve", email: "eve@example.org" }, password }),
        unknown,
      )
      assert.strictEqual(codeOf(yield* call("POST", "/auth/v1/links", { json: { token } })), "404 not_found")
      for (let time = 0; time < 9; time++)
        yield* refused({ email: "ann@example.org", password: "wrong, but long enough" })
      const right = yield* call("POST", "/auth/v1/sessions", { json: { email: "ann@example.org", password } })
      assert.strictEqual(codeOf(right), "429 rate_limited")
      assert.isAtLeast(Number(right.headers["retry-after"]), 1)
    }).pipe(Effect.scoped),
  )

  it.live("asks for a name, an address and a password of 12 characters that is not common", () =>
    Effect.gen(function* () {
      const { call, link } = yield* unusedLink
      const sent = (json: object) =>
        Effect.map(call("POST", "/auth/v1/sessions", { json }), ({ json: { details, code } }) => [
          code,
          ...(details.issues ?? []).map(({ path }: { path: string }) => path),
        ])
      assert.deepStrictEqual(yield* sent({ link: { ...link, name: "Ann" }, password }), ["validation_failed", "email"])
      assert.deepStrictEqual(yield* sent({ link: { ...link, email: "a@b.example" }, password }), [
        "validation_failed",
        "name",
      ])
      const whole = { ...link, name: "Ann", email: "a@b.example" }
      for (const weak of [undefined, "eleven char", "Qwertyuiop123"]) {
        const json = weak === undefined ? { link: whole } : { link: whole, password: weak }
        assert.deepStrictEqual(yield* sent(json), ["validation_failed", "password"])
      }
      const { json: purpose } = yield* call("POST", "/auth/v1/links", { json: { token: link.token } })
      assert.deepStrictEqual(purpose, {
        purpose: "first",
        email: null,
        workspace: null,
        role: null,
        has_account: false,
      })
    }).pipe(Effect.scoped),
  )
})
