// Tests of the export of rejected import rows.
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Jobs from "@tentpole/adapters/memory/kernel/Jobs"
import * as Memory from "@tentpole/adapters/memory/All"
import { eventually } from "@tentpole/core/contract"
import { ImportRunId } from "@tentpole/core/kernel/Ids"
import type { RejectedRow } from "@tentpole/core/imports/Import"
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import { ImportStore } from "@tentpole/core/imports/ImportStore"
import { useCases } from "@tentpole/core/Tentpole"
import { Workspaces } from "@tentpole/core/workspaces/Workspaces"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { Api } from "@tentpole/http/Api"
import { edge, routesOf } from "@tentpole/http/edge/Edge"
import { handlers } from "@tentpole/http/Handlers"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, References } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { createServer, get } from "node:http"
import { type Json, parts, servingOver, testKey, world, memoryStores } from "../../fixtures/World.ts"

const imports = "/v1/contacts/imports"
const unknown = "7b0c7bd2-2a0b-4a5e-9a86-0a3c5b9d1e11"

const email = { header: "Email", target_field: "email" }

const begin = <Out, E>(over: Layer.Layer<Out | Workspaces, E>) =>
  Effect.gen(function* () {
    const quiet = Layer.merge(over, Layer.succeed(References.MinimumLogLevel, "None"))
    const { call, context } = yield* servingOver(quiet, Api, handlers)
    const executed = Effect.fnUntraced(function* (rows: Json, more: object = {}) {
      const begun = yield* call("POST", imports, { json: { source: "rows", rows, file_name: 'Größe "1".csv' } })
      const path = `${imports}/${begun.json.import_session_id}/execute`
      const { json } = yield* call("POST", path, { json: { mappings: [email], ...more } })
      return String(json.import_run_id)
    })
    return { call, context, executed }
  })

/** Runs the jobs, as the worker does. */
const run = (context: Context.Context<ImportRuns | WorkspaceStore>, id: string) =>
  Effect.gen(function* () {
    const workspace = yield* Context.get(context, WorkspaceStore).findFirst
    if (workspace === null) return assert.fail("no workspace")
    yield* Context.get(context, ImportRuns).run(workspace.id, ImportRunId.make(id))
  })

it.live("exports rejected rows as a file with the original columns and reasons", () =>
  Effect.gen(function* () {
    const { call, context, executed } = yield* begin(world)
    yield* call("POST", "/v1/contacts", { json: { items: [{ email: "old@b.co" }] } })
    const rows = [
      { Email: "new@b.co", Note: "fine" },
      { Email: "nobody", Note: '=1+1, "x"' },
      { Email: "", Note: null },
      { Email: "old@b.co", Note: "line\r\nbreak" },
    ]
    const id = yield* executed(rows, { duplicate_strategy: "skip" })
    const header = '\ufeff"Email","Note","row_number","status","reason"\r\n'
    const early = yield* call("GET", `${imports}/${id}/export`)
    assert.deepStrictEqual([early.status, early.text], [200, header.slice(1)])

    yield* run(context, id)
    const { status, headers, text } = yield* call("GET", `${imports}/${id}/export`)
    assert.deepStrictEqual(
      [status, ...["content-type", "content-disposition", "cache-control"].map((name) => headers.get(name))],
      [
        200,
        "text/csv; charset=utf-8",
        `attachment; filename="Gr__e _1_-not-imported.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22-not-imported.csv`,
        "no-store",
      ],
    )
    assert.strictEqual(
      text,
      header.slice(1) +
        '"nobody","\'=1+1, ""x""","3","failed","Email must be an email address, such as ann@example.com."\r\n' +
        '"","","4","skipped","The row is empty."\r\n' +
        '"old@b.co","line\r\nbreak","5","skipped","A contact with this email or phone is there already, and ' +
        'duplicate_strategy skip leaves it as it is."\r\n',
    )
    const head = yield* call("HEAD", `${imports}/${id}/export`)
    assert.deepStrictEqual(
      [head.status, head.text, head.headers.get("content-disposition")],
      [200, "", headers.get("content-disposition")],
    )
  }),
)

it.live("answers 404 for unknown and foreign runs", () =>
  Effect.gen(function* () {
    const { call, context, executed } = yield* begin(world)
    const id = yield* executed([{ Email: "nobody" }])
    const workspaces = Context.get(context, Workspaces)
    const other = yield* workspaces.create({ name: "Other", slug: "other", plan: "max" })
    const { raw } = yield* workspaces.createKey(other.id, { name: "test" })
    const foreign = { headers: { authorization: `Bearer ${raw}` } }
    const answered = (method: string, run: string, sent = {}) =>
      Effect.map(call(method, `${imports}/${run}/export`, sent), ({ status, json }) => [status, json?.error_code])
    assert.deepStrictEqual(yield* answered("GET", unknown), [404, "not_found"])
    assert.deepStrictEqual(yield* answered("GET", id, foreign), [404, "not_found"])
    assert.deepStrictEqual(yield* answered("HEAD", id, foreign), [404, undefined])
    assert.deepStrictEqual(yield* answered("GET", "nope"), [400, "invalid_id"])
    assert.deepStrictEqual(yield* answered("GET", id, { headers: { authorization: "" } }), [401, "unauthorized"])
    assert.deepStrictEqual(yield* answered("POST", id), [405, "method_not_allowed"])
  }),
)

/** A store whose runs have `rows` failed rows. Rows after `gone_after` can't be read, or are deleted. */
const pretending = (run: { rows: number; readable: number; lost?: "unreadable" | "deleted"; pages: number }) =>
  Layer.effect(
    ImportStore,
    Effect.map(ImportStore, (store) => {
      const row = (rowNumber: number): RejectedRow => ({
        rowNumber,
        line: rowNumber,
        status: "failed",
        contactId: null,
        issues: [],
        record: ["nobody", "x".repeat(1_000)],
      })
      return ImportStore.of({
        ...store,
        getRun: (workspace, id) =>
          Effect.map(store.getRun(workspace, id), (it) => ({
            ...it,
            processedRows: run.rows,
            counts: { ...it.counts, failed: run.rows },
          })),
        widestRejected: () => Effect.succeed(2),
        rejectedRows: (_workspace, _run, { after, through, limit }) =>
          Effect.suspend(() => {
            run.pages++
            if (after >= run.readable) {
              return run.lost === "deleted" ? Effect.succeed([]) : Effect.die("the database is unreachable")
            }
            const count = Math.min(limit, through - after)
            return Effect.succeed(Array.from({ length: count }, (_, index) => row(after + 1 + index)))
          }),
      })
    }),
  )

/** Exports such a run over a socket. */
const streaming = Effect.fnUntraced(function* (
  run: Parameters<typeof pretending>[0],
  logs: Layer.Layer<never> = Layer.empty,
) {
  const over = useCases.pipe(
    Layer.provideMerge(pretending(run)),
    Layer.provideMerge(memoryStores),
    Layer.provideMerge(Jobs.layer()),
    Layer.provideMerge(parts),
    Layer.provideMerge(Memory.database),
  )
  const { context, executed } = yield* begin(over)
  const id = yield* executed([{ Email: "nobody", Note: "x" }])
  const served = Layer.merge(HttpApiBuilder.layer(Api), edge(routesOf(Api)))
  const listening = yield* Layer.build(
    HttpRouter.serve(served, { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
      Layer.provide(handlers),
      Layer.provide(Layer.merge(logs, Layer.succeed(References.MinimumLogLevel, "Error"))),
      Layer.provide(Layer.succeedContext(context)),
    ),
  )
  const { address } = Context.get(listening, HttpServer.HttpServer)
  return {
    port: "port" in address ? address.port : 0,
    path: `${imports}/${id}/export`,
    headers: { authorization: `Bearer ${testKey}` },
  }
})

type Target = Effect.Success<ReturnType<typeof streaming>>

/** Reads the answer to its end, or disconnects after `stop_after` bytes. */
const read = (target: Target, stop_after = Infinity) =>
  Effect.callback<{ readonly whole: boolean; readonly bytes: number; readonly begins: string }>((resume) => {
    let bytes = 0
    let begins: string | undefined
    const request = get({ ...target, host: "127.0.0.1" }, (response) => {
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length
        begins ??= chunk.toString("utf8", 0, 11)
        if (bytes >= stop_after) request.destroy()
      })
      response.on("error", () => undefined)
      response.on("close", () => resume(Effect.succeed({ whole: response.complete, bytes, begins: begins ?? "" })))
    })
  })

it.live("a large export is complete", () =>
  Effect.gen(function* () {
    const run = { rows: 20_000, readable: Infinity, pages: 0 }
    const { whole, bytes, begins } = yield* read(yield* streaming(run))
    assert.deepStrictEqual([whole, begins, run.pages], [true, '\ufeff"Email",', 80])
    assert.isAbove(bytes, 20_000_000)
  }).pipe(Effect.scoped),
)

for (const lost of ["unreadable", "deleted"] as const) {
  it.live(`an export whose rows are ${lost} midway is visibly incomplete`, () =>
    Effect.gen(function* () {
      const run = { rows: 20_000, readable: 5_000, lost, pages: 0 }
      const logged: Array<unknown> = []
      const log = Logger.make(({ message }) => logged.push(message))
      const { whole, bytes } = yield* read(yield* streaming(run, Logger.layer([log])))
      assert.deepStrictEqual([whole, run.pages], [false, 21])
      assert.include(JSON.stringify(logged), "response broke off")
      assert.isBelow(bytes, 6_000_000)
    }).pipe(Effect.scoped),
  )
}

it.live("stops reading after a disconnect, and applies backpressure", () =>
  Effect.gen(function* () {
    const run = { rows: 1_000_000, readable: Infinity, pages: 0 }
    const { whole } = yield* read(yield* streaming(run), 2_000_000)
    // Without backpressure the whole export would be read.
    let pages = 0
    yield* eventually(
      Effect.delay(
        Effect.sync(() => [pages, (pages = run.pages)]),
        "150 millis",
      ),
      ([before, after]) => before === after,
    )
    assert.isFalse(whole)
    assert.isBelow(pages, 100)
  }).pipe(Effect.scoped),
)
