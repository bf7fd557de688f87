// Bad requests of every kind against every operation on emails, in memory and on PostgreSQL: each is refused with the place of
// what is wrong, none breaks the service, and none reaches another workspace's emails.
import { Emails } from "@tentpole/core/emails/Emails"
import { EmailId, GenerationId, type WorkspaceId } from "@tentpole/core/Ids"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
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
import { type EmailEstate, emailProbes, emailsOf, saysNothing, settleEmails } from "./EmailProbes.ts"
import { postgresWorld } from "./PostgresWorld.ts"
import { world } from "./World.ts"

const operations = operationsOf(OpenApi.fromApi(Api), ["/v1/emails"])
const nameOf = ({ method, path }: Operation): string => `${method} ${path}`

it("every operation has its probe", () => {
  const unprobed = operations.map(nameOf).filter((name) => emailProbes[name] === undefined)
  assert.deepStrictEqual(unprobed, [], "give each a right body in EmailProbes.ts, or none")
  for (const operation of operations) {
    assert.strictEqual(operation.takesJson, (emailProbes[nameOf(operation)] ?? []).length > 0, nameOf(operation))
  }
})

interface Side {
  readonly call: Call
  readonly workspace: WorkspaceId
}

class Served extends Context.Service<
  Served,
  {
    readonly us: Side
    readonly emails: Emails["Service"]
    /** Another workspace, that nobody attacks from. */
    readonly them: Side & { readonly estate: EmailEstate }
  }
>()("test/ServedEmails") {}

const served = <Out, E>(over: Layer.Layer<Out | Workspaces | Emails, E>) =>
  Layer.effect(
    Served,
    Effect.gen(function* () {
      const { tenant, context } = yield* tenants(over)
      const workspaces = Context.get(context, Workspaces)
      const sending = Effect.fnUntraced(function* (name: string) {
        const side = yield* tenant(name)
        yield* workspaces.update(side.workspace, { credits: 10_000 })
        const { domain } = yield* workspaces.addDomain(side.workspace, "example.test")
        yield* workspaces.verifyDomain(side.workspace, domain.id)
        return side
      }, Effect.orDie)
      const them = yield* sending("theirs")
      return Served.of({
        us: yield* sending("ours"),
        emails: Context.get(context, Emails),
        them: { ...them, estate: yield* settleEmails(them.call, "secret_of_theirs") },
      })
    }),
  )

/** Hundreds of requests a test, on whatever machine. */
const patience = { timeout: 120_000 }

const attacked = <Out, E>(name: string, over: Layer.Layer<Out | Workspaces | Emails, E>) =>
  layer(served(over), { timeout: "60 seconds", excludeTestServices: true })(`attacks on emails on ${name}`, (it) => {
    const begin = Effect.fnUntraced(function* (operation: Operation) {
      const { us, them, emails } = yield* Served
      const estate = yield* settleEmails(us.call, "ours")
      // One that is asked to be written must not be being written.
      if (operation.method === "POST") {
        yield* emails.generate(us.workspace, EmailId.make(estate.emailId), GenerationId.make(estate.generationId))
      }
      const rights = (emailProbes[nameOf(operation)] ?? []).map(
        (right) => (it: EmailEstate) => ("version" in right(it) ? { version: 2 } : right(it)),
      )
      return { call: us.call, them, estate, path: filled(operation.path, { ...estate }), rights }
    })

    for (const operation of operations) {
      it.effect(
        `${nameOf(operation)} takes what is right, and refuses everything else`,
        () =>
          Effect.gen(function* () {
            const { call, them, estate, path, rights } = yield* begin(operation)
            const before = yield* emailsOf(them.call, them.estate)
            const attacks = [
              ...inPath(operation, { ...estate }),
              ...inQuery(operation, path),
              ...rights.flatMap((right) => [
                ...inBody(operation, path, () => right(estate), them.estate.field),
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
            assert.strictEqual(yield* emailsOf(them.call, them.estate), before)
            for (const right of rights.length === 0 ? [undefined] : rights) {
              const again = yield* begin(operation)
              const sent = right === undefined ? {} : { json: right(again.estate) }
              const taken = yield* call(operation.method, again.path, sent)
              assert.isTrue(taken.status < 300 && !isRefused(taken), `${taken.status} ${taken.text}`)
            }
          }),
        patience,
      )

      it.effect(`${nameOf(operation)} knows another workspace's ids no better than ids of nothing`, () =>
        Effect.gen(function* () {
          const { call, them, estate, path, rights } = yield* begin(operation)
          const before = yield* emailsOf(them.call, them.estate)
          const ask = (at: string, body?: string) => call(operation.method, at, body === undefined ? {} : { body })
          const bodies = rights.length === 0 ? [undefined] : rights.map((right) => JSON.stringify(right(estate)))
          for (const body of bodies) {
            for (const parameter of parametersOf(operation.path)) {
              const at = (id: string) => filled(operation.path, { ...estate, [parameter]: id })
              const id = them.estate[parameter as keyof EmailEstate]
              const foreign = yield* ask(at(id), body)
              assert.strictEqual(foreign.status, 404, foreign.text)
              assert.deepStrictEqual(comparable(foreign, id), comparable(yield* ask(at(unknownId), body), unknownId))
            }
          }
          const theirs = them.estate.contact_id
          for (const parameter of operation.query.filter((each) => each.name === "contact_id")) {
            const foreign = yield* ask(`${path}?${parameter.name}=${theirs}`)
            const nobody = yield* ask(`${path}?${parameter.name}=${unknownId}`)
            assert.strictEqual(foreign.status, 404, foreign.text)
            assert.deepStrictEqual(comparable(foreign, theirs), comparable(nobody, unknownId))
          }
          for (const right of rights) {
            const pairs = [{ ours: estate.contact_id, theirs }]
            for (const { what, id, theirs: foreignBody, nobodys } of withForeignIds(right(estate), pairs, unknownId)) {
              const foreign = yield* ask(path, foreignBody)
              holdToShape(what, foreign)
              assert.isTrue(isRefused(foreign), `${what}: ${foreign.text}`)
              assert.deepStrictEqual(comparable(foreign, id), comparable(yield* ask(path, nobodys), unknownId), what)
              assert.notInclude(foreign.text, them.estate.field, what)
            }
          }
          assert.strictEqual(yield* emailsOf(them.call, them.estate), before)
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
