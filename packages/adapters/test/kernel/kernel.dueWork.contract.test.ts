// Tests of `DueWork`: it names every kind that may have work, and no other.
import { PgClient } from "@effect/sql-pg"
import { Fresh } from "@tentpole/core/contract"
import { type DueKind, dueKinds, DueWork, type WorkKind } from "@tentpole/core/kernel/changes/DueWork"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { postgres } from "../fixtures/Stores.ts"
import { fenced } from "../support/Fenced.ts"

const all: ReadonlyArray<WorkKind> = [...dueKinds, "jobs"]

const begin = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const { among } = yield* DueWork
  const fresh = yield* Fresh
  const workspace = yield* fresh.workspace({})
  yield* sql`update due_work set due_at = 'infinity'`
  yield* sql`delete from due_hint`
  yield* sql`delete from jobs.job_queue`
  /** In seconds from now; null: none until a hint. */
  const due = (kind: DueKind, in_s: number | null) =>
    fenced(sql)(
      workspace,
      sql`
        insert into due_work (kind, workspace_id, due_at) values
          (${kind}, ${workspace}, ${in_s === null ? "infinity" : new Date(Date.now() + in_s * 1_000).toISOString()})
        on conflict (kind, workspace_id) do update set due_at = excluded.due_at`,
    )
  const hint = (kind: DueKind) =>
    fenced(sql)(workspace, sql`select hint_due(${kind}, ${workspace}, ${new Date().toISOString()}::timestamptz)`)
  const job = (state: "ready" | "later" | "running" | "completed" | "dead", in_s: number) =>
    Effect.gen(function* () {
      yield* sql`delete from jobs.job_queue`
      const lease = state === "running"
      yield* sql`
        insert into jobs.job_queue (id, workspace_id, type, payload, state, due_at, token, lease_until) values (
          ${yield* fresh.id}, ${WorkspaceId.make(yield* fresh.id)}, 'list_export', '{}', ${state},
          now() + make_interval(secs => ${in_s}::float8), ${lease ? yield* fresh.id : null},
          ${lease ? sql`now() + make_interval(secs => ${in_s}::float8)` : null})`
    })
  const named = Effect.map(among(all), (kinds) => kinds.toSorted())
  return { among, due, hint, job, named }
})

layer(postgres, { excludeTestServices: true })("DueWork (postgres)", (it) => {
  it.effect("names each kind for which a workspace is due, of those that are asked", () =>
    Effect.gen(function* () {
      const { among, due, named } = yield* begin
      for (const kind of dueKinds) {
        yield* due(kind, 60)
        assert.deepStrictEqual(yield* named, [], kind)
        yield* due(kind, -60)
        assert.deepStrictEqual(yield* named, [kind])
        assert.deepStrictEqual(yield* among(all.filter((other) => other !== kind)), [], kind)
        yield* due(kind, null)
        assert.deepStrictEqual(yield* named, [], kind)
      }
    }),
  )

  it.effect("names a kind with a hint", () =>
    Effect.gen(function* () {
      const { among, due, hint, named } = yield* begin
      yield* due("flows", null)
      yield* due("webhooks", -1)
      yield* hint("flows")
      yield* hint("flows")
      assert.deepStrictEqual(yield* named, ["flows", "webhooks"])
      assert.deepStrictEqual(yield* among(["messages", "flows"]), ["flows"])
    }),
  )

  it.effect("names jobs when a claim may find one", () =>
    Effect.gen(function* () {
      const { job, named } = yield* begin
      const cases = [
        ["ready", 0, true],
        ["later", -1, true],
        ["later", 60, false],
        ["running", -1, true],
        ["running", 60, false],
        ["completed", -1, false],
        ["dead", -1, false],
      ] as const
      for (const [state, in_s, isWaiting] of cases) {
        yield* job(state, in_s)
        assert.deepStrictEqual(yield* named, isWaiting ? ["jobs"] : [], `${state} ${in_s}`)
      }
    }),
  )
})
