// Contract tests of the flow engine: each step runs once, whatever the number of workers; a paused flow does nothing; each
// event and date counts once.
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { FigureStore } from "../../src/blasts/figures/FigureStore.ts"
import type { BounceReportStore } from "../../src/bounces/ReportStore.ts"
import type { EngagementStore } from "../../src/tracking/EngagementStore.ts"
import { flowHappenings } from "./flowHappenings.ts"
import { flowMessages } from "./flowMessages.ts"
import { flowUnsent } from "./flowUnsent.ts"
import { day, send } from "./flowWorld.ts"
import { check, day_ms, type FlowLive, flowLive, type FlowRooms, lives, running, tree } from "./flowMembersWorld.ts"

type Needs = FlowRooms | EngagementStore | BounceReportStore | FigureStore
type Live = Needs | FlowLive

export const flowEngine = <E>(name: string, rooms: Layer.Layer<Needs, E>) => {
  const live = Layer.provideMerge(flowLive, rooms)
  advancing(name, live)
  flowMessages(name, live)
  flowHappenings(name, live)
  flowUnsent(name, live)
}

const advancing = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { excludeTestServices: true })(`Flow engine steps (${name})`, (it) => {
    it.effect("takes a member through a wait, a condition and a message, and completes after the send", () =>
      Effect.gen(function* () {
        const world = yield* running()
        const {
          advanceDue,
          approvedEmail,
          elapse,
          flows,
          mail,
          memberships,
          one,
          person,
          settleDown,
          started,
          workspace,
        } = world
        const ann = yield* person("ann", { city: "Rome" })
        const { id: email_id } = yield* approvedEmail("hello")
        const flow = yield* started([
          day("rest", "where"),
          check("where", tree(lives("Rome")), { true_step_id: "hello", false_step_id: null }),
          send("hello", { email_id }),
        ])
        yield* memberships.add(workspace, flow, ann.id, { gift: "cake" })
        yield* settleDown
        assert.deepInclude(yield* one(flow), { status: "waiting", step: "rest" })
        yield* elapse(day_ms - 60_000)
        assert.strictEqual(yield* advanceDue, 0)
        yield* elapse(60_000)
        assert.strictEqual(yield* advanceDue, 1)
        assert.strictEqual(yield* advanceDue, 0)
        assert.deepInclude(yield* one(flow), { status: "active", step: "hello" })
        const [claimed] = yield* mail()
        assert.deepInclude(claimed, { address: "ann@example.test", operational: false })
        assert.deepStrictEqual(claimed?.tokens, { gift: "cake" })
        assert.strictEqual(claimed?.contact?.id, ann.id)
        yield* settleDown
        const { status, step, timeline } = yield* one(flow)
        assert.deepStrictEqual([status, step], ["completed", null])
        assert.deepStrictEqual(timeline, [
          "entered_flow",
          "waiting",
          "step_executed",
          "step_executed",
          "email_sent",
          "email_delivered",
          "step_executed",
          "completed",
        ])
        assert.deepInclude((yield* flows.get(workspace, flow)).tally, { active: 0, waiting: 0, completed: 1 })
        assert.deepStrictEqual(yield* mail(), [])
      }),
    )

    it.effect("runs each step of each member once when several workers advance", () =>
      Effect.gen(function* () {
        const { advanceDue, approvedEmail, mail, memberships, person, seen, settleDown, started, workspace } =
          yield* running()
        const { id: email_id } = yield* approvedEmail("hello")
        const flow = yield* started([
          check("where", tree(lives("Rome")), { true_step_id: null, default_step_id: "hello" }),
          send("hello", { email_id }),
        ])
        const people = yield* Effect.forEach(
          Array.from({ length: 24 }, (_, at) => at),
          (at) => person(`p${at}`),
        )
        yield* Effect.forEach(people, ({ id }) => memberships.add(workspace, flow, id, {}), { discard: true })
        yield* Effect.all([advanceDue, advanceDue, advanceDue, advanceDue], { concurrency: 4 })
        assert.strictEqual(yield* advanceDue, 0)
        assert.strictEqual((yield* mail()).length, 24)
        yield* settleDown
        const all = yield* seen(flow)
        assert.deepStrictEqual([...new Set(all.map(({ status }) => status))], ["completed"])
        const steps = all.map(({ timeline }) => timeline.filter((type) => type === "step_executed").length)
        assert.deepStrictEqual([...new Set(steps)], [2])
      }),
    )

    it.effect("runs nothing while the flow is paused; members that became due meanwhile run on activation", () =>
      Effect.gen(function* () {
        const world = yield* running()
        const {
          advanceDue,
          approvedEmail,
          elapse,
          flows,
          mail,
          memberships,
          one,
          person,
          settleDown,
          started,
          workspace,
        } = world
        const ann = yield* person("ann")
        const { id: email_id } = yield* approvedEmail("hello")
        const flow = yield* started([day("rest", "hello"), send("hello", { email_id })])
        yield* memberships.add(workspace, flow, ann.id, {})
        yield* settleDown
        yield* flows.pause(workspace, flow)
        yield* elapse(2 * day_ms)
        assert.strictEqual(yield* advanceDue, 0)
        yield* flows.activate(workspace, flow)
        assert.strictEqual(yield* advanceDue, 1)
        yield* flows.pause(workspace, flow)
        assert.deepStrictEqual(yield* mail(), [])
        yield* flows.activate(workspace, flow)
        assert.strictEqual((yield* mail()).length, 1)
        yield* settleDown
        assert.strictEqual((yield* one(flow)).status, "completed")
      }),
    )

    it.effect("moves no member and sends nothing when the transaction fails", () =>
      Effect.gen(function* () {
        const { advanceDue, approvedEmail, mail, memberships, one, person, started, transact, workspace } =
          yield* running()
        const ann = yield* person("ann")
        const { id: email_id } = yield* approvedEmail("hello")
        const flow = yield* started([send("hello", { email_id })])
        yield* memberships.add(workspace, flow, ann.id, {})
        yield* Effect.exit(transact(Effect.andThen(advanceDue, Effect.fail("no"))))
        assert.deepStrictEqual((yield* one(flow)).timeline, ["entered_flow"])
        assert.deepStrictEqual(yield* mail(), [])
        assert.strictEqual(yield* advanceDue, 1)
        assert.strictEqual((yield* mail()).length, 1)
      }),
    )

    it.effect(
      "checks all members after an edit of steps: members of a deleted step leave, members whose wait is over go on",
      () =>
        Effect.gen(function* () {
          const { elapse, engine, flows, memberships, person, seen, settleDown, started, workspace } = yield* running()
          const [ann, bob] = [yield* person("ann"), yield* person("bob")]
          const flow = yield* started([day("a", "b"), day("b", null)])
          yield* memberships.add(workspace, flow, ann.id, {})
          yield* settleDown
          yield* elapse(day_ms)
          yield* settleDown
          yield* memberships.add(workspace, flow, bob.id, {})
          yield* settleDown
          yield* flows.pause(workspace, flow)
          yield* flows.replace(workspace, flow, "steps", { steps: [{ ...day("a", null), duration_amount: 2 }] })
          yield* engine.review(workspace, { flowId: flow, members: "live" })
          const [first, second] = yield* seen(flow)
          assert.deepInclude(first, { status: "dropped", step: "b" })
          assert.deepInclude(second, { status: "waiting", step: "a" })
          yield* flows.activate(workspace, flow)
          yield* elapse(day_ms)
          yield* settleDown
          assert.deepInclude((yield* seen(flow))[1], { status: "waiting", step: "a" })
          yield* elapse(day_ms)
          yield* settleDown
          assert.deepInclude((yield* seen(flow))[1], { status: "completed" })
        }),
    )
  })
