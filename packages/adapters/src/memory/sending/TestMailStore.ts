// The store of waiting test messages in memory.
import { type TestMail, TestMailStore } from "@tentpole/core/sending/TestMailStore"
import type { EmailId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect } from "effect"
import { suppressions } from "./DeliveryTables.ts"
import { type Rows, storeLayer, table } from "../kernel/MemoryDatabase.ts"

interface TestMailRow extends TestMail {
  readonly handedOver: boolean
}

export const testMails = table<TestMailRow>("test_mail")

/** Deletes the waiting test messages of a deleted email. */
export const deleteTestMails = (db: Rows, workspace: WorkspaceId, email: EmailId) =>
  db.removeWhere(testMails, workspace, ({ emailId }) => emailId === email)

export const layer = storeLayer(TestMailStore, (db) =>
  TestMailStore.of({
    add: Effect.fnUntraced(function* (workspace, mails) {
      yield* Transaction
      for (const mail of mails) yield* db.put(testMails, workspace, mail.id, { ...mail, handedOver: false })
    }),
    waiting: Effect.fnUntraced(function* (workspace, id) {
      const row = yield* db.find(testMails, workspace, id)
      if (row === undefined || row.handedOver) return yield* new NotFound({ resource: "test message" })
      const { handedOver: _, ...mail } = row
      return mail
    }),
    handOver: Effect.fnUntraced(function* (workspace, id) {
      yield* Transaction
      const row = yield* db.find(testMails, workspace, id)
      if (row === undefined || row.handedOver) return false
      const suppression = yield* db.find(suppressions, workspace, row.addressNormalized)
      if (suppression !== undefined && suppression.reason !== "unsubscribe") return false
      yield* db.put(testMails, workspace, id, { ...row, handedOver: true })
      return true
    }),
    release: Effect.fnUntraced(function* (workspace, id) {
      yield* Transaction
      const row = yield* db.find(testMails, workspace, id)
      if (row !== undefined) yield* db.put(testMails, workspace, id, { ...row, handedOver: false })
    }),
    delete: (workspace, id) => Effect.andThen(Transaction, db.remove(testMails, workspace, id)),
  }),
)
