// Bad requests of every kind against every operation on templates: each is refused with the place of what is wrong, none
// breaks the service, and nothing is changed by a request that was refused. In memory all of them; on PostgreSQL those
// whose words reach a statement of their own, and all that name another workspace's ids.
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
  noJson,
  type Operation,
  operationsOf,
  parametersOf,
  withForeignIds,
} from "./Attacks.ts"
import { comparable, holdTo, holdToShape, isRefused, tenants } from "./AttackedWorld.ts"
import { type Call, unknownId } from "./AudienceProbes.ts"
import { postgresWorld } from "./PostgresWorld.ts"
import {
  emailTemplates,
  settleTemplates,
  type TemplateEstate,
  templateProbes,
  templatesIn,
  tentTemplates,
  type Workers,
} from "./TemplateProbes.ts"
import { world } from "./World.ts"

const operations = operationsOf(OpenApi.fromApi(Api), [emailTemplates, tentTemplates])
const nameOf = ({ method, path }: Operation): string => `${method} ${path}`
const rootOf = ({ path }: Operation): string => (path.startsWith(emailTemplates) ? emailTemplates : tentTemplates)

it("every operation has its probe", () => {
  const unprobed = operations.map(nameOf).filter((name) => templateProbes[name] === undefined)
  assert.deepStrictEqual(unprobed, [], "give each a right body in TemplateProbes.ts, or none")
  for (const operation of operations) {
    assert.strictEqual(operation.takesJson, (templateProbes[nameOf(operation)] ?? []).length > 0, nameOf(operation))
  }
})

class Served extends Context.Service<
  Served,
  {
    readonly settled: (name: string, root: string) => Effect.Effect<{ call: Call; estate: TemplateEstate }>
    /** Another workspace, that nobody attacks from, by root. */
    readonly them: (root: string) => { readonly call: Call; readonly estate: TemplateEstate }
  }
>()("test/ServedTemplates") {}

const served = <Out, E>(over: Layer.Layer<Out | Workspaces | Workers, E>) =>
  Layer.effect(
    Served,
    Effect.gen(function* () {
      const { tenant, context } = yield* tenants(over)
      const settled = Effect.fnUntraced(function* (name: string, root: string) {
        const made = yield* tenant(name)
        return { call: made.call, estate: yield* settleTemplates(made, context, root) }
      }, Effect.orDie)
      const ofEmails = yield* settled("their-emails", emailTemplates)
      const ofTents = yield* settled("their-tents", tentTemplates)
      return Served.of({ settled, them: (root) => (root === emailTemplates ? ofEmails : ofTents) })
    }),
  )

let drawn = 0

/** Hundreds of requests a test, on whatever machine. */
const patience = { timeout: 120_000 }

const begin = Effect.fnUntraced(function* (operation: Operation) {
  const { settled, them } = yield* Served
  const root = rootOf(operation)
  const { call, estate } = yield* settled(`ours-${++drawn}`, root)
  const path = filled(operation.path, { ...estate })
  return { call, root, them: them(root), estate, path, rights: templateProbes[nameOf(operation)] ?? [] }
})

/** A search that finds nothing finds nothing, whatever it says; the rest is as imports' and contacts'. */
const searches = (operation: Operation): ReadonlyArray<string> =>
  operation.query.some(({ name }) => name === "search") ? hostileText : []

const refusals = (operation: Operation) =>
  Effect.gen(function* () {
    const { call, root, them, estate, path, rights } = yield* begin(operation)
    const snapshot = Effect.zip(templatesIn(call, root, estate), templatesIn(them.call, root, them.estate))
    const before = yield* snapshot
    const attacks = [
      ...inPath(operation, { ...estate }),
      ...inQuery(operation, path),
      ...rights.flatMap((right) => inBody(operation, path, () => right(estate), "default_secret")),
      ...rights.slice(0, 1).flatMap((right) => noJson(operation, path, right(estate))),
    ]
    const send = (attack: Attack) =>
      Effect.map(call(operation.method, attack.path, attack.sent), (answered) => holdTo(attack, answered))
    yield* Effect.forEach(
      attacks.filter(({ expected }) => expected === "refused"),
      send,
    )
    assert.deepStrictEqual(yield* snapshot, before)
    for (const text of searches(operation)) {
      const found = yield* call("GET", `${path}?search=${encodeURIComponent(text)}`)
      assert.deepStrictEqual([found.status, found.json?.templates], [200, []], text)
    }
    for (const right of rights.length === 0 ? [undefined] : rights) {
      const sent = right === undefined ? {} : { json: right(estate) }
      const taken = yield* call(operation.method, path, sent)
      assert.isTrue(taken.status < 300, `${taken.status} ${taken.text}`)
    }
    // What may go through comes last: it may change what the others are sent to.
    yield* Effect.forEach(
      attacks.filter(({ expected }) => expected === "either"),
      send,
    )
    assert.isUndefined(Reflect.get({}, "polluted"))
    assert.strictEqual(yield* templatesIn(them.call, root, them.estate), before[1])
  })

const foreigners = (operation: Operation) =>
  Effect.gen(function* () {
    const { call, root, them, estate, path, rights } = yield* begin(operation)
    const before = yield* templatesIn(them.call, root, them.estate)
    const ask = (at: string, body?: string) => call(operation.method, at, body === undefined ? {} : { body })
    const bodies = rights.length === 0 ? [undefined] : rights.map((right) => JSON.stringify(right(estate)))
    for (const body of bodies) {
      for (const name of parametersOf(operation.path)) {
        const at = (id: string) => filled(operation.path, { ...estate, [name]: id })
        const id = them.estate[name as keyof TemplateEstate]
        const foreign = yield* ask(at(id), body)
        assert.strictEqual(foreign.status, 404, foreign.text)
        assert.deepStrictEqual(comparable(foreign, id), comparable(yield* ask(at(unknownId), body), unknownId))
      }
    }
    const pairs = (["emailId", "tentId"] as const).map((kind) => ({ ours: estate[kind], theirs: them.estate[kind] }))
    for (const right of rights) {
      for (const { what, id, theirs, nobodys } of withForeignIds(right(estate), pairs, unknownId)) {
        const foreign = yield* ask(path, theirs)
        holdToShape(what, foreign)
        assert.isTrue(isRefused(foreign), `${what}: ${foreign.text}`)
        assert.deepStrictEqual(comparable(foreign, id), comparable(yield* ask(path, nobodys), unknownId), what)
      }
    }
    const sent = rights[0] === undefined ? {} : { json: rights[0](estate) }
    const keyless = yield* call(operation.method, path, { ...sent, headers: { authorization: "" } })
    assert.strictEqual(keyless.status, 401, keyless.text)
    holdToShape("without a key", keyless)
    assert.strictEqual(yield* templatesIn(them.call, root, them.estate), before)
  })

const attacked = <Out, E>(
  name: string,
  over: Layer.Layer<Out | Workspaces | Workers, E>,
  reaches: (operation: Operation) => boolean,
) =>
  layer(served(over), { timeout: "60 seconds", excludeTestServices: true })(
    `attacks on templates on ${name}`,
    (test) => {
      for (const operation of operations) {
        if (reaches(operation)) {
          test.effect(
            `${nameOf(operation)} takes what is right, and refuses everything else`,
            () => refusals(operation),
            patience,
          )
        }
        test.effect(
          `${nameOf(operation)} is for who has a key, and knows another workspace's ids no better than none`,
          () => foreigners(operation),
        )
      }
    },
  )

attacked("memory", world, () => true)
attacked(
  "PostgreSQL",
  postgresWorld,
  ({ method, path }) => path === emailTemplates || path === tentTemplates || method === "PATCH",
)
