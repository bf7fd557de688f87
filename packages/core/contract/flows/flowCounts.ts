// Contract tests of the counters of flows: they equal the number of memberships by status and by step, whatever was written.
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Contact } from "../../src/contacts/Contact.ts"
import { currentStepOf, isLive } from "../../src/flows/members/Membership.ts"
import type { FlowMemberQuery } from "../../src/flows/members/MembershipStore.ts"
import { emptyTally } from "../../src/flows/members/TallyMoves.ts"
import type { FlowId } from "../../src/kernel/Ids.ts"
import { drawFrom, seeds } from "../kernel/draws.ts"
import { day } from "./flowWorld.ts"
import { day_ms, flowLive, type FlowRooms, running } from "./flowMembersWorld.ts"

const everyone: FlowMemberQuery = {
  page: 1,
  limit: 1_000,
  status: null,
  search: null,
  sort: "entered_at",
  order: "asc",
}

type World = Effect.Success<ReturnType<typeof running>>

interface Shared {
  readonly flows: ReadonlyArray<FlowId>
  readonly people: ReadonlyArray<Contact>
}

/** Enrolls, removes, advances and deletes shared contacts. Another sequence may have done so before. */
const drawnChanges = Effect.fnUntraced(function* (world: World, { flows, people }: Shared, seed: number) {
  const { advanceDue, elapse, memberships, remove, transact, workspace } = world
  const draw = drawFrom(seed)
  for (let step = 0; step < 14; step++) {
    const [flow, person] = [draw.of(flows), draw.of(people)]
    const enter = memberships.add(workspace, flow, person.id, {})
    switch (draw.below(6)) {
      case 0:
      case 1:
        yield* Effect.ignore(enter)
        break
      case 2:
        yield* Effect.ignore(memberships.remove(workspace, flow, person.id))
        break
      case 3:
        yield* advanceDue
        break
      case 4:
        if (draw.chance(0.3)) yield* elapse(day_ms)
        else if (draw.chance(0.2)) yield* Effect.ignore(remove([person]))
        break
      case 5:
        yield* Effect.ignore(transact(Effect.andThen(enter, Effect.fail("undone"))))
    }
  }
})

/** The counters of a flow, and the same counted. */
const compared = Effect.fnUntraced(function* ({ flows, memberships, workspace }: World, id: FlowId) {
  const { tally } = yield* flows.get(workspace, id)
  const { counts } = yield* flows.getStepCounts(workspace, id)
  const { items } = yield* memberships.list(workspace, id, everyone)
  const members = items.map(({ membership }) => membership)
  const byStatus = Map.groupBy(members, ({ state }) => state.status)
  const live = members.filter(({ state }) => isLive(state))
  const byStep = Map.groupBy(live, ({ state }) => currentStepOf(state))
  const number = (some: ReadonlyArray<unknown> = []) => some.length
  return {
    stored: { tally, steps: [...counts].filter(([, count]) => count !== 0).sort() },
    counted: {
      tally: {
        active: number(byStatus.get("active")),
        waiting: number(byStatus.get("waiting")),
        completed: number(byStatus.get("completed")),
        dropped: number(byStatus.get("dropped")),
        failed: number(byStatus.get("failed")),
        lastEntryAt: members.at(-1)?.enteredAt ?? null,
      },
      steps: [...byStep].map(([step, some]) => [step, some.length]).sort(),
    },
  }
})

export const flowCounts = <E>(name: string, rooms: Layer.Layer<FlowRooms, E>) =>
  layer(Layer.provideMerge(flowLive, rooms), { excludeTestServices: true })(`Flow counters (${name})`, (it) => {
    it.effect("equal the number of memberships after concurrent sequences of changes", () =>
      Effect.gen(function* () {
        for (const seed of seeds(2)) {
          const world = yield* running()
          const people = yield* Effect.forEach(["a", "b", "c", "d", "e", "f", "g", "h"], (each) => world.person(each))
          const flows = [
            yield* world.started([day("first", "second"), day("second", null)]),
            yield* world.started([day("only", null)], { reentry_policy: "no_reentry" }),
          ]
          yield* Effect.forEach([0, 1, 2, 3], (part) => drawnChanges(world, { flows, people }, 10 * seed + part), {
            concurrency: 4,
          })
          for (const flow of flows) {
            const { counted, stored } = yield* compared(world, flow)
            assert.notDeepEqual(counted.tally, emptyTally)
            assert.deepStrictEqual(stored, counted, `seed ${seed}`)
          }
        }
      }),
    )
  })
