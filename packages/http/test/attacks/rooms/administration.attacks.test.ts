// Attacks on the administration API: malformed values in every place of every operation.
import { PgClient } from "@effect/sql-pg"
import { Contacts } from "@tentpole/core/contacts/Contacts"
import { AccountStore } from "@tentpole/core/accounts/AccountStore"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { Ids, UserId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { assert, it, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, References } from "effect"
import { administrationOver } from "../../fixtures/AdminWorld.ts"
import { holdTo, holdToShape } from "../AttackFixture.ts"
import {
  addressOf,
  type Attack,
  inBody,
  inPath,
  inQuery,
  noJson,
  type Operation,
  operationsOf,
  parametersOf,
} from "../Attacks.ts"
import { administration } from "../../fixtures/Described.ts"
import { postgresWorld } from "../../fixtures/PostgresWorld.ts"
import { type Call, type Json, testKey, unknownId } from "../../fixtures/World.ts"

const root = "/admin/v1/workspaces"
const one = `${root}/{workspace_id}`
const operations = operationsOf(administration, ["/admin/v1"])

let drawn = 0
const fresh = (): string => `made-${++drawn}`

const workspace = (): Json => ({
  name: fresh(),
  slug: fresh(),
  plan: "pro",
  credits: 5,
  time_zone: "Europe/Zurich",
  default_country: "CH",
  postal_address: "1 Way",
  sender_defaults: { from_name: "Ann", from_address: "ann@example.com", reply_to_email: null },
  brand: { logo_url: "https://a.test/l.png", primary_color: "#112233", name: "Acme", guidelines: "Kind." },
  sending_limits: { per_second: 5, per_domain_per_second: null },
  four_eyes: true,
})
const host = (): Json => ({ domain: `${fresh()}.example` })

/** Valid bodies by operation, created at each call. */
const probes: Readonly<Record<string, () => Json>> = {
  [`POST ${root}`]: workspace,
  [`PATCH ${one}`]: workspace,
  [`POST ${one}/keys`]: () => ({ name: "a key", expires_at: "2999-01-01T00:00:00Z" }),
  [`PATCH ${one}/members/{user_id}`]: () => ({ role: "editor" }),
  [`POST ${one}/invitations`]: () => ({ email: `${fresh()}@example.test`, role: "viewer" }),
  [`POST ${one}/domains`]: host,
  [`POST ${one}/page-domains`]: host,
  [`POST ${one}/suppressions`]: () => ({ email: `${fresh()}@example.test`, reason: "complaint" }),
}

const nameOf = ({ method, path }: Operation): string => `${method} ${path}`

it("every operation of the administration with a body has a probe", () => {
  const withBody = operations.filter(({ takesJson }) => takesJson)
  assert.sameMembers(withBody.map(nameOf), Object.keys(probes))
})

/** Callers of the administration API, and functions that create what the administration API cannot. */
interface Administered {
  readonly admin: Call
  readonly addContact: (workspace: string) => Effect.Effect<string>
  readonly addMember: (workspace: string) => Effect.Effect<string>
  readonly addDeadJob: (workspace: string) => Effect.Effect<string>
}

/** A workspace with one entity of each kind. */
const settled = Effect.fnUntraced(function* ({ addContact, addDeadJob, addMember, admin }: Administered) {
  const post = (path: string, json: Json) => Effect.map(admin("POST", path, { json }), (answered) => answered.json)
  const { slug, workspace_id } = yield* post(root, { name: fresh() })
  const at = `${root}/${workspace_id}`
  const { key_id } = yield* post(`${at}/keys`, { name: "k" })
  const { domain_id } = yield* post(`${at}/domains`, host())
  const { page_domain_id } = yield* post(`${at}/page-domains`, host())
  yield* post(`${at}/suppressions`, { email: "a@example.test" })
  const { invitation_id } = yield* post(`${at}/invitations`, { email: "b@example.test", role: "viewer" })
  const [contact_id, user_id] = [yield* addContact(workspace_id), yield* addMember(workspace_id)]
  const job = { job_id: yield* addDeadJob(workspace_id), state: "dead" }
  const people = { contact_id, email: "a@example.test", invitation_id, user_id }
  return { workspace_id, confirm: slug, key_id, domain_id, page_domain_id, ...job, ...people }
})

type Estate = Effect.Success<ReturnType<typeof settled>>

/** Two workspaces with their full states, which must not change. */
interface Ground extends Administered {
  /** Its requests are refused or read only. */
  readonly ours: Estate
  /** It gets no requests. */
  readonly other: Estate
  readonly asSettled: readonly [ours: string, other: string]
}

/** Everything that the administration API returns for the workspace. */
const everything = Effect.fnUntraced(function* (admin: Call, workspaceId: string) {
  const at = `${root}/${workspaceId}`
  const rooms = ["/keys", "/members", "/invitations", "/domains", "/page-domains", "/suppressions"]
  const parts = ["", ...rooms].map((path) => admin("GET", at + path))
  return (yield* Effect.all(parts)).map(({ text }) => text.replace(/"request_id":"[^"]+"/, "")).join("\n")
})

const attacksOn = (operation: Operation, estate: Readonly<Record<string, string>>): ReadonlyArray<Attack> => {
  const path = addressOf(operation, estate)
  const right = probes[nameOf(operation)] ?? null
  return [
    ...inPath(operation, estate),
    ...inQuery(operation, estate),
    ...(right === null ? [] : [...inBody(operation, path, right, "foreign_key"), ...noJson(operation, path, right())]),
  ]
}

const Admin = Context.Service<Ground>("test/Administration")
const quiet = Layer.merge(postgresWorld, Layer.succeed(References.MinimumLogLevel, "Error"))
const served = Layer.effect(
  Admin,
  Effect.gen(function* () {
    const { admin, context } = yield* administrationOver(quiet)
    const addContact = (workspace: string) =>
      Effect.gen(function* () {
        const { create } = yield* Contacts
        const [made] = yield* create({ id: WorkspaceId.make(workspace), defaultCountry: "US" }, [
          { email: `${fresh()}@example.test` },
        ])
        return made?.status === "created" ? made.shown.contact.id : assert.fail("the contact was not created")
      }).pipe(Effect.provide(context))
    const addMember = (workspace: string) =>
      Effect.gen(function* () {
        const [{ putMember, putUser }, { transact }] = [yield* AccountStore, yield* Transactor]
        const id = UserId.make(yield* (yield* Ids).random)
        const address = `${fresh()}@example.test`
        const at = yield* DateTime.now
        const user = {
          id,
          name: "Ann",
          email: address,
          emailNormalized: address,
          passwordHash: null,
          oidcIssuer: null,
          oidcSubject: null,
          createdAt: at,
        }
        yield* transact(
          Effect.andThen(
            putUser({ ...user, operator: false }),
            putMember(WorkspaceId.make(workspace), id, { role: "viewer", at }),
          ),
        )
        return id
      }).pipe(Effect.orDie, Effect.provide(context))
    const addDeadJob = (workspace: string) =>
      Effect.flatMap(PgClient.PgClient, (sql) => {
        const id = `blast_start:${fresh()}`
        return Effect.as(
          sql`insert into jobs.job_queue (id, workspace_id, type, payload, state, attempts)
            values (${id}, ${workspace}, 'blast_start', '{}', 'dead', 10)`,
          id,
        )
      }).pipe(Effect.orDie, Effect.provide(context))
    const adding = { admin, addContact, addDeadJob, addMember }
    const [ours, other] = [yield* settled(adding), yield* settled(adding)]
    const states = [yield* everything(admin, ours.workspace_id), yield* everything(admin, other.workspace_id)] as const
    return { ...adding, ours, other, asSettled: states }
  }),
)
const options = { excludeTestServices: true } as const
layer(served, options)("attacks on the administration", (test) => {
  for (const operation of operations) {
    test.effect(
      nameOf(operation),
      () =>
        Effect.gen(function* () {
          const ground = yield* Admin
          const { admin, other, ours: estate } = ground
          const attacks = attacksOn(operation, estate)
          for (const attack of attacks.filter(({ expected }) => expected === "refused")) {
            holdTo(attack, yield* admin(operation.method, attack.path, attack.sent))
          }

          const right = probes[nameOf(operation)] ?? null
          const sent = () => (right === null ? {} : { json: right() })
          const path = addressOf(operation, estate)
          for (const name of parametersOf(operation.path)) {
            if (name === "email") continue
            // A workspace and a job belong to the installation.
            const isOwn = name !== "workspace_id" && name !== "job_id"
            for (const stranger of [unknownId, ...(isOwn ? [other[name as "key_id"]] : [])]) {
              const at = addressOf(operation, { ...estate, [name]: stranger })
              const unknown = yield* admin(operation.method, at, sent())
              holdToShape(name, unknown)
              assert.strictEqual(unknown.status, 404, `${name}: ${unknown.text}`)
            }
          }
          for (const authorization of ["", `Bearer ${testKey}`]) {
            const refused = yield* admin(operation.method, path, { ...sent(), headers: { authorization } })
            holdToShape("without the token", refused)
            assert.strictEqual(refused.status, 401)
          }
          const changed = operation.method === "GET" ? estate : yield* settled(ground)
          const taken = yield* admin(operation.method, addressOf(operation, changed), sent())
          assert.isBelow(taken.status, 300, taken.text)
          for (const attack of attacksOn(operation, changed).filter(({ expected }) => expected === "either")) {
            holdTo(attack, yield* admin(operation.method, attack.path, attack.sent))
          }
        }),
      { timeout: 300_000 },
    )
  }
  test.effect("no refused request changed anything, and no request anything of another workspace", () =>
    Effect.gen(function* () {
      const { admin, asSettled, other, ours } = yield* Admin
      assert.strictEqual(yield* everything(admin, ours.workspace_id), asSettled[0])
      assert.strictEqual(yield* everything(admin, other.workspace_id), asSettled[1])
    }),
  )
})
