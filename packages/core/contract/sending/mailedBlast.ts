// A blast with each outcome: most messages are sent, one is refused, one is unconfirmed, one is blocked.
import { Effect } from "effect"
import { Settlement } from "../../src/sending/Settlement.ts"
import type { BlastId, ContactId } from "../../src/kernel/Ids.ts"
import { furnished, later } from "../blasts/blastWorld.ts"

const lease_ms = 60_000

type World = Effect.Success<ReturnType<typeof furnished>>

/** Sends to these recipients; the last two are refused and unconfirmed. */
const mail = Effect.fnUntraced(function* ({ deliveries, transact, workspace }: World, ids: ReadonlyArray<ContactId>) {
  const claimed = yield* transact(deliveries.claim(workspace, { limit: 100, lease_ms }))
  // Claims are in the order of delivery ids, which are random before PostgreSQL 18.
  const place = ({ contact }: (typeof claimed)[number]) => ids.findIndex((id) => id === contact?.id)
  const claims = claimed.toSorted((one, other) => place(one) - place(other))
  yield* deliveries.grant(workspace, claims, lease_ms)
  const outcomes = [
    { _tag: "inDoubt" },
    { _tag: "refused", code: 550, reply: "550 5.1.1 no such user" },
    { _tag: "accepted", reply: "250 ok" },
  ] as const
  const settlements = claims.map((claim, index) => {
    const outcome = outcomes[Math.min(claims.length - 1 - index, 2)] ?? outcomes[2]
    return Settlement.of(claim, { _tag: "outcome", outcome }, { at: later(100), acceptMeansDelivered: true })
  })
  yield* transact(deliveries.settle(workspace, settlements))
})

/** Five contacts: two received the message, one did not, one is unconfirmed, and one had unsubscribed. */
export const mailedBlast = Effect.gen(function* () {
  const world = yield* furnished()
  const members = yield* Effect.forEach(["ann", "bob", "cyd", "dan"], (each) =>
    world.person(each, { displayName: `=${each}` }),
  )
  const eve = yield* world.person("eve", { unsubscribed: true })
  const id: BlastId = yield* world.sending("a", [...members, eve])
  yield* mail(
    world,
    members.map((each) => each.id),
  )
  return { ...world, id, members }
})
