// Tests of passkeys over HTTP, with devices in this process.
import { PgClient } from "@effect/sql-pg"
import { Authenticator } from "@tentpole/adapters/test/Authenticator"
import { tagged } from "@tentpole/core/contract"
import { Members } from "@tentpole/core/accounts/Members"
import { Passkeys } from "@tentpole/core/accounts/passkeys/Passkeys"
import { toSnakeCase } from "@tentpole/http/Wire"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Answer, browserAt, consoleWorld, password, unusedLink, unusedLinkWith } from "../fixtures/ConsoleWorld.ts"
import type { Json } from "../fixtures/World.ts"

const passkeyTest = tagged(it.live, "attack/passkeys")

const codeOf = ({ json, status }: Answer) => (status < 300 ? status : `${status} ${json?.code}`)

type Browser = Pick<ReturnType<typeof browserAt>, "call">

const newDevice = () => new Authenticator("http://localhost:8083")

const optionsFor = (browser: Browser, asked: Json) =>
  Effect.map(browser.call("POST", "/auth/v1/passkeys/options", { json: asked }), ({ json }): Json => json.public_key)

/** The answer of a device that creates a passkey, as the API takes it. */
const registration = (browser: Browser, device: Authenticator, link?: Json) =>
  Effect.map(
    optionsFor(browser, { purpose: "register", ...(link === undefined ? {} : { link }) }),
    ({ challenge, user }) => toSnakeCase(device.create(challenge, user.id)),
  )

const assertion = (browser: Browser, device: Authenticator) =>
  Effect.map(optionsFor(browser, { purpose: "sign_in" }), ({ challenge }) => toSnakeCase(device.sign(challenge)))

const signIn = (browser: Browser, json: Json) => browser.call("POST", "/auth/v1/sessions", { json })

const add = (browser: Browser, device: Authenticator) =>
  Effect.flatMap(registration(browser, device), (json) => browser.call("POST", "/auth/v1/passkeys", { json }))

const listed = (browser: Browser) =>
  Effect.map(browser.call("GET", "/auth/v1/passkeys"), ({ json }): ReadonlyArray<Json> => json.passkeys)

/** Ann, with a password and a passkey. */
const withPasskey = Effect.gen(function* () {
  const world = yield* consoleWorld
  const device = newDevice()
  assert.strictEqual((yield* add(world.ann, device)).status, 201)
  return { ...world, device, stranger: browserAt(world.console) }
})

describe("a passkey", () => {
  it.live("is created with the first link, without a password, and signs in", () =>
    Effect.gen(function* () {
      const { call, console, link } = yield* unusedLink
      const device = newDevice()
      const own = { ...link, name: "Ann Lee", email: "ann@example.org" }
      const options = yield* optionsFor({ call }, { purpose: "register", link: own })
      assert.deepInclude(options, { rp: { id: "localhost", name: "Tentpole" }, attestation: "none", timeout: 300_000 })
      assert.deepInclude(options.user, { name: "ann@example.org", displayName: "Ann Lee" })
      const passkey = toSnakeCase(device.create(options.challenge, options.user.id))
      const first = yield* signIn({ call }, { link: own, passkey })
      assert.deepInclude(first.json.user, { name: "Ann Lee", operator: true })
      const browser = browserAt(console)
      const again = yield* signIn(browser, { passkey: yield* assertion(browser, device) })
      assert.strictEqual(again.status, 201)
      assert.deepStrictEqual(again.json.user, first.json.user)
      assert.deepInclude((yield* listed(browser))[0], { name: "Ann's laptop" })
      assert.isNotNull((yield* listed(browser))[0].used_at)
      const none = yield* signIn(browser, { email: "ann@example.org", password })
      assert.strictEqual(codeOf(none), "401 sign_in_refused")
    }).pipe(Effect.scoped),
  )

  it.live("is added to a recovered user, and proves an invited one", () =>
    Effect.gen(function* () {
      const { accounts, ann, console, context, workspace } = yield* consoleWorld
      const [browser, device] = [browserAt(console), newDevice()]
      const recovery = { token: yield* accounts.recoveryLink("ann@example.org") }
      const passkey = yield* registration(browser, device, recovery)
      assert.strictEqual((yield* signIn(browser, { link: recovery, passkey })).status, 201)
      assert.strictEqual(codeOf(yield* ann.call("GET", "/auth/v1/session")), "401 unauthorized")
      const { token } = yield* Context.get(context, Members).invite(workspace.id, {
        email: "ann@example.org",
        role: "viewer",
      })
      const asNew = yield* browser.call("POST", "/auth/v1/passkeys/options", {
        json: { purpose: "register", link: { token, name: "Ann" } },
      })
      assert.strictEqual(codeOf(asNew), "400 validation_failed")
      const joined = yield* signIn(browser, { link: { token }, passkey: yield* assertion(browser, device) })
      assert.strictEqual(joined.status, 201)
    }).pipe(Effect.scoped),
  )

  passkeyTest("works for the link that it was created for only", () =>
    Effect.gen(function* () {
      const { accounts, console, context, link, workspace } = yield* unusedLink
      const [browser, device] = [browserAt(console), newDevice()]
      const own = { ...link, name: "Ann", email: "ann@example.org" }
      const passkey = yield* registration(browser, device, own)
      const invite = Context.get(context, Members).invite(workspace.id, { email: "eve@example.org", role: "owner" })
      const other = { token: (yield* invite).token, name: "Eve" }
      assert.strictEqual(codeOf(yield* signIn(browser, { link: other, passkey })), "400 passkey_refused")
      assert.strictEqual(codeOf(yield* signIn(browser, { link: own, passkey })), "400 passkey_refused")
      const fresh = yield* registration(browser, device, own)
      assert.strictEqual(codeOf(yield* signIn(browser, { link: own, passkey: fresh })), 201)
      assert.isNotNull(accounts)
    }).pipe(Effect.scoped),
  )

  passkeyTest("answers each challenge once, in the browser that requested it, within five minutes", () =>
    Effect.gen(function* () {
      const { context, device, stranger, ...world } = yield* withPasskey
      const passkey = yield* assertion(stranger, device)
      const other = browserAt(world.console)
      yield* optionsFor(other, { purpose: "sign_in" })
      assert.strictEqual(codeOf(yield* signIn(other, { passkey })), "401 sign_in_refused")
      assert.strictEqual(codeOf(yield* signIn(browserAt(world.console), { passkey })), "401 sign_in_refused")
      assert.strictEqual(codeOf(yield* signIn(stranger, { passkey })), 201)
      assert.strictEqual(codeOf(yield* signIn(stranger, { passkey })), "401 sign_in_refused")
      const late = yield* assertion(stranger, device)
      const sql = Context.get(context, PgClient.PgClient)
      yield* Effect.orDie(sql`update passkey_challenge set expires_at = expires_at - interval '5 minutes'`)
      assert.strictEqual(codeOf(yield* signIn(stranger, { passkey: late })), "401 sign_in_refused")
    }).pipe(Effect.scoped),
  )

  passkeyTest("can't answer a challenge of the other kind, nor sign for another user or site", () =>
    Effect.gen(function* () {
      const { ann, device, stranger } = yield* withPasskey
      const { challenge } = yield* optionsFor(ann, { purpose: "register" })
      assert.strictEqual(
        codeOf(yield* signIn(ann, { passkey: toSnakeCase(device.sign(challenge)) })),
        "401 sign_in_refused",
      )
      const { challenge: ofSignIn } = yield* optionsFor(ann, { purpose: "sign_in" })
      const created = toSnakeCase(newDevice().create(ofSignIn, device.userHandle))
      assert.strictEqual(codeOf(yield* ann.call("POST", "/auth/v1/passkeys", { json: created })), "400 passkey_refused")
      const wrong = [
        (one: string) => device.sign(one, "http://localhost:1"),
        (one: string) => ({ ...device.sign(one), userHandle: "b3RoZXI" }),
        (one: string) => ({ ...newDevice().sign(one), userHandle: device.userHandle }),
        (one: string) => ({ ...newDevice().sign(one), id: device.id, userHandle: device.userHandle }),
        () => device.sign("A".repeat(43)),
      ]
      const answers = yield* Effect.forEach(wrong, (sign) =>
        Effect.gen(function* () {
          const { challenge: one } = yield* optionsFor(stranger, { purpose: "sign_in" })
          const { json, status } = yield* signIn(stranger, { passkey: toSnakeCase(sign(one)) })
          const { details: _, ...rest } = json
          return { status, ...rest }
        }),
      )
      assert.deepInclude(answers[0], { status: 401, code: "sign_in_refused" })
      for (const each of answers) assert.deepStrictEqual(each, answers[0])
    }).pipe(Effect.scoped),
  )

  passkeyTest("is refused and audited when the device's counter goes back, as that of a copy does", () =>
    Effect.gen(function* () {
      const { ann, context, device, stranger } = yield* withPasskey
      const outcomes: Array<unknown> = []
      for (const counter of [0, 0, 5, 5, 4, 6]) {
        device.counter = counter
        outcomes.push(codeOf(yield* signIn(stranger, { passkey: yield* assertion(stranger, device) })))
      }
      assert.deepStrictEqual(outcomes, [201, 201, 201, "401 sign_in_refused", "401 sign_in_refused", 201])
      const { json } = yield* ann.call("GET", "/admin/v1/audit-log?action=passkey.refused")
      assert.deepStrictEqual(
        json.entries.map(({ details, target_name }: Json) => [target_name, details.counter, details.before]),
        [
          ["Ann", 4, 5],
          ["Ann", 5, 5],
        ],
      )
      assert.isNotNull(context)
    }).pipe(Effect.scoped),
  )

  passkeyTest("counts refusals for its account, as passwords do", () =>
    Effect.gen(function* () {
      const { device, stranger } = yield* withPasskey
      for (let time = 0; time < 10; time++) {
        const passkey = { ...(yield* assertion(stranger, device)), signature: "AAAA" }
        assert.strictEqual(codeOf(yield* signIn(stranger, { passkey })), "401 sign_in_refused")
      }
      const right = yield* signIn(stranger, { passkey: yield* assertion(stranger, device) })
      assert.strictEqual(codeOf(right), "429 rate_limited")
      const byPassword = yield* signIn(stranger, { email: "ann@example.org", password })
      assert.strictEqual(codeOf(byPassword), "429 rate_limited")
    }).pipe(Effect.scoped),
  )
})

describe("the passkeys of a user", () => {
  it.live("are listed, added and removed by their user only; the last one of a user without a password stays", () =>
    Effect.gen(function* () {
      const { ann, console, context, device, workspace } = yield* withPasskey
      const { token } = yield* Context.get(context, Members).invite(workspace.id, {
        email: "ben@example.org",
        role: "viewer",
      })
      const [ben, own] = [browserAt(console), newDevice()]
      const link = { token, name: "Ben" }
      yield* signIn(ben, { link, passkey: yield* registration(ben, own, link) })
      const [first] = yield* listed(ann)
      const [last] = yield* listed(ben)
      const remove = (browser: Browser, { passkey_id }: Json) =>
        Effect.map(browser.call("DELETE", `/auth/v1/passkeys/${passkey_id}`), codeOf)
      assert.strictEqual(yield* remove(ben, first), "404 not_found")
      assert.strictEqual(yield* remove(ben, last), "409 last_passkey")
      assert.strictEqual(codeOf(yield* add(ben, newDevice())), 201)
      assert.strictEqual(yield* remove(ben, last), 204)
      assert.strictEqual(codeOf(yield* add(ben, device)), "409 conflict")
      assert.strictEqual(yield* remove(ann, first), 204)
      assert.deepStrictEqual(yield* listed(ann), [])
      const gone = browserAt(console)
      assert.strictEqual(
        codeOf(yield* signIn(gone, { passkey: yield* assertion(gone, device) })),
        "401 sign_in_refused",
      )
      const { json } = yield* ann.call("GET", "/admin/v1/audit-log")
      const actions = json.entries.map(({ action }: Json) => action)
      assert.deepStrictEqual(
        ["passkey.added", "passkey.removed"].map((action) => actions.filter((each: string) => each === action).length),
        [3, 2],
      )
    }).pipe(Effect.scoped),
  )

  it.live("are 20 at most, and are not offered twice to a device", () =>
    Effect.gen(function* () {
      const { ann, context, device } = yield* withPasskey
      const { excludeCredentials } = yield* optionsFor(ann, { purpose: "register" })
      assert.deepStrictEqual(excludeCredentials, [{ id: device.id, type: "public-key", transports: ["internal"] }])
      const sql = Context.get(context, PgClient.PgClient)
      yield* Effect.orDie(sql`
        insert into passkey (passkey_id, user_id, credential_id, public_key, counter, transports, name, created_at)
        select gen_random_uuid(), user_id, credential_id || n, public_key, counter, transports, name, created_at
        from passkey, generate_series(1, 18) n`)
      assert.strictEqual(codeOf(yield* add(ann, newDevice())), 201)
      assert.strictEqual(codeOf(yield* add(ann, newDevice())), "409 conflict")
    }).pipe(Effect.scoped),
  )

  tagged(it.live, "attack/sessions")("change after a sign-in of the last 15 minutes only", () =>
    Effect.gen(function* () {
      const { ann, context } = yield* withPasskey
      const [{ passkey_id }] = yield* listed(ann)
      const json = yield* registration(ann, newDevice())
      const sql = Context.get(context, PgClient.PgClient)
      yield* Effect.orDie(sql`update user_session set proved_at = proved_at - interval '15 minutes'`)
      const calls = [
        ann.call("POST", "/auth/v1/passkeys/options", { json: { purpose: "register" } }),
        ann.call("POST", "/auth/v1/passkeys", { json }),
        ann.call("DELETE", `/auth/v1/passkeys/${passkey_id}`),
      ]
      for (const call of calls) assert.strictEqual(codeOf(yield* call), "401 sign_in_again")
      assert.strictEqual((yield* listed(ann)).length, 1)
    }).pipe(Effect.scoped),
  )

  passkeyTest("get 300 challenges in ten minutes for an address", () =>
    Effect.gen(function* () {
      const { context } = yield* unusedLink
      const start = (network: string) =>
        Context.get(context, Passkeys).start({ purpose: "sign_in" }, { browser: null, network })
      for (let count = 0; count < 300; count++) yield* start("192.0.2.1")
      // One more is allowed every two seconds: on a slow machine, some are by now.
      const refused = yield* Effect.flip(start("192.0.2.1")).pipe(Effect.retry({ times: 299 }))
      assert.strictEqual(refused._tag, "TooManySignIns")
      assert.match((yield* start("192.0.2.2")).challenge, /^[\w-]{43}$/)
    }).pipe(Effect.scoped),
  )

  it.live("need a host name: an IP address is refused in a sentence", () =>
    Effect.gen(function* () {
      const { call } = yield* unusedLinkWith({ publicConsoleUrl: "http://127.0.0.1:8083" })
      assert.isNull((yield* call("GET", "/auth/v1/methods")).json.passkey_host)
      const refused = yield* call("POST", "/auth/v1/passkeys/options", { json: { purpose: "sign_in" } })
      assert.strictEqual(codeOf(refused), "409 passkeys_unavailable")
      assert.include(refused.json.message, "http://127.0.0.1:8083 can't have them")
    }).pipe(Effect.scoped),
  )
})
