// Contract tests of the turns of workspaces: an idle workspace has none, and each kind of new work wakes it.
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { BounceReportStore } from "../../src/bounces/ReportStore.ts"
import type { EngagementStore } from "../../src/tracking/EngagementStore.ts"
import { FlowEngine } from "../../src/flows/engine/FlowEngine.ts"
import type { FlowWork, Turn } from "../../src/flows/engine/FlowQueue.ts"
import { eventually } from "../kernel/eventually.ts"
import { day_ms, flowLive, type FlowRooms, running } from "./flowMembersWorld.ts"
import { day } from "./flowWorld.ts"

const turn_ms = 60_000
const half_hour_ms = 1_800_000

/** A workspace whose turns the test takes. */
export const turning = Effect.fnUntraced(function* () {
  const world = yield* running()
  const { person, queue, settleDown, started, takeDates, transact, workspace } = world
  const take = Effect.map(transact(queue.takeTurns({ limit: 1_000, turn_ms })), (all) =>
    all.filter((turn) => turn.workspace === workspace),
  )
  const kinds = Effect.map(take, (taken) => taken.map(({ kind }) => kind).toSorted())
  const turnOf = (kind: FlowWork) =>
    Effect.map(take, (taken) => taken.find((turn) => turn.kind === kind) ?? assert.fail(`no turn for ${kind}`))
  const end = (turn: Turn, more = false) => transact(queue.endTurn(turn, more))
  /** Serves the workspace until it has no turn. */
  const idle = Effect.gen(function* () {
    for (let taken = yield* take; taken.length > 0; taken = yield* take) {
      yield* settleDown
      yield* takeDates
      yield* Effect.forEach(taken, (turn) => end(turn), { discard: true })
    }
  })
  /** An idle workspace with a flow that new contacts enter, for a day. Ann is its member. */
  const asleep = Effect.gen(function* () {
    const flow = yield* started([day("rest", null)], { triggers: [{ type: "contact_created" }] })
    const ann = yield* person("ann")
    yield* idle
    return { ann, flow }
  })
  return { ...world, asleep, end, idle, kinds, turnOf }
})

export const flowTurns = <E>(name: string, rooms: Layer.Layer<FlowRooms | EngagementStore | BounceReportStore, E>) =>
  layer(Layer.provideMerge(flowLive, rooms), { excludeTestServices: true })(`Flow engine turns (${name})`, (it) => {
    it.effect("an idle workspace has no turn, however much time passes", () =>
      Effect.gen(function* () {
        const { asleep, elapse, idle, kinds } = yield* turning()
        yield* asleep
        yield* elapse(day_ms)
        yield* idle
        yield* elapse(365 * day_ms)
        assert.deepStrictEqual(yield* kinds, [])
      }),
    )

    it.effect("a workspace without flows has no turn after an event", () =>
      Effect.gen(function* () {
        const { kinds, person } = yield* turning()
        yield* person("ann")
        assert.deepStrictEqual(yield* kinds, [])
      }),
    )

    it.effect("an activation wakes a workspace", () =>
      Effect.gen(function* () {
        const { asleep, flows, idle, kinds, workspace } = yield* turning()
        const { flow } = yield* asleep
        yield* flows.pause(workspace, flow)
        yield* idle
        yield* flows.activate(workspace, flow)
        assert.deepStrictEqual(yield* kinds, ["flow_dates", "flow_events", "flows"])
      }),
    )

    it.effect("a new event wakes a workspace", () =>
      Effect.gen(function* () {
        const { asleep, kinds, person } = yield* turning()
        yield* asleep
        yield* person("bob")
        assert.include(yield* kinds, "flow_events")
      }),
    )

    it.effect("a member that an event enrolled wakes a workspace when its wait is over, not earlier", () =>
      Effect.gen(function* () {
        const { asleep, elapse, kinds } = yield* turning()
        yield* asleep
        yield* elapse(day_ms - turn_ms)
        assert.deepStrictEqual(yield* kinds, [])
        yield* elapse(turn_ms)
        assert.deepStrictEqual(yield* kinds, ["flows"])
      }),
    )

    it.effect("a member who begins another wait wakes a workspace when that is over", () =>
      Effect.gen(function* () {
        const { elapse, idle, kinds, memberships, person, started, workspace } = yield* turning()
        const flow = yield* started([day("first", "second"), day("second", null)])
        const ann = yield* person("ann")
        yield* memberships.add(workspace, flow, ann.id, {})
        yield* idle
        yield* elapse(day_ms)
        yield* idle
        yield* elapse(day_ms - turn_ms)
        assert.deepStrictEqual(yield* kinds, [])
        yield* elapse(turn_ms)
        assert.deepStrictEqual(yield* kinds, ["flows"])
      }),
    )

    it.effect("an enrollment by a caller wakes a workspace", () =>
      Effect.gen(function* () {
        const { idle, kinds, memberships, person, started, workspace } = yield* turning()
        const flow = yield* started([day("rest", null)])
        const ann = yield* person("ann")
        yield* idle
        yield* memberships.add(workspace, flow, ann.id, {})
        assert.include(yield* kinds, "flows")
      }),
    )

    it.effect("a contact's deletion wakes a workspace", () =>
      Effect.gen(function* () {
        const { asleep, kinds, remove } = yield* turning()
        const { ann } = yield* asleep
        yield* remove([ann])
        assert.include(yield* kinds, "flows")
      }),
    )

    it.effect("the next half hour wakes a workspace with an active date trigger only", () =>
      Effect.gen(function* () {
        const { elapse, flows, idle, kinds, started, workspace } = yield* turning()
        const trigger = { type: "date_based", field: "createdAt", mode: "before_date", days_before: 7 }
        const flow = yield* started([day("rest", null)], { triggers: [{ ...trigger, timezone: "Europe/Berlin" }] })
        yield* idle
        yield* elapse(half_hour_ms)
        assert.deepStrictEqual(yield* kinds, ["flow_dates"])
        yield* flows.pause(workspace, flow)
        yield* elapse(turn_ms)
        yield* idle
        yield* elapse(day_ms)
        assert.deepStrictEqual(yield* kinds, [])
      }),
    )

    it.effect(
      "one worker at a time has a turn; after a failure or its death the turn returns when its time is over",
      () =>
        Effect.gen(function* () {
          const { elapse, kinds, started } = yield* turning()
          yield* started([day("rest", null)])
          const taken = (yield* Effect.all([kinds, kinds, kinds], { concurrency: 3 })).flat()
          assert.deepStrictEqual(taken.toSorted(), ["flow_dates", "flow_events", "flows"])
          assert.deepStrictEqual(yield* kinds, [])
          yield* elapse(turn_ms)
          assert.deepStrictEqual(yield* kinds, ["flow_dates", "flow_events", "flows"])
        }),
    )

    it.effect("a turn that ends with more work is followed by another one, unless its transaction fails", () =>
      Effect.gen(function* () {
        const { asleep, end, kinds, person, queue, transact, turnOf } = yield* turning()
        yield* asleep
        yield* person("bob")
        const turn = yield* turnOf("flow_events")
        yield* Effect.exit(transact(Effect.andThen(queue.endTurn(turn, true), Effect.fail("no"))))
        assert.deepStrictEqual(yield* kinds, [])
        yield* end(turn, true)
        assert.deepStrictEqual(yield* kinds, ["flow_events"])
      }),
    )

    it.effect("the end of a turn does not hide an event that was written since the turn began", () =>
      Effect.gen(function* () {
        const { asleep, end, kinds, person, takeNews, turnOf } = yield* turning()
        yield* asleep
        yield* person("bob")
        const turn = yield* turnOf("flow_events")
        yield* takeNews
        yield* person("cid")
        yield* end(turn)
        assert.include(yield* kinds, "flow_events")
      }),
    )

    it.effect("the end of a turn whose time was over does not change the turn of another worker", () =>
      Effect.gen(function* () {
        const { asleep, elapse, end, kinds, person, turnOf } = yield* turning()
        yield* asleep
        yield* person("bob")
        const earlier = yield* turnOf("flow_events")
        yield* elapse(turn_ms)
        yield* turnOf("flow_events")
        yield* end(earlier, true)
        assert.deepStrictEqual(yield* kinds, [])
        yield* elapse(turn_ms)
        assert.deepStrictEqual(yield* kinds, ["flow_events"])
      }),
    )

    it.effect("serves all waiting members of every workspace", () =>
      Effect.gen(function* () {
        const worlds = [yield* running(), yield* running()]
        const all = yield* Effect.forEach(worlds, ({ person, started, ...world }) =>
          Effect.gen(function* () {
            const flow = yield* started([day("a", null)], { triggers: [{ type: "contact_created" }] })
            yield* person("ann")
            return { ...world, flow }
          }),
        )
        const { run } = yield* FlowEngine
        const isThrough = Effect.map(
          Effect.forEach(all, ({ flow, seen }) => seen(flow)),
          (members) => members.every((each) => each[0]?.status === "waiting"),
        )
        assert.isTrue(yield* eventually(Effect.andThen(run, isThrough), (through) => through))
      }),
    )
  })
