// Webhooks on PostgreSQL: the erasure of contacts, also while a worker has their events in memory, and restores.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { decideDeletes } from "@tentpole/core/contacts/batch/Batch"
import { newContact } from "@tentpole/core/contacts/ContactPatch"
import { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import { ContactStore } from "@tentpole/core/contacts/ContactStore"
import { webhookWorld } from "@tentpole/core/contract"
import { ContactId } from "@tentpole/core/kernel/Ids"
import { parseEmail } from "@tentpole/core/kernel/values/EmailAddress"
import { PrivacyStore } from "@tentpole/core/operations/privacy/PrivacyStore"
import { RestoreStore } from "@tentpole/core/operations/restore/RestoreStore"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import { Statement } from "effect/sql"
import { postgres } from "../fixtures/Stores.ts"
import { asSuperuser } from "../support/Superuser.ts"

const ann_email = "ann.lee@example.org"

/** An endpoint with events of two contacts, Ann and Bob, and a way to erase Ann. */
const begin = Effect.gen(function* () {
  const world = yield* webhookWorld
  const { create, fresh, now, queue, transact, workspace } = world
  const contacts = yield* ContactStore
  const privacy = yield* PrivacyStore
  const sql = yield* PgClient.PgClient
  const person = Effect.fnUntraced(function* (email: string) {
    const id = ContactId.make(yield* fresh.id)
    const after = newContact(id, { email: parseEmail(email) }, "api", now)
    yield* transact(contacts.apply(workspace, ContactsChange.of([{ before: null, after, at: now }])))
    return id
  })
  const endpoint = yield* create()
  const [ann, bob] = [yield* person(ann_email), yield* person("bob@example.org")]
  /** What the use case does. `between` runs before its transaction commits. */
  const erase = (between: Effect.Effect<unknown> = Effect.void) =>
    Effect.flatMap(privacy.identifierPatterns(workspace, ann), (patterns) =>
      transact(
        Effect.gen(function* () {
          const existing = yield* contacts.lockForDeletion(workspace, [ann])
          yield* privacy.erase(workspace, ann, patterns)
          const item = { clientItemId: null, contactId: Result.succeed(ann) }
          yield* contacts.apply(workspace, decideDeletes([item], { existing, now }).change)
          yield* between
        }),
      ),
    )
  /** Writes a delivery of each group of events: the first one is Ann's, the second one Bob's. */
  const fannedOut = Effect.fnUntraced(function* (
    groups: (events: ReadonlyArray<string>) => ReadonlyArray<ReadonlyArray<string>>,
  ) {
    const events = yield* world.eventsOf(endpoint)
    const deliveries = (yield* world.deliveriesOf(endpoint, groups(events))).map((each) => ({
      ...each,
      pieces: each.pieces.map((piece) => ({
        ...piece,
        json: JSON.stringify({ to: piece.position === events[0] ? ann_email : "bob@example.org" }),
        contactId: piece.position === events[0] ? ann : bob,
      })),
    }))
    return { deliveries, positions: new Map([[endpoint.id, events.at(-1) ?? "0"]]) }
  })
  /** The tables of webhooks that have Ann's address. */
  const named = Effect.map(
    fenced(sql)(
      workspace,
      sql<{ readonly name: string }>`
        select 'payload' as name from webhook_payload where workspace_id = ${workspace} and json like ${`%${ann_email}%`}
        union select 'attempt' from webhook_attempt where workspace_id = ${workspace} and snippet like ${`%${ann_email}%`}
        union select 'event' from outbox_event where workspace_id = ${workspace} and data::text like ${`%${ann_email}%`}`,
    ),
    (rows) => rows.map(({ name }) => name),
  )
  /** The tables with rows about Ann. */
  const tables = Effect.map(privacy.rowsOf(workspace, ann), (rows) => rows.map(({ table }) => table))
  return { ...world, ann, bob, endpoint, erase, fannedOut, named, queue, sql, tables }
})

layer(postgres, { excludeTestServices: true })("webhooks on PostgreSQL", (it) => {
  it.effect(
    "an erased contact is in no event and no answer; what waits is skipped, and a batch goes on without it",
    () =>
      Effect.gen(function* () {
        const world = yield* begin
        const { acquired, claim, endpoint, erase, fannedOut, named, now, queue, seen, settle, settledAs, transact } =
          world
        const lease = yield* acquired()
        const written = yield* fannedOut(([anns = "", bobs = ""]) => [[anns], [bobs], [anns, bobs], [anns]])
        yield* transact(queue.fanOut(lease, written))
        const [single, other, batch, sent] = written.deliveries.map(({ delivery }) => delivery)
        assert(single !== undefined && other !== undefined && batch !== undefined && sent !== undefined)
        yield* claim(lease, endpoint)
        const attempt = { attempt: 1, at: now, duration_ms: 1, statusCode: 200, error: null, isReplay: false }
        yield* settle(lease, [
          settledAs(sent, "delivered", { ...attempt, snippet: `thanks, ${ann_email.toUpperCase()} <${ann_email}>` }),
          settledAs(other, "later", { ...attempt, snippet: "no jo@example.org here" }),
        ])
        assert.includeMembers([...(yield* named)], ["attempt", "payload"])
        assert.includeMembers([...(yield* world.tables)], ["webhook_payload"])
        yield* erase()
        assert.deepStrictEqual(yield* named, [])
        const shown = Effect.forEach([single, other, batch, sent], (each) =>
          Effect.map(seen(endpoint, each), ({ attempts, delivery, pieces }) => [
            delivery.status,
            delivery.reason,
            pieces.length,
            attempts.map(({ snippet }) => snippet),
          ]),
        )
        assert.deepStrictEqual(yield* shown, [
          ["skipped", "erased", 0, []],
          ["pending", null, 1, ["no jo@example.org here"]],
          ["pending", null, 1, []],
          ["delivered", null, 0, [null]],
        ])
        // The claims of the first and the third ended: their answers are not written, and the batch is sent again.
        yield* settle(lease, [settledAs(single, "delivered"), settledAs(batch, "delivered")])
        assert.deepStrictEqual(
          (yield* shown).map(([status]) => status),
          ["skipped", "pending", "pending", "delivered"],
        )
        const again = yield* claim(lease, endpoint)
        assert.deepStrictEqual(
          again.map(({ delivery, pieces }) => [delivery.id, pieces.length]),
          [[batch.id, 1]],
        )
      }),
  )

  it.effect("a worker that has events of an erased contact in memory writes none of them", () =>
    Effect.gen(function* () {
      const world = yield* begin
      const { acquired, bob, claim, endpoint, erase, eventsOf, fannedOut, named, queue, transact } = world
      const lease = yield* acquired()
      const written = yield* fannedOut(([anns = "", bobs = ""]) => [[anns], [bobs], [anns, bobs]])
      const [begun, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const erasing = yield* Effect.forkChild(
        erase(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(done))),
      )
      yield* Deferred.await(begun)
      const fanningOut = yield* Effect.forkChild(transact(queue.fanOut(lease, written)))
      yield* Effect.sleep("200 millis")
      yield* Deferred.succeed(done, undefined)
      yield* Fiber.join(erasing)
      assert.isNotNull(yield* Fiber.join(fanningOut))
      assert.deepStrictEqual(yield* named, [])
      const claimed = yield* claim(lease, endpoint)
      assert.deepStrictEqual(
        claimed.map(({ pieces }) => pieces.length),
        [1, 1],
      )
      const left = yield* queue.eventsAfter(world.workspace, "0", 100)
      assert.includeMembers(
        left.map(({ event }) => event.contactId),
        [bob],
      )
      assert.lengthOf(yield* eventsOf(endpoint), 1)
    }),
  )

  it.effect(
    "fan-out, claim and settlement take the same number of statements for one delivery and for two hundred",
    () =>
      Effect.gen(function* () {
        const world = yield* webhookWorld
        const { acquired, claim, create, deliveriesOf, eventsOf, queue, settle, settledAs, transact, write } = world
        const lease = yield* acquired()
        const counted = <A, E, R>(body: Effect.Effect<A, E, R>) => {
          let count = 0
          const counting: Statement.Transformer = (statement) => Effect.sync(() => (count++, statement))
          return Effect.map(Effect.provideService(body, Statement.CurrentTransformer, counting), (value) => ({
            count,
            value,
          }))
        }
        const round = Effect.fnUntraced(function* (size: number) {
          const endpoint = yield* create()
          yield* write(size)
          const events = yield* eventsOf(endpoint)
          const deliveries = yield* deliveriesOf(
            endpoint,
            events.map((event) => [event]),
          )
          const positions = new Map([[endpoint.id, events.at(-1) ?? "0"]])
          const added = yield* counted(transact(queue.fanOut(lease, { deliveries, positions })))
          const claimed = yield* counted(claim(lease, endpoint, { limit: 1_000 }))
          assert.lengthOf(claimed.value, size)
          const ends = claimed.value.map(({ delivery }) => settledAs(delivery, "delivered"))
          const settled = yield* counted(settle(lease, ends))
          return [added.count, claimed.count, settled.count]
        })
        const one = yield* round(1)
        assert.isBelow(Math.max(...one), 5)
        assert.deepStrictEqual(yield* round(200), one)
      }),
  )

  it.effect(
    "a thousand events reach ten endpoints in one statement, again and again, and ends are found by their keys",
    () =>
      Effect.gen(function* () {
        const world = yield* webhookWorld
        const { acquired, claim, create, deliveriesOf, eventsOf, queue, settledAs, transact, write } = world
        const sql = yield* PgClient.PgClient
        const lease = yield* acquired()
        const endpoints = yield* Effect.replicateEffect(create(), 10)
        // After the fifth time a plan is used that does not know how many there are. A wrong one does not end in time.
        for (const events_count of [100, 100, 100, 100, 100, 1_000]) {
          yield* write(events_count)
          const written = yield* Effect.forEach(endpoints, (endpoint) =>
            Effect.gen(function* () {
              const events = yield* eventsOf(endpoint)
              const deliveries = yield* deliveriesOf(
                endpoint,
                events.map((event) => [event]),
              )
              return { deliveries, position: [endpoint.id, events.at(-1) ?? "0"] as const }
            }),
          )
          const positions = new Map(written.map(({ position }) => position))
          assert.isNotNull(
            yield* transact(
              queue.fanOut(lease, { deliveries: written.flatMap(({ deliveries }) => deliveries), positions }),
            ),
          )
        }
        const [first, ...others] = endpoints
        assert(first !== undefined)
        assert.lengthOf(yield* claim(lease, first, { limit: 10_000 }), 1_500)
        const read = sql<{ readonly count: number }>`
          select sum(seq_tup_read + idx_tup_fetch)::int as count from pg_stat_xact_user_tables
          where relname ^@ 'webhook_delivery'`
        // As the first automatic ANALYZE does. Before it, PostgreSQL 15 reads all deliveries of the workspace. After it, it
        // still does if a settlement has many of them: 180 of 25,000, and not 180 of 35,000.
        yield* asSuperuser("analyze webhook_delivery")
        const claims = yield* Effect.forEach(others, (endpoint) => claim(lease, endpoint, { limit: 5 }))
        const settled = claims.flat().map(({ delivery }) => settledAs(delivery, "delivered"))
        const [[before], , [after]] = yield* transact(
          Effect.all([read, queue.settle(lease, { settled, healths: [] }), read]),
        )
        const count = (after?.count ?? Number.NaN) - (before?.count ?? Number.NaN)
        // On Citus the nodes read, and count, them.
        const expected_count = process.env["CITUS"] === undefined ? settled.length : 0
        assert.strictEqual(count, expected_count, "a settlement reads no other deliveries")
      }),
  )

  it.effect("after a restore, endpoints go on with later events", () =>
    Effect.gen(function* () {
      const { create, eventsOf, positionOf, queue, workspace, write } = yield* webhookWorld
      const restores = yield* RestoreStore
      const endpoint = yield* create()
      yield* write(1)
      assert.isTrue(yield* restores.markRestored((yield* restores.counter) + 5))
      yield* write(1)
      const [before, after] = (yield* queue.eventsAfter(workspace, "0", 10)).map(({ event }) => BigInt(event.position))
      assert(before !== undefined && after !== undefined)
      assert.isTrue(after > before + 2n ** 28n)
      assert.isTrue((yield* positionOf(endpoint)) < before)
      assert.deepStrictEqual(yield* eventsOf(endpoint), [String(before), String(after)])
    }),
  )
})
