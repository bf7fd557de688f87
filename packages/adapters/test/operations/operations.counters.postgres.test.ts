// Counters of what is erased: contacts in flows, flows, and whole workspaces.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { assert, layer } from "@effect/vitest"
import { day, flowLive, running } from "@tentpole/core/contract"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { AdministrationStore } from "@tentpole/core/operations/administration/AdministrationStore"
import { PrivacyStore } from "@tentpole/core/operations/privacy/PrivacyStore"
import { DateTime, Effect, Layer } from "effect"
import { postgresTimes } from "../fixtures/FlowTimesOf.ts"
import { postgres } from "../fixtures/Stores.ts"

const live = Layer.provideMerge(flowLive, Layer.provideMerge(postgresTimes, postgres))

const rowsOf = Effect.fnUntraced(function* (workspace: WorkspaceId, tables: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  const counted = yield* Effect.forEach(tables, (table) =>
    fenced(sql)(
      workspace,
      sql<{ readonly count: number }>`
        select count(*)::int as count from ${sql(table)} where workspace_id = ${workspace}`,
    ),
  )
  return counted.map(([row]) => row?.count)
})

layer(live, { excludeTestServices: true })("counters of erased rows", (it) => {
  const begin = Effect.gen(function* () {
    const world = yield* running()
    const [ann, bob] = [yield* world.person("ann"), yield* world.person("bob")]
    const flow = yield* world.started([day("first", null)])
    for (const { id } of [ann, bob]) yield* world.memberships.add(world.workspace, flow, id, {})
    return { ...world, ann, flow }
  })

  it.effect("flows count an erased contact no longer, and its timeline is deleted", () =>
    Effect.gen(function* () {
      const { ann, contacts, flow, flows, transact, workspace } = yield* begin
      const store = yield* PrivacyStore
      const entries = yield* rowsOf(workspace, ["flow_event"])
      const erase = Effect.andThen(
        contacts.lockForDeletion(workspace, [ann.id]),
        store.erase(workspace, ann.id, { emails: [], phones: [] }),
      )
      yield* transact(erase)
      const { tally } = yield* flows.get(workspace, flow)
      assert.deepInclude(tally, { active: 1, waiting: 0, completed: 0, dropped: 0, failed: 0 })
      assert.deepStrictEqual([...(yield* flows.getStepCounts(workspace, flow)).counts], [["first", 1]])
      assert.deepStrictEqual(yield* rowsOf(workspace, ["flow_membership", "flow_event"]), [1, (entries[0] ?? 0) / 2])
    }),
  )

  it.effect("a deleted flow leaves no membership, no timeline and no counter", () =>
    Effect.gen(function* () {
      const { flow, flows, workspace } = yield* begin
      yield* flows.pause(workspace, flow)
      yield* flows.delete(workspace, flow)
      const left = yield* rowsOf(workspace, ["flow_membership", "flow_event", "flow_tally", "flow_step_tally"])
      assert.deepStrictEqual(left, [0, 0, 0, 0])
    }),
  )

  it.effect("a deleted workspace leaves no counter, also of contacts that are being written", () =>
    Effect.gen(function* () {
      const { person, transact, workspace } = yield* begin
      const store = yield* AdministrationStore
      assert.notInclude(yield* rowsOf(workspace, ["contact_tally", "flow_tally", "flow_step_tally"]), 0)
      yield* transact(store.retire(workspace, DateTime.makeUnsafe(5)))
      const late = Effect.forEach(["c", "d", "e", "f"], (name) => Effect.exit(person(name)), { concurrency: 2 })
      yield* Effect.all([late, store.erase(workspace)], { concurrency: 2 })
      yield* late
      const left = yield* rowsOf(workspace, ["contact", "contact_tally", "list", "flow_tally", "flow_step_tally"])
      assert.deepStrictEqual(left, [0, 0, 0, 0, 0])
    }),
  )
})
