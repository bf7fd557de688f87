// Bad requests of every kind against every operation on contacts, their fields and their lists, in memory and on
// PostgreSQL: each is refused with the place of what is wrong, none breaks the service, and nothing of another workspace
// is changed or told.
import type { ErrorCode } from "@tentpole/core/ErrorCode"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Api } from "@tentpole/http/Api"
import { table } from "@tentpole/http/Errors"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, References } from "effect"
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
import { type Call, type Estate, everythingOf, probes, settle, unknownId } from "./AudienceProbes.ts"
import { postgresWorld } from "./PostgresWorld.ts"
import { type Answered, type Json, servingOver, world } from "./World.ts"

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

/** An answer as a refusal is told, whatever the request. */
const holdToShape = (what: string, { status, json, text, headers }: Answered) => {
  assert.isBelow(status, 500, `${what}: ${text}`)
  if (status < 400) return
  for (const key of ["error", "error_code", "message", "code"]) assert.isString(json?.[key], `${what}: ${text}`)
  assert.strictEqual(json.code, json.error_code, what)
  const row = table[json.error_code as ErrorCode]
  assert.deepStrictEqual([row?.status, row?.title], [status, json.error], `${what}: ${text}`)
  assert.strictEqual(json.details.request_id, headers.get("x-request-id"), what)
}

/** Refused as a whole, or item by item. */
const isRefused = ({ status, json }: Answered): boolean =>
  status >= 400 ||
  (Array.isArray(json?.items) &&
    json.items.length > 0 &&
    json.items.every((item: Json) => item.status === "rejected" && item.error_code in table))

const related = (told: string, wrong: string): boolean =>
  told === wrong || wrong.startsWith(`${told}.`) || told.startsWith(wrong === "" ? "" : `${wrong}.`)

/** Whether a refusal says where: by the paths of its issues, or by the words of an item's rejection, whose place is known. */
const speaksOf = ({ status, json }: Answered, wrong: string): boolean => {
  if (status >= 400) return (json.details.issues ?? []).some((issue: Json) => related(issue.path, wrong))
  const [, index, , within = ""] = /^items(?:\.(\d+)(\.(.*))?)?$/s.exec(wrong) ?? []
  const [item] = json.items.filter((each: Json) => index === undefined || String(each.index) === index)
  return item !== undefined && (item.message.includes(within) || item.message.includes(within.split(".")[0]))
}

/** Codes that say what is wrong with a request, as against with what it asks for. */
const sayWhere: ReadonlySet<string> = new Set(["validation_failed", "invalid_id", "invalid_email", "invalid_phone"])

const holdTo = ({ what, wrong, expected }: Attack, answered: Answered) => {
  holdToShape(what, answered)
  const refused = isRefused(answered)
  if (expected === "refused") assert.isTrue(refused, `${what} went through: ${answered.status} ${answered.text}`)
  const where = refused && (answered.status < 400 || sayWhere.has(answered.json.error_code))
  if (where && wrong !== null) assert.isTrue(speaksOf(answered, wrong), `${what} is not named: ${answered.text}`)
}

/** An answer without what is of its own request: its id, and the id that was asked for. */
const comparable = ({ status, json }: Answered, id: string): Json => [
  status,
  JSON.parse(
    JSON.stringify(json ?? null, (key, value: Json) => (key === "request_id" ? null : value)).replaceAll(id, "the id"),
  ),
]

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
      // Thousands of requests: what is told of each in the log is nobody's to read.
      const quiet = Layer.merge(over, Layer.succeed(References.MinimumLogLevel, "Error"))
      const { call, context } = yield* servingOver(quiet, Api, handlers)
      const tenant = Effect.fnUntraced(function* (name: string) {
        const { create, createKey } = Context.get(context, Workspaces)
        const { id } = yield* create({ name, slug: name, plan: "max" })
        const { raw } = yield* createKey(id, { name: "test" })
        const authorization = `Bearer ${raw}`
        const withKey: Call = (method, path, sent = {}) =>
          call(method, path, { ...sent, headers: { authorization, ...sent.headers } })
        return withKey
      }, Effect.orDie)
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
            for (const attack of attacks) {
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
