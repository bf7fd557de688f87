// The export store in memory.
import type { Export, ExportSubject } from "@tentpole/core/exports/Export"
import type { ExportChange } from "@tentpole/core/exports/machine"
import { ExportStore } from "@tentpole/core/exports/ExportStore"
import type { ExportId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer, Stream } from "effect"
import { findBlast, recipientsOf } from "../blasts/BlastStore.ts"
import { findList } from "../lists/ListStore.ts"
import { MemoryDatabase, type Rows, table } from "../kernel/MemoryDatabase.ts"
import { contactsOf } from "../segments/SegmentMembers.ts"

export const exports = table<Export>("export")

const apply = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, change: ExportChange) {
  const { before, after } = change
  if (before !== null) {
    const there = yield* db.find(exports, workspace, before.id)
    if (there?.status !== before.status) return false
    if (after === null) yield* db.remove(exports, workspace, before.id)
  }
  if (after !== null) yield* db.put(exports, workspace, after.id, after)
  return true
})

const chunk_rows = 250

export const layer = Layer.effect(
  ExportStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const writer = yield* ChangeWriter

    const one = (workspace: WorkspaceId, id: ExportId) =>
      Effect.flatMap(db.find(exports, workspace, id), (it) =>
        it === undefined ? Effect.fail(new NotFound({ resource: "export" })) : Effect.succeed(it),
      )

    /** The list or blast that is exported; fails when it was deleted. */
    const findSubject = (workspace: WorkspaceId, subject: ExportSubject): Effect.Effect<unknown, NotFound> =>
      subject.kind === "list" ? findList(db, workspace, subject.listId) : findBlast(db, workspace, subject.blastId)

    return ExportStore.of({
      get: (workspace, id) =>
        Effect.tap(one(workspace, id), ({ subject }) =>
          Effect.mapError(findSubject(workspace, subject), () => new NotFound({ resource: "export" })),
        ),
      lock: (workspace, id) => Effect.andThen(Transaction, one(workspace, id)),
      apply: (workspace, change) =>
        Effect.tap(Effect.andThen(Transaction, apply(db, workspace, change)), (applied) =>
          applied ? writer.writeEffects(workspace, [change]) : Effect.void,
        ),
      members: (workspace, { list, now }, { excludeUnsubscribed }) =>
        Stream.unwrap(
          Effect.map(contactsOf(db, workspace, list, now), (members) =>
            Stream.fromIterable(
              members
                .filter(({ unsubscribed }) => !(excludeUnsubscribed && unsubscribed))
                .sort((left, right) => (left.id < right.id ? -1 : 1)),
            ).pipe(Stream.grouped(chunk_rows)),
          ),
        ),
      recipients: (workspace, { blastId, category }) =>
        Stream.unwrap(
          Effect.map(recipientsOf(db, workspace, blastId, category), (all) =>
            Stream.grouped(Stream.fromIterable(all), chunk_rows),
          ),
        ),
    })
  }),
)
