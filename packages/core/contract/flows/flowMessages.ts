// Contract tests of messages of flows: they are sent as those of blasts are, to contacts that are still members, and their
// outcomes reach the members.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { BlastStore } from "../../src/blasts/BlastStore.ts"
import { EngagementChange, type Event } from "../../src/tracking/Engagement.ts"
import { EngagementStore } from "../../src/tracking/EngagementStore.ts"
import type { BlastId, DeliveryId } from "../../src/kernel/Ids.ts"
import { everything, noon } from "../blasts/blastWorld.ts"
import { day, send } from "./flowWorld.ts"
import { type FlowLive, type FlowRooms, running, tagOf, tree } from "./flowMembersWorld.ts"
import { wholeAudience } from "../sending/deliveryScenario.ts"

export const flowMessages = <E>(name: string, live: Layer.Layer<FlowRooms | FlowLive | EngagementStore, E>) =>
  layer(live, { excludeTestServices: true })(`Messages of flows (${name})`, (it) => {
    const sent = Effect.fnUntraced(function* (over: object = {}, steps: ReadonlyArray<object> = []) {
      const world = yield* running()
      const { approvedEmail, memberships, person, settleDown, started, workspace } = world
      const ann = yield* person("ann")
      const { id: email_id } = yield* approvedEmail("hello")
      const flow = yield* started([
        send("hello", { email_id, next_step_id: "rest", ...over }),
        day("rest", null),
        ...steps,
      ])
      yield* memberships.add(workspace, flow, ann.id, {})
      yield* settleDown
      return { ...world, ann, flow }
    })

    it.effect("does not send to a contact that left before the intent, in any state of the message", () =>
      Effect.gen(function* () {
        const { ann, deliveries, flow, memberships, one, settleDown, transact, workspace } = yield* sent()
        const claims = yield* transact(deliveries.claim(workspace, { limit: 10, lease_ms: 60_000 }))
        assert.strictEqual(claims.length, 1)
        yield* memberships.remove(workspace, flow, ann.id)
        const answers = [...(yield* deliveries.grant(workspace, claims, 60_000)).values()]
        assert.notInclude(answers, "granted")
        yield* settleDown
        const { status, timeline } = yield* one(flow)
        assert.deepStrictEqual([status, timeline], ["dropped", ["entered_flow", "dropped"]])
        assert.deepStrictEqual(yield* transact(deliveries.endTurn(workspace)), { dry: true })
      }),
    )

    it.effect("records a message that was sent before the member left, and the member stays out", () =>
      Effect.gen(function* () {
        const { ann, flow, mail, memberships, one, settleDown, workspace } = yield* sent()
        yield* mail()
        yield* memberships.remove(workspace, flow, ann.id)
        yield* settleDown
        const { status, timeline } = yield* one(flow)
        assert.strictEqual(status, "dropped")
        assert.include(timeline, "email_sent")
      }),
    )

    it.effect("blocks unsent messages of an archived flow and ends its memberships", () =>
      Effect.gen(function* () {
        const { deliveries, engine, flow, flows, mail, one, settleDown, transact, workspace } = yield* sent()
        const blasts = yield* BlastStore
        yield* flows.pause(workspace, flow)
        yield* flows.archive(workspace, flow)
        assert.deepStrictEqual(yield* mail(), [])
        for (const { ending, id } of yield* blasts.endedWithOpen(workspace, 10)) {
          assert.strictEqual(ending, "cancelled")
          yield* transact(blasts.endOpen(workspace, id, ending, 10))
        }
        yield* engine.review(workspace, { flowId: flow, members: "live" })
        yield* settleDown
        assert.deepInclude(yield* one(flow), { status: "dropped" })
        assert.deepStrictEqual(yield* transact(deliveries.endTurn(workspace)), { dry: true })
      }),
    )

    it.effect("records a refused message as a failed step, and the member goes on", () =>
      Effect.gen(function* () {
        const { flow, mail, one, settleDown } = yield* sent()
        yield* mail("refused")
        yield* settleDown
        const { step, timeline } = yield* one(flow)
        assert.strictEqual(step, "rest")
        assert.deepStrictEqual(timeline, ["entered_flow", "step_failed", "waiting"])
      }),
    )

    it.effect("skips unsubscribed contacts before and after queuing, and sends operational mail to all", () =>
      Effect.gen(function* () {
        const { alter, ann, flow, mail, one, settleDown } = yield* sent()
        yield* alter(ann, { unsubscribed: true })
        assert.deepStrictEqual(yield* mail(), [])
        yield* settleDown
        assert.deepStrictEqual((yield* one(flow)).timeline, ["entered_flow", "step_skipped", "waiting"])
        const other = yield* running()
        const bob = yield* other.person("bob", { unsubscribed: true })
        const { id: email_id } = yield* other.approvedEmail("bill")
        const bill = yield* other.started([
          send("ad", { email_id, next_step_id: "bill" }),
          send("bill", { email_id, operational: true }),
        ])
        yield* other.memberships.add(other.workspace, bill, bob.id, {})
        yield* other.settleDown
        assert.deepStrictEqual((yield* other.one(bill)).timeline, ["entered_flow", "step_skipped"])
        const [claimed] = yield* other.mail()
        assert.strictEqual(claimed?.operational, true)
      }),
    )

    it.effect("sends a step's message again on another visit, and never twice on one", () =>
      Effect.gen(function* () {
        const { ann, flow, mail, memberships, settleDown, workspace } = yield* sent()
        assert.strictEqual((yield* mail()).length, 1)
        yield* settleDown
        yield* memberships.remove(workspace, flow, ann.id)
        yield* memberships.add(workspace, flow, ann.id, {})
        yield* settleDown
        yield* settleDown
        assert.strictEqual((yield* mail()).length, 1)
      }),
    )

    it.effect("hides the blast row of a step from listings, search, audits and completion", () =>
      Effect.gen(function* () {
        const { deliveries, mail, transact, workspace } = yield* sent()
        const blasts = yield* BlastStore
        const [claimed] = yield* mail()
        const id: BlastId | undefined = claimed?.blastId
        assert(id !== undefined)
        assert.strictEqual((yield* blasts.list(workspace, { ...everything, status: "any" }, noon)).total, 0)
        assert.strictEqual(yield* tagOf(blasts.get(workspace, id, noon)), "NotFound")
        assert.strictEqual(yield* tagOf(transact(blasts.lock(workspace, id))), "NotFound")
        assert.strictEqual(yield* tagOf(transact(blasts.lockAgainstIntents(workspace, id))), "NotFound")
        assert.strictEqual(yield* tagOf(transact(blasts.lockForLaunch(workspace, id, { now: noon }))), "NotFound")
        const query = {
          page: 1,
          limit: 10,
          category: "recipients",
          search: "",
          sort: "created_at",
          order: "asc",
        } as const
        assert.strictEqual(yield* tagOf(blasts.recipients(workspace, id, query)), "NotFound")
        assert.deepStrictEqual(yield* transact(blasts.lockFinished(workspace, 10)), [])
        assert.isNull(yield* transact(wholeAudience(deliveries, workspace, id)))
      }),
    )

    it.effect("reports the outcome of a message to its member and to conditions on it", () =>
      Effect.gen(function* () {
        const opened = { source: "email_step", nodeId: "hello", metric: "opened", operator: "has_activity" }
        const eager = {
          type: "wait",
          step_id: "eager",
          mode: "condition",
          condition: tree(opened),
          timeout_amount: 3,
          timeout_unit: "days",
          timeout_step_id: "late",
          next_step_id: "thanks",
        }
        const { flow, mail, one, settleDown, transact, workspace } = yield* sent({ next_step_id: "eager" }, [
          eager,
          day("thanks", null),
          day("late", null),
        ])
        const engagement = yield* EngagementStore
        const [claimed] = yield* mail()
        yield* settleDown
        assert.deepInclude(yield* one(flow), { status: "waiting", step: "eager" })
        const meet = (deliveryId: DeliveryId, event: Event) =>
          transact(
            Effect.gen(function* () {
              const found = yield* engagement.lock(workspace, [deliveryId])
              const at = yield* DateTime.now
              yield* engagement.apply(workspace, EngagementChange.ofAll(found, [{ deliveryId, event, at }]))
            }),
          )
        assert(claimed !== undefined)
        const found = yield* engagement.get(workspace, claimed.id)
        assert.deepInclude(found.flow, { flowId: flow, stepId: "hello", visit: 1 })
        yield* meet(claimed.id, { _tag: "clicked", url: "https://example.com/" })
        yield* settleDown
        const { step, timeline } = yield* one(flow)
        assert.strictEqual(step, "thanks")
        assert.deepStrictEqual(timeline, [
          "entered_flow",
          "email_sent",
          "step_executed",
          "waiting",
          "email_delivered",
          "email_opened",
          "step_executed",
          "waiting",
          "email_clicked",
        ])
      }),
    )
  })
