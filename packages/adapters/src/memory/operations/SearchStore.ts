// The store of search by name in memory.
import type { Contact } from "@tentpole/core/contacts/Contact"
import { statusOf } from "@tentpole/core/documents/Document"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { byCodePoint, fold } from "@tentpole/core/kernel/Text"
import { names_max, results_of_type_max, type SearchResult } from "@tentpole/core/operations/search/Search"
import { SearchStore } from "@tentpole/core/operations/search/SearchStore"
import type { DateTime } from "effect"
import { Effect } from "effect"
import { contacts } from "../contacts/ContactTables.ts"
import { emails } from "../emails/EmailStore.ts"
import { flows } from "../flows/FlowTables.ts"
import { type Rows, storeLayer } from "../kernel/MemoryDatabase.ts"
import { byNewest } from "../kernel/Slices.ts"
import { allLists } from "../lists/ListStore.ts"
import { blasts } from "../sending/DeliveryTables.ts"
import { emailTemplates, tentTemplates } from "../templates/TemplateStores.ts"
import { tents } from "../tents/TentStore.ts"

interface Named {
  readonly id: string
  readonly name: string
  readonly createdAt: DateTime.Utc
}

const namesWith = <Row extends Named>(
  rows: ReadonlyArray<Row>,
  folded: string,
  type: SearchResult["type"],
  detail: (row: Row) => string,
): ReadonlyArray<SearchResult> =>
  rows
    .toSorted(byNewest)
    .slice(0, names_max)
    .filter(({ name }) => fold(name).includes(folded))
    .map((row) => ({ type, id: row.id, name: row.name, detail: detail(row) }))

const nameOf = ({ displayName, email, firstName, lastName, phone }: Contact): string => {
  const parts = [firstName, lastName].filter((part) => part !== null)
  return displayName ?? (parts.join(" ") || (email ?? phone ?? ""))
}

const prefixed: ReadonlyArray<(contact: Contact) => string | null> = [
  ({ emailNormalized }) => emailNormalized,
  ({ displayName }) => displayName && fold(displayName),
  ({ firstName }) => firstName && fold(firstName),
  ({ lastName }) => lastName && fold(lastName),
]

const contactsWith = (rows: ReadonlyArray<Contact>, folded: string): ReadonlyArray<SearchResult> => {
  const found = prefixed.flatMap((of) =>
    rows
      .filter((contact) => of(contact)?.startsWith(folded) === true)
      .sort((left, right) => byCodePoint(of(left) ?? "", of(right) ?? "") || byCodePoint(left.id, right.id))
      .slice(0, results_of_type_max),
  )
  return [...new Set(found)].map((contact) => ({
    type: "contact",
    id: contact.id,
    name: nameOf(contact),
    detail: contact.email ?? contact.phone,
  }))
}

const find = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, folded: string) {
  const lists = (yield* allLists(db, workspace)).filter(({ ownerBlastId }) => ownerBlastId === null)
  const pages = (yield* db.all(tents, workspace)).map(({ tent }) => tent)
  return [
    ...contactsWith(yield* db.all(contacts, workspace), folded),
    ...namesWith(lists, folded, "list", ({ kind }) => kind),
    ...namesWith(yield* db.all(emails, workspace), folded, "email", statusOf),
    ...namesWith(yield* db.all(blasts, workspace), folded, "blast", ({ status }) => status),
    ...namesWith(yield* db.all(flows, workspace), folded, "flow", ({ lifecycle }) => lifecycle.status),
    ...namesWith(pages, folded, "tent", ({ generation }) => generation.status),
    ...namesWith(yield* db.all(emailTemplates.documents, workspace), folded, "email_template", statusOf),
    ...namesWith(yield* db.all(tentTemplates.documents, workspace), folded, "tent_template", statusOf),
  ]
})

export const layer = storeLayer(SearchStore, (db) =>
  SearchStore.of({ list: (workspace, folded) => find(db, workspace, folded) }),
)
