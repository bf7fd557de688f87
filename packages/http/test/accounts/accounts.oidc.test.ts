// Tests of sign-ins with an identity provider, over HTTP and with a provider on this machine.
import { PgClient } from "@effect/sql-pg"
import { OidcServer } from "@tentpole/adapters/test/OidcServer"
import { Members } from "@tentpole/core/accounts/Members"
import { tagged } from "@tentpole/core/contract"
import type { OidcSettings } from "@tentpole/core/kernel/Settings"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { assert, describe, it } from "@effect/vitest"
import { OidcLogins } from "@tentpole/core/accounts/oidc/OidcLogins"
import { OidcProvider } from "@tentpole/core/accounts/oidc/OidcProvider"
import { Context, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { parts } from "../fixtures/World.ts"
import { ask, browserAt, ofConsole, password, unusedLinkWith } from "../fixtures/ConsoleWorld.ts"

const oidcTest = tagged(it.live, "attack/oidc")

const ann = { sub: "ann", email: "Ann@Example.org", email_verified: true, name: "Ann Lee" }
const eve = { sub: "eve", email: "eve@example.org", email_verified: true, name: "Eve" }
const sessionPath = "/auth/v1/session"

/** All listeners with a provider, and the workspace `default`. */
const begin = Effect.fnUntraced(function* (different: Partial<OidcSettings> = {}) {
  const provider = yield* Effect.acquireRelease(
    Effect.promise(() => OidcServer.start()),
    (started) => Effect.promise(() => started.close()),
  )
  const { clientId, issuer } = provider
  const clientSecret = Redacted.make(provider.clientSecret)
  const oidc = { issuer, clientId, clientSecret, roleClaim: null, only: false, ...different }
  const world = yield* unusedLinkWith({ oidc })
  const invite = (email: string, role: "viewer" | "owner" = "viewer") =>
    Context.get(world.context, Members).invite(world.workspace.id, { email, role })
  return { ...world, invite, provider }
})

/** A navigation that another site began. */
const fromElsewhere = { "sec-fetch-site": "cross-site" }

type Browser = ReturnType<typeof browserAt>

/** Goes to the provider; returns the address to which it leads back, as a path of the console. */
const leave = Effect.fnUntraced(function* (browser: Browser, query = "") {
  const { headers, status } = yield* browser.call("GET", `/auth/v1/oidc/start${query}`)
  assert.strictEqual(status, 302)
  const answer = yield* Effect.promise(() => fetch(String(headers["location"]), { redirect: "manual" }))
  const back = new URL(answer.headers.get("location") ?? "")
  assert.strictEqual(back.pathname, "/auth/v1/oidc/callback")
  return back.pathname + back.search
})

const comeBack = (browser: Browser, path: string) =>
  Effect.map(browser.call("GET", path, { headers: fromElsewhere }), ({ headers, status }) => {
    assert.strictEqual(status, 302)
    return String(headers["location"])
  })

const signIn = (browser: Browser, query = "") =>
  Effect.flatMap(leave(browser, query), (path) => comeBack(browser, path))

const membershipsOf = (browser: Browser) =>
  Effect.map(browser.call("GET", sessionPath), ({ json }): unknown =>
    json.memberships.map(({ role, slug }: { slug: string; role: string }) => `${slug}:${role}`),
  )

describe("a sign-in with an identity provider", () => {
  it.live("signs in a user who exists by the verified address, and from then on by the subject", () =>
    Effect.gen(function* () {
      const { call, console, link, provider } = yield* begin()
      yield* call("POST", "/auth/v1/sessions", {
        json: { link: { ...link, name: "Ann", email: "ann@example.org" }, password },
      })
      provider.person = ann
      const browser = browserAt(console)
      assert.strictEqual(yield* signIn(browser, "?return_path=/w/default/lists?search=a"), "/w/default/lists?search=a")
      assert.deepInclude((yield* browser.call("GET", sessionPath)).json.user, { name: "Ann", operator: true })
      const [asked] = provider.asked
      assert.strictEqual(asked?.get("code_challenge_method"), "S256")
      assert.strictEqual(asked?.get("redirect_uri"), "http://localhost:8083/auth/v1/oidc/callback")
      provider.person = { ...ann, email: "new.name@example.org", email_verified: false }
      const later = browserAt(console)
      assert.strictEqual(yield* signIn(later), "/")
      assert.deepInclude((yield* later.call("GET", sessionPath)).json.user, { name: "Ann", email: "ann@example.org" })
      const { json } = yield* browser.call("GET", "/admin/v1/audit-log?action=user.bound")
      assert.strictEqual(json.entries.length, 1)
    }).pipe(Effect.scoped),
  )

  it.live("creates the user of an invitation, which is used up", () =>
    Effect.gen(function* () {
      const { console, invite, provider } = yield* begin()
      const { token } = yield* invite("ann@EXAMPLE.org")
      provider.person = ann
      const browser = browserAt(console)
      assert.strictEqual(yield* signIn(browser), "/")
      assert.deepInclude((yield* browser.call("GET", sessionPath)).json.user, {
        name: "Ann Lee",
        email: "Ann@Example.org",
        operator: false,
        has_password: false,
      })
      assert.deepStrictEqual(yield* membershipsOf(browser), ["default:viewer"])
      assert.strictEqual((yield* browser.call("POST", "/auth/v1/links", { json: { token } })).status, 404)
      const cookie = String((yield* browser.call("GET", "/auth/v1/oidc/start")).headers["set-cookie"])
      assert.match(cookie, /^tentpole-login=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
    }).pipe(Effect.scoped),
  )

  oidcTest("proves who the person is only if the provider asked, which is needed for what is sensitive", () =>
    Effect.gen(function* () {
      const { console, invite, provider } = yield* begin()
      yield* invite("ann@example.org", "owner")
      provider.person = ann
      const browser = browserAt(console)
      yield* signIn(browser)
      const { memberships } = (yield* browser.call("GET", sessionPath)).json
      const path = `/admin/v1/workspaces/${memberships[0].workspace_id}/invitations`
      const outcome = Effect.suspend(() =>
        Effect.map(
          browser.call("POST", path, { json: { email: "bob@example.org", role: "viewer" } }),
          ({ json, status }) => `${status} ${json.code ?? ""}`,
        ),
      )
      assert.strictEqual(yield* outcome, "401 sign_in_again")
      // A provider that still knows the person asks nothing, and says when it did.
      provider.changed = { auth_time: Math.floor(Date.now() / 1_000) - 3_600 }
      yield* signIn(browser)
      assert.strictEqual(yield* outcome, "401 sign_in_again")
      provider.changed = {}
      yield* signIn(browser, "?again=true")
      assert.strictEqual(provider.asked.at(-1)?.get("max_age"), "0")
      assert.strictEqual(yield* outcome, "201 ")
    }).pipe(Effect.scoped),
  )

  oidcTest("refuses strangers, and addresses that are not verified or belong to another subject", () =>
    Effect.gen(function* () {
      const { console, invite, provider } = yield* begin()
      yield* invite(ann.email)
      const people = [
        eve,
        { ...ann, email_verified: false },
        { ...ann, email_verified: "true" },
        { sub: "ann", email: ann.email },
        { sub: "ann" },
      ]
      const outcomes = yield* Effect.forEach(people, (person) => {
        provider.person = person
        return signIn(browserAt(console))
      })
      assert.deepStrictEqual(new Set(outcomes), new Set(["/#oidc=refused"]))
      provider.person = ann
      assert.strictEqual(yield* signIn(browserAt(console)), "/")
      provider.person = { ...eve, email: ann.email }
      const browser = browserAt(console)
      assert.strictEqual(yield* signIn(browser), "/#oidc=refused")
      assert.strictEqual((yield* browser.call("GET", sessionPath)).status, 401)
    }).pipe(Effect.scoped),
  )

  oidcTest("refuses another state, nonce, audience, issuer or key, an expired token, and a code that was used", () =>
    Effect.gen(function* () {
      const { console, invite, provider } = yield* begin()
      yield* invite(ann.email)
      provider.person = ann
      const browser = browserAt(console)
      const refused = (back: string) =>
        Effect.map(comeBack(browser, back), (to) => assert.strictEqual(to, "/#oidc=refused", back))
      const path = yield* leave(browser)
      yield* refused(path.replace(/state=[^&]+/, `state=${"A".repeat(43)}`))
      yield* refused(path)
      for (const query of [
        "",
        "?error=access_denied",
        "?code=a",
        "?code=a&state=b&state=c",
        "?%00=%00",
        "?code=%ud800&state=%",
        "?error=%3Cscript%3E&error_description=https://evil.example",
        `?code=${"a".repeat(8_000)}&state=b`,
      ]) {
        yield* leave(browser)
        yield* refused(`/auth/v1/oidc/callback${query}`)
      }
      for (const changed of [
        { nonce: "other" },
        { aud: "other" },
        { iss: "https://evil.example" },
        { exp: 1 },
        { sub: 7 },
      ]) {
        provider.changed = changed
        yield* refused(yield* leave(browser))
      }
      provider.changed = {}
      provider.isForged = true
      yield* refused(yield* leave(browser))
      provider.isForged = false
      // Another browser began this sign-in: its cookie belongs to another state.
      const foreign = yield* leave(browserAt(console))
      yield* leave(browser)
      yield* refused(foreign)
      yield* refused(foreign)
      const good = yield* leave(browser)
      const cookie = (yield* browser.call("GET", "/auth/v1/oidc/start")).headers["set-cookie"]
      assert.isDefined(cookie)
      yield* refused(good)
      const last = yield* leave(browser)
      assert.strictEqual(yield* comeBack(browser, last), "/")
      yield* refused(last)
    }).pipe(Effect.scoped),
  )

  oidcTest("exchanges a code once, also when the browser keeps its cookie", () =>
    Effect.gen(function* () {
      const { console, invite, provider } = yield* begin()
      yield* invite(ann.email)
      provider.person = ann
      const started = yield* ask(console, "GET", "/auth/v1/oidc/start", { headers: ofConsole })
      const cookie = String(started.headers["set-cookie"]).split(";")[0] ?? ""
      const answer = yield* Effect.promise(() => fetch(String(started.headers["location"]), { redirect: "manual" }))
      const { pathname, search } = new URL(answer.headers.get("location") ?? "")
      const back = (sent: string) =>
        Effect.map(
          ask(console, "GET", pathname + search, { headers: { ...fromElsewhere, cookie: sent } }),
          ({ headers }) => headers["location"],
        )
      assert.strictEqual(yield* back(""), "/#oidc=refused")
      assert.strictEqual(yield* back(`${cookie.slice(0, -8)}AAAAAAAA`), "/#oidc=refused")
      assert.strictEqual(yield* back(cookie), "/")
      assert.strictEqual(yield* back(cookie), "/#oidc=refused")
    }).pipe(Effect.scoped),
  )

  tagged(it.effect, "attack/oidc")("ends after ten minutes", () =>
    Effect.gen(function* () {
      const identity = {
        issuer: "i",
        subject: "s",
        email: null,
        emailVerified: false,
        name: null,
        authTime_s: null,
        roleClaim: null,
      }
      const provider = Layer.mock(OidcProvider, {
        authorize: () => Effect.succeed("https://login.example.org"),
        exchange: () => Effect.succeed(identity),
      })
      const context = yield* Layer.build(OidcLogins.layer.pipe(Layer.provide(Layer.merge(parts, provider))))
      const { run, start } = Context.get(context, OidcLogins)
      const { sealed } = yield* start("/w/acme/home", false)
      yield* TestClock.adjust("599 seconds")
      assert.deepStrictEqual(yield* run("/", sealed), { identity, returnPath: "/w/acme/home" })
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Effect.flip(run("/", sealed)))._tag, "SignInRefused")
    }).pipe(Effect.scoped),
  )

  oidcTest("leads back to a path of the console only", () =>
    Effect.gen(function* () {
      const { console, invite, provider } = yield* begin()
      yield* invite(ann.email)
      provider.person = ann
      for (const path of [
        "//evil.example",
        "https://evil.example/w/a",
        "/%5Cevil.example",
        "/w/a%0d%0ax:%20y",
        "/auth/v1/oidc/start",
      ]) {
        const query = `?return_path=${path.includes("%") ? path : encodeURIComponent(path)}`
        assert.strictEqual(yield* signIn(browserAt(console), query), "/", path)
      }
    }).pipe(Effect.scoped),
  )

  oidcTest("begins on pages of the console only", () =>
    Effect.gen(function* () {
      const { console } = yield* begin()
      const { json, status } = yield* ask(console, "GET", "/auth/v1/oidc/start", { headers: fromElsewhere })
      assert.deepStrictEqual([status, json.code], [403, "cross_origin_refused"])
    }).pipe(Effect.scoped),
  )

  it.live("says that the provider does not answer, and works again when it does", () =>
    Effect.gen(function* () {
      const { console, invite, provider } = yield* begin()
      yield* invite(ann.email)
      provider.person = ann
      const browser = browserAt(console)
      const path = yield* leave(browser)
      provider.isDown = true
      assert.strictEqual(yield* comeBack(browser, path), "/#oidc=unavailable")
      provider.isDown = false
      assert.strictEqual(yield* signIn(browser), "/")
      const lost = yield* begin()
      lost.provider.isDown = true
      const { headers } = yield* browserAt(lost.console).call("GET", "/auth/v1/oidc/start")
      assert.strictEqual(headers["location"], "/#oidc=unavailable")
    }).pipe(Effect.scoped),
  )

  it.live("does not exist without a provider", () =>
    Effect.gen(function* () {
      const { call } = yield* unusedLinkWith({})
      for (const path of ["start", "callback?code=a&state=b"]) {
        assert.strictEqual((yield* call("GET", `/auth/v1/oidc/${path}`)).status, 404)
      }
      assert.deepInclude((yield* call("GET", "/auth/v1/methods")).json, { password: true, oidc_host: null })
    }).pipe(Effect.scoped),
  )
})

describe("the role claim", () => {
  it.live("creates users, and gives and takes roles at each sign-in; the last owner stays", () =>
    Effect.gen(function* () {
      const { console, context, invite, provider } = yield* begin({ roleClaim: "tentpole" })
      yield* Context.get(context, Workspaces).create({ name: "Acme", slug: "acme" })
      const as = Effect.fnUntraced(function* (person: object, tentpole: unknown) {
        provider.person = { ...person, ...(tentpole === undefined ? {} : { tentpole }) }
        const browser = browserAt(console)
        const to = yield* signIn(browser)
        return to === "/" ? yield* membershipsOf(browser) : to
      })
      assert.deepStrictEqual(yield* as(ann, ["acme:editor", "default:owner", "staff", "unknown:owner"]), [
        "acme:editor",
        "default:owner",
      ])
      assert.deepStrictEqual(yield* as(ann, "acme:viewer"), ["acme:viewer", "default:owner"])
      assert.deepStrictEqual(yield* as(eve, ["default:owner"]), ["default:owner"])
      assert.deepStrictEqual(yield* as(ann, "acme:viewer"), ["acme:viewer"])
      yield* invite("new@example.org", "owner")
      for (const claim of [undefined, [], ["staff"], "unknown:owner"]) {
        assert.strictEqual(yield* as(ann, claim), "/#oidc=refused")
        assert.strictEqual(yield* as({ ...eve, sub: "new", email: "new@example.org" }, claim), "/#oidc=refused")
      }
    }).pipe(Effect.scoped),
  )
})

describe("claims that the token lacks", () => {
  oidcTest("come from the provider's document of the same subject", () =>
    Effect.gen(function* () {
      const { console, provider } = yield* begin({ roleClaim: "tentpole" })
      provider.hasUserInfo = true
      provider.person = { ...ann, tentpole: "default:sender" }
      const browser = browserAt(console)
      assert.strictEqual(yield* signIn(browser), "/")
      assert.deepStrictEqual(yield* membershipsOf(browser), ["default:sender"])
      for (const changed of [{ sub: "eve" }, { email: "eve@example.org", email_verified: false, sub: "eve" }]) {
        provider.changed = changed
        assert.strictEqual(yield* signIn(browserAt(console)), "/#oidc=refused")
      }
      provider.person = { ...eve, tentpole: "default:sender" }
      provider.changed = { email: eve.email }
      assert.strictEqual(yield* signIn(browserAt(console)), "/#oidc=refused")
    }).pipe(Effect.scoped),
  )
})

describe("an installation with OIDC_ONLY", () => {
  oidcTest("refuses passwords, passkeys and invitations, and takes links of commands", () =>
    Effect.gen(function* () {
      const { accounts, call, console, context, invite, link, provider } = yield* begin({ only: true })
      const codeOf = ({ json, status }: { status: number; json: { code?: string } | null }) =>
        status < 300 ? status : `${status} ${json?.code}`
      const first = { link: { ...link, name: "Ann", email: "ann@example.org" } }
      assert.strictEqual(codeOf(yield* call("POST", "/auth/v1/sessions", { json: first })), 201)
      const { token } = yield* invite("ben@example.org")
      const stranger = browserAt(console)
      const wrong = [
        { email: "ann@example.org", password },
        { link: { token, name: "Ben" }, password },
        { passkey: { id: "a", client_data: "a", authenticator_data: "a", signature: "a", user_handle: "a" } },
      ]
      for (const json of wrong) {
        const refused = yield* stranger.call("POST", "/auth/v1/sessions", { json })
        assert.strictEqual(codeOf(refused), "401 sign_in_refused")
        assert.include(refused.json.message, `signs in with ${provider.issuer} only`)
      }
      const options = yield* stranger.call("POST", "/auth/v1/passkeys/options", { json: { purpose: "sign_in" } })
      assert.strictEqual(codeOf(options), "401 sign_in_refused")
      const recovery = { link: { token: yield* accounts.recoveryLink("ann@example.org") } }
      assert.strictEqual(codeOf(yield* stranger.call("POST", "/auth/v1/sessions", { json: recovery })), 201)
      assert.deepStrictEqual((yield* call("GET", "/auth/v1/methods")).json, {
        password: false,
        passkey_host: null,
        oidc_host: provider.issuer.replace("http://", ""),
      })
      const sql = Context.get(context, PgClient.PgClient)
      const [{ hash } = { hash: "none" }] = yield* Effect.orDie(
        sql<{ hash: string | null }>`select password_hash as hash from app_user`,
      )
      assert.isNull(hash)
    }).pipe(Effect.scoped),
  )
})
