// The store of form submissions in memory.
import { FormStore } from "@tentpole/core/forms/FormStore"
import type { TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect, Layer } from "effect"
import { writeActivities, writeContacts } from "../contacts/ContactStore.ts"
import { submissions } from "../contacts/ContactTables.ts"
import { MemoryDatabase } from "../kernel/MemoryDatabase.ts"
import { newest } from "../kernel/Slices.ts"
import { tents } from "../tents/TentStore.ts"

const tentNotFound = new NotFound({ resource: "tent" })

export const layer = Layer.effect(
  FormStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const writer = yield* ChangeWriter
    const tentOf = (workspace: WorkspaceId, id: TentId) =>
      Effect.flatMap(db.find(tents, workspace, id), (row) =>
        row === undefined ? Effect.fail(tentNotFound) : Effect.succeed(row.tent),
      )
    return FormStore.of({
      lockPublished: (workspace, id) =>
        Effect.gen(function* () {
          yield* Transaction
          const { publication } = yield* tentOf(workspace, id)
          if (publication?.status !== "published") return yield* tentNotFound
        }),
      apply: (workspace, change) =>
        Effect.gen(function* () {
          yield* Transaction
          yield* writeContacts(db, workspace, change.contacts)
          yield* db.put(submissions, workspace, change.submission.id, change.submission)
          yield* writeActivities(db, workspace, change.activities)
          yield* writer.writeEffects(workspace, [change.contacts, change])
        }),
      list: (workspace, id, query) =>
        Effect.gen(function* () {
          yield* tentOf(workspace, id)
          const all = (yield* db.all(submissions, workspace)).filter(({ tentId }) => tentId === id)
          return newest(all, query, (each) => ({ at: each.createdAt.epochMilliseconds, id: each.id }))
        }),
    })
  }),
)
