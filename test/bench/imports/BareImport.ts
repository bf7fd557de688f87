// The program of the import by hand: csv-parse, and a thousand rows at a time through `unnest` into the same tables.
import { PgClient } from "@effect/sql-pg"
import * as IdsAdapter from "@tentpole/adapters/crypto/Ids"
import { Ids } from "@tentpole/core/kernel/Ids"
import { parse } from "csv-parse"
import { Effect, Layer, ManagedRuntime, Redacted, References } from "effect"
import { createReadStream } from "node:fs"
import { runBare } from "../BareStatements.ts"
import { type BareTarget, beginRun, endRun, existingOf, lentColumn, writeChunk } from "./BareChunk.ts"
import { People } from "./BarePeople.ts"

export interface BareImport extends BareTarget {
  readonly databaseUrl: string
  readonly path: string
}

const chunk_rows = 1000

const [said = "{}"] = process.argv.slice(2)
const wanted = JSON.parse(said) as BareImport

const runtime = ManagedRuntime.make(
  Layer.mergeAll(
    PgClient.layer({
      url: Redacted.make(wanted.databaseUrl),
      maxConnections: 2,
      startupParameters: { timezone: "UTC", search_path: "public", jit: "off" },
    }),
    IdsAdapter.layer,
    Layer.succeed(References.TracerEnabled, false),
  ),
)

const write = (rows: ReadonlyArray<ReadonlyArray<string>>, before: number, lent: string): Promise<void> =>
  runtime.runPromise(
    Effect.gen(function* () {
      const [sql, ids] = [yield* PgClient.PgClient, yield* Ids]
      const people = new People(yield* ids.many(rows.length))
      yield* sql.withTransaction(
        Effect.gen(function* () {
          people.know(yield* existingOf(sql, wanted, rows))
          const results = rows.map((cells) => people.take(cells))
          yield* runBare(sql, writeChunk(wanted, { people, results, rows, before, lent }))
        }),
      )
    }),
  )

const lent = await runtime.runPromise(Effect.flatMap(PgClient.PgClient, (sql) => lentColumn(sql, wanted)))
const began_ms = performance.now()
await runtime.runPromise(Effect.flatMap(PgClient.PgClient, (sql) => runBare(sql, beginRun(wanted))))
const records = createReadStream(wanted.path).pipe(parse({ relax_column_count: true, from_line: 2 }))
let [rows, count]: [Array<ReadonlyArray<string>>, number] = [[], 0]
// The next rows are parsed while the database writes these.
let written: Promise<void> = Promise.resolve()
for await (const cells of records as AsyncIterable<ReadonlyArray<string>>) {
  rows.push(cells)
  if (rows.length < chunk_rows) continue
  await written
  written = write(rows, count, lent)
  ;[rows, count] = [[], count + rows.length]
}
await written
if (rows.length > 0) await write(rows, count, lent)
await runtime.runPromise(Effect.flatMap(PgClient.PgClient, (sql) => runBare(sql, endRun(wanted, count + rows.length))))
process.send?.(performance.now() - began_ms)
await runtime.dispose()
