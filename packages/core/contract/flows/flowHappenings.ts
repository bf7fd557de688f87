// Contract tests of events and dates that enroll contacts and move members, each once.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { noon } from "../blasts/blastWorld.ts"
import { day } from "./flowWorld.ts"
import { type FlowLive, type FlowRooms, lives, running, tree } from "./flowMembersWorld.ts"

export const flowHappenings = <E>(name: string, live: Layer.Layer<FlowRooms | FlowLive, E>) =>
  layer(live, { excludeTestServices: true })(`Flow events and dates (${name})`, (it) => {
    it.effect(
      "enrolls a contact once for an event, whatever the number of workers, and for no event before the activation",
      () =>
        Effect.gen(function* () {
          const { changeMembers, listOf, person, seen, started, takeEvents, takeNews } = yield* running()
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

    it.effect("enrolls hundreds of contacts of an event once and advances them at once, or enrolls none", () =>
      Effect.gen(function* () {
        const { flows, person, started, takeEvents, takeNews, transact, workspace } = yield* running()
        const flow = yield* started([day("a", null)], { triggers: [{ type: "contact_created" }] })
        const out = yield* started([day("a", null)], {
          triggers: [{ type: "contact_created" }],
          disqualification_rules: tree(lives("Rome")),
        })
        const people = Array.from({ length: 450 }, (_, at) =>
          person(`p${at}`, { city: at % 2 === 0 ? "Rome" : "Oslo" }),
        )
        yield* Effect.all(people, { concurrency: 4, discard: true })
        const tallies = Effect.map(
          Effect.forEach([flow, out], (id) => flows.get(workspace, id)),
          (both) => both.map(({ tally }) => [tally.active, tally.waiting]),
        )
        yield* Effect.exit(transact(Effect.andThen(takeEvents, Effect.fail("no"))))
        assert.deepStrictEqual(yield* tallies, [
          [0, 0],
          [0, 0],
        ])
        yield* takeNews
        assert.deepStrictEqual(yield* tallies, [
          [0, 450],
          [0, 225],
        ])
      }),
    )

    it.effect(
      "enrolls a contact when a field changes to the required value, and no contact while the flow is paused",
      () =>
        Effect.gen(function* () {
          const { alter, flows, person, seen, started, takeNews, workspace } = yield* running()
          const [ann, bob, cid] = [yield* person("ann"), yield* person("bob"), yield* person("cid")]
          const trigger = { type: "contact_updated", field: "city", operator: "equals", value: "rome" }
          const flow = yield* started([day("a", null)], { triggers: [trigger] })
          yield* alter(ann, { city: "Rome" })
          yield* alter(bob, { city: "Oslo" })
          yield* takeNews
          yield* flows.pause(workspace, flow)
          yield* alter(cid, { city: "Rome" })
          yield* takeNews
          yield* flows.activate(workspace, flow)
          yield* takeNews
          assert.deepStrictEqual(
            (yield* seen(flow)).map(({ contactId }) => contactId),
            [ann.id],
          )
        }),
    )

    it.effect("enrolls a contact when the tags of a field change to the required words", () =>
      Effect.gen(function* () {
        const { alter, field, person, seen, started, takeNews } = yield* running()
        yield* field("interests", "tags")
        const [ann, bob] = [yield* person("ann"), yield* person("bob")]
        const trigger = {
          type: "contact_updated",
          field: "interests",
          operator: "contains_all",
          value: ["vip", "wine"],
        }
        const flow = yield* started([day("a", null)], { triggers: [trigger] })
        const tagged = (words: ReadonlyArray<string>) => ({ customFields: new Map([["interests", words]]) })
        yield* alter(ann, tagged(["Wine", "beer", "VIP"]))
        yield* alter(bob, tagged(["wine"]))
        yield* takeNews
        assert.deepStrictEqual(
          (yield* seen(flow)).map(({ contactId }) => contactId),
          [ann.id],
        )
      }),
    )

    it.effect("ends a wait for a change of the contact, or drops members that the rules now disqualify", () =>
      Effect.gen(function* () {
        const { alter, changeMembers, listOf, memberships, person, seen, settleDown, started, workspace } =
          yield* running()
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
        for (const { id } of people) yield* memberships.add(workspace, flow, id, {})
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

    it.effect("fires dates for matching contacts, once for each contact, date and flow", () =>
      Effect.gen(function* () {
        const { field, flows, person, queue, seen, started, takeDates, transact, workspace } = yield* running()
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
        // No date is reached while the flow is new.
        yield* takeDates
        assert.deepStrictEqual(yield* seen(flow), [])
        const slot = {
          at: noon,
          day: today,
          zone: "UTC",
          monthDays: [today.slice(5)],
          prefixes: { monthDays: [today.slice(5)] },
        }
        const found = yield* queue.listDatedContacts(workspace, { field: "birthday", slot, after: null, limit: 10 })
        assert.deepStrictEqual(found, [{ contactId: ann.id, date: `${year - 30}${rest}` }])
        assert.deepStrictEqual(
          yield* queue.listDatedContacts(workspace, { field: "birthday", slot, after: ann.id, limit: 10 }),
          [],
        )
        assert.deepStrictEqual(
          yield* queue.listDatedContacts(workspace, { field: "unknown", slot, after: null, limit: 10 }),
          [],
        )
        const days = { ...slot, monthDays: null, prefixes: { days: [`${year - 30}${rest}`] } }
        assert.strictEqual(
          (yield* queue.listDatedContacts(workspace, { field: "birthday", slot: days, after: null, limit: 10 })).length,
          1,
        )
        const fire = transact(queue.recordFired(workspace, { flow, day: today, contacts: [ann.id] }))
        const fired = yield* Effect.all([fire, fire, fire], { concurrency: 3 })
        assert.strictEqual(
          fired.reduce((sum, each) => sum + each.size, 0),
          1,
        )
        yield* flows.pause(workspace, flow)
        assert.deepStrictEqual((yield* queue.pendingDates(workspace)).flows, [])
      }),
    )

    it.effect("fires on birthdays", () =>
      Effect.gen(function* () {
        const { person, queue, workspace } = yield* running()
        const ann = yield* person("ann")
        const day = DateTime.formatIsoDateUtc(ann.createdAt)
        const slot = { at: noon, day, zone: "UTC", monthDays: null, prefixes: { days: [day] } }
        const found = yield* queue.listDatedContacts(workspace, { field: "createdAt", slot, after: null, limit: 10 })
        assert.deepStrictEqual(found, [{ contactId: ann.id, date: DateTime.formatIso(ann.createdAt) }])
        const monthDays = [day.slice(5)]
        const yearly = { ...slot, monthDays, prefixes: { monthDays } }
        assert.deepStrictEqual(
          yield* queue.listDatedContacts(workspace, { field: "createdAt", slot: yearly, after: null, limit: 10 }),
          found,
        )
      }),
    )
  })
