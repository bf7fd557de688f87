// Contract tests of the memberships of one contact.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { day } from "./flowWorld.ts"
import { type FlowLive, type FlowRooms, running } from "./flowMembersWorld.ts"

export const contactMemberships = <E>(name: string, live: Layer.Layer<FlowRooms | FlowLive, E>) =>
  layer(live, { excludeTestServices: true })(`Memberships of a contact (${name})`, (it) => {
    it.effect("lists the memberships of a contact in all flows, those that began last first, in slices", () =>
      Effect.gen(function* () {
        const { fresh, members: store, memberships: members, person, started, workspace } = yield* running()
        const [ann, bob] = [yield* person("ann"), yield* person("bob")]
        const flows = yield* Effect.forEach([1, 2, 3], () => started([day("first", null)]))
        for (const flow of flows) yield* members.add(workspace, flow, ann.id, {})
        yield* members.add(workspace, flows[0] ?? assert.fail("no flow"), bob.id, {})
        const dropped = yield* members.remove(workspace, flows[0] ?? assert.fail("no flow"), ann.id)
        const whole = yield* store.listByContact(workspace, ann.id, { after: null, limit: 10 })
        assert.isNull(whole.next)
        assert.deepStrictEqual(whole.items.map(({ membership }) => membership.flowId).toSorted(), flows.toSorted())
        const times = whole.items.map(({ membership }) => membership.enteredAt.epochMilliseconds)
        assert.deepStrictEqual(
          times,
          times.toSorted((left, right) => right - left),
        )
        const one = yield* store.listByContact(workspace, ann.id, { after: null, limit: 2 })
        const two = yield* store.listByContact(workspace, ann.id, { after: one.next, limit: 2 })
        assert.deepStrictEqual([...one.items, ...two.items], whole.items)
        const ended = whole.items.find(({ membership }) => membership.id === dropped?.membership.id)
        assert.strictEqual(ended?.membership.state.status, "dropped")
        assert.isAbove(ended?.flowName.length ?? 0, 0)
        assert.deepStrictEqual(ended?.contact, dropped?.contact)
        const elsewhere = yield* store.listByContact(yield* fresh.workspace(), ann.id, { after: null, limit: 10 })
        assert.deepStrictEqual(elsewhere, { items: [], next: null })
      }),
    )
  })
