// Deletion of large lists on PostgreSQL, and refusals of the list use cases.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { recount } from "@tentpole/adapters/test/Recount"
import { assert, layer } from "@effect/vitest"
import { Fresh } from "@tentpole/core/contract"
import { ContactId, ListId } from "@tentpole/core/kernel/Ids"
import { ListChange } from "@tentpole/core/lists/List"
import { Lists } from "@tentpole/core/lists/Lists"
import { ListStore } from "@tentpole/core/lists/ListStore"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { memory, postgres } from "../fixtures/Stores.ts"

const uuid = (kind: number, index: number) => `0000000${kind}-0000-4000-8000-${String(index).padStart(12, "0")}`
const contacts = Array.from({ length: 20 }, (_, index) => uuid(1, index))
const lists = [0, 1, 2].map((index) => uuid(2, index))

layer(postgres, { excludeTestServices: true })("large lists", (it) => {
  const begin = Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const workspace = yield* (yield* Fresh).workspace()
    const run = <A, E, R>(statements: Effect.Effect<A, E, R>) => fenced(sql)(workspace, statements)
    yield* run(
      Effect.gen(function* () {
        yield* sql`
          insert into contact (workspace_id, contact_id, phone, unsubscribed, marketing_email_invalid, created_at, updated_at)
          select ${workspace}, id, id::text, false, false, now(), now() from unnest(${contacts}::uuid[]) as c (id)`
        yield* sql`
          insert into list (workspace_id, list_id, kind, name, name_folded, slug, member_count, created_at, updated_at)
          select ${workspace}, id, 'static', id::text, id::text, id::text, 0, now(), now() from unnest(${lists}::uuid[]) as l (id)`
        yield* sql`
          insert into list_member (workspace_id, list_id, contact_id, added_at)
          select ${workspace}, l.id, c.id, now() from unnest(${lists}::uuid[]) as l (id), unnest(${contacts}::uuid[]) as c (id)
          where l.id <> ${lists[2] ?? ""}::uuid`
        yield* sql.unsafe(recount, [workspace])
      }),
    )
    const counts = run(
      sql<{ readonly kept: number; readonly counted: number }>`
        select l.member_count as kept, (select count(*)::int from list_member m
          where m.workspace_id = l.workspace_id and m.list_id = l.list_id) as counted
        from list l where l.workspace_id = ${workspace} and l.kind = 'static' order by l.list_id`,
    )
    return { sql, workspace, run, counts }
  })
  const same = (...counts: ReadonlyArray<number>) => counts.map((count) => ({ kept: count, counted: count }))

  it.effect("a list with more members than one statement deletes is deleted completely, and other lists stay", () =>
    Effect.gen(function* () {
      const { sql, workspace, run, counts } = yield* begin
      const store = yield* ListStore
      const { transact } = yield* Transactor
      const big = ListId.make(lists[2] ?? "")
      yield* run(
        Effect.gen(function* () {
          yield* sql`
            insert into contact (workspace_id, contact_id, phone, unsubscribed, marketing_email_invalid, created_at, updated_at)
            select ${workspace}, uuid_v7(), 'crowd ' || n, false, false, now(), now()
            from generate_series(1, ${21_000}::int) as crowd (n)`
          yield* sql`
            insert into list_member (workspace_id, list_id, contact_id, added_at)
            select ${workspace}, ${big}::uuid, contact_id, now() from contact where workspace_id = ${workspace}`
          yield* sql.unsafe(recount, [workspace])
        }),
      )
      assert.deepStrictEqual(yield* counts, same(20, 20, 21_020))
      yield* transact(
        Effect.gen(function* () {
          const facts = yield* store.lockForDelete(workspace, big)
          yield* store.apply(workspace, yield* Effect.fromResult(ListChange.delete(facts, DateTime.makeUnsafe(0))))
        }),
      )
      assert.deepStrictEqual(yield* counts, same(20, 20))
      const [left] = yield* run(
        sql<{ readonly members: number }>`
          select count(*)::int as members from list_member where workspace_id = ${workspace}`,
      )
      assert.strictEqual(left?.members, 40)
    }),
  )
})

layer(Layer.provideMerge(Lists.layer, memory), { excludeTestServices: true })("lists", (it) => {
  it.effect("more than 500 contacts at once are refused, counted as they were sent", () =>
    Effect.gen(function* () {
      const lists = yield* Lists
      const workspace = yield* (yield* Fresh).workspace()
      const contactIds = Array.from({ length: 501 }, () => ContactId.make(uuid(1, 1)))
      const draft = { name: "many", kind: "static", description: null } as const
      assert.strictEqual((yield* Effect.flip(lists.create(workspace, { ...draft, contactIds })))._tag, "Invalid")
      const { list } = yield* lists.create(workspace, draft)
      for (const move of [lists.addMembers, lists.removeMembers]) {
        assert.strictEqual((yield* Effect.flip(move(workspace, list.id, contactIds)))._tag, "Invalid")
        assert.strictEqual((yield* Effect.flip(move(workspace, list.id, [])))._tag, "Invalid")
        const { notFound } = yield* move(workspace, list.id, contactIds.slice(1))
        assert.strictEqual(notFound.length, 1)
      }
    }),
  )
})
