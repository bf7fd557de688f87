// The store of form submissions in memory.
import { FormStore } from "@tentpole/core/forms/FormStore"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect } from "effect"
import { writeActivities, writeContacts } from "../contacts/ContactStore.ts"
import { submissions } from "../contacts/ContactTables.ts"
import { storeLayer } from "../kernel/MemoryDatabase.ts"
import { formConsents } from "./FormTables.ts"
import { newest } from "../kernel/Slices.ts"
import { tents } from "../tents/TentStore.ts"

export const layer = storeLayer(FormStore, (db, writer) =>
  FormStore.of({
    lockPublished: Effect.fnUntraced(function* (workspace, id) {
      yield* Transaction
      const { tent } = yield* db.get(tents, workspace, id, "tent")
      if (tent.publication?.status !== "published") return yield* new NotFound({ resource: "tent" })
    }),
    apply: Effect.fnUntraced(function* (workspace, change) {
      yield* Transaction
      yield* writeContacts(db, workspace, change.contacts)
      yield* db.put(submissions, workspace, change.submission.id, change.submission)
      yield* writeActivities(db, workspace, change.activities)
      yield* writer.writeEffects(workspace, [change.contacts, change])
    }),
    consents: Effect.fnUntraced(function* (workspace, tent) {
      const all = (yield* db.all(formConsents, workspace)).filter(({ tentId }) => tentId === tent)
      return new Map(all.map(({ consent, formId }) => [formId, consent]))
    }),
    applyConsent: Effect.fnUntraced(function* (workspace, change) {
      yield* Transaction
      const { after, formId, tentId } = change
      const key = `${tentId} ${formId}`
      if (after === null) yield* db.remove(formConsents, workspace, key)
      else yield* db.put(formConsents, workspace, key, { tentId, formId, consent: after })
      yield* writer.writeEffects(workspace, [change])
    }),
    list: Effect.fnUntraced(function* (workspace, id, query) {
      yield* db.get(tents, workspace, id, "tent")
      const all = (yield* db.all(submissions, workspace)).filter(({ tentId }) => tentId === id)
      return newest(all, query)
    }),
  }),
)
