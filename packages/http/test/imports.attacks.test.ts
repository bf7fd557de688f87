// Bad requests of every kind against every operation on imports, in memory and on PostgreSQL: each is refused with the place
// of what is wrong, none breaks the service, and nothing is imported by a request that was refused.
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import type { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { Api } from "@tentpole/http/Api"
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import {
  type Attack,
  filled,
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
import { type ImportEstate, importedIn, importProbes, newSession, settleImports } from "./ImportProbes.ts"
import { postgresWorld } from "./PostgresWorld.ts"
import { world } from "./World.ts"

const operations = operationsOf(OpenApi.fromApi(Api), ["/v1/contacts/imports"])
const nameOf = ({ method, path }: Operation): string => `${method} ${path}`

it("every operation has its probe", () => {
  const unprobed = operations.map(nameOf).filter((name) => importProbes[name] === undefined)
  assert.deepStrictEqual(unprobed, [], "give each a right body in ImportProbes.ts, or none")
  for (const operation of operations) {
    assert.strictEqual(operation.takesJson, (importProbes[nameOf(operation)] ?? []).length > 0, nameOf(operation))
  }
})

/** The keys of a row are its columns: any may be there. */
const isColumn = ({ what, wrong }: Attack): boolean =>
  /^rows\.\d+\.[^.]*$/.test(wrong ?? "") && what.includes(" has ") && !what.includes("twice")

/** Without its source a body is of no kind, and is refused as a whole. */
const adapted = (attack: Attack): Attack => {
  if (isColumn(attack)) return { ...attack, expected: "either" }
  return attack.wrong === "source" ? { ...attack, wrong: "" } : attack
}

class Served extends Context.Service<
  Served,
  {
    readonly settled: (name: string, field: string) => Effect.Effect<{ call: Call; estate: ImportEstate }>
    /** Another workspace, that nobody attacks from. */
    readonly them: { readonly call: Call; readonly estate: ImportEstate }
  }
>()("test/ServedImports") {}

const served = <Out, E>(over: Layer.Layer<Out | Workspaces | ImportRuns, E>) =>
  Layer.effect(
    Served,
    Effect.gen(function* () {
      const { tenant, context } = yield* tenants(over)
      const runs = Context.get(context, ImportRuns)
      const settled = Effect.fnUntraced(function* (name: string, field: string) {
        const made = yield* tenant(name)
        return { call: made.call, estate: yield* settleImports(made, runs, field) }
      }, Effect.orDie)
      return Served.of({ settled, them: yield* settled("theirs", "secret_of_theirs") })
    }),
  )

let drawn = 0

/** Hundreds of requests a test, on whatever machine. */
const patience = { timeout: 120_000 }

const attacked = <Out, E>(name: string, over: Layer.Layer<Out | Workspaces | ImportRuns, E>) =>
  layer(served(over), { timeout: "60 seconds", excludeTestServices: true })(`attacks on imports on ${name}`, (it) => {
    const begin = Effect.fnUntraced(function* (operation: Operation) {
      const { settled, them } = yield* Served
      const { call, estate } = yield* settled(`ours-${++drawn}`, "ours")
      const path = filled(operation.path, { ...estate })
      return { call, them, estate, path, rights: importProbes[nameOf(operation)] ?? [] }
    })

    for (const operation of operations) {
      it.effect(
        `${nameOf(operation)} takes what is right, and refuses everything else`,
        () =>
          Effect.gen(function* () {
            const { call, them, estate, path, rights } = yield* begin(operation)
            const snapshot = Effect.zip(importedIn(call, estate), importedIn(them.call, them.estate))
            const before = yield* snapshot
            const attacks = [
              ...inPath(operation, { ...estate }),
              ...inQuery(operation, path),
              ...rights.flatMap((right) => [
                ...inBody(operation, path, () => right(estate), them.estate.field),
                ...noJson(operation, path, right(estate)),
              ]),
            ]
            let session = estate.session_id
            for (const attack of attacks) {
              const answered = yield* call(
                operation.method,
                attack.path.replace(estate.session_id, session),
                attack.sent,
              )
              holdTo(adapted(attack), answered)
              // What goes through may use the session up: the next one is tried on one that is still open.
              if (answered.status === 202) session = yield* newSession(call, "ours")
            }
            assert.isUndefined(Reflect.get({}, "polluted"))
            assert.deepStrictEqual(yield* snapshot, before)
            for (const right of rights.length === 0 ? [undefined] : rights) {
              const sent = right === undefined ? {} : { json: right(estate) }
              const taken = yield* call(operation.method, path.replace(estate.session_id, session), sent)
              assert.isTrue(taken.status < 300, `${taken.status} ${taken.text}`)
            }
          }),
        patience,
      )

      it.effect(`${nameOf(operation)} knows another workspace's ids no better than ids of nothing`, () =>
        Effect.gen(function* () {
          const { call, them, estate, path, rights } = yield* begin(operation)
          const before = yield* importedIn(them.call, them.estate)
          const ask = (at: string, body?: string) => call(operation.method, at, body === undefined ? {} : { body })
          const bodies = rights.length === 0 ? [undefined] : rights.map((right) => JSON.stringify(right(estate)))
          for (const body of bodies) {
            for (const name of parametersOf(operation.path)) {
              const at = (id: string) => filled(operation.path, { ...estate, [name]: id })
              const id = them.estate[name as keyof ImportEstate]
              const foreign = yield* ask(at(id), body)
              assert.strictEqual(foreign.status, 404, foreign.text)
              assert.deepStrictEqual(comparable(foreign, id), comparable(yield* ask(at(unknownId), body), unknownId))
            }
          }
          const ids = ["fieldDefinitionId", "listId"] as const
          const pairs = [
            ...ids.map((kind) => ({ ours: estate[kind], theirs: them.estate[kind] })),
            { ours: estate.field, theirs: them.estate.field },
          ]
          for (const right of rights) {
            for (const { what, id, theirs, nobodys } of withForeignIds(right(estate), pairs, unknownId)) {
              const foreign = yield* ask(path, theirs)
              holdToShape(what, foreign)
              assert.isTrue(isRefused(foreign), `${what}: ${foreign.text}`)
              assert.deepStrictEqual(comparable(foreign, id), comparable(yield* ask(path, nobodys), unknownId), what)
            }
          }
          assert.strictEqual(yield* importedIn(them.call, them.estate), before)
        }),
      )

      it.effect(`${nameOf(operation)} is for who has a key`, () =>
        Effect.gen(function* () {
          const { call, path, estate, rights } = yield* begin(operation)
          const sent = rights[0] === undefined ? {} : { json: rights[0](estate) }
          const nobody = yield* call(operation.method, path, { ...sent, headers: { authorization: "" } })
          assert.strictEqual(nobody.status, 401, nobody.text)
          holdToShape("without a key", nobody)
        }),
      )
    }
  })

attacked("memory", world)
attacked("PostgreSQL", postgresWorld)
