// Exports of a list's members: the members at the time of the job, in a file named after the list's slug.
import { DateTime, Effect, Stream } from "effect"
import { ContactFieldStore } from "../contacts/ContactFieldStore.ts"
import type { ListMembers } from "./Export.ts"
import type { ExportSource } from "./ExportSource.ts"
import { ExportStore } from "./ExportStore.ts"
import { ListStore } from "../lists/ListStore.ts"
import { memberTable } from "./MemberTable.ts"

export const membersExport = Effect.gen(function* () {
  const store = yield* ExportStore
  const lists = yield* ListStore
  const fieldStore = yield* ContactFieldStore
  const source: ExportSource<ListMembers> = {
    check: (workspace, { listId }) => lists.get(workspace, listId),
    open: Effect.fnUntraced(function* (workspace, subject) {
      const list = yield* lists.get(workspace, subject.listId)
      // All fields, because the list's rules may use any of them.
      const fields = yield* fieldStore.list(workspace)
      const { header, row } = memberTable(fields)
      const members = store.members(workspace, { list, fields, now: yield* DateTime.now }, subject)
      return { stem: list.slug, header, rows: Stream.map(members, (some) => some.map(row)) }
    }),
    deletedError: "The list was deleted before its members were exported",
  }
  return source
})
