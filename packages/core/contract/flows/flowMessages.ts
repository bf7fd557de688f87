// Contract tests of messages of flows: they are sent as those of blasts are, to contacts that are still members, and their
// outcomes reach the members.
import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { BlastStore } from "../../src/blasts/BlastStore.ts"
import { FigureStore } from "../../src/blasts/figures/FigureStore.ts"
import { ReportChange } from "../../src/bounces/Report.ts"
import { BounceReportStore } from "../../src/bounces/ReportStore.ts"
import { MembershipRunner } from "../../src/flows/engine/MembershipRunner.ts"
import { MembershipStore } from "../../src/flows/members/MembershipStore.ts"
import { flowServices } from "../../src/Tentpole.ts"
import { EngagementChange, type Event } from "../../src/tracking/Engagement.ts"
import { EngagementStore } from "../../src/tracking/EngagementStore.ts"
import type { BlastId, DeliveryId } from "../../src/kernel/Ids.ts"
import { everything, noon } from "../blasts/blastWorld.ts"
import { day, send } from "./flowWorld.ts"
import { type FlowLive, type FlowRooms, running, tagOf, tree } from "./flowMembersWorld.ts"
import { wholeAudience } from "../sending/deliveryScenario.ts"

const lease_ms = 60_000

type Live = FlowRooms | FlowLive | EngagementStore | BounceReportStore | FigureStore

export const flowMessages = <E>(name: string, live: Layer.Layer<Live, E>) => {
  sending(name, live)
  controls(name, live)
  endings(name, live)
}

const sent = Effect.fnUntraced(function* (over: object = {}, steps: ReadonlyArray<object> = []) {
  const world = yield* running()
  const { approvedEmail, memberships, person, settleDown, started, workspace } = world
  const ann = yield* person("ann")
  const { id: email_id } = yield* approvedEmail("hello")
  const flow = yield* started([send("hello", { email_id, next_step_id: "rest", ...over }), day("rest", null), ...steps])
  yield* memberships.add(workspace, flow, ann.id, {})
  yield* settleDown
  return { ...world, ann, flow }
})

const sending = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { excludeTestServices: true })(`Messages of flows (${name})`, (it) => {
    it.effect("does not send to a contact that left before the intent, in any state of the message", () =>
      Effect.gen(function* () {
        const { ann, deliveries, flow, memberships, one, settleDown, transact, workspace } = yield* sent()
        const claims = yield* transact(deliveries.claim(workspace, { limit: 10, lease_ms }))
        assert.strictEqual(claims.length, 1)
        yield* memberships.remove(workspace, flow, ann.id)
        const answers = [...(yield* deliveries.grant(workspace, claims, lease_ms)).values()]
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
          domain: null,
          reason: null,
          link: null,
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
        yield* Effect.sleep("5 millis") // Entries of the same millisecond are ordered by cause.
        yield* meet(claimed.id, { _tag: "clicked", url: "https://example.com/" })
        yield* settleDown
        const now = yield* DateTime.now
        const range = { from: DateTime.subtract(now, { days: 1 }), to: DateTime.add(now, { days: 1 }) }
        const figures = yield* FigureStore
        const [ofFlow, ...others] = yield* figures.groups(workspace, range, "flow")
        assert.deepStrictEqual([ofFlow?.key, others.length], [flow, 0])
        assert.deepInclude(ofFlow?.totals, { opened: 1, clicked: 1 })
        assert.deepStrictEqual(yield* figures.groups(workspace, range, "blast"), [])
        const { step, timeline } = yield* one(flow)
        assert.strictEqual(step, "thanks")
        assert.deepStrictEqual(timeline, [
          "entered_flow",
          "email_sent",
          "email_delivered",
          "step_executed",
          "waiting",
          "email_opened",
          "email_clicked",
          "step_executed",
          "waiting",
        ])
      }),
    )
  })

/** Two messages of a flow: one is queued, the other is claimed. */
const claimedOne = Effect.gen(function* () {
  const world = yield* sent()
  const { deliveries, flow, memberships, person, settleDown, transact, workspace } = world
  yield* memberships.add(workspace, flow, (yield* person("bob")).id, {})
  yield* settleDown
  const claims = yield* transact(deliveries.claim(workspace, { limit: 1, lease_ms }))
  const answers = Effect.map(deliveries.grant(workspace, claims, lease_ms), (granted) => [...granted.values()])
  return { ...world, answers, blasts: yield* BlastStore }
})

const controls = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { excludeTestServices: true })(`Messages of a flow that changes its status (${name})`, (it) => {
    it.effect("pauses queued and claimed messages with the flow, and sends them after its activation", () =>
      Effect.gen(function* () {
        const { answers, flow, flows, mail, workspace } = yield* claimedOne
        yield* flows.pause(workspace, flow)
        assert.deepStrictEqual(yield* answers, ["paused"])
        assert.deepStrictEqual(yield* mail(), [])
        yield* flows.activate(workspace, flow)
        assert.strictEqual((yield* mail()).length, 2)
      }),
    )

    it.effect("makes an intent wait for the transaction that pauses the flow", () =>
      Effect.gen(function* () {
        const { answers, flow, flows, transact, workspace } = yield* claimedOne
        const [paused, commit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const pausing = Effect.gen(function* () {
          yield* flows.pause(workspace, flow)
          yield* Deferred.succeed(paused, undefined)
          yield* Deferred.await(commit)
        })
        yield* Effect.forkChild(transact(pausing))
        yield* Deferred.await(paused)
        const intent = yield* Effect.forkChild(answers)
        yield* Effect.sleep("100 millis")
        yield* Deferred.succeed(commit, undefined)
        assert.deepStrictEqual(yield* Fiber.join(intent), ["paused"])
      }),
    )

    for (const ending of ["archive", "delete"] as const) {
      it.effect(`cancels queued and claimed messages with the flow (${ending})`, () =>
        Effect.gen(function* () {
          const { answers, blasts, deliveries, flow, flows, mail, transact, workspace } = yield* claimedOne
          yield* flows.pause(workspace, flow)
          yield* flows[ending](workspace, flow)
          assert.include(yield* deliveries.openWorkspaces(1_000), workspace)
          assert.deepStrictEqual(yield* answers, ["cancelled"])
          assert.deepStrictEqual(yield* mail(), [])
          const [open, ...others] = yield* blasts.endedWithOpen(workspace, 10)
          assert(open !== undefined && others.length === 0)
          assert.strictEqual(open.ending, "cancelled")
          assert.strictEqual(yield* transact(blasts.endOpen(workspace, open.id, open.ending, 10)), 1)
          assert.deepStrictEqual(yield* transact(deliveries.endTurn(workspace)), { dry: true })
        }),
      )
    }

    it.effect("does not change messages of another flow", () =>
      Effect.gen(function* () {
        const { flow, flows, mail, started, workspace } = yield* sent()
        const other = yield* started([day("rest", null)])
        yield* flows.pause(workspace, other)
        yield* flows.delete(workspace, other)
        assert.strictEqual((yield* mail()).length, 1)
        assert.strictEqual((yield* flows.get(workspace, flow)).flow.lifecycle.status, "active")
      }),
    )
  })

type World = Effect.Success<ReturnType<typeof sent>>

const claimAll = ({ deliveries, transact, workspace }: World) =>
  transact(deliveries.claim(workspace, { limit: 10, lease_ms }))

const handOver = Effect.fnUntraced(function* (world: World, lease = lease_ms) {
  const claims = yield* claimAll(world)
  yield* world.deliveries.grant(world.workspace, claims, lease)
  return claims
})

/** Each way in which a message ends. */
const endingsOf = {
  "accepted by the mail server": (world: World) => world.mail(),
  "refused by the mail server": (world: World) => world.mail("refused"),
  "blocked at its intent": Effect.fnUntraced(function* (world: World) {
    yield* world.alter(world.ann, { unsubscribed: true })
    yield* handOver(world)
  }),
  "unconfirmed after its lease": Effect.fnUntraced(function* (world: World) {
    yield* handOver(world, 0)
    yield* Effect.sleep("5 millis")
    yield* world.transact(world.deliveries.sweep(world.workspace))
  }),
  "reported by another server before its settlement": Effect.fnUntraced(function* (world: World) {
    const [claimed] = yield* handOver(world)
    const reports = yield* BounceReportStore
    const report = Effect.gen(function* () {
      const [before] = yield* reports.lock(world.workspace, [claimed?.id ?? assert.fail()])
      const change = ReportChange.of(before ?? assert.fail(), { _tag: "delivered" }, yield* DateTime.now)
      yield* reports.apply(world.workspace, [change ?? assert.fail()])
    })
    yield* world.transact(report)
  }),
  "cancelled with its flow": Effect.fnUntraced(function* ({ flow, flows, transact, workspace }: World) {
    const blasts = yield* BlastStore
    yield* flows.pause(workspace, flow)
    yield* Effect.orDie(flows.archive(workspace, flow))
    for (const { ending, id } of yield* blasts.endedWithOpen(workspace, 10)) {
      yield* transact(blasts.endOpen(workspace, id, ending, 10))
    }
  }, Effect.orDie),
  "cancelled because its contact left": ({ ann, flow, memberships, workspace }: World) =>
    Effect.orDie(memberships.remove(workspace, flow, ann.id)),
}

const endings = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { excludeTestServices: true })(`Ends of messages of flows (${name})`, (it) => {
    const turns = ({ queue, transact, workspace }: World) =>
      Effect.map(transact(queue.takeTurns({ limit: 1_000, turn_ms: 60_000 })), (all) =>
        all.flatMap((turn) => (turn.workspace === workspace ? [turn.kind] : [])),
      )

    for (const [ending, end] of Object.entries(endingsOf)) {
      it.effect(`makes a membership due whose message is ${ending}`, () =>
        Effect.gen(function* () {
          const world = yield* sent()
          yield* turns(world)
          assert.strictEqual(yield* world.advanceDue, 0)
          yield* end(world)
          assert.include(yield* turns(world), "flows")
          assert.strictEqual(yield* world.advanceDue, 1)
          assert.strictEqual(yield* world.advanceDue, 0)
        }),
      )
    }

    it.effect("does not make a membership due while its message is open", () =>
      Effect.gen(function* () {
        const world = yield* sent()
        const { advanceDue, deliveries, transact, workspace } = world
        yield* transact(deliveries.release(workspace, yield* claimAll(world)))
        yield* transact(deliveries.release(workspace, yield* handOver(world)))
        yield* handOver(world)
        assert.strictEqual(yield* advanceDue, 0)
      }),
    )

    it.effect("blocks a message whose contact unsubscribed since the decision to send it", () =>
      Effect.gen(function* () {
        const world = yield* running()
        const { alter, approvedEmail, mail, members, memberships, one, person, settleDown, started, transact } = world
        const { workspace } = world
        const ann = yield* person("ann")
        const { id: email_id } = yield* approvedEmail("hello")
        const flow = yield* started([send("hello", { email_id, next_step_id: "rest" }), day("rest", null)])
        yield* memberships.add(workspace, flow, ann.id, {})
        const facts: typeof members.facts = (...query) =>
          Effect.tap(members.facts(...query), () => alter(ann, { unsubscribed: true }))
        const late = Layer.succeed(MembershipStore, MembershipStore.of({ ...members, facts }))
        const { advanceLocked } = yield* Effect.provide(MembershipRunner, Layer.provide(flowServices, late), {
          local: true,
        })
        yield* transact(
          Effect.flatMap(members.lockMembers(workspace, { _tag: "due", limit: 10 }), (locked) =>
            advanceLocked(workspace, locked),
          ),
        )
        assert.deepInclude(yield* one(flow), { status: "active", step: "hello" })
        assert.deepStrictEqual(yield* mail(), [])
        yield* settleDown
        const { timeline, step } = yield* one(flow)
        assert.deepStrictEqual([step, timeline], ["rest", ["entered_flow", "step_skipped", "waiting"]])
      }),
    )
  })
