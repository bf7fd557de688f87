// Tests of roles on the console's listener: every operation of every API, called with a session of every kind, over HTTP.
import { PgClient } from "@effect/sql-pg"
import { roles } from "@tentpole/core/workspaces/Role"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { AccountsApi } from "@tentpole/http/accounts/AccountsApi"
import { AdminApi } from "@tentpole/http/admin/AdminApi"
import { Api } from "@tentpole/http/Api"
import { Needs, needsRecentSignIn } from "@tentpole/http/Endpoint"
import { tagged } from "@tentpole/core/contract"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { type Answer, browserAt, consoleWorld, password } from "../fixtures/ConsoleWorld.ts"
import { type Operation, operationsOf } from "../fixtures/Operations.ts"
import { unknownId } from "../fixtures/World.ts"

const administration = operationsOf(AdminApi)
const accounts = operationsOf(AccountsApi)

const outcome = ({ json, status }: Answer): string =>
  status === 403 ? `403 ${json?.code} ${json?.needs}` : `${status} ${json?.code ?? ""}`.trim()

/** Ann, who operates the installation and owns `default`, a member of each role in `acme`, and an outsider. */
const people = Effect.gen(function* () {
  const world = yield* consoleWorld
  const { ann, console, context } = world
  const { id } = yield* Context.get(context, Workspaces).create({ name: "Acme", slug: "acme" })
  const person = Effect.fnUntraced(function* (workspace: string, role: string) {
    const invited = yield* ann.call("POST", `/admin/v1/workspaces/${workspace}/invitations`, {
      json: { email: `${role}.${workspace}@example.org`, role },
    })
    const browser = browserAt(console)
    const [, token] = String(invited.json.url).split("#link=")
    const link = { token, name: role }
    assert.strictEqual((yield* browser.call("POST", "/auth/v1/sessions", { json: { link, password } })).status, 201)
    return browser
  })
  const members = yield* Effect.forEach(roles, (role) =>
    Effect.map(person(id, role), (browser) => ({ role, ...browser })),
  )
  const outsider = yield* person(world.workspace.id, "owner")
  const at = ({ path }: Operation) => path.replace(`/workspaces/${unknownId}`, `/workspaces/${id}`)
  return { ...world, at, members, outsider, id }
})

/** One world for all tests: the tests that end sessions or make them old come last. */
const People = Context.Service<Effect.Success<typeof people>>("test/People")

layer(Layer.effect(People, people), { excludeTestServices: true })("a session", (test) => {
  const rolesTest = tagged(test.effect, "attack/roles")

  describe("the administration API with a session", () => {
    rolesTest("serves owners their workspace and operators all; lower roles are refused, others find nothing", () =>
      Effect.gen(function* () {
        const { ann, at, members, outsider } = yield* People
        const wrong: Array<string> = []
        const expecting = (who: string, { name }: Operation, answered: Answer, holds: (found: string) => boolean) => {
          if (!holds(outcome(answered))) wrong.push(`${who} ${name}: ${outcome(answered)}`)
        }
        for (const operation of administration) {
          const { endpoint, needs } = operation
          const call = (browser: Pick<typeof ann, "call">) => browser.call(endpoint.method, at(operation))
          for (const member of members) {
            const isAllowed = needs !== "operator" && member.role === "owner"
            // Without a workspace in the query, the audit log is that of the installation.
            const ofAll = operation.name === "auditLog.list"
            expecting(member.role, operation, yield* call(member), (found) =>
              isAllowed && !ofAll ? !/^40[13]/.test(found) : found === `403 role_too_low ${needs}`,
            )
          }
          const isNamed = at(operation).includes("/workspaces/")
          expecting("outsider", operation, yield* call(outsider), (found) =>
            isNamed ? found === "404 not_found" : found.startsWith("403 role_too_low"),
          )
          expecting("operator", operation, yield* call(ann), (found) => !/^40[13]/.test(found))
        }
        assert.deepStrictEqual(wrong, [])
      }),
    )

    rolesTest("serves the audit log of a workspace to its owner only", () =>
      Effect.gen(function* () {
        const { ann, id, members, outsider } = yield* People
        const path = `/admin/v1/audit-log?workspace_id=${id}`
        const statuses = yield* Effect.forEach([...members, outsider, ann], ({ call }) =>
          Effect.map(call("GET", path), ({ status }) => status),
        )
        assert.deepStrictEqual(statuses, [403, 403, 403, 200, 404, 200])
      }),
    )

    rolesTest("lets operators change plan, credits and limits, and owners the rest", () =>
      Effect.gen(function* () {
        const { ann, id, members } = yield* People
        const owner = members.find(({ role }) => role === "owner") ?? assert.fail("there is an owner")
        const patch = (browser: Pick<typeof ann, "call">, json: object) =>
          Effect.map(browser.call("PATCH", `/admin/v1/workspaces/${id}`, { json }), outcome)
        for (const json of [{ plan: "max" }, { credits: 9 }, { sending_limits: { per_second: 5 } }]) {
          assert.strictEqual(yield* patch(owner, json), "403 role_too_low operator")
          assert.strictEqual(yield* patch(ann, json), "200")
        }
        assert.strictEqual(yield* patch(owner, { name: "Acme Ltd.", four_eyes: true }), "200")
      }),
    )
  })

  describe("an operator", () => {
    rolesTest("is no member: /v1 needs a membership", () =>
      Effect.gen(function* () {
        const { ann, members } = yield* People
        const headers = { "x-tentpole-workspace": "acme" }
        const refused: Array<string> = []
        for (const { endpoint, name, path } of operationsOf(Api)) {
          const answered = yield* ann.call(endpoint.method, path, { headers })
          if (outcome(answered) !== "404 not_found") refused.push(`${name}: ${outcome(answered)}`)
        }
        assert.deepStrictEqual(refused, [])
        const [viewer] = members
        assert.strictEqual((yield* viewer?.call("GET", "/v1/workspace", { headers }) ?? assert.fail())?.status, 200)
      }),
    )
  })

  describe("the API of accounts", () => {
    rolesTest("needs a session and no role", () =>
      Effect.gen(function* () {
        const { console, members } = yield* People
        const wrong: Array<string> = []
        // The one that ends the session comes last.
        const isLast = ({ name }: Operation) => name === "sessions.signOut"
        const ordered = [...accounts.filter((each) => !isLast(each)), ...accounts.filter(isLast)]
        for (const { endpoint, name, path } of ordered) {
          const needs = Option.getOrNull(Context.getOption(endpoint.annotations, Needs))
          const unsigned = outcome(yield* browserAt(console).call(endpoint.method, path))
          if ((needs === "user") !== (unsigned === "401 unauthorized"))
            wrong.push(`without a session ${name}: ${unsigned}`)
          for (const { call, role } of members) {
            const found = outcome(yield* call(endpoint.method, path))
            if (/^40[13]/.test(found)) wrong.push(`${role} ${name}: ${found}`)
          }
        }
        assert.deepStrictEqual(wrong, [])
      }),
    )
  })

  describe("of more than 15 minutes ago", () => {
    tagged(test.effect, "attack/sessions")("asks for another one, and no longer after it", () =>
      Effect.gen(function* () {
        const { ann, at, context } = yield* People
        const sql = Context.get(context, PgClient.PgClient)
        const signIn = ann.call("POST", "/auth/v1/sessions", { json: { email: "ann@example.org", password } })
        yield* signIn
        const age = (minutes: number) =>
          Effect.orDie(sql`update user_session set proved_at = proved_at - ${`${minutes} minutes`}::interval`)
        const outcomes = Effect.fnUntraced(function* () {
          const found = new Set<string>()
          for (const operation of administration.filter(({ endpoint }) => needsRecentSignIn(endpoint))) {
            const answered = yield* ann.call(operation.endpoint.method, at(operation))
            found.add(answered.status === 401 ? outcome(answered) : "taken")
          }
          return [...found]
        })
        yield* age(14)
        assert.deepStrictEqual(yield* outcomes(), ["taken"])
        yield* age(1)
        assert.deepStrictEqual(yield* outcomes(), ["401 sign_in_again"])
        assert.strictEqual((yield* ann.call("GET", "/admin/v1/workspaces")).status, 200)
        yield* signIn
        assert.deepStrictEqual(yield* outcomes(), ["taken"])
      }),
    )
  })

  test.effect("the console's listener asks no browser for a key: a 401 has no WWW-Authenticate", () =>
    Effect.gen(function* () {
      const { api, console } = yield* People
      const { call } = browserAt(console)
      for (const path of ["/v1/contacts", "/admin/v1/workspaces", "/auth/v1/session"]) {
        const refused = yield* call("GET", path)
        assert.deepStrictEqual([refused.status, refused.headers["www-authenticate"]], [401, undefined], path)
      }
      const refused = yield* browserAt(api).call("GET", "/v1/contacts")
      assert.deepStrictEqual([refused.status, refused.headers["www-authenticate"]], [401, "Bearer"])
    }),
  )
})

describe("a sign-in of more than 15 minutes ago", () => {
  it("is too old for these operations", () => {
    const named = [...administration, ...accounts]
      .filter(({ endpoint }) => needsRecentSignIn(endpoint))
      .map(({ name }) => name)
    assert.deepStrictEqual(named.sort(), [
      "contacts.erase",
      "invitations.create",
      "keys.create",
      "keys.revoke",
      "members.remove",
      "members.update",
      "passkeys.create",
      "passkeys.remove",
      "workspaces.remove",
    ])
  })
})
