// Import results and rejected rows on PostgreSQL: a page reads only its rows, pages and totals agree during a run, and runs
// without stored column names can still be exported.
import { PgClient } from "@effect/sql-pg"
import { fenced } from "@tentpole/adapters/test/Fenced"
import { decodeText } from "@tentpole/core/kernel/Bytes"
import { Fresh } from "@tentpole/core/contract"
import { ImportRunId } from "@tentpole/core/kernel/Ids"
import { rejectedRowsExport } from "@tentpole/core/imports/RejectedRows"
import { ImportStore } from "@tentpole/core/imports/ImportStore"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { assert, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { postgres } from "../fixtures/Stores.ts"

layer(postgres, { excludeTestServices: true })("import rows on PostgreSQL", (it) => {
  /** A completed run in which all rows but every `every`-th one were imported. */
  const having = Effect.fnUntraced(function* (rows: number, every: number) {
    const [sql, fresh] = [yield* PgClient.PgClient, yield* Fresh]
    const workspace = yield* fresh.workspace()
    const [session, run] = [yield* fresh.id, yield* fresh.id]
    const failed = Math.floor(rows / every)
    yield* fenced(sql)(
      workspace,
      Effect.gen(function* () {
        yield* sql`
          insert into import_session (workspace_id, import_session_id, source, content_type, blob_key, created_at, expires_at)
          values (${workspace}, ${session}, 'upload', 'text/csv', 'x', now(), now())`
        yield* sql`
          insert into import_run (workspace_id, import_run_id, import_session_id, status, mappings, duplicate_strategy,
            overwrite_blank_only, list_ids, processed_rows, created_count, error_count, created_at)
          values (${workspace}, ${run}, ${session}, 'completed', '[]', 'update', false, '{}', ${rows}, ${rows - failed},
            ${failed}, now())`
        yield* sql`
          insert into import_row (workspace_id, import_run_id, row_number, status, record)
          select ${workspace}, ${run}, n + 1, case when n % ${every}::int = 0 then 'failed' else 'created' end,
            case when n % ${every}::int = 0 then jsonb_build_array('no address', n::text) end
          from generate_series(1, ${rows}::int) as n`
      }),
    )
    return { sql, workspace, id: ImportRunId.make(run), failed }
  })

  it.effect("a page of any status reads only the rows that it returns", () =>
    Effect.gen(function* () {
      const [store, { transact }] = [yield* ImportStore, yield* Transactor]
      const { sql, workspace, id, failed } = yield* having(30_000, 100)
      const reading = Effect.gen(function* () {
        const rows = yield* store.rejectedRows(workspace, id, { after: 1, through: 30_001, limit: 1_000 })
        const [read] = yield* sql<{ readonly entirely: string; readonly by_index: string }>`
          select sum(seq_tup_read) as entirely, sum(idx_tup_fetch) as by_index from pg_stat_xact_user_tables
          where relname like 'import_row%'`
        return { count: rows.length, entirely: Number(read?.entirely), byIndex: Number(read?.by_index) }
      })
      assert.deepStrictEqual(yield* transact(Effect.orDie(reading)), { count: failed, entirely: 0, byIndex: failed })
    }),
  )

  it.effect("results that the run has not counted are not listed", () =>
    Effect.gen(function* () {
      const store = yield* ImportStore
      const { sql, workspace, id } = yield* having(10, 5)
      const late = sql`
        insert into import_row (workspace_id, import_run_id, row_number, status, record)
        values (${workspace}, ${id}, 12, 'failed', '["late"]')`
      yield* fenced(sql)(workspace, late)
      for (const [status, total, last] of [
        [null, 10, 11],
        ["failed", 2, 11],
      ] as const) {
        const page = yield* store.results(workspace, id, { status, page: 1, limit: 250 })
        assert.deepStrictEqual([page.total, page.items.length, page.items.at(-1)?.rowNumber], [total, total, last])
      }
      const text = (yield* Stream.runCollect((yield* rejectedRowsExport(store, workspace, id)).bytes))
        .map(decodeText)
        .join("")
      assert.notInclude(text, "late")
    }),
  )

  it.effect("a run without stored column names is exported with column numbers, completely, in pages", () =>
    Effect.gen(function* () {
      const store = yield* ImportStore
      const { workspace, id, failed } = yield* having(4_000, 2)
      assert.strictEqual((yield* store.getRun(workspace, id)).headers, null)
      const { bytes, fileName } = yield* rejectedRowsExport(store, workspace, id)
      const lines = (yield* Stream.runCollect(bytes)).map(decodeText).join("").split("\r\n")
      assert.strictEqual(fileName, "import-not-imported.csv")
      assert.match(lines[0] ?? "", /"Column 1","Column 2","row_number","status","reason"$/)
      assert.strictEqual(lines.length, failed + 2)
      assert.match(lines.at(-2) ?? "", /^"no address","4000","4001","failed"/)
    }),
  )
})
