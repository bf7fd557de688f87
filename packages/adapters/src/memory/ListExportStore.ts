// Exports of lists in memory.
import type { ListExportId, WorkspaceId } from "@tentpole/core/Ids"
import { type ListExport, ListExportChange } from "@tentpole/core/lists/ListExport"
import { ListExportStore } from "@tentpole/core/lists/ListExportStore"
import { NotFound } from "@tentpole/core/Refusal"
import { Transaction } from "@tentpole/core/Transactor"
import { Effect, Layer, Stream } from "effect"
import { findList } from "./ListStore.ts"
import { MemoryDatabase, type Rows, table } from "./MemoryDatabase.ts"
import { contactsOf } from "./Segment.ts"

const listExports = table<ListExport>("list_export")

const apply = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, change: ListExportChange) {
  if (!ListExportChange.is(change)) return yield* Effect.die("an export can only be written by a ListExportChange")
  const { before, after } = change
  if (before !== null) {
    const there = yield* db.find(listExports, workspace, before.id)
    if (there?.status !== before.status) return false
    if (after === null) yield* db.remove(listExports, workspace, before.id)
  }
  if (after !== null) yield* db.put(listExports, workspace, after.id, after)
  return true
})

const chunk_contacts = 250

export const layer = Layer.effect(
  ListExportStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase

    const one = (workspace: WorkspaceId, id: ListExportId) =>
      Effect.flatMap(db.find(listExports, workspace, id), (it) =>
        it === undefined ? Effect.fail(new NotFound({ resource: "export" })) : Effect.succeed(it),
      )

    return ListExportStore.of({
      find: (workspace, id) =>
        Effect.tap(one(workspace, id), ({ listId }) =>
          Effect.mapError(findList(db, workspace, listId), () => new NotFound({ resource: "export" })),
        ),
      lock: (workspace, id) => Effect.andThen(Transaction, one(workspace, id)),
      apply: (workspace, change) => Effect.andThen(Transaction, apply(db, workspace, change)),
      members: (workspace, { list, now }, { excludeUnsubscribed }) =>
        Stream.unwrap(
          Effect.map(contactsOf(db, workspace, list, now), (held) =>
            Stream.fromIterable(
              held
                .filter(({ unsubscribed }) => !(excludeUnsubscribed && unsubscribed))
                .sort((left, right) => (left.id < right.id ? -1 : 1)),
            ).pipe(Stream.grouped(chunk_contacts)),
          ),
        ),
    })
  }),
)
