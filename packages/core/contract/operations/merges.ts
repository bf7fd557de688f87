// Contract tests of merges of contacts: what becomes the target's, what ends, and which merges are refused.
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { MembershipStore } from "../../src/flows/members/MembershipStore.ts"
import type { ContactId } from "../../src/kernel/Ids.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import type { StaticList } from "../../src/lists/List.ts"
import { MergeStore } from "../../src/operations/merge/MergeStore.ts"
import { oneAfterTheOther } from "../contacts/contactWorld.ts"
import { eventsOf } from "../contacts/notifications.ts"
import { day, onList } from "../flows/flowWorld.ts"
import { flowLive } from "../flows/flowMembersWorld.ts"
import { refusedMerges } from "./refusedMerges.ts"
import { type Live, type MergePorts, mergesLive, mergeWorld, recorder, timeline } from "./mergeWorld.ts"

const everyMember = {
  page: 1,
  limit: 100,
  status: null,
  search: null,
  sort: "entered_at",
  order: "asc",
} as const

export const merges = <E>(name: string, rooms: Layer.Layer<MergePorts, E>) => {
  const live = Layer.mergeAll(mergesLive, flowLive).pipe(Layer.provideMerge(rooms))
  whole(name, live)
  messages(name, live)
  members(name, live)
  refusedMerges(name, live)
}

const whole = <E>(name: string, live: Live<E>) =>
  layer(live, { excludeTestServices: true })(`Merge of contacts (${name})`, (it) => {
    it.effect("makes the source part of the target, whose timeline, lists and events show it", () =>
      Effect.gen(function* () {
        const { contacts, listOf, lists, merge, source, target, typesOf, workspace } = yield* mergeWorld
        const both = yield* listOf("both", [target, source])
        const one = yield* listOf("one", [source])
        const dry = yield* merge({ dryRun: true })
        assert.deepStrictEqual(yield* contacts.get(workspace, source.id), source)
        const merged = yield* merge()
        assert.deepStrictEqual(merged.counts, {
          activities: 3,
          lists: 1,
          messages: 0,
          submissions: 0,
          consentRecords: 0,
        })
        assert.deepStrictEqual(dry.counts, merged.counts)
        assert.deepInclude(merged.shown.contact, {
          id: target.id,
          email: target.email,
          phone: source.phone,
          company: "Mill",
          city: "Bern",
        })
        assert.deepStrictEqual({ ...dry.shown.contact, updatedAt: null }, { ...merged.shown.contact, updatedAt: null })
        assert.deepStrictEqual(yield* contacts.get(workspace, target.id), merged.shown.contact)
        assert.strictEqual(yield* contacts.count(workspace), 1)
        assert.sameMembers(
          [...(yield* typesOf(target.id))],
          ["contact_created", "list_added", "contact_created", "list_added", "list_added", "contact_merged"],
        )
        const counts = yield* Effect.forEach([both, one], ({ id }) =>
          Effect.map(lists.get(workspace, id), (list) => (list as StaticList).memberCount),
        )
        assert.deepStrictEqual(counts, [1, 1])
        const events = (yield* eventsOf(workspace)).filter(({ type }) =>
          /^contact_(merged|updated|deleted)$/.test(type),
        )
        assert.deepStrictEqual(
          events.map(({ contactId, type }) => [type, contactId]),
          [
            ["contact_merged", target.id],
            ["contact_updated", target.id],
          ],
        )
        assert.deepStrictEqual(events[0]?.data, { merged_contact_id: source.id })
      }),
    )

    it.effect("answers the former id with the contact that has it now, also after a second merge", () =>
      Effect.gen(function* () {
        const { contacts, fresh, merge, person, remove, source, target, workspace } = yield* mergeWorld
        yield* merge()
        const third = yield* person("third")
        const [former] = [source.id]
        const gone = yield* Effect.flip(contacts.get(workspace, former))
        assert.deepInclude(gone, { _tag: "NotFound", mergedInto: target.id })
        assert.deepInclude(yield* Effect.flip(contacts.activities(workspace, former, timeline)), {
          mergedInto: target.id,
        })
        yield* merge({ source: target.id }, third.id)
        const merged = yield* contacts.findMerged(workspace, [former, target.id, third.id])
        assert.deepStrictEqual(
          new Map(merged),
          new Map([
            [former, third.id],
            [target.id, third.id],
          ]),
        )
        assert.strictEqual((yield* contacts.findMerged(yield* fresh.workspace(), [former])).size, 0)
        yield* remove([third])
        assert.strictEqual((yield* contacts.findMerged(workspace, [former, target.id])).size, 0)
      }),
    )

    it.effect("writes nothing when its transaction fails", () =>
      Effect.gen(function* () {
        const { contacts, merge, source, target, typesOf, workspace } = yield* mergeWorld
        const { transact } = yield* Transactor
        yield* Effect.exit(transact(Effect.andThen(merge(), Effect.fail("no"))))
        assert.deepStrictEqual(yield* contacts.get(workspace, source.id), source)
        assert.deepStrictEqual(yield* typesOf(target.id), ["contact_created"])
      }),
    )

    it.effect("locks both contacts: no other transaction adds them to a list until the merge is written", () =>
      Effect.gen(function* () {
        const { changeMembers, listOf, source, target, workspace } = yield* mergeWorld
        const store = yield* MergeStore
        const list = yield* listOf("list", [])
        const order: Array<string> = []
        const say = (text: string) => Effect.sync(() => void order.push(text))
        yield* oneAfterTheOther(
          store.lock(workspace, { target: target.id, source: source.id }),
          Effect.andThen(changeMembers(list.id, [source], "add"), say("added")),
          say("ended"),
        )
        assert.deepStrictEqual(order, ["ended", "added"])
      }),
    )

    it.effect("merges a pair once when it is merged twice at the same time", () =>
      Effect.gen(function* () {
        const { merge, source, target } = yield* mergeWorld
        const outcomes = yield* Effect.all([Effect.result(merge()), Effect.result(merge())], { concurrency: 2 })
        assert.deepStrictEqual(outcomes.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
        const refused = outcomes.find((each) => each._tag === "Failure")?.failure
        assert.deepInclude(refused, { _tag: "NotFound", path: "source_contact_id", mergedInto: target.id })
        const circle = yield* Effect.flip(merge({ source: target.id }, source.id))
        assert.deepInclude(circle, { _tag: "NotFound", mergedInto: target.id })
      }),
    )
  })

const messages = <E>(name: string, live: Live<E>) =>
  layer(live, { excludeTestServices: true })(`Messages of merged contacts (${name})`, (it) => {
    it.effect("moves messages, and keeps those of blasts that were for both: a queued one is blocked", () =>
      Effect.gen(function* () {
        const { blast, mail, merge, scenario, source, target, workspace } = yield* mergeWorld
        const own = yield* blast([source.id])
        const shared = yield* blast([target.id, source.id])
        const merged = yield* merge()
        assert.strictEqual(merged.counts.messages, 1)
        const [moved] = yield* scenario.written(workspace, own)
        assert.deepInclude(moved, { contactId: target.id, state: "queued" })
        const rows = yield* scenario.written(workspace, shared)
        assert.deepInclude(
          rows.find(({ contactId }) => contactId === source.id),
          { state: "blocked", reason: "duplicate_address" },
        )
        assert.deepInclude(
          rows.find(({ contactId }) => contactId === target.id),
          { state: "queued" },
        )
        const tally = yield* scenario.tally(workspace, shared)
        if (tally !== null) assert.deepInclude(tally, { queued: 1, blocked: 1 })
        assert.lengthOf(yield* mail(), 2)
        const states = yield* Effect.forEach([own, shared], (id) =>
          Effect.map(scenario.written(workspace, id), (all) => all.map(({ state }) => state).toSorted()),
        )
        assert.deepStrictEqual(states, [["sent"], ["blocked", "sent"]])
      }),
    )

    it.effect("counts what is done with old messages for the target", () =>
      Effect.gen(function* () {
        const { blast, contacts, mail, merge, scenario, source, target, transact, typesOf, workspace } =
          yield* mergeWorld
        const own = yield* blast([source.id])
        const shared = yield* blast([target.id, source.id])
        yield* mail()
        yield* merge()
        const { engagement, record } = yield* recorder(workspace)
        const [moved] = yield* scenario.written(workspace, own)
        const left = (yield* scenario.written(workspace, shared)).find(({ contactId }) => contactId === source.id)
        assert(moved !== undefined && left !== undefined)
        assert.strictEqual((yield* engagement.get(workspace, left.id)).contact?.id, target.id)
        yield* transact(record(moved.id, { _tag: "clicked", url: "https://example.test/" }))
        yield* transact(record(left.id, { _tag: "unsubscribed" }))
        assert.isTrue((yield* contacts.get(workspace, target.id)).unsubscribed)
        assert.includeMembers(yield* typesOf(target.id), ["email_clicked", "email_unsubscribed"])
        const again = (yield* scenario.written(workspace, shared)).find(({ id }) => id === left.id)
        assert.strictEqual(again?.contactId, source.id)
      }),
    )

    it.effect("neither deadlocks with a click, nor loses it, whichever comes first", () =>
      Effect.gen(function* () {
        const { blast, contacts, mail, merge, person, scenario, source, target, typesOf, workspace } = yield* mergeWorld
        const third = yield* person("third")
        const own = yield* blast([source.id, third.id])
        yield* mail()
        const { record } = yield* recorder(workspace)
        const rows = yield* scenario.written(workspace, own)
        const clicking = (id: ContactId) => {
          const row = rows.find(({ contactId }) => contactId === id)
          return row === undefined
            ? Effect.die("no message")
            : record(row.id, { _tag: "clicked", url: "https://x.test/" })
        }
        yield* oneAfterTheOther(Effect.asVoid(merge()), clicking(source.id))
        yield* oneAfterTheOther(clicking(third.id), Effect.asVoid(merge({ source: third.id })))
        const types = yield* typesOf(target.id)
        assert.lengthOf(
          types.filter((type) => type === "email_clicked"),
          2,
        )
        assert.strictEqual(yield* contacts.count(workspace), 1)
      }),
    )

    it.effect("gives the target no second message of a blast whose audience pass is under way", () =>
      Effect.gen(function* () {
        const { contacts, deliveries, merge, scenario, source, target, transact, workspace } = yield* mergeWorld
        // The source is created after the target, so a slice of one contact begins with the target.
        const people = yield* Effect.forEach([target.id, source.id], (id) => contacts.get(workspace, id))
        const { blast } = yield* scenario.blast(workspace, people, { again: [target.id, source.id] })
        yield* transact(deliveries.fixAudience(workspace, blast, 1))
        yield* merge({ source: target.id }, source.id)
        yield* transact(deliveries.fixAudience(workspace, blast, 100))
        const rows = yield* scenario.written(workspace, blast)
        assert.deepStrictEqual(
          rows.map(({ contactId }) => contactId),
          [source.id],
        )
      }),
    )
  })

const members = <E>(name: string, live: Live<E>) =>
  layer(live, { excludeTestServices: true })(`Memberships of merged contacts (${name})`, (it) => {
    it.effect("moves memberships, and drops the source's of a flow in which the target is, too", () =>
      Effect.gen(function* () {
        const { flows, memberships, merge, seen, source, started, target, workspace } = yield* mergeWorld
        const shared = yield* started([day("first", null)])
        const own = yield* started([day("first", null)], { name: "Own" })
        for (const id of [target.id, source.id]) yield* memberships.add(workspace, shared, id, {})
        yield* memberships.add(workspace, own, source.id, {})
        const merged = yield* merge()
        assert.deepStrictEqual(merged.droppedMemberships, [shared])
        assert.deepStrictEqual(
          (yield* seen(own)).map(({ contactId, status }) => [contactId, status]),
          [[target.id, "active"]],
        )
        const both = yield* seen(shared)
        assert.deepStrictEqual(both.map(({ contactId, status }) => [contactId, status]).toSorted(), [
          [target.id, "active"],
          [target.id, "dropped"],
        ])
        const { tally } = yield* flows.get(workspace, shared)
        assert.deepInclude(tally, { active: 1, dropped: 1 })
        const dropped = (yield* eventsOf(workspace)).filter(({ type }) => type === "flow_dropped")
        assert.deepStrictEqual(
          dropped.map(({ contactId, data }) => [contactId, data["reason"]]),
          [[target.id, "merged"]],
        )
      }),
    )

    it.effect("repeats an enrollment that waits for a merge of its contact", () =>
      Effect.gen(function* () {
        const { memberships, merge, seen, source, started, workspace } = yield* mergeWorld
        const flow = yield* started([day("first", null)])
        const { transact } = yield* Transactor
        const store = yield* MembershipStore
        const entering = store.lockForEnrollment(workspace, { flows: [flow], contacts: [source.id] })
        const locked = yield* Deferred.make<void>()
        const merging = yield* Effect.forkChild(
          transact(
            Effect.andThen(merge(), Effect.andThen(Deferred.succeed(locked, undefined), Effect.sleep("200 millis"))),
          ),
        )
        yield* Deferred.await(locked)
        let runs = 0
        const facts = yield* transact(
          Effect.suspend(() => {
            runs++
            return runs === 1 ? entering : Effect.succeed(null)
          }),
        )
        yield* Fiber.join(merging)
        // Memory runs one transaction after another, and then the contact does not exist.
        assert.strictEqual(facts?.contacts.size ?? 0, 0)
        assert.strictEqual((yield* Effect.flip(memberships.add(workspace, flow, source.id, {})))._tag, "NotFound")
        assert.lengthOf(yield* seen(flow), 0)
        if (name === "postgres") assert.strictEqual(runs, 2)
      }),
    )

    it.effect("runs beside rounds of flows and of sending without a deadlock", () =>
      Effect.gen(function* () {
        const {
          advanceDue,
          blast,
          memberships,
          mail,
          merges: service,
          person,
          started,
          target,
          workspace,
        } = yield* mergeWorld
        const flow = yield* started([day("first", null)])
        const people = yield* Effect.forEach([1, 2, 3, 4], (n) => person(`person${n}`))
        for (const { id } of people) yield* memberships.add(workspace, flow, id, {})
        yield* blast(people.map(({ id }) => id))
        yield* mail()
        const merging = people.map(({ id: source }) =>
          service.merge(workspace, target.id, { source, prefer: "target", fields: {}, dryRun: false }),
        )
        yield* Effect.all([...merging, advanceDue, advanceDue, mail()], { concurrency: "unbounded" })
        const all = yield* Effect.orDie(memberships.list(workspace, flow, everyMember))
        assert.isTrue(all.items.every(({ membership }) => membership.contactId === target.id))
        assert.lengthOf(
          all.items.filter(({ membership: { state } }) => state.status === "active" || state.status === "waiting"),
          1,
        )
      }),
    )

    it.effect("moves ended memberships of flows that allow no re-entry", () =>
      Effect.gen(function* () {
        const { memberships, merge, seen, source, started, target, workspace } = yield* mergeWorld
        const flow = yield* started([day("first", null)], { reentry_policy: "no_reentry" })
        for (const id of [target.id, source.id]) {
          yield* memberships.add(workspace, flow, id, {})
          yield* memberships.remove(workspace, flow, id)
        }
        yield* merge()
        assert.deepStrictEqual(
          (yield* seen(flow)).map(({ contactId }) => contactId),
          [target.id, target.id],
        )
        assert.strictEqual((yield* Effect.flip(memberships.add(workspace, flow, target.id, {})))._tag, "ReentryDenied")
      }),
    )

    it.effect("re-evaluates what the target waits for, and enrolls it for unread events of the source", () =>
      Effect.gen(function* () {
        const { changeMembers, listOf, memberships, merge, seen, settleDown, source, started, target, workspace } =
          yield* mergeWorld
        const vip = yield* listOf("vip", [source])
        const news = yield* listOf("news", [])
        const wait = {
          type: "wait",
          step_id: "until",
          mode: "condition",
          condition: onList(vip.id),
          timeout_amount: 9,
          timeout_unit: "days",
          next_step_id: null,
        }
        const waiting = yield* started([wait])
        const joined = yield* started([day("first", null)], {
          name: "Joined",
          triggers: [{ type: "added_to_static_list", list_id: news.id }],
        })
        yield* memberships.add(workspace, waiting, target.id, {})
        yield* settleDown
        yield* changeMembers(news.id, [source], "add")
        yield* merge()
        yield* settleDown
        assert.deepStrictEqual(
          (yield* seen(waiting)).map(({ status }) => status),
          ["completed"],
        )
        assert.deepStrictEqual(
          (yield* seen(joined)).map(({ contactId }) => contactId),
          [target.id],
        )
      }),
    )
  })
