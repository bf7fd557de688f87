// Bad requests of every kind against every operation on contacts, their fields and their lists, in memory and on
// PostgreSQL: each is refused with the place of what is wrong, none breaks the service, and nothing of another workspace
// is changed or told.
import type { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Api } from "@tentpole/http/Api"
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import {
  type Attack,
  filled,
  hostileText,
  inBody,
  inPath,
  inQuery,
  inRules,
  noJson,
  type Operation,
  operationsOf,
  parametersOf,
  withForeignIds,
} from "./Attacks.ts"
import { comparable, holdTo, holdToShape, isRefused, tenants } from "./AttackedWorld.ts"
import { type Call, type Estate, everythingOf, probes, saysNothing, settle, unknownId } from "./AudienceProbes.ts"
import { postgresWorld } from "./PostgresWorld.ts"
import { world } from "./World.ts"

/** Imports are a room of their own, with files and runs of their own. */
const elsewhere = "/v1/contacts/imports"
const operations = operationsOf(OpenApi.fromApi(Api), [
  "/v1/contacts",
  "/v1/contact-fields",
  "/v1/contact-lists",
]).filter(({ path }) => !path.startsWith(elsewhere))
const nameOf = ({ method, path }: Operation): string => `${method} ${path}`

it("every operation has its probe", () => {
  const unprobed = operations.map(nameOf).filter((name) => probes[name] === undefined)
  assert.deepStrictEqual(unprobed, [], "give each a right body in AudienceProbes.ts, or none")
  for (const operation of operations) {
    assert.strictEqual(operation.takesJson, (probes[nameOf(operation)] ?? []).length > 0, nameOf(operation))
  }
})

class Served extends Context.Service<
  Served,
  {
    readonly tenant: (name: string) => Effect.Effect<Call>
    /** Another workspace, that nobody attacks from. */
    readonly them: { readonly call: Call; readonly estate: Estate }
  }
>()("test/Served") {}

const served = <Out, E>(over: Layer.Layer<Out | Workspaces, E>) =>
  Layer.effect(
    Served,
    Effect.gen(function* () {
      const world = yield* tenants(over)
      const tenant = (name: string) => Effect.map(world.tenant(name), ({ call }) => call)
      const theirs = yield* tenant("theirs")
      return Served.of({ tenant, them: { call: theirs, estate: yield* settle(theirs, "secret_of_theirs") } })
    }),
  )

let drawn = 0

/** Hundreds of requests a test, on whatever machine. */
const patience = { timeout: 120_000 }

const attacked = <Out, E>(name: string, over: Layer.Layer<Out | Workspaces, E>) =>
  layer(served(over), { timeout: "60 seconds", excludeTestServices: true })(`attacks on ${name}`, (it) => {
    const begin = Effect.fnUntraced(function* (operation: Operation) {
      const { tenant, them } = yield* Served
      const call = yield* tenant(`ours-${++drawn}`)
      const estate = yield* settle(call, "ours")
      const path = filled(operation.path, { ...estate })
      const rights = probes[nameOf(operation)] ?? []
      return { call, them, estate, path, rights }
    })

    for (const operation of operations) {
      it.effect(
        `${nameOf(operation)} takes what is right, and refuses everything else`,
        () =>
          Effect.gen(function* () {
            const { call, them, estate, path, rights } = yield* begin(operation)
            const before = yield* everythingOf(them.call, them.estate)
            const attacks = [
              ...inPath(operation, { ...estate }),
              ...inQuery(operation, path),
              ...rights.flatMap((right) => [
                ...inBody(operation, path, () => right(estate), them.estate.field),
                ...inRules(path, right(estate)),
                ...noJson(operation, path, right(estate)),
              ]),
            ]
            const allowed = saysNothing[nameOf(operation)] ?? []
            const inPathOrQuery = (attack: Attack) => attack.sent.body === undefined && attack.path !== path
            for (const attack of attacks) {
              if (!inPathOrQuery(attack) && allowed.includes(attack.sent.body)) continue
              holdTo(attack, yield* call(operation.method, attack.path, attack.sent))
            }
            assert.isUndefined(Reflect.get({}, "polluted"))
            assert.strictEqual(yield* everythingOf(them.call, them.estate), before)
            const again = yield* begin(operation)
            for (const right of rights.length === 0 ? [undefined] : rights) {
              const sent = right === undefined ? {} : { json: right(again.estate) }
              const taken = yield* again.call(operation.method, again.path, sent)
              assert.isTrue(taken.status < 300 && !isRefused(taken), `${taken.status} ${taken.text}`)
            }
          }),
        patience,
      )

      it.effect(`${nameOf(operation)} knows another workspace's ids no better than ids of nothing`, () =>
        Effect.gen(function* () {
          const { call, them, estate, path, rights } = yield* begin(operation)
          const before = yield* everythingOf(them.call, them.estate)
          const ask = (at: string, body?: string) => call(operation.method, at, body === undefined ? {} : { body })
          const bodies = rights.length === 0 ? [undefined] : rights.map((right) => JSON.stringify(right(estate)))
          for (const body of bodies) {
            for (const name of parametersOf(operation.path)) {
              const at = (id: string) => filled(operation.path, { ...estate, [name]: id })
              const id = them.estate[name as keyof Estate]
              const foreign = yield* ask(at(id), body)
              assert.strictEqual(foreign.status, 404, foreign.text)
              assert.deepStrictEqual(comparable(foreign, id), comparable(yield* ask(at(unknownId), body), unknownId))
            }
          }
          const ids = ["contact_id", "fieldDefinitionId", "listId"] as const
          const pairs = ids.map((kind) => ({ ours: estate[kind], theirs: them.estate[kind] }))
          for (const right of rights) {
            for (const { what, id, theirs, nobodys } of withForeignIds(right(estate), pairs, unknownId)) {
              const foreign = yield* ask(path, theirs)
              holdToShape(what, foreign)
              const unfound = foreign.json.not_found_ids?.includes(id) === true
              assert.isTrue(isRefused(foreign) || unfound, `${what}: ${foreign.text}`)
              assert.deepStrictEqual(comparable(foreign, id), comparable(yield* ask(path, nobodys), unknownId), what)
              assert.notInclude(foreign.text, "secret_of_theirs", what)
            }
          }
          assert.strictEqual(yield* everythingOf(them.call, them.estate), before)
        }),
      )

      it.effect(`${nameOf(operation)} is for who has a key, and its method is what it says`, () =>
        Effect.gen(function* () {
          const { call, path, estate, rights } = yield* begin(operation)
          const sent = rights[0] === undefined ? {} : { json: rights[0](estate) }
          const nobody = yield* call(operation.method, path, { ...sent, headers: { authorization: "" } })
          assert.strictEqual(nobody.status, 401, nobody.text)
          holdToShape("without a key", nobody)
          if (operation.method !== "GET") return
          const headers = { "x-http-method-override": "DELETE", "x-method-override": "DELETE" }
          for (let twice = 0; twice < 2; twice++)
            assert.strictEqual((yield* call("GET", path, { headers })).status, 200)
        }),
      )

      if (operation.query.some((parameter) => parameter.name === "search")) {
        it.effect(`${nameOf(operation)} takes what is searched for as text alone`, () =>
          Effect.gen(function* () {
            const { call, path } = yield* begin(operation)
            for (const text of hostileText) {
              const found = yield* call("GET", `${path}?search=${encodeURIComponent(text)}`)
              assert.deepStrictEqual([found.status, found.json.pagination?.total], [200, 0], `${text}: ${found.text}`)
            }
          }),
        )
      }
    }
  })

attacked("memory", world)
attacked("PostgreSQL", postgresWorld)
