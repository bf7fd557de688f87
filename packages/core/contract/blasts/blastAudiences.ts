// Contract tests of audience passes: sending starts with the first chunk, each contact gets one delivery, and a blast that
// ends early still accounts for the whole audience.
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { countsOf, launchOf } from "../../src/blasts/Blast.ts"
import { Blasts } from "../../src/blasts/Blasts.ts"
import type { Contact } from "../../src/contacts/Contact.ts"
import { parseEmail } from "../../src/kernel/values/EmailAddress.ts"
import { Settlement } from "../../src/sending/Settlement.ts"
import type { BlastId } from "../../src/kernel/Ids.ts"
import { ListChange } from "../../src/lists/List.ts"
import { recipientQuery, furnished, type Rooms } from "./blastWorld.ts"

type Needs = Rooms | Layer.Services<typeof Blasts.layer>

const lease_ms = 60_000

const begin = Effect.gen(function* () {
  const world = yield* furnished()
  const { deliveries, person, ready, launch, store, transact, workspace } = world
  const blasts = yield* Blasts
  /** The chunks in their order. */
  const people = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
    const made = yield* Effect.forEach(names, (name) => person(name))
    return made.sort((left, right) => (left.id < right.id ? -1 : 1))
  })
  const launched = Effect.fnUntraced(function* (members: ReadonlyArray<Contact>, name = "a") {
    const { id } = yield* ready(name, members)
    yield* launch(id)
    return id
  }, Effect.orDie)
  const slice = (id: BlastId, contacts_max: number) => transact(deliveries.fixAudience(workspace, id, contacts_max))
  /** Runs chunks until the last one and returns how many there were. */
  const slices = Effect.fnUntraced(function* (id: BlastId, contacts_max: number) {
    for (let count = 1; ; count++) {
      const fixed = yield* slice(id, contacts_max)
      if (fixed !== "unfinished") return { fixed, count }
    }
  })
  /** Sends the queue and returns the recipients. */
  const send = Effect.gen(function* () {
    const claims = yield* transact(deliveries.claim(workspace, { limit: 100, lease_ms }))
    const leaves = yield* deliveries.grant(workspace, claims, lease_ms)
    const gone = claims.filter(({ id }) => leaves.get(id) === "granted")
    const at = yield* DateTime.now
    const outcome = { _tag: "outcome", outcome: { _tag: "accepted", reply: "250 2.0.0 ok" } } as const
    yield* transact(
      deliveries.settle(
        workspace,
        gone.map((claim) => Settlement.of(claim, outcome, { at, acceptMeansDelivered: true })),
      ),
    )
    yield* blasts.finish(workspace)
    return gone.map(({ address }) => address.replace("@example.test", "")).sort()
  })
  const shown = (id: BlastId) => Effect.flatMap(DateTime.now, (now) => Effect.orDie(store.get(workspace, id, now)))
  const recipients = (id: BlastId) =>
    Effect.map(store.recipients(workspace, id, { ...recipientQuery, limit: 100 }), ({ items }) =>
      items.map(({ email, status, reason }) => `${email} ${status} ${reason}`).sort(),
    )
  return { ...world, blasts, people, launched, slice, slices, send, shown, recipients }
})

const named = (contacts: ReadonlyArray<Contact>) => contacts.map(({ displayName }) => displayName ?? "").sort()

export const blastAudiences = <E>(name: string, rooms: Layer.Layer<Needs, E>) =>
  layer(Layer.provideMerge(Blasts.layer, rooms), { excludeTestServices: true })(`Audience passes (${name})`, (it) => {
    it.effect("writes each contact once, with the same counts for every chunk size", () =>
      Effect.gen(function* () {
        const { people, person, launched, slices, recipients, slice } = yield* begin
        const on = yield* people(["a", "b", "c", "d", "e"])
        yield* people(["f", "g", "h"])
        const away = yield* person("away", { unsubscribed: true })
        for (const contacts_max of [1, 2, 3, 8, 9, 10]) {
          const id = yield* launched([...on, away], `by ${contacts_max}`)
          const { fixed, count } = yield* slices(id, contacts_max)
          assert.deepInclude(fixed, { recipientCount: 6, qualifiedCount: 5, truncated: false })
          assert.strictEqual(count, Math.floor(9 / contacts_max) + 1)
          assert.deepStrictEqual(yield* slice(id, contacts_max), fixed, "once")
          const found = yield* recipients(id)
          assert.strictEqual(found.length, 6)
          assert.strictEqual(found.filter((each) => each === "away@example.test blocked unsubscribed").length, 1)
        }
      }),
    )

    it.effect("sends to the first chunk at once and finishes the blast only after the last", () =>
      Effect.gen(function* () {
        const { people, launched, slice, send, shown, blasts, workspace } = yield* begin
        const all = yield* people(["a", "b", "c", "d", "e"])
        const id = yield* launched(all)
        assert.strictEqual(yield* slice(id, 2), "unfinished")
        assert.deepStrictEqual(yield* send, named(all.slice(0, 2)))
        const midway = yield* shown(id)
        assert.strictEqual(midway.blast.status, "sending")
        assert.deepInclude(countsOf(launchOf(midway.blast)), { recipientCount: 2, qualifiedCount: 2 })
        assert.isNull(launchOf(midway.blast)?.audience)
        assert.strictEqual(yield* slice(id, 2), "unfinished")
        assert.deepStrictEqual(yield* send, named(all.slice(2, 4)))
        assert.deepInclude(yield* slice(id, 2), { recipientCount: 5, qualifiedCount: 5 })
        assert.deepStrictEqual(yield* send, named(all.slice(4)))
        yield* blasts.finish(workspace)
        const over = yield* shown(id)
        assert.strictEqual(over.blast.status, "sent")
        assert.deepInclude(over.tally, { queued: 0, sent: 5 })
      }),
    )

    it.effect("writes each chunk once when two passes run at the same time", () =>
      Effect.gen(function* () {
        const { people, launched, slices, recipients } = yield* begin
        const all = yield* people(["a", "b", "c", "d", "e", "f", "g"])
        const id = yield* launched(all)
        const both = yield* Effect.all([slices(id, 2), slices(id, 2), slices(id, 3)], { concurrency: "unbounded" })
        for (const { fixed } of both) assert.deepInclude(fixed, { recipientCount: 7, qualifiedCount: 7 })
        assert.strictEqual((yield* recipients(id)).length, 7)
      }),
    )

    it.effect("records the rest of a cancelled audience as blocked and sends no more", () =>
      Effect.gen(function* () {
        const { people, launched, slice, slices, send, shown, recipients, blasts, workspace } = yield* begin
        const all = yield* people(["a", "b", "c", "d"])
        const id = yield* launched(all)
        yield* slice(id, 1)
        const [first = ""] = yield* send
        yield* slice(id, 1)
        yield* blasts.cancel(workspace, id)
        assert.deepStrictEqual(yield* send, [])
        assert.deepInclude((yield* slices(id, 1)).fixed, { recipientCount: 4, qualifiedCount: 4 })
        assert.deepStrictEqual(yield* send, [])
        const names = named(all)
        assert.deepStrictEqual(
          yield* recipients(id),
          names.map((each) => `${each}@example.test ${each === first ? "sent null" : "blocked cancelled"}`),
        )
        assert.deepInclude((yield* shown(id)).tally, { queued: 0, sent: 1, blocked: 3 })
      }),
    )

    it.effect(
      "retries a blast that failed during the pass only when its audience is complete, without missing a contact",
      () =>
        Effect.gen(function* () {
          const { people, launched, slice, slices, send, shown, blasts, workspace, store } = yield* begin
          const id = yield* launched(yield* people(["a", "b", "c"]))
          yield* slice(id, 1)
          const [first = ""] = yield* send
          yield* blasts.fail(workspace, id, "authentication_refused")
          const early = yield* Effect.flip(blasts.retryFailed(workspace, id, { includeUnconfirmed: false }))
          assert.strictEqual(early._tag, "InvalidState")
          yield* slices(id, 1)
          yield* blasts.finish(workspace)
          assert.deepInclude((yield* shown(id)).tally, { queued: 0, sent: 1, failed: 2 })
          yield* blasts.retryFailed(workspace, id, { includeUnconfirmed: false })
          const { blast } = yield* store.get(workspace, id, yield* DateTime.now)
          assert(blast.status === "sending" && blast.retryingSince !== null)
          yield* blasts.requeueFailed(workspace, id, { since: blast.retryingSince, includeUnconfirmed: false })
          assert.deepStrictEqual(yield* send, ["a", "b", "c"].filter((each) => each !== first).sort())
        }),
    )

    it.effect("writes an address once when it moves to another contact between two chunks", () =>
      Effect.gen(function* () {
        const { people, launched, slice, slices, send, alter } = yield* begin
        const [first, ...others] = yield* people(["a", "b", "c"])
        const last = others.at(-1)
        assert(first !== undefined && last !== undefined)
        const id = yield* launched([first, ...others])
        yield* slice(id, 1)
        yield* alter(first, { email: parseEmail("elsewhere@example.test") })
        yield* alter(last, { email: parseEmail(first.email ?? "") })
        assert.deepInclude((yield* slices(id, 1)).fixed, { recipientCount: 2, qualifiedCount: 2 })
        assert.deepStrictEqual(yield* send, named([first, ...others.slice(0, -1)]))
      }),
    )

    it.effect("completes the audience of a cancelled blast when its list is deleted", () =>
      Effect.gen(function* () {
        const { people, launched, slice, blasts, workspace, lists, transact, recipients } = yield* begin
        const id = yield* launched(yield* people(["a", "b", "c"]))
        yield* slice(id, 1)
        const { blast } = yield* blasts.cancel(workspace, id)
        assert(blast.audience !== null)
        const listId = blast.audience.listId
        yield* Effect.orDie(
          transact(
            Effect.gen(function* () {
              const facts = yield* lists.lockForDelete(workspace, listId)
              yield* lists.apply(workspace, yield* Effect.fromResult(ListChange.delete(facts, yield* DateTime.now)))
            }),
          ),
        )
        assert.deepInclude(yield* slice(id, 1), { recipientCount: 1, qualifiedCount: 1 })
        assert.strictEqual((yield* recipients(id)).length, 1)
      }),
    )
  })
