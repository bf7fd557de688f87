// Contract tests of blast retries: contacts that received a message get no second one.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Result } from "effect"
import { Blasts } from "../../src/blasts/Blasts.ts"
import type { Outcome } from "../../src/sending/MailConnection.ts"
import { Settlement } from "../../src/sending/Settlement.ts"
import type { BlastId } from "../../src/kernel/Ids.ts"
import { recipientQuery, furnished, type Rooms } from "./blastWorld.ts"

type Needs = Rooms | Layer.Services<typeof Blasts.layer>

const lease_ms = 60_000
const accepted: Outcome = { _tag: "accepted", reply: "250 2.0.0 ok" }

/** The mail server's answer for each of these contacts. It accepts all others. */
const replies: Readonly<Record<string, Outcome>> = {
  bounced: { _tag: "refused", code: 550, reply: "550 5.1.1 no such user" },
  refused: { _tag: "refused", code: 554, reply: "554 5.7.1 not now" },
  doubtful: { _tag: "inDoubt" },
}

const begin = Effect.gen(function* () {
  const world = yield* furnished()
  const { deliveries, transact, workspace, person, sending, store } = world
  const blasts = yield* Blasts
  /** Sends the queue and returns the recipients. */
  const send = Effect.fnUntraced(function* (answers: typeof replies = {}) {
    const claims = yield* transact(deliveries.claim(workspace, { limit: 100, lease_ms }))
    const leaves = yield* deliveries.grant(workspace, claims, lease_ms)
    const gone = claims.filter(({ id }) => leaves.get(id) === "granted")
    const at = yield* DateTime.now
    const settlements = gone.map((claim) =>
      Settlement.of(
        claim,
        { _tag: "outcome", outcome: answers[claim.address.replace("@example.test", "")] ?? accepted },
        { at, acceptMeansDelivered: true },
      ),
    )
    yield* transact(deliveries.settle(workspace, settlements))
    yield* blasts.finish(workspace)
    return gone.map(({ address }) => address.replace("@example.test", "")).sort()
  })
  /** Does what a worker does with the job of the current retry. */
  const work = Effect.fnUntraced(function* (id: BlastId, includeUnconfirmed: boolean) {
    const { blast } = yield* store.get(workspace, id, yield* DateTime.now)
    assert(blast.status === "sending" && blast.retryingSince !== null)
    yield* blasts.requeueFailed(workspace, id, { since: blast.retryingSince, includeUnconfirmed })
    yield* blasts.finish(workspace)
  })
  /** A sent blast with a recipient for each outcome. */
  const sent = Effect.gen(function* () {
    const names = ["reached", "bounced", "refused", "doubtful"]
    const people = yield* Effect.forEach(names, (each) => person(each))
    const id = yield* sending("a", [...people, yield* person("away", { unsubscribed: true })])
    yield* send(replies)
    return { id, people }
  })
  const statusOf = (id: BlastId) => Effect.map(Effect.orDie(blasts.get(workspace, id)), ({ blast }) => blast.status)
  return { ...world, blasts, send, work, sent, statusOf }
})

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const passing = { includeUnconfirmed: false }
const all = { includeUnconfirmed: true }

export const blastRetries = <E>(name: string, rooms: Layer.Layer<Needs, E>) =>
  layer(Layer.provideMerge(Blasts.layer, rooms), { excludeTestServices: true })(`Blast retries (${name})`, (it) => {
    it.effect("sends again only to recipients with a temporary failure, and counters stay correct", () =>
      Effect.gen(function* () {
        const { blasts, workspace, sent, send, work, statusOf } = yield* begin
        const { id } = yield* sent
        assert.strictEqual(yield* statusOf(id), "sent")
        const began = yield* blasts.retryFailed(workspace, id, passing)
        assert.strictEqual(began.blast.status, "sending")
        yield* work(id, false)
        assert.deepInclude((yield* blasts.get(workspace, id)).tally, { queued: 1, sent: 1, failed: 2, blocked: 1 })
        assert.deepStrictEqual(yield* send(), ["refused"])
        const { blast, tally } = yield* blasts.get(workspace, id)
        assert.strictEqual(blast.status, "sent")
        assert.deepInclude(tally, { queued: 0, sent: 2, failed: 2, blocked: 1, delivered: 2, bounced: 1 })
        assert.deepInclude(blast.status === "sent" ? blast.launch.audience : null, {
          recipientCount: 5,
          qualifiedCount: 4,
        })
      }),
    )

    it.effect("sends again to unconfirmed recipients on request, and never to a bad address", () =>
      Effect.gen(function* () {
        const { blasts, workspace, sent, send, work } = yield* begin
        const { id } = yield* sent
        yield* blasts.retryFailed(workspace, id, all)
        yield* work(id, true)
        assert.deepStrictEqual(yield* send({ refused: replies["refused"] ?? accepted }), ["doubtful", "refused"])
        const { items } = yield* blasts.recipients(workspace, id, recipientQuery)
        assert.deepStrictEqual(items.map(({ email, reason }) => `${email?.split("@")[0]} ${reason}`).sort(), [
          "away unsubscribed",
          "bounced hard_bounce",
          "doubtful null",
          "reached null",
          "refused refused",
        ])
      }),
    )

    it.effect("queues each recipient once and finishes the blast only when all of them are queued", () =>
      Effect.gen(function* () {
        const { blasts, workspace, sent, send, work, statusOf, store, transact } = yield* begin
        const { id } = yield* sent
        const tries = yield* Effect.all(
          [1, 2, 3].map(() => Effect.result(blasts.retryFailed(workspace, id, passing))),
          { concurrency: 3 },
        )
        assert.strictEqual(tries.filter(Result.isSuccess).length, 1)
        yield* blasts.finish(workspace)
        assert.strictEqual(yield* statusOf(id), "sending")
        const ask = { after: null, limit: 1, includeUnconfirmed: true }
        const first = yield* transact(store.requeue(workspace, id, ask))
        const second = yield* transact(store.requeue(workspace, id, { ...ask, after: first }))
        assert.isTrue(first !== null && second !== null && first < second)
        assert.isNull(yield* transact(store.requeue(workspace, id, { ...ask, after: second })))
        assert.isNull(yield* transact(store.requeue(workspace, id, ask)))
        assert.deepStrictEqual(yield* send(), ["doubtful", "refused"])
        // All of them are sent to, but the worker that requeues them may still be running.
        assert.strictEqual(yield* statusOf(id), "sending")
        yield* work(id, true)
        assert.strictEqual(yield* statusOf(id), "sent")
      }),
    )

    it.effect("requeues no recipient after the retry was cancelled, and does no work of a later retry", () =>
      Effect.gen(function* () {
        const { blasts, workspace, sent, send, store, statusOf } = yield* begin
        const { id } = yield* sent
        const { blast } = yield* blasts.retryFailed(workspace, id, passing)
        const since = (blast.status === "sending" ? blast.retryingSince : null) ?? assert.fail()
        const earlier = DateTime.subtract(since, { milliseconds: 1 })
        yield* blasts.requeueFailed(workspace, id, { since: earlier, includeUnconfirmed: true })
        assert.strictEqual((yield* store.get(workspace, id, since)).tally.queued, 0)
        yield* blasts.cancel(workspace, id)
        yield* blasts.requeueFailed(workspace, id, { since, includeUnconfirmed: true })
        assert.strictEqual((yield* store.get(workspace, id, since)).tally.queued, 0)
        assert.deepStrictEqual(yield* send(), [])
        assert.strictEqual(yield* statusOf(id), "cancelled")
        yield* blasts.delete(workspace, id)
        yield* blasts.requeueFailed(workspace, id, { since, includeUnconfirmed: true })
      }),
    )

    it.effect("blocks recipients who unsubscribed since", () =>
      Effect.gen(function* () {
        const { blasts, workspace, sent, send, work, people, alter } = yield* Effect.flatMap(begin, (world) =>
          Effect.map(world.sent, ({ id, people }) => ({ ...world, sent: id, people })),
        )
        const refused = people.find(({ email }) => email === "refused@example.test") ?? assert.fail()
        yield* blasts.retryFailed(workspace, sent, passing)
        yield* work(sent, false)
        yield* alter(refused, { unsubscribed: true })
        assert.deepStrictEqual(yield* send(), [])
        assert.deepInclude((yield* blasts.get(workspace, sent)).tally, { queued: 0, sent: 1, failed: 2, blocked: 2 })
      }),
    )

    it.effect("sends a blast that failed as a whole to the rest of its recipients", () =>
      Effect.gen(function* () {
        const { blasts, workspace, sending, person, send, work, statusOf, setDomain } = yield* begin
        const id = yield* sending("a", [yield* person("ann"), yield* person("bob")])
        yield* blasts.fail(workspace, id, "authentication_refused")
        yield* setDomain("example.test", "pending")
        const refused = yield* Effect.flip(blasts.retryFailed(workspace, id, passing))
        assert(refused._tag === "CampaignNotReady")
        assert.deepStrictEqual(refused.readiness.missing, ["sender_domain"])
        yield* setDomain("example.test", "verified")
        yield* blasts.retryFailed(workspace, id, passing)
        yield* work(id, false)
        assert.deepStrictEqual(yield* send(), ["ann", "bob"])
        assert.strictEqual(yield* statusOf(id), "sent")
      }),
    )

    it.effect("refuses blasts that were ended by a user, are not over, or never started", () =>
      Effect.gen(function* () {
        const { blasts, workspace, ready, sending, launch, person } = yield* begin
        const draft = yield* ready("draft", [])
        const busy = yield* sending("busy", [yield* person("ann")])
        const begun = yield* ready("begun", [])
        yield* Effect.orDie(launch(begun.id))
        yield* blasts.fail(workspace, begun.id, "audience_gone")
        for (const id of [draft.id, busy, begun.id]) {
          assert.strictEqual(yield* tagOf(blasts.retryFailed(workspace, id, passing)), "InvalidState")
        }
        const other = (yield* begin).workspace
        assert.strictEqual(yield* tagOf(blasts.retryFailed(other, busy, passing)), "NotFound")
      }),
    )
  })
