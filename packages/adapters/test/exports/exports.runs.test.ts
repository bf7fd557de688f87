// Complete exports: started, written, downloaded, imported again, and after the deletion of their list or workspace.
import * as Csv from "@tentpole/adapters/csv/CsvReader"
import * as Blobs from "@tentpole/adapters/memory/ports/BlobStore"
import type { MemoryDatabase } from "@tentpole/adapters/memory/kernel/MemoryDatabase"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { newContact, type ContactPatch } from "@tentpole/core/contacts/ContactPatch"
import { ContactsChange } from "@tentpole/core/contacts/ContactsChange"
import { ContactStore } from "@tentpole/core/contacts/ContactStore"
import { parseEmail } from "@tentpole/core/kernel/values/EmailAddress"
import { Fresh, settingsLayer } from "@tentpole/core/contract"
import { byte_order_mark, csvText, guardFormula, withoutFormulaGuard } from "@tentpole/core/kernel/Csv"
import { exportKey } from "@tentpole/core/exports/Export"
import { downloads_path, Exports } from "@tentpole/core/exports/Exports"
import { ExportStore } from "@tentpole/core/exports/ExportStore"
import { BlastId, ContactId, ExportId, ListId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { CsvReader } from "@tentpole/core/imports/CsvReader"
import { type List, ListChange } from "@tentpole/core/lists/List"
import { nameCandidates } from "@tentpole/core/lists/ListName"
import { ListStore } from "@tentpole/core/lists/ListStore"
import { Transactor } from "@tentpole/core/kernel/changes/Transactor"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Schema, Stream } from "effect"
import { memory, postgres } from "../fixtures/Stores.ts"

const settings = settingsLayer()

const around = Layer.mergeAll(settings, Csv.layer, Blobs.layer)
const onMemory = Exports.layer.pipe(Layer.provideMerge(memory), Layer.provideMerge(around))
const onPostgres = Exports.layer.pipe(Layer.provideMerge(postgres), Layer.provideMerge(around))

/** What both stores share. */
type World = Exclude<Layer.Success<typeof onMemory>, MemoryDatabase>

const of = ({ id: listId }: List) => ({ kind: "list", listId, excludeUnsubscribed: false }) as const

const begin = Effect.gen(function* () {
  const [fresh, exports, lists, { transact }] = [yield* Fresh, yield* Exports, yield* ListStore, yield* Transactor]
  const workspace = yield* fresh.workspace()
  const now = yield* DateTime.now

  const add = Effect.fnUntraced(function* (patch: ContactPatch) {
    const id = ContactId.make(yield* fresh.id)
    const after = newContact(id, { email: parseEmail(`${id}@example.com`), ...patch }, "api", now)
    yield* transact((yield* ContactStore).apply(workspace, ContactsChange.of([{ before: null, after, at: now }])))
    return id
  })

  /** A blast's own list: the only exportable kind that can be discarded. */
  const inline = (contactIds: ReadonlyArray<ContactId>) =>
    Effect.gen(function* () {
      const [id, random, owner] = [ListId.make(yield* fresh.id), yield* fresh.id, BlastId.make(yield* fresh.id)]
      const candidates = nameCandidates({ text: "Café & Co", origin: "derived" }, random)
      const wanted = { id, candidates, description: null, content: { kind: "static", contactIds } } as const
      const facts = yield* lists.lockForCreation(workspace, { candidates, contactIds, named: [] })
      const { change, list } = yield* Effect.fromResult(ListChange.createInline(wanted, owner, facts, now))
      yield* lists.apply(workspace, change)
      const discard = lists.apply(workspace, ListChange.discardInline({ ...list, ownerBlastId: owner }, now))
      return { list, discard: transact(discard) }
    }).pipe(transact)
  return { fresh, exports, workspace, add, inline }
})

const fileOf = (workspace: WorkspaceId, id: ExportId) =>
  Effect.flatMap(BlobStore, (blobs) => blobs.info(exportKey(workspace, "list", id)))

const exportsOn = <E>(name: string, world: Layer.Layer<World, E>) =>
  layer(world, { excludeTestServices: true })(`exports on ${name}`, (it) => {
    it.effect("an export completes, and its link returns the file until it expires", () =>
      Effect.gen(function* () {
        const { exports, workspace, add, inline } = yield* begin
        const id = yield* add({ firstName: "=1+1", jobTitle: "'=x", city: 'a,b "q"\r\nc' })
        const { list } = yield* inline([id])
        const begun = yield* exports.create(workspace, of(list))
        const queued = yield* exports.get(workspace, of(list), begun.id)
        assert.deepStrictEqual(queued, { record: begun, link: null })

        yield* exports.run(workspace, begun.id)
        const { record, link } = yield* exports.get(workspace, of(list), begun.id)
        if (record.status !== "completed" || link === null) return assert.fail(record.status)
        const day = DateTime.formatIsoDateUtc(record.completedAt)
        assert.deepStrictEqual([record.rowCount, record.fileName], [1, `cafe-co-${day}.csv`])
        const valid_ms = link.expiresAt.epochMilliseconds - record.completedAt.epochMilliseconds
        assert.isTrue(valid_ms >= 3_600_000 && valid_ms < 3_660_000, `${valid_ms}`)

        const [origin, token = ""] = link.url.split(`${downloads_path}/`)
        assert.strictEqual(origin, "http://api.test")
        const { fileName, contentType, size_bytes, bytes } = yield* exports.download(token)
        assert.deepStrictEqual([fileName, contentType], [record.fileName, "text/csv; charset=utf-8"])
        const parts = yield* Stream.runCollect(bytes)
        assert.strictEqual(
          parts.reduce((sum, part) => sum + part.length, 0),
          size_bytes,
        )
        const [header, row] = yield* Stream.runCollect((yield* CsvReader).read(Stream.fromIterable(parts)))
        const cells = Object.fromEntries((header?.cells ?? []).map((column, at) => [column, row?.cells[at]]))
        assert.deepInclude(cells, { first_name: "'=1+1", job_title: "''=x", city: 'a,b "q"\r\nc', contact_id: id })
      }),
    )

    it.effect("running a completed export does nothing, and an interrupted run is written again", () =>
      Effect.gen(function* () {
        const { exports, workspace, add, inline } = yield* begin
        const { list } = yield* inline([yield* add({})])
        const { id } = yield* exports.create(workspace, of(list))
        const blobs = yield* BlobStore
        const half = Stream.succeed(encodeText("half of a file"))
        yield* blobs.put(exportKey(workspace, "list", id), half, { contentType: "text/csv", bytes_max: 100 })
        yield* exports.run(workspace, id)
        const first = yield* exports.get(workspace, of(list), id)
        const file = yield* fileOf(workspace, id)
        assert.isAbove(file.size_bytes, 300)
        yield* exports.run(workspace, id)
        yield* exports.abandon(workspace, id, "no")
        assert.deepStrictEqual((yield* exports.get(workspace, of(list), id)).record, first.record)
        assert.deepStrictEqual(yield* fileOf(workspace, id), file)
      }),
    )

    it.effect("deleting an export also deletes its file and links, and can be repeated", () =>
      Effect.gen(function* () {
        const { exports, workspace, inline } = yield* begin
        const { list } = yield* inline([])
        const { id } = yield* exports.create(workspace, of(list))
        yield* exports.run(workspace, id)
        const { link } = yield* exports.get(workspace, of(list), id)
        const token = link?.url.split("/").at(-1) ?? ""
        yield* exports.download(token)
        for (let time = 0; time < 2; time++) {
          yield* exports.expire(workspace, "list", id)
          assert.strictEqual((yield* Effect.flip(exports.get(workspace, of(list), id)))._tag, "NotFound")
          assert.strictEqual((yield* Effect.flip(exports.download(token)))._tag, "LinkRefused")
          assert.strictEqual((yield* Effect.flip(fileOf(workspace, id)))._tag, "BlobNotFound")
        }
        yield* exports.run(workspace, id)
        assert.strictEqual((yield* Effect.flip(fileOf(workspace, id)))._tag, "BlobNotFound")
      }),
    )

    it.effect("deleting a list makes its exports unavailable and deletes their files", () =>
      Effect.gen(function* () {
        const { exports, workspace, inline } = yield* begin
        const [written, waiting] = [yield* inline([]), yield* inline([])]
        const { id } = yield* exports.create(workspace, of(written.list))
        const { id: late } = yield* exports.create(workspace, of(waiting.list))
        yield* exports.run(workspace, id)
        const { link } = yield* exports.get(workspace, of(written.list), id)
        yield* written.discard
        yield* waiting.discard
        assert.strictEqual(
          (yield* Effect.flip(exports.download(link?.url.split("/").at(-1) ?? "")))._tag,
          "LinkRefused",
        )
        assert.strictEqual((yield* Effect.flip(exports.get(workspace, of(written.list), id)))._tag, "NotFound")
        yield* exports.run(workspace, late)
        const failed = yield* (yield* Transactor).transact((yield* ExportStore).lock(workspace, late))
        assert.deepInclude(failed, { status: "failed", error: "The list was deleted before its members were exported" })
        assert.strictEqual((yield* Effect.flip(fileOf(workspace, late)))._tag, "BlobNotFound")
        yield* exports.expire(workspace, "list", id)
        assert.strictEqual((yield* Effect.flip(fileOf(workspace, id)))._tag, "BlobNotFound")
      }),
    )

    it.effect("exports of other lists and workspaces are not found, nor are unknown lists", () =>
      Effect.gen(function* () {
        const { fresh, exports, workspace, inline } = yield* begin
        const [mine, other] = [yield* inline([]), yield* inline([])]
        const elsewhere = yield* fresh.workspace()
        const { id } = yield* exports.create(workspace, of(mine.list))
        const unknownId = ExportId.make(yield* fresh.id)
        for (const refused of [
          exports.get(workspace, of(other.list), id),
          exports.get(elsewhere, of(mine.list), id),
          exports.get(workspace, of(mine.list), unknownId),
          exports.create(elsewhere, of(mine.list)),
          exports.create(workspace, { ...of(mine.list), listId: ListId.make(yield* fresh.id) }),
        ]) {
          assert.strictEqual((yield* Effect.flip<unknown, { readonly _tag: string }, never>(refused))._tag, "NotFound")
        }
        yield* exports.run(elsewhere, id)
        yield* exports.abandon(elsewhere, id, "no")
        assert.strictEqual((yield* exports.get(workspace, of(mine.list), id)).record.status, "queued")
      }),
    )
  })

exportsOn("memory", onMemory)
exportsOn("postgres", onPostgres)

/** Storable text of characters that are hard for quoting, guarding and guessing. */
const Awkward = Schema.Array(
  Schema.Union([
    Schema.Literals(["'", '"', ",", ";", "|", "\r", "\n", "\t", "=", "+", "-", "@", "1", " ", "\ufeff", "é", "😀"]),
    Schema.String.check(Schema.isPattern(/^[^\0]*$/)),
  ]),
)

layer(Csv.layer)("exported text", (it) => {
  it.effect.prop(
    "any exported text is the same after an import",
    [Schema.NonEmptyArray(Schema.NonEmptyArray(Awkward))],
    ([rows]) =>
      Effect.gen(function* () {
        const { read } = yield* CsvReader
        const width = Math.max(...rows.map((cells) => cells.length))
        const header = ["contact_id", ...Array.from({ length: width }, (_, at) => `custom_fields.f${at}`)]
        const texts = rows.map((cells, at) =>
          Array.from(header, (_, column) =>
            column === 0 ? `id ${at}` : (cells[column - 1] ?? []).join("").toWellFormed(),
          ),
        )
        const bytes = encodeText(byte_order_mark + csvText([header, ...texts.map((cells) => cells.map(guardFormula))]))
        const records = yield* Stream.runCollect(read(Stream.succeed(bytes)))
        assert.deepStrictEqual(
          records.map(({ cells }) => cells.map(withoutFormulaGuard)),
          [header, ...texts],
        )
      }),
    { arbitrary: { runs: 300 } },
  )
})
