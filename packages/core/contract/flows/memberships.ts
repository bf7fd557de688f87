// Contract tests of memberships: enrollment, listings, removal, and concurrent enrollments of one contact.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Result } from "effect"
import { MembershipRunner } from "../../src/flows/engine/MembershipRunner.ts"
import type { MemberEvent } from "../../src/flows/members/machine.ts"
import { inTimelineOrder } from "../../src/flows/members/Membership.ts"
import { type FlowMemberQuery, timeline_lines_max } from "../../src/flows/members/MembershipStore.ts"
import { FlowId, MembershipId } from "../../src/kernel/Ids.ts"
import { day, send } from "./flowWorld.ts"
import { contactMemberships } from "./contactMemberships.ts"
import { flowCounts } from "./flowCounts.ts"
import { type FlowLive, flowLive, type FlowRooms, running, tagOf } from "./flowMembersWorld.ts"
import { eventsOf } from "../contacts/notifications.ts"

export { FlowTimes } from "./flowMembersWorld.ts"

const everyone: FlowMemberQuery = {
  page: 1,
  limit: 100,
  status: null,
  search: null,
  sort: "entered_at",
  order: "asc",
}

type Live = FlowRooms | FlowLive

export const memberships = <E>(name: string, rooms: Layer.Layer<FlowRooms, E>) => {
  const live = Layer.provideMerge(flowLive, rooms)
  entering(name, live)
  reading(name, live)
  contactMemberships(name, live)
  leaving(name, live)
  flowCounts(name, rooms)
}

const entering = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { excludeTestServices: true })(`Memberships, enrollment (${name})`, (it) => {
    it.effect("puts an added contact at the first step and records it in timelines and outbox", () =>
      Effect.gen(function* () {
        const { contacts, flows, memberships: members, person, started, workspace } = yield* running()
        const ann = yield* person("ann")
        const flow = yield* started([day("first", null)])
        const run = yield* members.add(workspace, flow, ann.id, { color: "red", count: 2, yes: true })
        assert.deepInclude(run.membership, { flowId: flow, contactId: ann.id, entrySource: "manual" })
        assert.deepStrictEqual(run.membership.tokens, { color: "red", count: 2, yes: true })
        assert.strictEqual(run.membership.state.status, "active")
        assert.deepInclude(run.contact, { id: ann.id, displayName: "ann", email: "ann@example.test" })
        assert.deepStrictEqual(
          run.timeline.map(({ stepId, type }) => [type, stepId]),
          [["entered_flow", "first"]],
        )
        assert.deepStrictEqual((yield* members.list(workspace, flow, everyone)).items[0]?.membership, run.membership)
        const { tally } = yield* flows.get(workspace, flow)
        assert.deepInclude(tally, { active: 1, waiting: 0, lastEntryAt: run.membership.enteredAt })
        assert.deepStrictEqual([...(yield* flows.getStepCounts(workspace, flow)).counts], [["first", 1]])
        const { items } = yield* contacts.activities(workspace, ann.id, { page: 1, limit: 10, order: "desc" })
        assert.deepInclude(items.find(({ type }) => type === "flow_entered")?.metadata, {
          flow_id: flow,
          membership_id: run.membership.id,
        })
        const events = (yield* eventsOf(workspace)).filter(({ type }) => type === "flow_entered")
        assert.deepStrictEqual(
          events.map(({ contactId }) => contactId),
          [ann.id],
        )
      }),
    )

    it.effect("enrolls a contact once when five requests add it; the others learn that it is a member", () =>
      Effect.gen(function* () {
        const { memberships: members, person, started, workspace } = yield* running()
        const ann = yield* person("ann")
        const flow = yield* started([day("first", null)])
        const all = yield* Effect.all(
          Array.from({ length: 5 }, () => Effect.result(members.add(workspace, flow, ann.id, {}))),
          { concurrency: 5 },
        )
        assert.strictEqual(all.filter(Result.isSuccess).length, 1)
        const refusals = all.flatMap((each) => (Result.isFailure(each) ? [each.failure._tag] : []))
        assert.deepStrictEqual([...new Set(refusals)], ["AlreadyInFlow"])
        assert.strictEqual((yield* members.list(workspace, flow, everyone)).total, 1)
      }),
    )

    it.effect("enrolls a contact again after it left, unless the flow allows one entry only", () =>
      Effect.gen(function* () {
        const { memberships: members, person, started, workspace } = yield* running()
        const ann = yield* person("ann")
        for (const [policy, tags] of [
          ["allow", []],
          ["no_reentry", ["ReentryDenied", "ReentryDenied", "ReentryDenied"]],
        ] as const) {
          const flow = yield* started([day("first", null)], { reentry_policy: policy })
          yield* members.add(workspace, flow, ann.id, {})
          yield* members.remove(workspace, flow, ann.id)
          const again = Effect.result(
            Effect.andThen(members.add(workspace, flow, ann.id, {}), members.remove(workspace, flow, ann.id)),
          )
          const all = [yield* again, yield* again, yield* again]
          assert.deepStrictEqual(
            all.flatMap((each): Array<string> => (Result.isFailure(each) ? [each.failure._tag] : [])),
            [...tags],
          )
        }
      }),
    )

    it.effect(
      "refuses disqualified contacts, and every contact while the flow is paused, a draft, or closed to manual entry",
      () =>
        Effect.gen(function* () {
          const { flows, memberships: members, person, started, workspace } = yield* running()
          const ann = yield* person("ann", { city: "Rome" })
          const condition = { kind: "condition", source: "contact", field: "city", operator: "equals", value: "Rome" }
          const rules = { disqualification_rules: { kind: "group", operator: "and", conditions: [condition] } }
          const add = (flow: FlowId) => tagOf(members.add(workspace, flow, ann.id, {}))
          assert.strictEqual(yield* add(yield* started([day("a", null)], rules)), "ContactDisqualified")
          assert.strictEqual(yield* add(yield* started([day("a", null)], {}, false)), "InvalidState")
          const closed = { manual_membership_enabled: false, triggers: [{ type: "contact_created" }] }
          assert.strictEqual(yield* add(yield* started([day("a", null)], closed)), "ManualMembershipDisabled")
          const paused = yield* started([day("a", null)])
          yield* flows.pause(workspace, paused)
          assert.strictEqual(yield* add(paused), "InvalidState")
        }),
    )

    it.effect("enrolls the named contacts of an API trigger with the tokens that the trigger declares", () =>
      Effect.gen(function* () {
        const { fresh, memberships: members, person, started, workspace } = yield* running()
        const ann = yield* person("ann", { phone: "+12025550123" })
        const bare = yield* started([day("a", null)])
        const byId = { by: "contact_id", id: ann.id, where: "contact_id" } as const
        assert.strictEqual(yield* tagOf(members.trigger(workspace, bare, byId, {})), "ApiTriggerNotConfigured")
        const triggers = [{ type: "service_api", fields: [{ name: "plan", type: "string" }] }]
        const flow = yield* started([day("a", null)], { triggers })
        assert.strictEqual(yield* tagOf(members.trigger(workspace, flow, byId, { other: "x" })), "UnknownToken")
        assert.strictEqual(yield* tagOf(members.trigger(workspace, flow, byId, { plan: 1 })), "InvalidTokenType")
        const who = [
          byId,
          { by: "email", email: " ANN@example.test " },
          { by: "phone", phone: "(202) 555-0123", defaultCountry: "US" },
        ] as const
        for (const each of who) {
          const run = yield* members.trigger(workspace, flow, each, { plan: "pro" })
          assert.deepInclude(run.membership, { contactId: ann.id, entrySource: "service_api" })
          yield* members.remove(workspace, flow, ann.id)
        }
        const unknownContact = { by: "email", email: "unknown@example.test" } as const
        assert.deepInclude(yield* Effect.flip(members.trigger(workspace, flow, unknownContact, {})), {
          _tag: "NotFound",
          path: "email",
        })
        const gone = FlowId.make(yield* fresh.id)
        assert.strictEqual(yield* tagOf(members.trigger(workspace, gone, byId, {})), "NotFound")
      }),
    )

    it.effect("enrolls no contact when the transaction fails; another workspace neither sees nor moves members", () =>
      Effect.gen(function* () {
        const {
          fresh,
          look,
          members: store,
          memberships: members,
          one,
          person,
          started,
          transact,
          workspace,
        } = yield* running()
        const ann = yield* person("ann")
        const flow = yield* started([day("first", null)])
        const { membership } = yield* members.add(workspace, flow, ann.id, {})
        yield* Effect.exit(transact(Effect.andThen(members.remove(workspace, flow, ann.id), Effect.fail("no"))))
        assert.strictEqual((yield* one(flow)).status, "active")
        const other = yield* fresh.workspace()
        assert.strictEqual(yield* tagOf(members.list(other, flow, everyone)), "NotFound")
        assert.strictEqual(yield* tagOf(members.get(other, flow, membership.id)), "NotFound")
        assert.strictEqual(yield* tagOf(members.add(other, flow, ann.id, {})), "NotFound")
        assert.strictEqual(yield* tagOf(members.remove(other, flow, ann.id)), "NotFound")
        for (const which of [
          { _tag: "due", limit: 10 },
          { _tag: "contact", flowId: flow, contactId: ann.id },
          { _tag: "flow", flowId: flow, members: "live", after: null, limit: 10 },
          { _tag: "touched", memberships: [membership.id], contacts: [ann.id], flows: [flow] },
        ] as const) {
          assert.deepStrictEqual((yield* transact(store.lockMembers(other, which))).members, [])
        }
        const ground = yield* transact(store.lockForEnrollment(other, { flows: [flow], contacts: [ann.id] }))
        assert.deepStrictEqual([ground.flows.size, ground.contacts.size], [0, 0])
        const asked = {
          contacts: [ann.id],
          lists: [],
          topics: [],
          activityTypes: [],
          deliveriesOf: [membership.id],
          emails: [],
        }
        assert.strictEqual((yield* store.facts(other, asked)).contacts.size, 0)
        yield* look({ _tag: "due", limit: 10 })
        assert.strictEqual((yield* one(flow)).status, "waiting")
      }),
    )
  })

const reading = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { excludeTestServices: true })(`Memberships, listings (${name})`, (it) => {
    it.effect("lists members by status and by name in any order, with consistent pages", () =>
      Effect.gen(function* () {
        const { memberships: members, person, started, workspace } = yield* running()
        const flow = yield* started([day("first", null)])
        const names = ["Ölaf", "bea", "Cid", "ann"]
        const people = yield* Effect.forEach(names, (each, at) => person(`p${at}`, { displayName: each }))
        const nameless = yield* person("zed", { displayName: null, email: null, phone: "+12025550199" })
        for (const { id } of [...people, nameless]) yield* members.add(workspace, flow, id, {})
        yield* members.remove(workspace, flow, people[0]?.id ?? nameless.id)
        const namesOf = (query: Partial<FlowMemberQuery>) =>
          Effect.map(members.list(workspace, flow, { ...everyone, ...query }), ({ items }) =>
            items.map(({ contact }) => contact?.displayName ?? null),
          )
        assert.deepStrictEqual(yield* namesOf({}), [...names, null])
        const { items } = yield* members.list(workspace, flow, everyone)
        const newest = items.toSorted(
          ({ membership: left }, { membership: right }) =>
            right.enteredAt.epochMilliseconds - left.enteredAt.epochMilliseconds || (left.id < right.id ? -1 : 1),
        )
        assert.deepStrictEqual(
          yield* namesOf({ order: "desc" }),
          newest.map(({ contact }) => contact?.displayName ?? null),
        )
        assert.deepStrictEqual(yield* namesOf({ sort: "display_name" }), ["ann", "bea", "Cid", "Ölaf", null])
        assert.deepStrictEqual(yield* namesOf({ sort: "display_name", order: "desc" }), [
          "Ölaf",
          "Cid",
          "bea",
          "ann",
          null,
        ])
        assert.deepStrictEqual(yield* namesOf({ status: "dropped" }), ["Ölaf"])
        assert.deepStrictEqual(yield* namesOf({ search: "öL" }), ["Ölaf"])
        assert.deepStrictEqual(yield* namesOf({ search: "0199" }), [null])
        assert.deepStrictEqual(yield* namesOf({ search: "p2@EXAMPLE" }), ["Cid"])
        assert.deepStrictEqual(yield* namesOf({ page: 2, limit: 2 }), ["Cid", "ann"])
        assert.strictEqual((yield* members.list(workspace, flow, { ...everyone, page: 9, limit: 2 })).total, 5)
        assert.deepStrictEqual(yield* namesOf({ sort: "updated_at", order: "desc", limit: 1 }), ["Ölaf"])
      }),
    )

    it.effect("reads the newest entries of a long timeline", () =>
      Effect.gen(function* () {
        const { members: store, memberships, person, settleDown, started, transact, workspace } = yield* running()
        const { advanceLocked } = yield* MembershipRunner
        const flow = yield* started([day("first", null)])
        const { membership } = yield* memberships.add(workspace, flow, (yield* person("ann")).id, {})
        yield* settleDown
        const opened = Array.from({ length: timeline_lines_max }, (_, nth): MemberEvent => {
          const at = DateTime.add(membership.enteredAt, { milliseconds: nth })
          return { type: "engaged", stepId: "first", metric: "opened", at, url: null }
        })
        const touched = { _tag: "touched", memberships: [membership.id], contacts: [], flows: [] } as const
        yield* transact(
          Effect.flatMap(store.lockMembers(workspace, touched), (held) =>
            advanceLocked(workspace, held, () => opened.slice(1)),
          ),
        )
        const { timeline } = yield* memberships.get(workspace, flow, membership.id)
        assert.lengthOf(timeline, timeline_lines_max)
        assert.deepStrictEqual(timeline, inTimelineOrder(timeline))
        assert.lengthOf(
          timeline.filter(({ type }) => type === "waiting"),
          1,
        )
        assert.deepStrictEqual(
          timeline
            .filter(({ type }) => type !== "waiting")
            .map(({ at, type }) => [type, at.epochMilliseconds - membership.enteredAt.epochMilliseconds]),
          opened.slice(1).map((_, nth) => ["email_opened", nth + 1]),
        )
      }),
    )

    it.effect("finds no members of an unknown flow, and none of another flow", () =>
      Effect.gen(function* () {
        const { fresh, memberships: members, person, started, workspace } = yield* running()
        const ann = yield* person("ann")
        const [flow, other] = [yield* started([day("a", null)]), yield* started([day("a", null)])]
        const { membership } = yield* members.add(workspace, flow, ann.id, {})
        assert.strictEqual(yield* tagOf(members.list(workspace, FlowId.make(yield* fresh.id), everyone)), "NotFound")
        assert.strictEqual(yield* tagOf(members.get(workspace, other, membership.id)), "NotFound")
        assert.strictEqual(yield* tagOf(members.get(workspace, flow, MembershipId.make(yield* fresh.id))), "NotFound")
        assert.strictEqual((yield* members.list(workspace, other, everyone)).total, 0)
      }),
    )
  })

const leaving = <E>(name: string, live: Layer.Layer<Live, E>) =>
  layer(live, { excludeTestServices: true })(`Memberships, removal (${name})`, (it) => {
    it.effect(
      "drops a removed member, also while the flow is paused; refuses to remove a contact that is no member",
      () =>
        Effect.gen(function* () {
          const { flows, memberships: members, person, started, workspace } = yield* running()
          const [ann, bob] = [yield* person("ann"), yield* person("bob")]
          const flow = yield* started([day("first", null)])
          yield* members.add(workspace, flow, ann.id, {})
          yield* flows.pause(workspace, flow)
          assert.isNull(yield* members.remove(workspace, flow, bob.id))
          const run = yield* members.remove(workspace, flow, ann.id)
          assert.deepInclude(run?.membership.state, { status: "dropped", reason: "removed", stepId: "first" })
          assert.isNull(yield* members.remove(workspace, flow, ann.id))
          assert.deepInclude((yield* flows.get(workspace, flow)).tally, { active: 0, dropped: 1 })
          assert.deepStrictEqual(
            [...(yield* flows.getStepCounts(workspace, flow)).counts].filter(([, count]) => count > 0),
            [],
          )
        }),
    )

    it.effect("ends the membership of a deleted contact and retains it without the name", () =>
      Effect.gen(function* () {
        const { advanceDue, memberships: members, person, remove, seen, started, workspace } = yield* running()
        const [ann, bob] = [yield* person("ann"), yield* person("bob")]
        const flow = yield* started([day("first", null)])
        for (const { id } of [ann, bob]) yield* members.add(workspace, flow, id, {})
        yield* advanceDue
        yield* remove([ann])
        assert.strictEqual(yield* advanceDue, 1)
        const [first, second] = yield* seen(flow)
        assert.deepInclude(first, { contactId: ann.id, status: "dropped" })
        assert.deepInclude(second, { contactId: bob.id, status: "waiting" })
        assert.deepStrictEqual(first?.timeline, ["entered_flow", "waiting", "dropped"])
        const [shown] = (yield* members.list(workspace, flow, everyone)).items
        assert.isNull(shown?.contact)
        assert.deepInclude(shown?.membership.state, { reason: "contact_deleted" })
        assert.strictEqual(yield* tagOf(members.add(workspace, flow, ann.id, {})), "NotFound")
      }),
    )

    it.effect("deletes the memberships of a deleted flow", () =>
      Effect.gen(function* () {
        const {
          approvedEmail,
          flows,
          memberships: members,
          members: store,
          person,
          settleDown,
          started,
          transact,
          workspace,
        } = yield* running()
        const ann = yield* person("ann")
        const { id: email } = yield* approvedEmail("hello")
        const flow = yield* started([send("hello", { email_id: email })])
        yield* members.add(workspace, flow, ann.id, {})
        yield* settleDown
        yield* flows.pause(workspace, flow)
        yield* flows.delete(workspace, flow)
        assert.strictEqual(yield* tagOf(members.list(workspace, flow, everyone)), "NotFound")
        const which = { _tag: "touched", memberships: [], contacts: [ann.id], flows: [flow] } as const
        assert.deepStrictEqual((yield* transact(store.lockMembers(workspace, which))).members, [])
      }),
    )

    it.effect("does not move a locked member by an older decision", () =>
      Effect.gen(function* () {
        const {
          memberships: members,
          members: store,
          one,
          person,
          look,
          started,
          transact,
          workspace,
        } = yield* running()
        const ann = yield* person("ann")
        const flow = yield* started([day("first", null)])
        yield* members.add(workspace, flow, ann.id, {})
        const [change] = yield* look({ _tag: "due", limit: 10 })
        assert(change !== undefined)
        yield* members.remove(workspace, flow, ann.id)
        assert.strictEqual((yield* Effect.exit(transact(store.apply(workspace, [change]))))._tag, "Failure")
        assert.strictEqual((yield* one(flow)).status, "dropped")
      }),
    )
  })
