// Deliveries under concurrent PostgreSQL sessions: which session waits for which, and what it sees afterwards.
import { PgClient } from "@effect/sql-pg"
import { lockName } from "@tentpole/adapters/postgres/kernel/AdvisoryLocks"
import { textOf } from "@tentpole/adapters/postgres/migrations/Migrate"
import { blockBranches } from "@tentpole/adapters/postgres/sending/BlockReason"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { DeliveryScenario, Fresh, wholeAudience } from "@tentpole/core/contract"
import { BlastStore } from "@tentpole/core/blasts/BlastStore"
import { decide } from "@tentpole/core/blasts/machine"
import { DeliveryStore } from "@tentpole/core/sending/DeliveryStore"
import { Settlement } from "@tentpole/core/sending/Settlement"
import type { BlastId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { inject } from "vitest"
import { postgresScenario } from "../fixtures/DeliveryScenarios.ts"
import { postgres } from "../fixtures/Stores.ts"

const epoch = DateTime.makeUnsafe(0)

const begin = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const { transact } = yield* Transactor
  const workspace = yield* (yield* Fresh).workspace()
  const people = Array.from({ length: 20 }, (_, index) => ({ email: `person${index}@example.test` }))
  const scenario = yield* DeliveryScenario
  const { blast } = yield* scenario.blast(workspace, people)
  yield* transact(wholeAudience(store, workspace, blast))
  const claim = (limit: number) => store.claim(workspace, { limit, lease_ms: 60_000 })
  return { blast, claim, scenario, sql: yield* PgClient.PgClient, store, transact, workspace }
})

/** Does the work in a transaction that stays open until `go`. */
const heldOpen = Effect.fnUntraced(function* <E, R>(
  transact: Transactor["Service"]["transact"],
  work: Effect.Effect<unknown, E, R>,
) {
  const done = yield* Deferred.make<void>()
  const go = yield* Deferred.make<void>()
  const open = yield* Effect.forkChild(
    transact(Effect.andThen(work, Effect.andThen(Deferred.succeed(done, undefined), Deferred.await(go)))),
  )
  yield* Deferred.await(done)
  return { commit: Effect.andThen(Deferred.succeed(go, undefined), Fiber.join(open)) }
})

/** A recipient with its counter and a click, written directly. */
const oneMore = (sql: PgClient.PgClient, workspace: WorkspaceId, blast: BlastId) =>
  fenced(sql)(
    workspace,
    sql`
      with added as (
        insert into delivery (workspace_id, delivery_id, blast_id, contact_id, approval_id, operational, state, created_at)
        values (${workspace}, uuid_v7(), ${blast}, uuid_v7(), uuid_v7(), false, 'queued', now())
        returning delivery_id, contact_id
      ),
      counted as (
        insert into delivery_tally as t (workspace_id, blast_id, shard, queued) values (${workspace}, ${blast}, 0, 1)
        on conflict (workspace_id, blast_id, shard) do update set queued = t.queued + 1
      ),
      clicked as (
        insert into delivery_click (workspace_id, delivery_id, link_index, blast_id, contact_id, clicks, machine_clicks)
        select ${workspace}, delivery_id, 0, ${blast}, contact_id, 1, 0 from added
      )
      insert into delivery_queue (workspace_id, delivery_id, blast_id, contact_id, operational, due_at)
      select ${workspace}, delivery_id, ${blast}, contact_id, false, now() from added`,
  )

const recipients = (sql: PgClient.PgClient, workspace: WorkspaceId, blast: BlastId) =>
  fenced(sql)(
    workspace,
    Effect.map(
      sql`
        select 1 from delivery where workspace_id = ${workspace} and blast_id = ${blast}
        union all select 1 from delivery_queue where workspace_id = ${workspace} and blast_id = ${blast}
        union all select 1 from delivery_click where workspace_id = ${workspace} and blast_id = ${blast}`,
      (rows) => rows.length,
    ),
  )

const deleted = Effect.fnUntraced(function* (workspace: WorkspaceId, blast: BlastId) {
  const store = yield* BlastStore
  const before = yield* store.lock(workspace, blast)
  yield* store.apply(workspace, yield* Effect.fromResult(decide(before, { _tag: "delete", lists: [] }, epoch)))
})

layer(Layer.provideMerge(postgresScenario, postgres), { excludeTestServices: true })(
  "deliveries on PostgreSQL",
  (it) => {
    it.effect("a second claimer does not wait for the first, and gets other rows", () =>
      Effect.gen(function* () {
        const { claim, sql, transact, workspace } = yield* begin
        const take = (limit: number) => sql<{ readonly delivery_id: string }>`
          select delivery_id from delivery_queue where workspace_id = ${workspace} and state = 'queued'
          order by due_at, delivery_id limit ${limit} for update`
        const held = yield* Deferred.make<ReadonlyArray<string>>()
        const go = yield* Deferred.make<void>()
        const first = yield* Effect.forkChild(
          transact(
            fenced(sql)(
              workspace,
              Effect.gen(function* () {
                yield* Deferred.succeed(
                  held,
                  (yield* take(10)).map((row) => row.delivery_id),
                )
                yield* Deferred.await(go)
              }),
            ),
          ),
        )
        const locked = yield* Deferred.await(held)
        // A claim that waited would wait forever.
        const second = yield* transact(claim(20))
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(first)
        const ids = second.map((each) => each.id)
        assert.strictEqual(ids.length, 10)
        assert.isEmpty(ids.filter((id) => locked.includes(id)))
      }),
    )

    it.effect("an intent that waited for a pause to commit sees the pause", () =>
      Effect.gen(function* () {
        const { blast, claim, sql, store, transact, workspace } = yield* begin
        const claimed = yield* transact(claim(5))
        const paused = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const pausing = yield* Effect.forkChild(
          transact(
            fenced(sql)(
              workspace,
              Effect.gen(function* () {
                yield* lockName(sql, "blast", sql`${blast}::uuid::text`)
                yield* sql`update blast set paused = true where workspace_id = ${workspace} and blast_id = ${blast}`
                yield* Deferred.succeed(paused, undefined)
                yield* Deferred.await(go)
              }),
            ),
          ),
        )
        yield* Deferred.await(paused)
        const asking = yield* Effect.forkChild(store.grant(workspace, claimed, 60_000))
        yield* Effect.sleep("100 millis")
        yield* Deferred.succeed(go, undefined)
        yield* Fiber.join(pausing)
        assert.deepStrictEqual([...new Set((yield* Fiber.join(asking)).values())], ["paused"])
      }),
    )

    it.effect("an intent and a settlement change no indexed column, so their rows stay on their pages", () =>
      Effect.gen(function* () {
        const { sql } = yield* begin
        const indexed = (table: string) =>
          Effect.map(
            sql<{ readonly column: string }>`
              select distinct a.attname as column from pg_index i
              join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
                and d.refclassid = 'pg_class'::regclass and d.refobjid = i.indrelid
              join pg_attribute a on a.attrelid = i.indrelid and a.attnum = d.refobjsubid
              where i.indrelid = ${table}::regclass or i.indrelid in (select inhrelid from pg_inherits where inhparent = ${table}::regclass)`,
            (rows) => rows.map(({ column }) => column),
          )
        const queue = yield* indexed("delivery_queue")
        assert.includeMembers(queue, ["delivery_id", "token", "due_at"])
        for (const changed of ["state", "lease_until", "handed_over_at"]) assert.notInclude(queue, changed)
        const deliveries = yield* indexed("delivery")
        assert.includeMembers(deliveries, ["contact_id", "holds_address"])
        for (const changed of ["state", "reason", "token", "attempts", "smtp_reply", "handed_over_at", "sent_at"]) {
          assert.notInclude(deliveries, changed)
        }
      }),
    )

    it.effect("deleting a blast also deletes recipients that are being written", () =>
      Effect.gen(function* () {
        const { blast, scenario, sql, transact, workspace } = yield* begin
        yield* scenario.setBlast(workspace, blast, "cancelled")
        const writing = yield* heldOpen(transact, oneMore(sql, workspace, blast))
        const deleting = yield* Effect.forkChild(transact(deleted(workspace, blast)))
        yield* Effect.sleep("100 millis")
        yield* writing.commit
        yield* Fiber.join(deleting)
        assert.strictEqual(yield* transact(recipients(sql, workspace, blast)), 0)
      }),
    )

    it.effect("no recipient is written for a blast that is being deleted", () =>
      Effect.gen(function* () {
        const { blast, scenario, sql, transact, workspace } = yield* begin
        yield* scenario.setBlast(workspace, blast, "cancelled")
        const deleting = yield* heldOpen(transact, deleted(workspace, blast))
        const writing = yield* Effect.forkChild(Effect.exit(transact(oneMore(sql, workspace, blast))))
        yield* Effect.sleep("100 millis")
        yield* deleting.commit
        assert.isTrue(Exit.isFailure(yield* Fiber.join(writing)))
        assert.strictEqual(yield* transact(recipients(sql, workspace, blast)), 0)
      }),
    )

    it.effect("intents are refused by the branches that are generated from the conditions of core", () =>
      Effect.sync(() => {
        const required = {
          "baseline/sending.sql": "(select consent_required(workspace))",
          "citus/functions.sql": "(w.consent ->> 'marketingConsent' = 'required')",
        }
        for (const [file, consentRequired] of Object.entries(required)) {
          const branches = blockBranches({
            operational: "q.operational",
            topic: "t.standing",
            consentRequired,
            address: "q.email_normalized",
          })
          const text = textOf(file).replace(/--.*/g, "").replace(/\s+/g, " ")
          assert.include(text, `${branches} else 'granted' end as verdict`, file)
        }
      }),
    )

    // Through a pooler, statements are not stored.
    it.effect.skipIf(inject("pgPooler") !== null)(
      "outcomes of any number of messages are written by one stored plan",
      () =>
        Effect.gen(function* () {
          const { claim, sql, store, transact, workspace } = yield* begin
          for (const count of [1, 5, 1, 8]) {
            const claimed = yield* transact(claim(count))
            yield* store.grant(workspace, claimed, 60_000)
            const sent = claimed.map((each) =>
              Settlement.of(
                each,
                { _tag: "outcome", outcome: { _tag: "accepted", reply: "250 ok" } },
                { at: epoch, acceptMeansDelivered: true },
              ),
            )
            const [plans] = yield* transact(
              Effect.andThen(
                store.settle(workspace, sent),
                sql<{ readonly custom: number; readonly generic: number }>`
                select sum(custom_plans)::int as custom, sum(generic_plans)::int as generic from pg_prepared_statements
                where statement like '%with taken as (%'`,
              ),
            )
            assert.strictEqual(plans?.custom, 0)
            assert.notStrictEqual(plans?.generic, 0)
          }
        }),
    )

    it.effect("intents are durable even with synchronous_commit off in the session", () =>
      Effect.gen(function* () {
        const { claim, sql, transact, workspace } = yield* begin
        const claimed = yield* transact(claim(1))
        const [row] = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select set_config('synchronous_commit', 'off', true)`
            yield* sql`select ids from grant_intents(${workspace}, ${claimed.map((each) => each.id)}::uuid[],
              ${claimed.map((each) => String(each.token))}::bigint[], ${claimed.map((each) => each.blastId)}::uuid[], interval '60 s')`
            return yield* sql<{ readonly setting: string }>`select current_setting('synchronous_commit') as setting`
          }),
        )
        assert.strictEqual(row?.setting, "on")
      }),
    )
  },
)
