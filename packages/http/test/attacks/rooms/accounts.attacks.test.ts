// Attacks on the API of accounts: malformed values in every place of every operation, and calls without a session.
import { Members } from "@tentpole/core/accounts/Members"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { AccountsApi } from "@tentpole/http/accounts/AccountsApi"
import * as SessionAuthentication from "@tentpole/http/console/SessionAuthentication"
import { SessionCookie } from "@tentpole/http/console/SessionCookie"
import { accountsHandlers } from "@tentpole/http/Handlers"
import { Authenticator } from "@tentpole/adapters/test/Authenticator"
import { toSnakeCase } from "@tentpole/http/Wire"
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, References } from "effect"
import { accounts } from "../../fixtures/Described.ts"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"
import { type Answered, type Call, type Json, servingOver, unknownId } from "../../fixtures/World.ts"
import { holdTo, holdToShape } from "../AttackFixture.ts"
import { addressOf, type Attack, inBody, inPath, inQuery, noJson, type Operation, operationsOf } from "../Attacks.ts"

const root = "/auth/v1"
const password = "correct horse battery"
const operations = operationsOf(accounts, [root])
const nameOf = ({ method, path }: Operation): string => `${method} ${path}`
/** Operations that need no session. */
const open: ReadonlyArray<string> = [
  `GET ${root}/methods`,
  `POST ${root}/links`,
  `POST ${root}/passkeys/options`,
  `POST ${root}/sessions`,
]

interface Estate {
  readonly email: string
  readonly token: string
  readonly session_id: string
  readonly passkey_id: string
  readonly user_id: string
  /** A new passkey of the user's device, which answers the last options. */
  readonly registration: Json
}

/** Valid bodies by operation, created at each call. */
const probes: Readonly<Record<string, (estate: Estate) => Json>> = {
  [`POST ${root}/links`]: ({ token }) => ({ token }),
  [`POST ${root}/sessions`]: ({ email }) => ({ email, password }),
  [`POST ${root}/passkeys/options`]: ({ token }) => ({ purpose: "register", link: { token, name: "Eve" } }),
  [`POST ${root}/passkeys`]: ({ registration }) => registration,
  [`PATCH ${root}/user`]: () => ({ name: "Ann Lee" }),
}

it("every operation of accounts with a body has a probe", () => {
  assert.sameMembers(operations.filter(({ takesJson }) => takesJson).map(nameOf), Object.keys(probes))
})

const cookiesOf = ({ headers }: Answered): Array<string> =>
  headers.getSetCookie().map((each) => each.split(";")[0] ?? "")

interface Person {
  readonly call: Call
  readonly estate: Estate
}

interface Ground {
  /** A user with two sessions and an unused link, and a caller with the cookie of the first. */
  readonly person: Effect.Effect<Person>
  /** All requests of this one are refused or read only. */
  readonly ours: Person
  readonly other: Person
  readonly stranger: Call
}

const Accounts = Context.Service<Ground>("test/Accounts")
const quiet = Layer.merge(postgresWorld, Layer.succeed(References.MinimumLogLevel, "None"))
const handlers = accountsHandlers.pipe(Layer.provide(SessionAuthentication.layer), Layer.provide(SessionCookie.layer))
const served = Layer.effect(
  Accounts,
  Effect.gen(function* () {
    const { call, context } = yield* servingOver(quiet, AccountsApi, handlers)
    const [workspaces, members] = [Context.get(context, Workspaces), Context.get(context, Members)]
    const { workspace } = yield* workspaces.bootstrap({ apiKey: null })
    let drawn = 0
    const stranger: Call = (method, path, sent = {}) =>
      call(method, path, { ...sent, headers: { authorization: "", ...sent.headers } })
    const person = Effect.gen(function* () {
      const email = `person${++drawn}@example.org`
      const invite = (who: string) =>
        Effect.map(members.invite(workspace.id, { email: who, role: "viewer" }), ({ token }) => token)
      const link = { token: yield* invite(email), name: "Ann" }
      const signedIn = yield* stranger("POST", `${root}/sessions`, { json: { link, password } })
      const jar = cookiesOf(signedIn)
      const own: Call = (method, path, sent = {}) =>
        stranger(method, path, { ...sent, headers: { cookie: jar.join("; "), ...sent.headers } })
      const registered = Effect.gen(function* () {
        const options = yield* own("POST", `${root}/passkeys/options`, { json: { purpose: "register" } })
        jar.splice(1, 1, ...cookiesOf(options))
        const { challenge, user } = options.json.public_key
        return toSnakeCase(new Authenticator("http://localhost:8083").create(challenge, user.id))
      })
      const { passkey_id } = (yield* own("POST", `${root}/passkeys`, { json: yield* registered })).json
      yield* stranger("POST", `${root}/sessions`, { json: { email, password } })
      const { sessions } = (yield* own("GET", `${root}/sessions`)).json
      const { session_id } = sessions.find(({ current }: Json) => !current)
      const { user_id } = signedIn.json.user
      const registration = yield* registered
      const token = yield* invite(`new.${email}`)
      return { call: own, estate: { email, passkey_id, registration, session_id, token, user_id } }
    }).pipe(Effect.orDie)
    return { person, ours: yield* person, other: yield* person, stranger }
  }),
)

/** The ids of things that belong to a user. */
const owned = ["passkey_id", "session_id"] as const

const attacksOn = (operation: Operation, estate: Estate): ReadonlyArray<Attack> => {
  const { registration: _, ...values } = estate
  const path = addressOf(operation, values)
  const right = probes[nameOf(operation)]
  return [
    ...inPath(operation, values),
    ...inQuery(operation, values),
    ...(right === undefined
      ? []
      : [...inBody(operation, path, () => right(estate), "foreign_key"), ...noJson(operation, path, right(estate))]),
  ]
}

layer(served, { excludeTestServices: true })("attacks on accounts", (test) => {
  for (const operation of operations) {
    test.effect(
      nameOf(operation),
      () =>
        Effect.gen(function* () {
          const { other, ours, person, stranger } = yield* Accounts
          const { call, estate } = ours
          const mine = Effect.map(call("GET", `${root}/session`), ({ text }) => text)
          const before = yield* mine
          const attacks = attacksOn(operation, estate)
          for (const attack of attacks.filter(({ expected }) => expected === "refused")) {
            holdTo(attack, yield* call(operation.method, attack.path, attack.sent))
          }
          assert.strictEqual(yield* mine, before)

          const right = probes[nameOf(operation)]
          const sentBy = (its: Estate) => (right === undefined ? {} : { json: right(its) })
          const sent = sentBy(estate)
          for (const name of owned.filter((each) => operation.path.includes(`{${each}}`))) {
            for (const id of [unknownId, other.estate[name]]) {
              const foreign = yield* call(operation.method, addressOf(operation, { [name]: id }), sent)
              holdToShape("an id of another user", foreign)
              assert.strictEqual(foreign.status, 404)
            }
          }
          const pathOf = ({ registration: _, ...values }: Estate) => addressOf(operation, values)
          if (!open.includes(nameOf(operation))) {
            for (const cookie of ["", `tentpole=${"A".repeat(43)}`, "tentpole=1", "tentpole="]) {
              const refused = yield* stranger(operation.method, pathOf(estate), { ...sent, headers: { cookie } })
              holdToShape("without a session", refused)
              assert.strictEqual(refused.status, 401)
            }
          }
          const changed = operation.method === "GET" ? ours : yield* person
          const taken = yield* changed.call(operation.method, pathOf(changed.estate), sentBy(changed.estate))
          assert.isBelow(taken.status, 300, taken.text)
          for (const attack of attacksOn(operation, changed.estate).filter(({ expected }) => expected === "either")) {
            holdTo(attack, yield* changed.call(operation.method, attack.path, attack.sent))
          }
          assert.strictEqual((yield* other.call("GET", `${root}/session`)).status, 200)
        }),
      { timeout: 300_000 },
    )
  }
})
