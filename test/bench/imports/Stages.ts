// Where the time of an import goes: its stages by themselves, over the same file, in this process. The file is read once
// without anything else; then each chunk is normalised, decided and written as the worker does it, one stage after the other.
import { ContactFieldStore } from "@tentpole/core/contacts/ContactFieldStore"
import { ContactStore } from "@tentpole/core/contacts/ContactStore"
import { fieldsByName } from "@tentpole/core/contacts/batch/ContactItem"
import { BlobStore } from "@tentpole/core/ports/BlobStore"
import { ContactId, Ids, ImportRunId, ImportSessionId, ListId } from "@tentpole/core/kernel/Ids"
import { CsvReader } from "@tentpole/core/imports/CsvReader"
import { chunk_rows_max } from "@tentpole/core/imports/Import"
import { type Execution, ImportChange } from "@tentpole/core/imports/ImportChange"
import { chunkIdentities, ImportChunkChange, type ChunkRow } from "@tentpole/core/imports/ImportChunk"
import { importFiles } from "@tentpole/core/imports/ImportFile"
import { ImportStore } from "@tentpole/core/imports/ImportStore"
import { rowReader } from "@tentpole/core/imports/Rows"
import { rowsOf } from "@tentpole/core/imports/Table"
import { Transactor } from "@tentpole/core/kernel/Transactor"
import { DateTime, Effect, Stream } from "effect"
import { createReadStream } from "node:fs"
import type { ImportingWorkspace } from "../../support/ImportCalls.ts"
import { peopleMappings } from "../../support/PeopleFile.ts"
import { StatementTimes } from "../StatementTimes.ts"
import type { World } from "./World.ts"

export interface Stages {
  /** Reading, decoding and parsing. The worker does it twice: it counts the rows before it applies them. */
  readonly parse_ms: number
  readonly normalise_ms: number
  readonly decide_ms: number
  /** Whom the rows name: found and locked. */
  readonly lock_ms: number
  /** Everything that is written, and the arrays that it takes. */
  readonly write_ms: number
  /** Beginning and ending the transactions. */
  readonly commit_ms: number
  /** The statements of all these, the longest first. */
  readonly statements: StatementTimes["longest"]
}

const execution = ({ listId }: ImportingWorkspace): Execution => ({
  mappings: peopleMappings.map((each) => ({
    header: each.header,
    targetField: each.target_field,
    targetKind: each.target_kind,
    overwriteBehavior: "overwrite",
  })),
  duplicateStrategy: "update",
  overwriteBlankOnly: false,
  listIds: [ListId.make(listId)],
  createdFieldDefinitionIds: [],
})

/** A run that no worker knows of: it is queued without its job. */
const begun = Effect.fnUntraced(function* (workspace: ImportingWorkspace, headers: ReadonlyArray<string>) {
  const [store, ids, { transact }] = [yield* ImportStore, yield* Ids, yield* Transactor]
  const fields = yield* (yield* ContactFieldStore).all(workspace.id)
  const now = yield* DateTime.now
  const sessionId = ImportSessionId.make(yield* ids.next)
  const source = { source: "upload", fileName: "people.csv", contentType: "text/csv" } as const
  const { session } = ImportChange.begin(workspace.id, sessionId, source, now)
  if (session === null) return yield* Effect.die("an import that is begun has a session")
  yield* transact(store.apply(workspace.id, ImportChange.begin(workspace.id, sessionId, source, now)))
  const wanted = execution(workspace)
  const lists = yield* store.listKinds(workspace.id, wanted.listIds)
  const runId = ImportRunId.make(yield* ids.next)
  const facts = { headers, fields, lists, now }
  const executed = yield* Effect.fromResult(ImportChange.execute(workspace.id, session.after, runId, wanted, facts))
  yield* transact(store.apply(workspace.id, executed))
  return { runId, mappings: (executed.run?.after ?? (yield* Effect.die("an execution makes a run"))).mappings, fields }
})

const kept = Effect.fnUntraced(function* (path: string, key: string) {
  const blobs = yield* BlobStore
  const bytes = Stream.fromAsyncIterable<Uint8Array, Error>(createReadStream(path), (error) => new Error(String(error)))
  yield* blobs.put(key, bytes, { contentType: "text/csv", bytes_max: 2 ** 30 })
  return importFiles(blobs, yield* CsvReader)
})

/** A chunk as the worker applies it, with the time of each step. */
const applied = (workspace: ImportingWorkspace, runId: ImportRunId, headers: ReadonlyArray<string>) =>
  Effect.fnUntraced(function* (rows: ReadonlyArray<ChunkRow>) {
    const [store, contacts, ids] = [yield* ImportStore, yield* ContactStore, yield* Ids]
    const { transact } = yield* Transactor
    const began = performance.now()
    const inside = yield* transact(
      Effect.gen(function* () {
        const run = yield* store.lockRun(workspace.id, runId)
        const opened = performance.now()
        const existing = yield* contacts.lock(workspace.id, chunkIdentities(rows))
        const locked = performance.now()
        const fresh = (yield* ids.many(rows.length)).map((each) => ContactId.make(each))
        const facts = { existing, ids: fresh, now: yield* DateTime.now }
        const change = ImportChunkChange.decide(run, headers, rows, facts)
        const decided = performance.now()
        if (!(yield* store.applyChunk(workspace.id, change))) yield* Effect.die("nobody else moves this run")
        return { opened, locked, decided, written: performance.now() }
      }),
    )
    return {
      lock_ms: inside.locked - inside.opened,
      decide_ms: inside.decided - inside.locked,
      write_ms: inside.written - inside.decided,
      commit_ms: inside.opened - began + (performance.now() - inside.written),
    }
  })

/** The stages of the file, imported into the workspace while nothing else goes on. */
export const stagesOf = (world: World, workspace: ImportingWorkspace, path: string): Promise<Stages> =>
  world.inside.run(
    Effect.gen(function* () {
      const key = `imports/${workspace.id}/stages`
      const files = yield* kept(path, key)
      const { headers } = yield* files.head("upload", key, 0)
      const parsing_ms = performance.now()
      const records_count = yield* Stream.runCount(files.records("upload", key))
      const parse_ms = performance.now() - parsing_ms
      const [store, { transact }] = [yield* ImportStore, yield* Transactor]
      const { runId, mappings, fields } = yield* begun(workspace, headers)
      const started = ImportChange.start(
        yield* store.getRun(workspace.id, runId),
        records_count - 1,
        yield* DateTime.now,
      )
      if (started !== null) yield* transact(store.apply(workspace.id, started))
      const read = rowReader({
        headers,
        mappings,
        fields: fieldsByName(fields),
        defaultCountry: "US",
        formulaGuarded: true,
      })
      const apply = applied(workspace, runId, headers)
      const times = new StatementTimes()
      const sums = { parse_ms, normalise_ms: 0, decide_ms: 0, lock_ms: 0, write_ms: 0, commit_ms: 0 }
      yield* rowsOf(files.records("upload", key)).pipe(
        Stream.grouped(chunk_rows_max),
        Stream.runForEach(
          Effect.fnUntraced(function* (rows) {
            const normalising_ms = performance.now()
            const chunk = rows.map((row) => ({ row, read: read(row) }))
            sums.normalise_ms += performance.now() - normalising_ms
            const { lock_ms, decide_ms, write_ms, commit_ms } = yield* times.of(apply(chunk))
            sums.lock_ms += lock_ms
            sums.decide_ms += decide_ms
            sums.write_ms += write_ms
            sums.commit_ms += commit_ms
          }),
        ),
      )
      const ended = ImportChange.complete(yield* store.getRun(workspace.id, runId), yield* DateTime.now)
      if (ended !== null) yield* transact(store.apply(workspace.id, ended))
      yield* (yield* BlobStore).remove(key)
      return { ...sums, statements: times.longest }
    }),
  )
