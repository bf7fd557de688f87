// Test suite of attacks for the operations of a room, with both adapters: each bad request is refused with the path of the issue,
// breaks nothing, changes nothing, and reveals nothing of another workspace. The attacks are derived from probes and the OpenAPI
// document.
import { isInTurn } from "@tentpole/core/contract"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { useCases } from "@tentpole/core/Tentpole"
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import {
  addressOf,
  type Attack,
  hostileText,
  inBody,
  inPath,
  inQuery,
  inRules,
  noJson,
  type Operation,
  parametersOf,
  withForeignIds,
  withQuery,
} from "./Attacks.ts"
import { comparable, holdTo, holdToShape, isRefused, tenants } from "./AttackFixture.ts"
import { postgresWorld } from "../fixtures/PostgresWorld.ts"
import { type Answered, type Call, type Json, type Sent, unknownId, world } from "../fixtures/World.ts"

export type UseCases = Layer.Success<typeof useCases>

export interface Side {
  readonly call: Call
  readonly workspace: WorkspaceId
}

/** The entities of a workspace, by the names of path parameters. */
export type Estate = Readonly<Record<string, string>> & {
  /** Part of the names of all entities of the workspace. */
  readonly field: string
}

/** Creates valid bodies of an operation at each call; empty for an operation without a body. */
export type Probe<Own extends Estate> = ReadonlyArray<(estate: Own) => Json>

export interface Room<Own extends Estate> {
  readonly name: string
  readonly operations: ReadonlyArray<Operation>
  /** By operation: `POST /v1/contacts`. The other operations are attacked with the example of the OpenAPI document. */
  readonly probes: Readonly<Record<string, Probe<Own>>>
  /** Prepares a new workspace for the operation; null: for most of them. The names of all its entities contain `field`. */
  readonly settle: (
    side: Side,
    field: string,
    context: Context.Context<UseCases>,
    operation: Operation | null,
  ) => Effect.Effect<Own>
  /** Operations with the same text get the same workspace from `settle`; null: they get the one of most operations. */
  readonly stateFor?: (operation: Operation) => string | null
  /** The addresses of everything that the workspace can read. */
  readonly readable: (estate: Own) => ReadonlyArray<string>
  /** The ids of the estate that occur in bodies. The attacks replace them with ids of another workspace. */
  readonly ids: ReadonlyArray<string>
  /** The number of entries that a listing returns; for rooms whose listings are searched, or filtered by an id. */
  readonly found?: (json: Json) => number
  /** The valid request for an operation whose body is not JSON. */
  readonly sent?: (operation: Operation) => Sent
  /** Adapts an attack to this room. */
  readonly adapted?: (attack: Attack) => Attack
  /** Prepares a new estate after a request was accepted and changed the old one. */
  readonly renewed?: (
    side: Side,
    estate: Own,
    context: Context.Context<UseCases>,
    operation: Operation,
  ) => Effect.Effect<Own>
  /**
   * Operations whose text reaches a SQL statement of their own; by default all. The others get bad requests on the
   * memory adapter, which is faster.
   */
  readonly reaches?: (operation: Operation) => boolean
}

export const nameOf = ({ method, path }: Pick<Operation, "method" | "path">): string => `${method} ${path}`

export const idIn = (estate: Estate, name: string): string => estate[name] ?? assert.fail(`the estate has no ${name}`)

/** Valid bodies of an operation; none if it takes no JSON. */
export const rightsOf = <Own extends Estate>({ probes }: Room<Own>, operation: Operation): Probe<Own> =>
  probes[nameOf(operation)] ?? (operation.takesJson ? [() => operation.example] : [])

/** `2026-05-01T09`, in UTC. */
const hourNow = (): string => new Date().toISOString().slice(0, 13)

/**
 * Everything that the workspace can read, as one text. Its first line has the hours in which the reading began and ended. A refusal
 * has the id of its request, so only its status counts.
 */
export const everythingOf = Effect.fnUntraced(function* <Own extends Estate>(
  { readable }: Room<Own>,
  call: Call,
  estate: Own,
) {
  const began = hourNow()
  const answers = yield* Effect.forEach(readable(estate), (path) => call("GET", path))
  const texts = answers.map(({ status, text }) => (status === 200 ? text : String(status)))
  return [`${began} ${hourNow()}`, ...texts].join("\n")
})

/**
 * Compares two texts of `everythingOf`. Figures of the last hours and days move with the clock, so that texts of different hours are
 * not compared.
 */
export const isUnchanged = (before: string, after: string): boolean => {
  const [hours] = before.split("\n", 1)
  return before === after || !after.startsWith(`${hours}\n`)
}

/**
 * A campaign (`npm run test:attacks`) looks after each operation at the other workspace and at the one that was attacked; otherwise
 * once at the end. And it attacks the memory adapter, too, which no service has.
 */
const isCampaign = process.env["ATTACKS"] === "all"

interface Grounds<Own extends Estate> {
  /** For the operations of one state, a workspace of which all requests are refused or read only. It must not change. */
  readonly shared: (operation: Operation) => Effect.Effect<Recorded<Own>>
  /** For the valid requests of an operation that may change something, a workspace of its own. */
  readonly ours: (operation: Operation) => Effect.Effect<Settled<Own>>
  readonly context: Context.Context<UseCases>
  /** A workspace that sends no request. It must not change either. */
  readonly them: Recorded<Own>
  /** The workspaces that must not change. */
  readonly all: ReadonlyArray<Recorded<Own>>
}

/** A prepared workspace. */
interface Settled<Own extends Estate> {
  readonly side: Side
  readonly estate: Own
}

/** The same with its full state. */
interface Recorded<Own extends Estate> extends Settled<Own> {
  readonly asSettled: string
}

const isReading = ({ method }: Operation): boolean => method === "GET"

const grounds = Effect.fnUntraced(function* <Own extends Estate, Out, E>(
  room: Room<Own>,
  over: Layer.Layer<Out | UseCases, E>,
) {
  const { tenant, context } = yield* tenants(over)
  let drawn = 0
  const settled = Effect.fnUntraced(function* (field: string, operation: Operation | null) {
    const side = yield* tenant(`tenant-${++drawn}`)
    return { side, estate: yield* room.settle(side, field, context, operation) }
  })
  const all: Array<Recorded<Own>> = []
  const recorded = Effect.fnUntraced(function* (field: string, operation: Operation | null) {
    const made = yield* settled(field, operation)
    const known = { ...made, asSettled: yield* everythingOf(room, made.side.call, made.estate) }
    all.push(known)
    return known
  })
  const prepared = new Map<string | null, Recorded<Own>>()
  const shared = (operation: Operation) =>
    Effect.suspend(() => {
      const state = room.stateFor?.(operation) ?? null
      const known = prepared.get(state)
      if (known !== undefined) return Effect.succeed(known)
      const made = recorded("ours", state === null ? null : operation)
      return Effect.tap(made, (settled) => Effect.sync(() => prepared.set(state, settled)))
    })
  const ours = (operation: Operation) => settled("ours", operation)
  return { ours, shared, context, them: yield* recorded("secret_of_theirs", null), all }
})

/** The workspaces are as they were before all attacks. */
const stay = Effect.fnUntraced(function* <Own extends Estate>(room: Room<Own>, all: ReadonlyArray<Recorded<Own>>) {
  for (const { side, estate, asSettled } of all) {
    const now = yield* everythingOf(room, side.call, estate)
    if (!isUnchanged(asSettled, now)) assert.strictEqual(now, asSettled)
  }
})

/** The operation of the room in a workspace. */
const begin = <Own extends Estate>(
  room: Room<Own>,
  { all, context, them }: Grounds<Own>,
  operation: Operation,
  { side, estate }: Settled<Own>,
) => {
  const path = addressOf(operation, estate)
  return {
    side,
    call: side.call,
    context,
    estate,
    path,
    them: them.estate,
    allStay: isCampaign ? Effect.suspend(() => stay(room, all)) : Effect.void,
    rights: rightsOf(room, operation),
  }
}

type Begun<Own extends Estate> = ReturnType<typeof begin<Own>>

/** Sends all attacks to an operation. */
const attacksOn = <Own extends Estate>(
  { adapted = (attack) => attack }: Room<Own>,
  operation: Operation,
  { estate, path, them, rights }: Begun<Own>,
): ReadonlyArray<Attack> =>
  [
    ...inPath(operation, estate),
    ...inQuery(operation, estate),
    ...rights.flatMap((right) => [
      ...inBody(operation, path, () => right(estate), them.field),
      ...inRules(path, right(estate)),
      ...noJson(operation, path, right(estate)),
    ]),
  ].map(adapted)

/** Whether a parameter is text to search for. */
const isSearch = ({ name }: Operation["query"][number]): boolean => name === "search" || name === "q"

/** Sends the requests that must be refused, which change nothing; in a workspace of its own the valid one, then the uncertain ones. */
const refusals = Effect.fnUntraced(function* <Own extends Estate>(
  room: Room<Own>,
  on: Grounds<Own>,
  operation: Operation,
) {
  const shared = yield* on.shared(operation)
  const attacked = begin(room, on, operation, shared)
  const { call, estate, allStay } = attacked
  for (const attack of attacksOn(room, operation, attacked)) {
    if (attack.expected === "refused") holdTo(attack, yield* call(operation.method, attack.path, attack.sent))
  }
  yield* allStay
  const searched = operation.query.find(isSearch)
  for (const text of searched === undefined ? [] : hostileText) {
    const query = `${searched?.name}=${encodeURIComponent(text)}`
    const listed = yield* call(operation.method, withQuery(addressOf(operation, estate, searched?.name), query))
    assert.deepStrictEqual([listed.status, room.found?.(listed.json)], [200, 0], `${text}: ${listed.text}`)
  }
  const begun = begin(room, on, operation, isReading(operation) ? shared : yield* on.ours(operation))
  const { rights } = begun
  for (const right of rights.length === 0 ? [undefined] : rights) {
    const sent = right === undefined ? room.sent?.(operation) : { json: right(begun.estate) }
    const taken = yield* begun.call(operation.method, begun.path, sent ?? {})
    assert.isTrue(taken.status < 300 && !isRefused(taken), `${taken.status} ${taken.text}`)
  }
  if (rights.length > 0) yield* doubts(room, operation, begun)
  assert.isUndefined(Reflect.get({}, "polluted"))
  yield* allStay
})

/** Attacks that may be accepted and change the estate of the next ones. Only bodies can be uncertain. */
const doubts = Effect.fnUntraced(function* <Own extends Estate>(
  room: Room<Own>,
  operation: Operation,
  begun: Begun<Own>,
) {
  const { call, context, side } = begun
  const { renewed = (_: Side, estate: Own) => Effect.succeed(estate) } = room
  let { estate } = begun
  // The valid request changed the estate.
  let wentThrough = true
  for (const attack of attacksOn(room, operation, begun)) {
    if (attack.expected === "refused") continue
    if (wentThrough) estate = yield* renewed(side, estate, context, operation)
    const answered = yield* call(operation.method, addressOf(operation, estate), attack.sent)
    holdTo(attack, answered)
    wentThrough = answered.status < 300
  }
})

/**
 * Ids of another workspace in path, query and body get the same answer as unknown ids. Requests without a key are refused. An
 * operation needs its state: in another one it would be refused before its ids are looked up.
 */
const strangers = Effect.fnUntraced(function* <Own extends Estate>(
  room: Room<Own>,
  on: Grounds<Own>,
  operation: Operation,
) {
  const { call, estate, path, them, allStay, rights } = begin(room, on, operation, yield* on.shared(operation))
  const send = (at: string, body?: string) =>
    call(operation.method, at, body === undefined ? (room.sent?.(operation) ?? {}) : { body })
  const isEmpty = ({ json, status }: Answered) => status === 200 && room.found?.(json) === 0
  const alike = Effect.fnUntraced(function* (what: string, id: string, ask: (id: string) => Effect.Effect<Answered>) {
    const foreign = yield* ask(id)
    holdToShape(what, foreign)
    const unfound = foreign.json?.not_found_ids?.includes(id) === true || isEmpty(foreign)
    assert.isTrue(isRefused(foreign) || unfound, `${what}: ${foreign.text}`)
    if (id !== them.field) assert.notInclude(foreign.text, them.field, what)
    assert.deepStrictEqual(comparable(foreign, id), comparable(yield* ask(unknownId), unknownId), what)
    return foreign
  })
  const notFound = Effect.fnUntraced(function* (name: string, ask: (id: string) => Effect.Effect<Answered>) {
    const foreign = yield* alike(name, idIn(them, name), ask)
    assert.isTrue(foreign.status === 404 || isEmpty(foreign), foreign.text)
  })
  const bodies = rights.length === 0 ? [undefined] : rights.map((right) => JSON.stringify(right(estate)))
  for (const body of bodies) {
    // The number of a version and the name of a form are the same in several workspaces.
    for (const name of parametersOf(operation.path).filter((each) => each !== "n" && each !== "formId")) {
      yield* notFound(name, (id) => send(addressOf(operation, { ...estate, [name]: id }), body))
    }
  }
  for (const { name } of operation.query.filter((parameter) => parameter.name in them && !isSearch(parameter))) {
    yield* notFound(name, (id) => send(withQuery(addressOf(operation, estate, name), `${name}=${id}`)))
  }
  const pairs = room.ids.map((name) => ({ ours: idIn(estate, name), theirs: idIn(them, name) }))
  for (const right of rights) {
    for (const { what, id, theirs: foreign, unknown } of withForeignIds(right(estate), pairs, unknownId)) {
      yield* alike(what, id, (other) => send(path, other === id ? foreign : unknown))
    }
  }
  const keyless = { headers: { authorization: "" }, ...(bodies[0] === undefined ? {} : { body: bodies[0] }) }
  const unauthenticated = yield* call(operation.method, path, keyless)
  assert.strictEqual(unauthenticated.status, 401, unauthenticated.text)
  holdToShape("without a key", unauthenticated)
  if (operation.method === "GET") yield* staysGet(call, path)
  yield* allStay
})

/** A GET is executed as a GET, whatever its override headers. */
const staysGet = Effect.fnUntraced(function* (call: Call, path: string) {
  const headers = { "x-http-method-override": "DELETE", "x-method-override": "DELETE" }
  for (let twice = 0; twice < 2; twice++) assert.strictEqual((yield* call("GET", path, { headers })).status, 200)
})

/** Each test sends hundreds of requests. */
const timeout = 300_000

const foreignCalls = { timeout, tags: ["attack/foreign-id", "attack/foreign-nested-id", "attack/header-spoofing"] }
const wrongRequests = {
  timeout,
  tags: [
    "attack/search-injection",
    "attack/rule-tree",
    "attack/json-bomb",
    "attack/header-spoofing",
    "attack/prototype-key",
    "attack/nul",
    "attack/lone-surrogate",
    "attack/number-coercion",
    "attack/date-coercion",
    "attack/bad-cursor",
    "attack/unknown-key",
  ],
}

type Store = "memory" | "PostgreSQL"

/** The operations that get bad requests on this store. All operations get foreign ids. */
const attackedOn = <Own extends Estate>({ operations, reaches = () => true }: Room<Own>, store: Store) =>
  operations.filter(
    (operation, index) =>
      isInTurn(index) && (reaches(operation) ? store === "PostgreSQL" || isCampaign : store === "memory"),
  )

const on = <Own extends Estate, Out, E>(room: Room<Own>, store: Store, over: Layer.Layer<Out | UseCases, E>) => {
  const attacked = attackedOn(room, store)
  const Ground = Context.Service<Grounds<Own>>(`test/Grounds of ${room.name} on ${store}`)
  const options = { excludeTestServices: true } as const
  layer(Layer.effect(Ground, grounds(room, over)), options)(`attacks on ${room.name} on ${store}`, (test) => {
    const tried = (title: string, trial: typeof refusals<Own>, operation: Operation, options: typeof foreignCalls) =>
      test.effect(
        `${nameOf(operation)} ${title}`,
        () => Effect.flatMap(Ground, (ground) => trial(room, ground, operation)),
        options,
      )
    for (const operation of room.operations) {
      if (store === "PostgreSQL" || isCampaign) {
        tried("requires a key, and answers foreign ids like unknown ids", strangers, operation, foreignCalls)
      }
      if (attacked.includes(operation)) {
        tried("accepts valid requests, and refuses all others", refusals, operation, wrongRequests)
      }
    }
    test.effect("no attack changed anything of another workspace, and no refused request anything of its own", () =>
      Effect.flatMap(Ground, ({ all }) => stay(room, all)),
    )
  })
}

export const assault = <Own extends Estate>(room: Room<Own>): void => {
  it(`probes of ${room.name} belong to operations, and every operation with a body has a valid one`, () => {
    assert.includeMembers(room.operations.map(nameOf), Object.keys(room.probes))
    for (const operation of room.operations) {
      const bodies = rightsOf(room, operation).length
      assert.strictEqual(operation.takesJson, bodies > 0 && operation.example !== undefined, nameOf(operation))
    }
  })
  if (attackedOn(room, "memory").length > 0) on(room, "memory", world)
  on(room, "PostgreSQL", postgresWorld)
}
