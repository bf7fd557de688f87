// The store of suppressions in memory.
import { SuppressionStore } from "@tentpole/core/sending/SuppressionStore"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect } from "effect"
import { suppressions } from "./DeliveryTables.ts"
import { storeLayer } from "../kernel/MemoryDatabase.ts"
import { newest } from "../kernel/Slices.ts"
import { suppress } from "./Suppressions.ts"

export const layer = storeLayer(SuppressionStore, (db) =>
  SuppressionStore.of({
    list: Effect.fnUntraced(function* (workspace, { reason, search, ...query }) {
      const rows = (yield* db.all(suppressions, workspace)).filter(
        (row) => (reason === null || row.reason === reason) && (search === null || row.email.includes(search)),
      )
      const { items, next } = newest(
        rows.map((row) => ({ ...row, id: row.email })),
        query,
      )
      return { items: items.map(({ id: _, ...row }) => row), next }
    }),
    get: (workspace, email) => db.get(suppressions, workspace, email, "suppression"),
    lock: Effect.fnUntraced(function* (workspace, emails) {
      yield* Transaction
      const rows = yield* Effect.forEach(new Set(emails), (email) => db.find(suppressions, workspace, email))
      return rows.filter((row) => row !== undefined)
    }),
    suppress: Effect.fnUntraced(function* (workspace, it) {
      yield* Transaction
      yield* suppress(db, workspace, it)
      return (yield* db.find(suppressions, workspace, it.email)) ?? it
    }),
    unsuppress: Effect.fnUntraced(function* (workspace, email) {
      yield* Transaction
      const row = yield* db.find(suppressions, workspace, email)
      if (row === undefined) return yield* new NotFound({ resource: "suppression" })
      yield* db.remove(suppressions, workspace, email)
      return row
    }),
  }),
)
