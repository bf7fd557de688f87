// Tests of members and invitations, and of the filters of the audit log.
import { Accounts } from "@tentpole/core/accounts/Accounts"
import { tagged } from "@tentpole/core/contract"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { administrationOver } from "../fixtures/AdminWorld.ts"
import { postgresWorld } from "../fixtures/PostgresWorld.ts"
import { type Answered, type Json, unknownId } from "../fixtures/World.ts"

const password = "correct horse battery"
const codeOf = ({ json, status }: Answered) => (status < 300 ? status : `${status} ${json?.error_code}`)

const begin = Effect.gen(function* () {
  const { admin, context } = yield* administrationOver(postgresWorld)
  const made = yield* admin("POST", "/admin/v1/workspaces", { json: { name: "Acme" } })
  const at = `/admin/v1/workspaces/${made.json.workspace_id}`
  const accounts = Context.get(context, Accounts)
  const invite = (email: string, role: string) => admin("POST", `${at}/invitations`, { json: { email, role } })
  const signIn = ({ json }: Answered, name: string) => {
    const [, token = ""] = String(json.url).split("#link=")
    return accounts.signIn({ link: { token, name }, password }, { agent: "", browser: null, network: null })
  }
  const join = (name: string, role: string) =>
    Effect.flatMap(invite(`${name}@example.org`, role), (invited) => signIn(invited, name)).pipe(
      Effect.map(({ user }) => user.id),
      Effect.orDie,
    )
  const list = (path: string) => Effect.map(admin("GET", path), ({ json }) => json)
  return { admin, at, id: made.json.workspace_id, invite, join, list, signIn }
})

describe("invitations", () => {
  it.live("show their link once, make a member, and are used up then", () =>
    Effect.gen(function* () {
      const { at, invite, list, signIn } = yield* begin
      const invited = yield* invite("Ann@Example.org", "sender")
      assert.strictEqual(invited.status, 201)
      const { url, ...shown } = invited.json
      assert.match(url, /^http:\/\/localhost:8083\/#link=[\w-]{43}$/)
      assert.deepInclude(shown, { email: "Ann@Example.org", role: "sender" })
      const days = (Date.parse(shown.expires_at) - Date.parse(shown.created_at)) / 86_400_000
      assert.strictEqual(days, 7)
      assert.deepStrictEqual((yield* list(`${at}/invitations`)).invitations, [shown])
      const { user } = yield* Effect.orDie(signIn(invited, "Ann"))
      assert.deepStrictEqual((yield* list(`${at}/invitations`)).invitations, [])
      const [member, ...others] = (yield* list(`${at}/members`)).members
      assert.deepInclude(member, { user_id: user.id, name: "Ann", email: "Ann@Example.org", role: "sender" })
      assert.isString(member.seen_at)
      assert.deepStrictEqual(others, [])
    }).pipe(Effect.scoped),
  )

  it.live("lead nowhere after they were withdrawn", () =>
    Effect.gen(function* () {
      const { admin, at, invite, signIn } = yield* begin
      const invited = yield* invite("ann@example.org", "viewer")
      const path = `${at}/invitations/${invited.json.invitation_id}`
      assert.strictEqual(codeOf(yield* admin("DELETE", path)), 204)
      assert.strictEqual(codeOf(yield* admin("DELETE", path)), "404 not_found")
      assert.strictEqual((yield* Effect.flip(signIn(invited, "Ann")))._tag, "SignInRefused")
    }).pipe(Effect.scoped),
  )

  it.live("name an address and a role", () =>
    Effect.gen(function* () {
      const { invite } = yield* begin
      for (const [email, role] of [
        ["ann", "viewer"],
        ["ann@example.org", "operator"],
      ] as const) {
        assert.strictEqual(codeOf(yield* invite(email, role)), "400 validation_failed")
      }
    }).pipe(Effect.scoped),
  )
})

describe("members", () => {
  it.live("get other roles and leave, but the last owner stays an owner", () =>
    Effect.gen(function* () {
      const { admin, at, join, list } = yield* begin
      const [ann, ben] = [yield* join("ann", "owner"), yield* join("ben", "viewer")]
      const setRole = (user: string, role: string) => admin("PATCH", `${at}/members/${user}`, { json: { role } })
      const remove = (user: string) => Effect.map(admin("DELETE", `${at}/members/${user}`), codeOf)
      const changed = yield* setRole(ben, "editor")
      assert.deepInclude(changed.json, { user_id: ben, role: "editor", name: "ben" })
      assert.strictEqual(codeOf(yield* setRole(ann, "sender")), "409 last_owner")
      assert.strictEqual(yield* remove(ann), "409 last_owner")
      assert.strictEqual(codeOf(yield* setRole(ann, "owner")), 200)
      assert.strictEqual(codeOf(yield* setRole(ben, "owner")), 200)
      assert.strictEqual(yield* remove(ann), 204)
      assert.strictEqual(yield* remove(ann), "404 not_found")
      assert.strictEqual(codeOf(yield* setRole(ann, "viewer")), "404 not_found")
      assert.strictEqual(yield* remove(ben), "409 last_owner")
      assert.deepStrictEqual(
        (yield* list(`${at}/members`)).members.map(({ name, role }: Json) => [name, role]),
        [["ben", "owner"]],
      )
      assert.strictEqual(codeOf(yield* admin("GET", `/admin/v1/workspaces/${unknownId}/members`)), "404 not_found")
    }).pipe(Effect.scoped),
  )

  tagged(it.live, "attack/race")("of two owners that remove each other at once, one stays", () =>
    Effect.gen(function* () {
      const { admin, at, join } = yield* begin
      const owners = [yield* join("ann", "owner"), yield* join("ben", "owner")]
      const outcomes = yield* Effect.forEach(
        owners,
        (user) => Effect.map(admin("DELETE", `${at}/members/${user}`), codeOf),
        {
          concurrency: 2,
        },
      )
      assert.sameMembers(outcomes, [204, "409 last_owner"])
    }).pipe(Effect.scoped),
  )
})

describe("the audit log", () => {
  it.live("names who acted and who was changed, and is filtered by actor, action and time", () =>
    Effect.gen(function* () {
      const { admin, at, id, join, list } = yield* begin
      const ann = yield* join("ann", "owner")
      const ben = yield* join("ben", "viewer")
      yield* admin("PATCH", `${at}/members/${ben}`, { json: { role: "sender" } })
      yield* admin("DELETE", `${at}/members/${ben}`)
      const log = (query: string) =>
        Effect.map(list(`/admin/v1/audit-log?workspace_id=${id}${query}`), ({ entries }) => entries)
      const all = yield* log("")
      assert.deepStrictEqual(
        all.map((entry: Json) => [entry.actor_name, entry.action, entry.target_name, entry.details]),
        [
          [null, "member.removed", "ben", { role: "sender" }],
          [null, "member.changed", "ben", { from: "viewer", to: "sender" }],
          ["ben", "member.joined", "ben", { role: "viewer" }],
          [null, "member.invited", null, { role: "viewer" }],
          ["ann", "member.joined", "ann", { role: "owner" }],
          [null, "member.invited", null, { role: "owner" }],
          [null, "workspace.created", "Acme", all.at(-1).details],
        ],
      )
      const actions = (query: string) => Effect.map(log(query), (entries) => entries.map(({ action }: Json) => action))
      assert.deepStrictEqual(yield* actions(`&actor=user:${ann}`), ["member.joined"])
      assert.deepStrictEqual(yield* actions("&actor=admin&action=member.invited"), ["member.invited", "member.invited"])
      const changed = all[1].at
      assert.deepStrictEqual(yield* actions(`&from=${changed}`), ["member.removed", "member.changed"])
      assert.strictEqual((yield* actions(`&to=${changed}`)).length, 5)
      assert.deepStrictEqual(yield* actions("&to=2026-01-01"), [])
      const wrong = yield* admin("GET", "/admin/v1/audit-log?action=member.left&from=yesterday")
      assert.deepStrictEqual(
        wrong.json.details.issues.map(({ path }: Json) => path),
        ["action", "from"],
      )
    }).pipe(Effect.scoped),
  )
})
