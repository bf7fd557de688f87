// The laws of what moves flows on: each step once, whoever does it and however many; nobody while the flow is paused; the truth
// about messages; events once, dates once.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { BlastStore } from "../src/blasts/BlastStore.ts"
import { EngagementChange, type Event } from "../src/deliveries/Engagement.ts"
import { EngagementStore } from "../src/deliveries/EngagementStore.ts"
import { FlowEngine } from "../src/flows/FlowEngine.ts"
import { Flows } from "../src/flows/Flows.ts"
import { Memberships } from "../src/flows/Memberships.ts"
import type { BlastId, DeliveryId } from "../src/Ids.ts"
import { everything, noon } from "./blastWorld.ts"
import { day, send } from "./flowWorld.ts"
import { day_ms, type FlowLive, type FlowRooms, running, tagOf } from "./flowMembersWorld.ts"

type Needs = FlowRooms | EngagementStore
type Live = Needs | FlowLive

export const flowEngine = <E>(name: string, rooms: Layer.Layer<Needs, E>) => {
  const live = Layer.provideMerge(Layer.mergeAll(FlowEngine.layer, Flows.layer, Memberships.layer), rooms)
  advancing(name, live)
  sending(name, live)
  happening(name, live)
  turns(name, live)
}

const tree = (...conditions: ReadonlyArray<object>) => ({
  kind: "group",
  operator: "and",
  conditions: conditions.map((each) => ({ kind: "condition", ...each })),
})
const lives = (city: string) => ({ source: "contact", field: "city", operator: "equals", value: city })

const check = (step_id: string, condition: object, edges: object) => ({
  type: "condition_check",
  step_id,
  condition,
  ...edges,
})

const advancing = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { timeout: "60 seconds", excludeTestServices: true })(`flows run: ${name}: step by step`, (it) => {
    it.effect("a member waits, is looked at, gets the message, and is through when it has left", () =>
      Effect.gen(function* () {
        const world = yield* running
        const { advanceDue, approvedEmail, elapse, flows, mail, memberships, one, person, settleDown, started, ws } =
          world
        const ann = yield* person("ann", { city: "Rome" })
        const { id: email_id } = yield* approvedEmail("hello")
        const flow = yield* started([
          day("rest", "where"),
          check("where", tree(lives("Rome")), { true_step_id: "hello", false_step_id: null }),
          send("hello", { email_id }),
        ])
        yield* memberships.add(ws, flow, ann.id, { gift: "cake" })
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
          "step_executed",
          "completed",
          "email_delivered",
        ])
        assert.deepInclude((yield* flows.find(ws, flow)).tally, { active: 0, waiting: 0, completed: 1 })
        assert.deepStrictEqual(yield* mail(), [])
      }),
    )

    it.effect("many who advance at once do each step of each member once", () =>
      Effect.gen(function* () {
        const { advanceDue, approvedEmail, mail, memberships, person, seen, settleDown, started, ws } = yield* running
        const { id: email_id } = yield* approvedEmail("hello")
        const flow = yield* started([
          check("where", tree(lives("Rome")), { true_step_id: null, default_step_id: "hello" }),
          send("hello", { email_id }),
        ])
        const people = yield* Effect.forEach(
          Array.from({ length: 24 }, (_, at) => at),
          (at) => person(`p${at}`),
        )
        yield* Effect.forEach(people, ({ id }) => memberships.add(ws, flow, id, {}), { discard: true })
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

    it.effect("while the flow is paused nothing runs; what came due meanwhile runs on activation", () =>
      Effect.gen(function* () {
        const world = yield* running
        const { advanceDue, approvedEmail, elapse, flows, mail, memberships, one, person, settleDown, started, ws } =
          world
        const ann = yield* person("ann")
        const { id: email_id } = yield* approvedEmail("hello")
        const flow = yield* started([day("rest", "hello"), send("hello", { email_id })])
        yield* memberships.add(ws, flow, ann.id, {})
        yield* settleDown
        yield* flows.pause(ws, flow)
        yield* elapse(2 * day_ms)
        assert.strictEqual(yield* advanceDue, 0)
        yield* flows.activate(ws, flow)
        assert.strictEqual(yield* advanceDue, 1)
        yield* flows.pause(ws, flow)
        assert.deepStrictEqual(yield* mail(), [])
        yield* flows.activate(ws, flow)
        assert.strictEqual((yield* mail()).length, 1)
        yield* settleDown
        assert.strictEqual((yield* one(flow)).status, "completed")
      }),
    )

    it.effect("a failed transaction moves nobody and sends nothing", () =>
      Effect.gen(function* () {
        const { advanceDue, approvedEmail, mail, memberships, one, person, started, transact, ws } = yield* running
        const ann = yield* person("ann")
        const { id: email_id } = yield* approvedEmail("hello")
        const flow = yield* started([send("hello", { email_id })])
        yield* memberships.add(ws, flow, ann.id, {})
        yield* Effect.exit(transact(Effect.andThen(advanceDue, Effect.fail("no"))))
        assert.deepStrictEqual((yield* one(flow)).timeline, ["entered_flow"])
        assert.deepStrictEqual(yield* mail(), [])
        assert.strictEqual(yield* advanceDue, 1)
        assert.strictEqual((yield* mail()).length, 1)
      }),
    )

    it.effect(
      "an edit of steps is looked at by everybody on the way: whose step is gone leaves, whose time is over goes on",
      () =>
        Effect.gen(function* () {
          const { elapse, engine, flows, memberships, person, seen, settleDown, started, ws } = yield* running
          const [ann, bob] = [yield* person("ann"), yield* person("bob")]
          const flow = yield* started([day("a", "b"), day("b", null)])
          yield* memberships.add(ws, flow, ann.id, {})
          yield* settleDown
          yield* elapse(day_ms)
          yield* settleDown
          yield* memberships.add(ws, flow, bob.id, {})
          yield* settleDown
          yield* flows.pause(ws, flow)
          yield* flows.replace(ws, flow, "steps", { steps: [{ ...day("a", null), duration_amount: 2 }] })
          yield* engine.review(ws, { flowId: flow, members: "live" })
          const [first, second] = yield* seen(flow)
          assert.deepInclude(first, { status: "dropped", step: "b" })
          assert.deepInclude(second, { status: "waiting", step: "a" })
          yield* flows.activate(ws, flow)
          yield* elapse(day_ms)
          yield* settleDown
          assert.deepInclude((yield* seen(flow))[1], { status: "waiting", step: "a" })
          yield* elapse(day_ms)
          yield* settleDown
          assert.deepInclude((yield* seen(flow))[1], { status: "completed" })
        }),
    )
  })

const sending = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { timeout: "60 seconds", excludeTestServices: true })(`flows run: ${name}: messages`, (it) => {
    const sent = Effect.fnUntraced(function* (over: object = {}, steps: ReadonlyArray<object> = []) {
      const world = yield* running
      const { approvedEmail, memberships, person, settleDown, started, ws } = world
      const ann = yield* person("ann")
      const { id: email_id } = yield* approvedEmail("hello")
      const flow = yield* started([
        send("hello", { email_id, next_step_id: "rest", ...over }),
        day("rest", null),
        ...steps,
      ])
      yield* memberships.add(ws, flow, ann.id, {})
      yield* settleDown
      return { ...world, ann, flow }
    })

    it.effect("who has left before the intent is not written to, in whatever hands the message is", () =>
      Effect.gen(function* () {
        const { ann, deliveries, flow, memberships, one, settleDown, transact, ws } = yield* sent()
        const claims = yield* transact(deliveries.claim(ws, { limit: 10, lease_ms: 60_000 }))
        assert.strictEqual(claims.length, 1)
        yield* memberships.remove(ws, flow, ann.id)
        const answers = [...(yield* deliveries.grant(ws, claims, 60_000)).values()]
        assert.notInclude(answers, "granted")
        yield* settleDown
        const { status, timeline } = yield* one(flow)
        assert.deepStrictEqual([status, timeline], ["dropped", ["entered_flow", "dropped"]])
        assert.deepStrictEqual(yield* transact(deliveries.rest(ws)), { dry: true })
      }),
    )

    it.effect("what left before the member did is told, and the member stays away", () =>
      Effect.gen(function* () {
        const { ann, flow, mail, memberships, one, settleDown, ws } = yield* sent()
        yield* mail()
        yield* memberships.remove(ws, flow, ann.id)
        yield* settleDown
        const { status, timeline } = yield* one(flow)
        assert.strictEqual(status, "dropped")
        assert.include(timeline, "email_sent")
      }),
    )

    it.effect("with a flow that is put away its messages end that have not left, and its members go", () =>
      Effect.gen(function* () {
        const { deliveries, engine, flow, flows, mail, one, settleDown, transact, ws } = yield* sent()
        const blasts = yield* BlastStore
        yield* flows.pause(ws, flow)
        yield* flows.archive(ws, flow)
        assert.deepStrictEqual(yield* mail(), [])
        for (const { ending, id } of yield* blasts.endedWithOpen(ws, 10)) {
          assert.strictEqual(ending, "cancelled")
          yield* transact(blasts.endOpen(ws, id, ending, 10))
        }
        yield* engine.review(ws, { flowId: flow, members: "live" })
        yield* settleDown
        assert.deepInclude(yield* one(flow), { status: "dropped" })
        assert.deepStrictEqual(yield* transact(deliveries.rest(ws)), { dry: true })
      }),
    )

    it.effect("a message that is refused is a step that failed, and the member goes on", () =>
      Effect.gen(function* () {
        const { flow, mail, one, settleDown } = yield* sent()
        yield* mail("refused")
        yield* settleDown
        const { step, timeline } = yield* one(flow)
        assert.strictEqual(step, "rest")
        assert.deepStrictEqual(timeline, ["entered_flow", "step_failed", "waiting"])
      }),
    )

    it.effect(
      "who unsubscribed is skipped, now or while the message is in the queue; operational mail is for everybody",
      () =>
        Effect.gen(function* () {
          const { alter, ann, flow, mail, one, settleDown } = yield* sent()
          yield* alter(ann, { unsubscribed: true })
          assert.deepStrictEqual(yield* mail(), [])
          yield* settleDown
          assert.deepStrictEqual((yield* one(flow)).timeline, ["entered_flow", "step_skipped", "waiting"])
          const other = yield* running
          const bob = yield* other.person("bob", { unsubscribed: true })
          const { id: email_id } = yield* other.approvedEmail("bill")
          const bill = yield* other.started([
            send("ad", { email_id, next_step_id: "bill" }),
            send("bill", { email_id, operational: true }),
          ])
          yield* other.memberships.add(other.ws, bill, bob.id, {})
          yield* other.settleDown
          assert.deepStrictEqual((yield* other.one(bill)).timeline, ["entered_flow", "step_skipped"])
          const [claimed] = yield* other.mail()
          assert.strictEqual(claimed?.operational, true)
        }),
    )

    it.effect("a contact meets a step's message again on another visit, and never twice on one", () =>
      Effect.gen(function* () {
        const { ann, flow, mail, memberships, settleDown, ws } = yield* sent()
        assert.strictEqual((yield* mail()).length, 1)
        yield* settleDown
        yield* memberships.remove(ws, flow, ann.id)
        yield* memberships.add(ws, flow, ann.id, {})
        yield* settleDown
        yield* settleDown
        assert.strictEqual((yield* mail()).length, 1)
      }),
    )

    it.effect("what stands for a step among the blasts is shown, found, audited and finished nowhere", () =>
      Effect.gen(function* () {
        const { deliveries, mail, transact, ws } = yield* sent()
        const blasts = yield* BlastStore
        const [claimed] = yield* mail()
        const id: BlastId | undefined = claimed?.blastId
        assert(id !== undefined)
        assert.strictEqual((yield* blasts.page(ws, { ...everything, status: "any" }, noon)).total, 0)
        assert.strictEqual(yield* tagOf(blasts.find(ws, id, noon)), "NotFound")
        assert.strictEqual(yield* tagOf(transact(blasts.lock(ws, id))), "NotFound")
        assert.strictEqual(yield* tagOf(transact(blasts.lockAgainstIntents(ws, id))), "NotFound")
        assert.strictEqual(yield* tagOf(transact(blasts.lockForLaunch(ws, id, { now: noon }))), "NotFound")
        const query = {
          page: 1,
          limit: 10,
          category: "recipients",
          search: "",
          sort: "created_at",
          order: "asc",
        } as const
        assert.strictEqual(yield* tagOf(blasts.recipients(ws, id, query)), "NotFound")
        assert.deepStrictEqual(yield* transact(blasts.lockFinished(ws, 10)), [])
        assert.isNull(yield* transact(deliveries.fixAudience(ws, id)))
      }),
    )

    it.effect("what becomes of a message is told to its member, and to the conditions that ask for it", () =>
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
        const { flow, mail, one, settleDown, transact, ws } = yield* sent({ next_step_id: "eager" }, [
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
              const found = yield* engagement.lock(ws, [deliveryId])
              const at = yield* DateTime.now
              yield* engagement.apply(ws, EngagementChange.ofAll(found, [{ deliveryId, event, at }]))
            }),
          )
        assert(claimed !== undefined)
        const found = yield* engagement.find(ws, claimed.id)
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

const happening = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { timeout: "60 seconds", excludeTestServices: true })(`flows run: ${name}: events`, (it) => {
    it.effect(
      "an event brings its contact in once, however many take it, and none that was before the activation",
      () =>
        Effect.gen(function* () {
          const { changeMembers, listOf, person, seen, started, takeEvents, takeNews } = yield* running
          const [ann, bob] = [yield* person("ann"), yield* person("bob")]
          const { id: list_id } = yield* listOf("in", [ann])
          const triggers = [{ type: "added_to_static_list", list_id }, { type: "contact_created" }]
          const flow = yield* started([day("a", null)], { triggers })
          yield* changeMembers(list_id, [bob], "add")
          const cid = yield* person("cid")
          yield* Effect.all(
            Array.from({ length: 5 }, () => takeEvents),
            { concurrency: 5 },
          )
          yield* Effect.all([takeNews, takeNews, takeNews], { concurrency: 3 })
          yield* changeMembers(list_id, [bob], "remove")
          yield* changeMembers(list_id, [bob], "add")
          yield* takeNews
          const entered = (yield* seen(flow)).map(({ contactId }) => contactId)
          assert.deepStrictEqual(entered.toSorted(), [bob.id, cid.id].toSorted())
        }),
    )

    it.effect("a field that changes to what is asked for brings in; nobody enters while the flow is paused", () =>
      Effect.gen(function* () {
        const { alter, flows, person, seen, started, takeNews, ws } = yield* running
        const [ann, bob, cid] = [yield* person("ann"), yield* person("bob"), yield* person("cid")]
        const trigger = { type: "contact_updated", field: "city", operator: "equals", value: "rome" }
        const flow = yield* started([day("a", null)], { triggers: [trigger] })
        yield* alter(ann, { city: "Rome" })
        yield* alter(bob, { city: "Oslo" })
        yield* takeNews
        yield* flows.pause(ws, flow)
        yield* alter(cid, { city: "Rome" })
        yield* takeNews
        yield* flows.activate(ws, flow)
        yield* takeNews
        assert.deepStrictEqual(
          (yield* seen(flow)).map(({ contactId }) => contactId),
          [ann.id],
        )
      }),
    )

    it.effect("a change of the contact ends a wait that asks for it, or drops whom the rules pick now", () =>
      Effect.gen(function* () {
        const { alter, changeMembers, listOf, memberships, person, seen, settleDown, started, ws } = yield* running
        const people = [yield* person("ann"), yield* person("bob"), yield* person("cid")]
        const { id: listId } = yield* listOf("vip", [])
        const onList = { source: "list_membership", listId, operator: "is_member" }
        const flow = yield* started(
          [
            { type: "wait", step_id: "until", mode: "condition", condition: tree(onList), next_step_id: "after" },
            day("after", null),
          ],
          { disqualification_rules: tree(lives("Rome")) },
        )
        for (const { id } of people) yield* memberships.add(ws, flow, id, {})
        yield* settleDown
        const [ann, bob] = people
        assert(ann !== undefined && bob !== undefined)
        yield* changeMembers(listId, [ann], "add")
        yield* alter(bob, { city: "Rome" })
        yield* settleDown
        assert.deepStrictEqual(
          (yield* seen(flow)).map(({ status, step }) => [status, step]),
          [
            ["waiting", "after"],
            ["dropped", "until"],
            ["waiting", "until"],
          ],
        )
      }),
    )

    it.effect("dates fire for whom they mean, once for each contact, date and flow", () =>
      Effect.gen(function* () {
        const { field, flows, person, queue, seen, started, takeDates, transact, ws } = yield* running
        yield* field("birthday", "date")
        const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
        const [year, rest] = [Number(today.slice(0, 4)), today.slice(4)]
        const born = (name: string, date: string) => person(name, { customFields: new Map([["birthday", date]]) })
        const ann = yield* born("ann", `${year - 30}${rest}`)
        yield* born("bob", `${year - 30}-${rest === "-06-15" ? "06-16" : "06-15"}`)
        const trigger = {
          type: "date_based",
          field: "birthday",
          mode: "on_date",
          include_anniversaries: true,
          trigger_time: "00:00",
          timezone: "UTC",
        }
        const flow = yield* started([day("a", null)], { triggers: [trigger] })
        // Nothing comes to its time while the flow is young.
        yield* takeDates
        assert.deepStrictEqual(yield* seen(flow), [])
        const slot = {
          at: noon,
          day: today,
          zone: "UTC",
          monthDays: [today.slice(5)],
          prefixes: { monthDays: [today.slice(5)] },
        }
        const found = yield* queue.dated(ws, { field: "birthday", slot, after: null, limit: 10 })
        assert.deepStrictEqual(found, [{ contactId: ann.id, date: `${year - 30}${rest}` }])
        assert.deepStrictEqual(yield* queue.dated(ws, { field: "birthday", slot, after: ann.id, limit: 10 }), [])
        assert.deepStrictEqual(yield* queue.dated(ws, { field: "unknown", slot, after: null, limit: 10 }), [])
        const days = { ...slot, monthDays: null, prefixes: { days: [`${year - 30}${rest}`] } }
        assert.strictEqual(
          (yield* queue.dated(ws, { field: "birthday", slot: days, after: null, limit: 10 })).length,
          1,
        )
        const fire = transact(queue.fire(ws, { flow, day: today, contacts: [ann.id] }))
        const fired = yield* Effect.all([fire, fire, fire], { concurrency: 3 })
        assert.strictEqual(
          fired.reduce((sum, each) => sum + each.size, 0),
          1,
        )
        yield* flows.pause(ws, flow)
        assert.deepStrictEqual((yield* queue.passedDates(ws)).flows, [])
      }),
    )

    it.effect("births are dates too", () =>
      Effect.gen(function* () {
        const { person, queue, ws } = yield* running
        const ann = yield* person("ann")
        const day = DateTime.formatIsoDateUtc(ann.createdAt)
        const slot = { at: noon, day, zone: "UTC", monthDays: null, prefixes: { days: [day] } }
        const found = yield* queue.dated(ws, { field: "createdAt", slot, after: null, limit: 10 })
        assert.deepStrictEqual(found, [{ contactId: ann.id, date: DateTime.formatIso(ann.createdAt) }])
        const monthDays = [day.slice(5)]
        const yearly = { ...slot, monthDays, prefixes: { monthDays } }
        assert.deepStrictEqual(
          yield* queue.dated(ws, { field: "createdAt", slot: yearly, after: null, limit: 10 }),
          found,
        )
      }),
    )
  })

const turns = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { timeout: "60 seconds", excludeTestServices: true })(`flows run: ${name}: turns`, (it) => {
    it.effect("work is one worker's at a time, is rested from when there is none, and comes with a hint", () =>
      Effect.gen(function* () {
        const { memberships, person, queue, started, transact, ws } = yield* running
        const ann = yield* person("ann")
        const options = { limit: 1_000, turn_ms: 60_000 }
        const mine = Effect.map(transact(queue.takeTurns(options)), (all) =>
          all.filter(({ workspace }) => workspace === ws).map(({ kind }) => kind),
        )
        assert.deepStrictEqual(yield* mine, [])
        const flow = yield* started([day("a", null)])
        const taken = (yield* Effect.all([mine, mine, mine], { concurrency: 3 })).flat()
        assert.deepStrictEqual(taken.toSorted(), ["flow_dates", "flow_events", "flows"])
        assert.deepStrictEqual(yield* mine, [])
        yield* transact(queue.rest({ workspace: ws, kind: "flows" }, false))
        yield* transact(queue.rest({ workspace: ws, kind: "flow_dates" }, false))
        yield* memberships.add(ws, flow, ann.id, {})
        assert.include(yield* mine, "flows")
        yield* transact(queue.rest({ workspace: ws, kind: "flows" }, true))
        assert.include(yield* mine, "flows")
        yield* Effect.exit(
          transact(Effect.andThen(queue.rest({ workspace: ws, kind: "flows" }, true), Effect.fail("no"))),
        )
        assert.notInclude(yield* mine, "flows")
      }),
    )

    it.effect("a worker serves everything that waits, in every workspace", () =>
      Effect.gen(function* () {
        const worlds = [yield* running, yield* running]
        const all = yield* Effect.forEach(worlds, ({ person, started, ...world }) =>
          Effect.gen(function* () {
            const flow = yield* started([day("a", null)], { triggers: [{ type: "contact_created" }] })
            yield* person("ann")
            return { ...world, flow }
          }),
        )
        const { work } = yield* FlowEngine
        const isThrough = Effect.map(
          Effect.forEach(all, ({ flow, seen }) => seen(flow)),
          (members) => members.every((each) => each[0]?.status === "waiting"),
        )
        yield* work.pipe(
          Effect.andThen(Effect.sleep("50 millis")),
          Effect.andThen(isThrough),
          Effect.repeat({ until: (through) => through, times: 400 }),
        )
        assert.isTrue(yield* isThrough)
      }),
    )
  })
