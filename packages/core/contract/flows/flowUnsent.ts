// Contract tests of the events of messages of flows that are not sent.
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { eventsOf } from "../contacts/notifications.ts"
import { type FlowLive, type FlowRooms, running } from "./flowMembersWorld.ts"
import { day, send } from "./flowWorld.ts"

const begin = Effect.gen(function* () {
  const world = yield* running()
  const { id: email_id } = yield* world.approvedEmail("hello")
  const flow = yield* world.started([send("hello", { email_id, next_step_id: "rest" }), day("rest", null)])
  const enter = Effect.fnUntraced(function* (name: string) {
    const contact = yield* world.person(name)
    const { membership } = yield* world.memberships.add(world.workspace, flow, contact.id, {})
    yield* world.settleDown
    return { contact, membership: membership.id }
  })
  const recorded = Effect.map(eventsOf(world.workspace), (events) =>
    events.filter(({ type }) => type === "email_blocked" || type === "email_failed"),
  )
  return { ...world, enter, flow, recorded }
})

export const flowUnsent = <E>(name: string, live: Layer.Layer<FlowRooms | FlowLive, E>) =>
  layer(live, { excludeTestServices: true })(`Unsent messages of flows (${name})`, (it) => {
    it.effect("writes why a message was blocked or failed, and of which step of which member it is", () =>
      Effect.gen(function* () {
        const { alter, enter, flow, mail, memberships, settleDown, recorded, workspace } = yield* begin
        const ann = yield* enter("ann")
        yield* memberships.remove(workspace, flow, ann.contact.id)
        yield* settleDown
        const bob = yield* enter("bob")
        yield* alter(bob.contact, { unsubscribed: true })
        yield* mail()
        const cid = yield* enter("cid")
        yield* mail("refused")
        yield* settleDown
        const expected = [
          ["email_blocked", ann, "cancelled"],
          ["email_blocked", bob, "unsubscribed"],
          ["email_failed", cid, "refused"],
        ] as const
        const events = yield* recorded
        assert.deepStrictEqual(
          events.map(({ contactId, data: { recipient_id: _, ...data }, type }) => [type, contactId, data]),
          expected.map(([type, { contact, membership }, reason]) => [
            type,
            contact.id,
            { flow_id: flow, membership_id: membership, step_id: "hello", reason },
          ]),
        )
        assert.isTrue(events.every(({ data }) => typeof data["recipient_id"] === "string"))
      }),
    )

    it.effect("the event moves no member", () =>
      Effect.gen(function* () {
        const { enter, flow, mail, seen, settleDown, takeEvents } = yield* begin
        yield* enter("ann")
        yield* mail("refused")
        yield* settleDown
        const before = yield* seen(flow)
        assert.isFalse(yield* takeEvents)
        assert.deepStrictEqual(yield* seen(flow), before)
        assert.deepStrictEqual(before[0]?.timeline, ["entered_flow", "step_failed", "waiting"])
      }),
    )
  })
