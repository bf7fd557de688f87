// Merges of drawn contacts: memory and PostgreSQL end with the same.
import * as CsvReader from "@tentpole/adapters/csv/CsvReader"
import { day, type Draw, drawFrom, flowLive, mergesLive, mergeWorld, sampled } from "@tentpole/core/contract"
import { mergeSides } from "@tentpole/core/contacts/Merge"
import type { StaticList } from "@tentpole/core/lists/List"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresScenario } from "../fixtures/DeliveryScenarios.ts"
import { memoryScenario } from "../fixtures/MemoryDeliveryScenario.ts"
import { memoryTimes, postgresTimes } from "../fixtures/FlowTimesOf.ts"
import { memory, postgresCounted } from "../fixtures/Stores.ts"

const live = Layer.merge(mergesLive, flowLive)
const inMemory = live.pipe(
  Layer.provideMerge(Layer.merge(memoryTimes, memoryScenario)),
  Layer.provideMerge(Layer.merge(memory, CsvReader.layer)),
)
const onPostgres = live.pipe(
  Layer.provideMerge(Layer.merge(postgresTimes, postgresScenario)),
  Layer.provideMerge(Layer.merge(postgresCounted, CsvReader.layer)),
)

const sorted = <A>(values: ReadonlyArray<A>) => values.map((value) => JSON.stringify(value)).toSorted()

/** Members of lists, blasts and flows, drawn; then a merge, and what it ends with. Ids are replaced by names. */
const outcome = Effect.fnUntraced(function* (seed: number) {
  const draw: Draw = drawFrom(seed)
  const world = yield* mergeWorld
  const { contacts, flows, lists, memberships, scenario, seen, source, started, target, workspace } = world
  const bystander = yield* world.person("bystander")
  const some = () => [target, source, bystander].filter(() => draw.chance(0.6))
  const nameOf = (id: string) => (id === target.id ? "target" : id === source.id ? "source" : "bystander")
  const drawnLists = yield* Effect.forEach([1, 2, 3], (n) => world.listOf(`list ${n}`, some()))
  const blasts: Array<Parameters<typeof scenario.written>[1]> = []
  for (let n = 0; n < 3; n++) {
    const people = some()
    if (people.length > 0) blasts.push(yield* world.blast(people.map(({ id }) => id)))
    if (draw.chance(0.5)) yield* world.mail()
  }
  const drawnFlows = yield* Effect.forEach([1, 2], (n) => started([day("first", null)], { name: `Flow ${n}` }))
  for (const flow of drawnFlows) {
    for (const { id } of some()) yield* memberships.add(workspace, flow, id, {})
    if (draw.chance(0.3)) yield* memberships.remove(workspace, flow, target.id)
  }
  if (draw.chance(0.3)) yield* world.alter(source, { unsubscribed: true, city: "Rome" })
  const merged = yield* world.merge({ prefer: draw.of(mergeSides) })
  yield* world.settleDown
  const { createdAt: _, updatedAt: __, id: ___, ...values } = yield* contacts.get(workspace, target.id)
  return {
    values,
    counts: merged.counts,
    dropped: merged.droppedMemberships.length,
    timeline: sorted(yield* world.typesOf(target.id)),
    members: yield* Effect.forEach(drawnLists, ({ id }) =>
      Effect.map(lists.get(workspace, id), (list) => (list as StaticList).memberCount),
    ),
    messages: yield* Effect.forEach(blasts, (blast) =>
      Effect.map(scenario.written(workspace, blast), (rows) =>
        sorted(rows.map(({ contactId, reason, state }) => [nameOf(contactId), state, reason])),
      ),
    ),
    memberships: yield* Effect.forEach(drawnFlows, (flow) =>
      Effect.map(seen(flow), (rows) => sorted(rows.map(({ contactId, status }) => [nameOf(contactId), status]))),
    ),
    tallies: yield* Effect.forEach(drawnFlows, (flow) =>
      Effect.map(flows.get(workspace, flow), ({ tally: { lastEntryAt: _at, ...tally } }) => tally),
    ),
  }
})

const seeds = Array.from({ length: sampled(8) }, (_, at) => at + 1)

it.live("a merge ends with the same in memory and on PostgreSQL", () =>
  Effect.gen(function* () {
    const all = Effect.forEach(seeds, outcome)
    const left = yield* Effect.provide(all, inMemory)
    const right = yield* Effect.provide(all, onPostgres)
    for (const [at, seed] of seeds.entries()) assert.deepStrictEqual(right[at], left[at], `seed ${seed}`)
  }),
)
