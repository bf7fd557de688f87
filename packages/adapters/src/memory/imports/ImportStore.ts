// The import store in memory.
import type { ContactId, ImportRunId, ImportSessionId, ListId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { ImportRun, ImportSession, RejectedRow, RowResult } from "@tentpole/core/imports/Import"
import type { ImportChange } from "@tentpole/core/imports/machine"
import type { ImportChunkChange } from "@tentpole/core/imports/ImportChunk"
import { ImportStore, type ListKind } from "@tentpole/core/imports/ImportStore"
import { ListChange } from "@tentpole/core/lists/List"
import type { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Result } from "effect"
import { writeFields } from "../contacts/ContactTables.ts"
import { writeContacts } from "../contacts/ContactStore.ts"
import { applyList, listMembers, lists } from "../lists/ListStore.ts"
import { type Rows, storeLayer, table } from "../kernel/MemoryDatabase.ts"
import { newest, paged } from "../kernel/Slices.ts"
import { suppress } from "../sending/Suppressions.ts"
import { systemListRows } from "../workspaces/WorkspaceStore.ts"

export const importSessions = table<ImportSession>("import_session")
export const importRuns = table<ImportRun>("import_run")
/** The rows of each run in order, by run id. One entry for each run, so that a page does not scan other runs. */
export const importRows = table<ReadonlyArray<RowResult>>("import_row")

const sameState = (left: ImportSession, right: ImportSession): boolean =>
  left.executedAt?.epochMilliseconds === right.executedAt?.epochMilliseconds &&
  left.suggestions?.key === right.suggestions?.key

const apply = Effect.fnUntraced(function* (
  db: Rows,
  writer: ChangeWriter["Service"],
  workspace: WorkspaceId,
  change: ImportChange,
) {
  const { session, run, fields } = change
  if (session !== null && session.before !== null) {
    const stored = yield* db.find(importSessions, workspace, session.after.id)
    if (stored === undefined || !sameState(stored, session.before)) return false
  }
  if (run !== null && run.before !== null) {
    const stored = yield* db.find(importRuns, workspace, run.after.id)
    if (stored?.status !== run.before.status || stored.processedRows !== run.before.processedRows) return false
  }
  if (session !== null) yield* db.put(importSessions, workspace, session.after.id, session.after)
  if (run !== null) yield* db.put(importRuns, workspace, run.after.id, run.after)
  if (fields !== null) yield* writeFields(db, workspace, fields)
  yield* writer.writeEffects(workspace, [change])
  return true
})

const membersOf = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, list: ListId) {
  const all = yield* db.all(listMembers, workspace)
  return new Set(all.flatMap((member) => (member.listId === list ? [member.contactId] : [])))
})

const addMembers = Effect.fnUntraced(function* (
  db: Rows,
  writer: ChangeWriter["Service"],
  workspace: WorkspaceId,
  { members, at }: ImportChunkChange,
) {
  const contacts: ReadonlySet<ContactId> = new Set(members.contactIds)
  for (const id of [...members.listIds].sort()) {
    const list = yield* db.find(lists, workspace, id)
    if (list === undefined) continue
    const facts = { list, contacts, members: yield* membersOf(db, workspace, id) }
    const added = ListChange.addMembers(facts, members.contactIds, at)
    if (Result.isFailure(added)) continue
    yield* applyList(db, workspace, added.success.change).pipe(Effect.orDie)
    yield* writer.writeEffects(workspace, [added.success.change])
  }
})

const applyChunk = Effect.fnUntraced(function* (
  db: Rows,
  writer: ChangeWriter["Service"],
  workspace: WorkspaceId,
  change: ImportChunkChange,
) {
  const run = yield* db.find(importRuns, workspace, change.runId)
  if (run?.status !== "running" || run.processedRows !== change.processedBefore) return false
  const { counts } = change
  yield* db.put(importRuns, workspace, run.id, {
    ...run,
    processedRows: change.processedAfter,
    counts: {
      created: run.counts.created + counts.created,
      updated: run.counts.updated + counts.updated,
      skipped: run.counts.skipped + counts.skipped,
      failed: run.counts.failed + counts.failed,
      warned: run.counts.warned + counts.warned,
    },
  })
  yield* writeContacts(db, workspace, change.contacts)
  yield* writer.writeEffects(workspace, [change.contacts])
  for (const each of change.suppressions) yield* suppress(db, workspace, each)
  yield* addMembers(db, writer, workspace, change)
  const before = (yield* db.find(importRows, workspace, run.id)) ?? []
  yield* db.put(importRows, workspace, run.id, [...before, ...change.results])
  return true
})

const rejectedOf = ({ record, ...row }: RowResult): ReadonlyArray<RejectedRow> =>
  record === null ? [] : [{ ...row, record }]

export const layer = storeLayer(ImportStore, (db, writer) => {
  const getSession = (workspace: WorkspaceId, id: ImportSessionId) =>
    db.get(importSessions, workspace, id, "import session")
  const getRun = (workspace: WorkspaceId, id: ImportRunId) => db.get(importRuns, workspace, id, "import run")

  const rejectedBetween = (workspace: WorkspaceId, run: ImportRunId, after: number, through: number) =>
    Effect.map(db.find(importRows, workspace, run), (rows) =>
      (rows ?? []).filter(({ rowNumber }) => rowNumber > after && rowNumber <= through).flatMap(rejectedOf),
    )

  return ImportStore.of({
    getSession,
    lockSession: (workspace, id) => Effect.andThen(Transaction, getSession(workspace, id)),
    listKinds: Effect.fnUntraced(function* (workspace, ids) {
      const wanted = new Set<ListId>(ids)
      const own = yield* db.all(lists, workspace)
      const system = yield* db.all(systemListRows, workspace)
      const all: ReadonlyArray<ListKind> = [...own, ...system.map(({ id }) => ({ id, kind: "system" as const }))]
      return all.flatMap(({ id, kind }) => (wanted.has(id) ? [{ id, kind }] : []))
    }),
    getRun,
    lockRun: (workspace, id) => Effect.andThen(Transaction, getRun(workspace, id)),
    runOf: (workspace, session) =>
      Effect.map(db.all(importRuns, workspace), (runs) => runs.find(({ sessionId }) => sessionId === session) ?? null),
    runs: Effect.fnUntraced(function* (workspace, query) {
      const names = new Map((yield* db.all(importSessions, workspace)).map(({ fileName, id }) => [id, fileName]))
      const runs = yield* db.all(importRuns, workspace)
      return newest(
        runs.map((run) => ({ ...run, fileName: names.get(run.sessionId) ?? null })),
        query,
      )
    }),
    apply: (workspace, change) => Effect.andThen(Transaction, apply(db, writer, workspace, change)),
    applyChunk: (workspace, change) => Effect.andThen(Transaction, applyChunk(db, writer, workspace, change)),
    results: Effect.fnUntraced(function* (workspace, id, query) {
      yield* getRun(workspace, id)
      const rows = (yield* db.find(importRows, workspace, id)) ?? []
      const { items, total } = paged(
        query,
        rows.filter(({ status }) => query.status === null || status === query.status),
      )
      return { items: items.map((row) => ({ ...row, record: null })), total }
    }),
    rejectedRows: (workspace, run, { after, through, limit }) =>
      Effect.map(rejectedBetween(workspace, run, after, through), (rows) => rows.slice(0, limit)),
    widestRejected: (workspace, run, through) =>
      Effect.map(rejectedBetween(workspace, run, 1, through), (rows) =>
        rows.reduce((widest, { record }) => Math.max(widest, record.length), 0),
      ),
    deleteSession: Effect.fnUntraced(function* (workspace, id) {
      yield* Transaction
      const session = yield* db.find(importSessions, workspace, id)
      if (session?.executedAt === null) yield* db.remove(importSessions, workspace, id)
    }),
  })
})
