// Runner of fuzz tests: sends random requests and checks the responses. Failures are recorded with their seed.
import { type Draw, drawFrom } from "@tentpole/core/contract"
import type { Json } from "@tentpole/http/description/Json"
import { Cause, Effect, Layer, References } from "effect"
import { administrationOver } from "../fixtures/AdminWorld.ts"
import { postgresWorld } from "../fixtures/PostgresWorld.ts"
import { isUnchanged, nameOf, type UseCases } from "../attacks/AttackSuite.ts"
import { tenants as tenantsOf } from "../attacks/AttackFixture.ts"
import { administration, type DescribedOperation, operationsIn, tenants } from "../fixtures/Described.ts"
import { rooms, type Settled } from "../attacks/Rooms.ts"
import type { Answered, Call, Sent } from "../fixtures/World.ts"
import { idsOf, type Ids } from "./Estates.ts"
import { drawRequests, type RightFor } from "./Requests.ts"
import { type Verdict, verdictBy } from "./Verdict.ts"

/** The operations and the service that they are sent to. */
export interface Ground {
  readonly description: Json
  /** Compiles each schema once for all fixtures. */
  readonly verdict: Verdict
  readonly operations: ReadonlyArray<DescribedOperation>
  readonly call: Call
  readonly ids: Ids
  readonly rightFor: RightFor
  /** What has changed in the other workspace, or null. */
  readonly after: Effect.Effect<string | null>
}

export interface Wrong {
  readonly request: string
  readonly why: string
}

export interface Tried {
  readonly wrong: ReadonlyArray<Wrong>
  /** The number of answers of each status. */
  readonly statuses: ReadonlyMap<number, number>
  /** Operations that succeeded at least once. */
  readonly done: ReadonlySet<string>
}

/** The number of wrong answers after which a run stops. */
const wrong_max = 12

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The request as a shell command. Binary bytes are base64. */
const curlOf = (method: string, path: string, { body, headers, json }: Sent): string => {
  const sent = json === undefined ? body : JSON.stringify(json)
  const named = Object.entries({ ...(sent === undefined ? {} : { "content-type": "application/json" }), ...headers })
  const bytes = sent instanceof Uint8Array ? `"$(base64 -d <<< ${Buffer.from(sent).toString("base64")})"` : null
  return [
    `curl -X ${method} ${quoted(`$API${path}`)}`,
    ...named.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(sent === undefined ? [] : [`--data-binary ${bytes ?? quoted(String(sent))}`]),
  ].join(" ")
}

const [ofTenants, ofAdministration] = [verdictBy(tenants), verdictBy(administration)]

/** A fixture with our entities in every room, and another workspace that must not change. */
export const tenantsGround = Effect.fnUntraced(function* <Out, E>(over: Layer.Layer<Out | UseCases, E>) {
  const { context, tenant } = yield* tenantsOf(over)
  const settled = Effect.fnUntraced(function* (name: string, field: string) {
    const side = yield* tenant(name)
    const each = yield* Effect.forEach(rooms, (room, index) => room.settle(side, `${field}${index}`, context))
    return { call: side.call, each }
  })
  const [ours, theirs] = [yield* settled("ours", "ours"), yield* settled("theirs", "secret_of_theirs")]
  const ids = idsOf(
    theirs.each.flatMap(({ estate }) => Object.values(estate)).filter((value) => /^[0-9a-f-]{36}$/.test(value)),
  )
  for (const { estate } of ours.each) ids.learn(estate)
  const everything = Effect.map(
    Effect.forEach(theirs.each, ({ everything }) => everything(theirs.call)),
    (texts) => texts.join("\n"),
  )
  const asSettled = yield* everything
  const ground: Ground = {
    description: tenants,
    verdict: ofTenants,
    operations: operationsIn(tenants),
    call: ours.call,
    ids,
    rightFor: rightIn(ours.each),
    after: Effect.map(everything, (text) => changeOf(asSettled, text)),
  }
  return ground
})

/** Where the state of a workspace differs from what it was, or null. */
export const changeOf = (before: string, after: string): string | null => {
  if (isUnchanged(before, after)) return null
  let at = 0
  while (before[at] === after[at]) at++
  const [was, is] = [before, after].map((text) => text.slice(Math.max(0, at - 200), at + 200))
  return `something of another workspace has changed. It was ${was}\nIt is ${is}`
}

const rightIn =
  (each: ReadonlyArray<Settled>): RightFor =>
  (operation) =>
    each.flatMap((room) => room.operations.filter((own) => nameOf(own) === nameOf(operation)).flatMap(room.rights))

/** The administration with two workspaces that have one entity of each kind. */
export const administrationGround = Effect.gen(function* () {
  // The log is off, as for tenants.
  const quiet = Layer.merge(postgresWorld, Layer.succeed(References.MinimumLogLevel, "Error"))
  const { admin } = yield* administrationOver(quiet)
  const ids = idsOf(["7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e12"])
  const made = (path: string, json: Json) =>
    Effect.map(admin("POST", path, { json }), (answered) => {
      ids.learn(answered.json)
      return answered.json
    })
  for (const name of ["one", "two"]) {
    const { workspace_id } = yield* made("/admin/v1/workspaces", { name, slug: name })
    const at = `/admin/v1/workspaces/${workspace_id}`
    yield* made(`${at}/keys`, { name })
    yield* made(`${at}/domains`, { domain: `${name}.example` })
    yield* made(`${at}/page-domains`, { domain: `pages.${name}.example` })
    yield* made(`${at}/suppressions`, { email: "ann@example.org" })
  }
  const ground: Ground = {
    description: administration,
    verdict: ofAdministration,
    operations: operationsIn(administration),
    call: admin,
    ids,
    rightFor: () => [],
    after: Effect.succeed(null),
  }
  return ground
})

/** The issue of an answer, or null. */
const issueOf = (verdict: Verdict, operation: DescribedOperation, answered: Answered): string | null => {
  try {
    verdict(operation, answered)
    return answered.text.includes("secret_of_theirs")
      ? `it reveals data of another workspace: ${answered.text.slice(0, 500)}`
      : null
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

/** Sends random requests, drawn from the seed. */
export const fuzz = Effect.fnUntraced(function* (ground: Ground, seed: number, count: number) {
  const { call, description, ids, operations, rightFor, verdict } = ground
  const draw: Draw = drawFrom(seed)
  const next = drawRequests(draw, description, (name) => ids.drawn(draw, name), rightFor)
  const wrong = new Map<string, Wrong>()
  const statuses = new Map<number, number>()
  const done = new Set<string>()
  for (let drawn = 0; drawn < count && wrong.size < wrong_max; drawn++) {
    const operation = draw.of(operations)
    const { path, sent } = next(operation)
    const why = yield* call(operation.method, path, sent).pipe(
      Effect.map((answered) => {
        statuses.set(answered.status, (statuses.get(answered.status) ?? 0) + 1)
        if (answered.status < 300) done.add(nameOf(operation))
        if (answered.status < 300) ids.learn(answered.json)
        return issueOf(verdict, operation, answered)
      }),
      Effect.catchCause((cause) => Effect.succeed(`it broke: ${Cause.pretty(cause)}`)),
    )
    if (why === null) continue
    const request = `SEED=${seed}, request ${drawn + 1}: ${curlOf(operation.method, path, sent).slice(0, 3_000)}`
    wrong.set(`${nameOf(operation)} ${why.slice(0, 60)}`, { request, why })
  }
  const change = yield* ground.after
  if (change !== null) wrong.set(change, { request: `SEED=${seed}, one of ${count} requests`, why: change })
  return { wrong: [...wrong.values()], statuses, done } satisfies Tried
})
