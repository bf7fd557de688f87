// Complete imports: a file uploaded, executed, and applied by workers that stop, run twice or lose the file.
import { PgClient } from "@effect/sql-pg"
import * as FakeAi from "@tentpole/adapters/ai/fake/FakeAi"
import * as Csv from "@tentpole/adapters/csv/CsvReader"
import * as Blobs from "@tentpole/adapters/memory/ports/BlobStore"
import type { MemoryDatabase } from "@tentpole/adapters/memory/kernel/MemoryDatabase"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { Fresh, sampled, settingsLayer } from "@tentpole/core/contract"
import { ContactStore } from "@tentpole/core/contacts/ContactStore"
import { type ImportSessionId, TopicId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { ConsentStore } from "@tentpole/core/topics/ConsentStore"
import { TopicChange } from "@tentpole/core/topics/machine"
import { TopicStore } from "@tentpole/core/topics/TopicStore"
import { frozenKey, type ImportRun, uploadKey } from "@tentpole/core/imports/Import"
import type { Execution } from "@tentpole/core/imports/machine"
import { Links } from "@tentpole/core/rendering/Links"
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import { Imports, uploads_path } from "@tentpole/core/imports/Imports"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Random, Stream } from "effect"
import { memory, postgres } from "../fixtures/Stores.ts"

const settings = settingsLayer()

const useCases = Layer.merge(Imports.layer, ImportRuns.layer).pipe(Layer.provide(Links.layer))
const around = Layer.mergeAll(settings, Csv.layer, Blobs.layer, FakeAi.layer)
const onMemory = useCases.pipe(Layer.provideMerge(memory), Layer.provideMerge(around))
const onPostgres = useCases.pipe(Layer.provideMerge(postgres), Layer.provideMerge(around))

/** What both stores share. */
type World = Exclude<Layer.Success<typeof onMemory>, MemoryDatabase>

const execution: Execution = {
  as: "contacts",
  suppressionReason: null,
  mappings: [
    { header: "Email", targetField: "email", targetKind: null, overwriteBehavior: "overwrite" },
    { header: "Name", targetField: "display_name", targetKind: null, overwriteBehavior: "overwrite" },
  ],
  duplicateStrategy: "update",
  overwriteBlankOnly: false,
  onInvalidCell: "skip_row",
  listIds: [],
  createdFieldDefinitionIds: [],
  consent: null,
}

/** Rows of three chunks: every tenth has no identity, every seventh repeats an earlier one. */
const rows = Array.from({ length: 2_100 }, (_, index) => {
  if (index % 10 === 9) return `no address,Row ${index}`
  return index % 7 === 6 ? `p${index - 5}@b.co,Again ${index}` : `p${index}@b.co,Row ${index}`
})
const file = ["Email,Name", ...rows].join("\r\n")
const failed = rows.filter((row) => row.startsWith("no address")).length
const addresses = new Set(rows.map((row) => row.split(",")[0] ?? "").filter((each) => each !== "no address")).size
const expected = { created: addresses, updated: rows.length - failed - addresses, skipped: 0, failed, warned: 0 }

const importsOn = <E>(name: string, world: Layer.Layer<World, E>) =>
  layer(world, { excludeTestServices: true })(`imports on ${name}`, (it) => {
    const uploaded = Effect.fnUntraced(function* (workspace: WorkspaceId, content: string | Uint8Array) {
      const imports = yield* Imports
      const { session, uploadUrl } = yield* imports.beginUpload(workspace, {
        fileName: "a.csv",
        contentType: "text/csv",
      })
      const token = uploadUrl.replace(`http://api.test${uploads_path}/`, "")
      yield* imports.upload(token, Stream.succeed(Buffer.from(content)))
      return { session, token }
    })

    const executed = Effect.fnUntraced(function* (content: string, wanted = execution) {
      const [imports, fresh] = [yield* Imports, yield* Fresh]
      const workspace = yield* fresh.workspace()
      const { session } = yield* uploaded(workspace, content)
      return { workspace, run: yield* imports.execute(workspace, session.id, wanted) }
    })

    const outcome = Effect.fnUntraced(function* (workspace: WorkspaceId, run: ImportRun) {
      const [imports, contacts] = [yield* Imports, yield* ContactStore]
      const { status, processedRows, totalRows, counts, error } = yield* imports.getRun(workspace, run.id)
      return { status, processedRows, totalRows, counts, error, contacts: yield* contacts.count(workspace) }
    })

    const whole = {
      status: "completed" as const,
      processedRows: rows.length,
      totalRows: rows.length,
      counts: expected,
      error: null,
      contacts: addresses,
    }

    it.effect("every row has a result, and the file is deleted", () =>
      Effect.gen(function* () {
        const { workspace, run } = yield* executed(file)
        assert.strictEqual(run.status, "queued")
        const runs = yield* ImportRuns
        yield* runs.run(workspace, run.id)
        assert.deepStrictEqual(yield* outcome(workspace, run), whole)
        yield* runs.run(workspace, run.id)
        assert.deepStrictEqual(yield* outcome(workspace, run), whole)
        const blobs = yield* BlobStore
        assert.strictEqual((yield* Effect.flip(blobs.info(frozenKey(workspace, run))))._tag, "BlobNotFound")
        yield* (yield* Imports).expire(workspace, run.sessionId)
        assert.strictEqual((yield* Effect.flip(blobs.info(uploadKey(workspace, run.sessionId))))._tag, "BlobNotFound")
        assert.deepStrictEqual(yield* outcome(workspace, run), whole)
      }),
    )

    it.effect("a run with many interruptions has the same result as one without", () =>
      Effect.gen(function* () {
        const { workspace, run } = yield* executed(file)
        const runs = yield* ImportRuns
        for (let stops = 0; stops < sampled(15); stops++) {
          const worker = yield* Effect.forkChild(runs.run(workspace, run.id))
          yield* Effect.sleep(yield* Random.nextBetween(0, name === "memory" ? 20 : 150))
          yield* Fiber.interrupt(worker)
        }
        yield* runs.run(workspace, run.id)
        assert.deepStrictEqual(yield* outcome(workspace, run), whole)
      }),
    )

    it.effect("interrupted and concurrent workers write choices and consent records once", () =>
      Effect.gen(function* () {
        const [imports, fresh, runs, consents] = [yield* Imports, yield* Fresh, yield* ImportRuns, yield* ConsentStore]
        const [topics, contacts, { transact }] = [yield* TopicStore, yield* ContactStore, yield* Transactor]
        const workspace = yield* fresh.workspace()
        const id = TopicId.make(yield* fresh.id)
        const news = {
          name: "News",
          description: null,
          defaultSubscription: "unsubscribed",
          visibility: "public",
        } as const
        yield* transact(
          Effect.gen(function* () {
            const wanted = { ...news, id, doubleOptIn: true, position: null }
            const all = yield* topics.lock(workspace)
            const { change } = yield* Effect.fromResult(TopicChange.create(wanted, all, yield* DateTime.now))
            yield* topics.apply(workspace, change)
          }),
        )
        const { session } = yield* uploaded(workspace, file)
        const consent = {
          topicIds: [id],
          source: "shop",
          text: "Yes, send me the letter.",
          collectedAt: DateTime.makeUnsafe("2026-01-01T00:00:00Z"),
          collectedAtHeader: null,
          doubleOptIn: false,
        }
        const run = yield* imports.execute(workspace, session.id, { ...execution, consent })
        assert.deepStrictEqual(run.consent, consent)
        assert.deepStrictEqual(yield* imports.getRun(workspace, run.id), run)
        for (let stops = 0; stops < sampled(5); stops++) {
          const worker = yield* Effect.forkChild(runs.run(workspace, run.id))
          yield* Effect.sleep(yield* Random.nextBetween(0, name === "memory" ? 20 : 250))
          yield* Fiber.interrupt(worker)
        }
        yield* Effect.all([runs.run(workspace, run.id), runs.run(workspace, run.id)], { concurrency: 2 })
        assert.deepStrictEqual(yield* outcome(workspace, run), whole)
        assert.strictEqual((yield* topics.get(workspace, id)).subscribedCount, addresses)
        // Row 0, and row 6, which repeats row 1.
        const found = yield* contacts.findByIdentity(workspace, { emails: ["p0@b.co", "p1@b.co"], phones: [] })
        const counts = yield* Effect.forEach(found, ({ id: contact, email }) =>
          Effect.map(consents.records(workspace, contact, { after: null, limit: 10 }), ({ items }) => [
            email,
            items.length,
            items[0]?.importRunId,
          ]),
        )
        assert.sameDeepMembers(counts, [
          ["p0@b.co", 1, run.id],
          ["p1@b.co", 2, run.id],
        ])
      }),
    )

    it.effect("three workers on one run apply each row once", () =>
      Effect.gen(function* () {
        const { workspace, run } = yield* executed(file)
        const runs = yield* ImportRuns
        const one = runs.run(workspace, run.id)
        yield* Effect.all([one, Effect.delay(one, "5 millis"), Effect.delay(one, "30 millis")], { concurrency: 3 })
        assert.deepStrictEqual(yield* outcome(workspace, run), whole)
      }),
    )

    it.effect("two concurrent imports of the same contacts lose no contact", () =>
      Effect.gen(function* () {
        const [imports, runs] = [yield* Imports, yield* ImportRuns]
        const workspace = yield* (yield* Fresh).workspace()
        const started = yield* Effect.forEach([0, 1], () =>
          Effect.flatMap(uploaded(workspace, file), ({ session }) => imports.execute(workspace, session.id, execution)),
        )
        yield* Effect.forEach(started, (run) => runs.run(workspace, run.id), { concurrency: 2 })
        const [one, two] = yield* Effect.forEach(started, (run) => outcome(workspace, run))
        assert.deepStrictEqual([one?.status, two?.status, one?.contacts], ["completed", "completed", addresses])
        assert.strictEqual((one?.counts.created ?? 0) + (two?.counts.created ?? 0), addresses)
        assert.deepStrictEqual([one?.counts.failed, two?.counts.failed], [failed, failed])
      }),
    )

    it.effect("an incomplete file fails before its first row is applied", () =>
      Effect.gen(function* () {
        const { workspace, run } = yield* executed(`${file}\r\n"open@b.co,never closed\r\nlast@b.co,x`)
        yield* (yield* ImportRuns).run(workspace, run.id)
        const { status, processedRows, error, contacts } = yield* outcome(workspace, run)
        assert.deepStrictEqual([status, processedRows, contacts], ["failed", 0, 0])
        assert.match(error ?? "", /quote is opened/)
      }),
    )

    it.effect("a run without its file fails, and an abandoned run stays failed", () =>
      Effect.gen(function* () {
        const [blobs, runs] = [yield* BlobStore, yield* ImportRuns]
        const { workspace, run } = yield* executed(file)
        yield* blobs.delete(frozenKey(workspace, run))
        yield* runs.run(workspace, run.id)
        assert.match((yield* outcome(workspace, run)).error ?? "", /was deleted/)
        const other = yield* executed(file)
        yield* runs.abandon(other.workspace, other.run.id, "The store did not answer")
        yield* runs.run(other.workspace, other.run.id)
        const { status, error, contacts } = yield* outcome(other.workspace, other.run)
        assert.deepStrictEqual([status, error, contacts], ["failed", "The store did not answer", 0])
      }),
    )

    it.effect("the worker of a run that is abandoned meanwhile ends without an error", () =>
      Effect.gen(function* () {
        const runs = yield* ImportRuns
        for (const delay_ms of [5, 20, 60]) {
          const { workspace, run } = yield* executed(file)
          const stop = Effect.delay(runs.abandon(workspace, run.id, "enough"), delay_ms)
          yield* Effect.all([runs.run(workspace, run.id), stop], { concurrency: 2 })
          const { status, processedRows, counts } = yield* outcome(workspace, run)
          assert.include(["failed", "completed"], status)
          assert.strictEqual(processedRows, counts.created + counts.updated + counts.skipped + counts.failed)
        }
      }),
    )

    it.effect("an upload after the execution is not imported, and the address accepts no more", () =>
      Effect.gen(function* () {
        const [imports, runs, blobs] = [yield* Imports, yield* ImportRuns, yield* BlobStore]
        const workspace = yield* (yield* Fresh).workspace()
        const { session, token } = yield* uploaded(workspace, "Email,Name\nfirst@b.co,1\n")
        yield* imports.upload(token, Stream.succeed(Buffer.from("Email,Name\nsecond@b.co,2\nthird@b.co,3\n")))
        const run = yield* imports.execute(workspace, session.id, execution)
        const late = yield* Effect.flip(imports.upload(token, Stream.succeed(Buffer.from("Email\n"))))
        assert.strictEqual(late.code, "link_refused")
        const options = { contentType: "text/csv", bytes_max: 1000 }
        yield* blobs.put(session.blobKey, Stream.succeed(Buffer.from("Email,Name\nevil@b.co,x\n")), options)
        yield* runs.run(workspace, run.id)
        const { status, counts } = yield* outcome(workspace, run)
        assert.deepStrictEqual([status, counts.created], ["completed", 2])
        const contacts = yield* ContactStore
        const found = yield* contacts.findByIdentity(workspace, { emails: ["second@b.co", "third@b.co"], phones: [] })
        assert.strictEqual(found.length, yield* contacts.count(workspace))
      }),
    )

    it.effect("a session is executed once, and only after its upload", () =>
      Effect.gen(function* () {
        const imports = yield* Imports
        const workspace = yield* (yield* Fresh).workspace()
        const { session } = yield* imports.beginUpload(workspace, { fileName: "a.csv", contentType: "text/csv" })
        const refusalOf = (id: ImportSessionId, wanted = execution) =>
          Effect.map(Effect.flip(imports.execute(workspace, id, wanted)), ({ code }) => code)
        assert.strictEqual(yield* refusalOf(session.id), "upload_missing")
        const missing = yield* Effect.flip(imports.preview({ id: workspace, defaultCountry: "US" }, session.id))
        assert.strictEqual(missing.code, "upload_missing")
        const { session: ready } = yield* uploaded(workspace, "Email,Name\na@b.co,x\n")
        assert.strictEqual(yield* refusalOf(ready.id, { ...execution, mappings: [] }), "validation_failed")
        yield* imports.execute(workspace, ready.id, execution)
        assert.strictEqual(yield* refusalOf(ready.id), "invalid_state")
        const { session: empty } = yield* uploaded(workspace, "")
        assert.strictEqual(yield* refusalOf(empty.id), "import_unreadable")
      }),
    )

    it.effect("rows of a request are imported unchanged, including guard characters", () =>
      Effect.gen(function* () {
        const [imports, runs, contacts] = [yield* Imports, yield* ImportRuns, yield* ContactStore]
        const workspace = yield* (yield* Fresh).workspace()
        const given = [
          { Email: "a@b.co", Name: "'=1" },
          { Email: null, Name: null },
          { Email: 5, Name: "x\r\ny" },
        ]
        const session = yield* imports.beginRows(workspace, given, null)
        const run = yield* imports.execute(workspace, session.id, execution)
        yield* runs.run(workspace, run.id)
        const { status, counts } = yield* outcome(workspace, run)
        assert.deepStrictEqual(
          [status, counts],
          ["completed", { created: 1, updated: 0, skipped: 1, failed: 1, warned: 0 }],
        )
        const [made] = yield* contacts.findByIdentity(workspace, { emails: ["a@b.co"], phones: [] })
        assert.strictEqual(made?.displayName, "'=1")
      }),
    )

    it.effect("a file without rows is imported at once", () =>
      Effect.gen(function* () {
        const { workspace, run } = yield* executed("Email;Name\n")
        yield* (yield* ImportRuns).run(workspace, run.id)
        const { status, totalRows, processedRows } = yield* outcome(workspace, run)
        assert.deepStrictEqual([status, totalRows, processedRows], ["completed", 0, 0])
      }),
    )
  })

layer(onPostgres, { excludeTestServices: true })("an import into a new database", (it) => {
  it.effect("analyzes its tables, so that no plan for an empty table is cached", () =>
    Effect.gen(function* () {
      const [imports, runs, fresh, sql] = [yield* Imports, yield* ImportRuns, yield* Fresh, yield* PgClient.PgClient]
      const estimate = Effect.map(
        sql<{ readonly reltuples: number }>`select reltuples from pg_class where oid = 'public.contact'::regclass`,
        ([row]) => row?.reltuples ?? -1,
      )
      assert.isAtMost(yield* estimate, 0)
      const workspace = yield* fresh.workspace()
      const rows = Array.from({ length: 1000 }, (_, index) => ({ Email: `p${index}@b.co`, Name: `Row ${index}` }))
      const session = yield* imports.beginRows(workspace, rows, null)
      const run = yield* imports.execute(workspace, session.id, execution)
      yield* runs.run(workspace, run.id)
      assert.strictEqual(yield* estimate, 1000)
      assert.strictEqual((yield* sql`select tentpole_statistics() as analyzed`)[0]?.["analyzed"], 0)
    }),
  )
})

importsOn("memory", onMemory)
importsOn("postgres", onPostgres)
