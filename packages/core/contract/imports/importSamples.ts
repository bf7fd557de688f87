// Samples for the contract tests of imports: sessions, executions, runs and chunks of a small file with two columns, and
// lists.
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { ContactFieldStore } from "../../src/contacts/ContactFieldStore.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { fieldsByName } from "../../src/contacts/batch/ContactItem.ts"
import { ContactId, ImportRunId, ImportSessionId, ListId, type WorkspaceId } from "../../src/kernel/Ids.ts"
import type { ImportRun, ImportSession } from "../../src/imports/Import.ts"
import { type Execution, ImportChange } from "../../src/imports/machine.ts"
import { noTopics } from "../../src/imports/ChunkConsent.ts"
import { chunkIdentities, ImportChunkChange } from "../../src/imports/ImportChunk.ts"
import { ImportStore } from "../../src/imports/ImportStore.ts"
import { rowReader } from "../../src/imports/Rows.ts"
import { type CreationFacts, ListChange, type NewList } from "../../src/lists/List.ts"
import { nameCandidates } from "../../src/lists/ListName.ts"
import { ListStore } from "../../src/lists/ListStore.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { Fresh } from "../kernel/fresh.ts"

export const at = (ms: number) => DateTime.makeUnsafe(ms)
const headers = ["Email", "First name"]

export const execution = (listIds: ReadonlyArray<ListId> = []): Execution => ({
  as: "contacts",
  suppressionReason: null,
  mappings: [
    { header: "Email", targetField: "email", targetKind: null, overwriteBehavior: "overwrite" },
    { header: "First name", targetField: "first_name", targetKind: null, overwriteBehavior: "skip_if_filled" },
  ],
  duplicateStrategy: "update",
  overwriteBlankOnly: false,
  onInvalidCell: "skip_row",
  listIds,
  createdFieldDefinitionIds: [],
  consent: null,
})

export const some = <A>(value: A | null | undefined): A => {
  if (value === null || value === undefined) throw new Error("a value was expected")
  return value
}

export const sessionIn = Effect.fnUntraced(function* (workspace: WorkspaceId, source: "upload" | "rows" = "upload") {
  const id = ImportSessionId.make(yield* (yield* Fresh).id)
  const file = { source, fileName: source === "rows" ? null : "Äpfel “1”.csv", contentType: "text/csv" }
  const change = ImportChange.begin(workspace, id, file, at(1_234))
  const { transact } = yield* Transactor
  assert.isTrue(yield* transact((yield* ImportStore).apply(workspace, change)))
  return some(change.session).after
})

export const executionOf = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  session: ImportSession,
  wanted: Execution = execution(),
) {
  const facts = {
    headers,
    fields: yield* (yield* ContactFieldStore).list(workspace),
    lists: yield* (yield* ImportStore).listKinds(workspace, wanted.listIds),
    topics: [],
    mailRefusal: null,
    now: at(5_000),
  }
  const runId = ImportRunId.make(yield* (yield* Fresh).id)
  return yield* Effect.fromResult(ImportChange.execute(session, runId, wanted, facts))
})

/** A started run of three rows. */
export const runIn = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  listIds: ReadonlyArray<ListId> = [],
  more: Partial<Execution> = {},
) {
  const [store, { transact }] = [yield* ImportStore, yield* Transactor]
  const wanted = { ...execution(listIds), ...more }
  const executed = yield* executionOf(workspace, yield* sessionIn(workspace), wanted)
  yield* transact(store.apply(workspace, executed))
  const started = some(ImportChange.start(some(executed.run).after, 3, at(6_000)))
  assert.isTrue(yield* transact(store.apply(workspace, started)))
  return some(started.run).after
})

/** The offset of the row after `rows` others: every second row has a cell of two lines. One offset is unknown. */
export const lineOf = (rows: number): number | null => (rows === 2 ? null : 2 + rows + Math.floor(rows / 2))

/** Decides on the next rows; `cells` follow those that the run has processed. */
export const chunkOf = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  run: ImportRun,
  cells: ReadonlyArray<ReadonlyArray<string>>,
) {
  const [contacts, fresh] = [yield* ContactStore, yield* Fresh]
  const read = rowReader({
    headers,
    mappings: run.mappings,
    fields: fieldsByName([]),
    defaultCountry: "US",
    formulaGuarded: true,
    onInvalidCell: run.onInvalidCell,
  })
  const rows = cells.map((each, index) => {
    const row = { rowNumber: run.processedRows + index + 2, line: lineOf(run.processedRows + index), cells: each }
    return { row, read: read(row) }
  })
  const existing = yield* contacts.lock(workspace, chunkIdentities(rows))
  const ids = yield* Effect.forEach(cells, () => Effect.map(fresh.id, (id) => ContactId.make(id)))
  return ImportChunkChange.decide(run, headers, rows, { ...noTopics, existing, suppressions: [], ids, now: at(7_007) })
})

export const applyRows = (workspace: WorkspaceId, run: ImportRun, cells: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.gen(function* () {
    const [store, { transact }] = [yield* ImportStore, yield* Transactor]
    return yield* transact(
      Effect.flatMap(chunkOf(workspace, run, cells), (chunk) => store.applyChunk(workspace, chunk)),
    )
  })

export const newList = Effect.fnUntraced(function* (
  workspace: WorkspaceId,
  content: NewList["content"],
  create: (wanted: NewList, facts: CreationFacts) => ReturnType<typeof ListChange.create>,
) {
  const [lists, { transact }, fresh] = [yield* ListStore, yield* Transactor, yield* Fresh]
  const id = ListId.make(yield* fresh.id)
  const candidates = nameCandidates({ text: `list ${id}`, origin: "given" }, yield* fresh.id)
  return yield* transact(
    Effect.gen(function* () {
      const contactIds = content.kind === "static" ? content.contactIds : []
      const facts = yield* lists.lockForCreation(workspace, { candidates, contactIds, named: [] })
      const wanted: NewList = { id, candidates, description: null, content }
      const { change, list } = yield* Effect.fromResult(create(wanted, facts))
      yield* lists.apply(workspace, change)
      return list
    }),
  )
})
export const listIn = (workspace: WorkspaceId, content: NewList["content"]) =>
  Effect.map(
    newList(workspace, content, (wanted, facts) => ListChange.create(wanted, facts, at(500))),
    ({ id }) => id,
  )
