// The stores of documents in memory: emails, email templates and tent templates.
import type { CreditKind } from "@tentpole/core/figures/DayFigures"
import { type Design, type Document, type DocumentTypes, statusOf, type IdOf } from "@tentpole/core/documents/Document"
import type { DocumentQuery, DocumentStore } from "@tentpole/core/documents/DocumentStore"
import type { DocumentChange } from "@tentpole/core/documents/machine"
import { type ContentVersion, versionCursor } from "@tentpole/core/documents/Versions"
import type { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { sliced } from "@tentpole/core/kernel/Page"
import { fold } from "@tentpole/core/kernel/Text"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Effect } from "effect"
import { deleteGenerations, findGeneration, generationsOf, latestGeneration, writeGeneration } from "./Generations.ts"
import { type Rows, type Table, table } from "../kernel/MemoryDatabase.ts"
import { newest } from "../kernel/Slices.ts"
import { takeCredits } from "../workspaces/WorkspaceStore.ts"

export interface VersionRow extends Omit<ContentVersion, "size_bytes"> {
  readonly document: string
  readonly html: string
  readonly design: Design | null
}

const toVersion = ({ document: _, design: _design, html, ...version }: VersionRow): ContentVersion => ({
  ...version,
  size_bytes: encodeText(html).length,
})

export interface DocumentTables<T extends DocumentTypes> {
  readonly kind: CreditKind
  /** The resource name in `NotFound` refusals. */
  readonly noun: string
  readonly documents: Table<T["document"]>
  /** By `versionKey`. */
  readonly versions: Table<VersionRow>
  readonly approvals: Table<T["approved"]>
  /** HTML of the template that a document without a version starts from, by the document's id. */
  readonly bases: Table<string>
}

export const documentTables = <T extends DocumentTypes>(
  name: "email" | "email_template" | "tent_template",
): DocumentTables<T> => ({
  kind: name,
  noun: name.replace("_", " "),
  documents: table(name),
  versions: table(`${name}_version`),
  approvals: table(`${name}_approval`),
  bases: table(`${name}_basis`),
})

export const versionKey = (id: string, version: number): string => `${id}.${version}`

const matches = (document: Document, { status, search }: DocumentQuery): boolean =>
  (status === null || statusOf(document) === status) && (search === null || fold(document.name).includes(fold(search)))

/** Writes a change in the caller's transaction. Changes of other rooms may carry a document change. */
export const applyDocument = Effect.fnUntraced(function* <T extends DocumentTypes>(
  db: Rows,
  writer: ChangeWriter["Service"],
  tables: DocumentTables<T>,
  workspace: WorkspaceId,
  change: DocumentChange<T>,
) {
  yield* Transaction
  const { before, after, html, design, author, approved, generation, basis, credits_taken } = change
  const id = (after ?? before)?.id ?? ""
  const row = yield* db.find(tables.documents, workspace, id)
  if (row?.currentVersion !== before?.currentVersion || row?.approval?.id !== before?.approval?.id) {
    return yield* Effect.die(`the ${tables.noun} is not what the change was decided on: lock it first`)
  }
  yield* takeCredits(db, workspace, { credits: credits_taken, kind: tables.kind })
  if (after === null) return yield* removeDocument(db, tables, workspace, id)
  yield* db.put(tables.documents, workspace, id, after)
  if (basis !== null) yield* db.put(tables.bases, workspace, id, basis)
  if (after.currentVersion > 0) yield* db.remove(tables.bases, workspace, id)
  if (html !== null) yield* putVersion(db, tables, workspace, after, { author, design, html })
  if (approved !== null) yield* db.put(tables.approvals, workspace, approved.approvalId, approved)
  if (generation !== null) yield* writeGeneration(db, workspace, id, generation)
  yield* writer.writeEffects(workspace, [change])
})

/** A new version if it has an author, else other HTML for the current one. */
const putVersion = Effect.fnUntraced(function* <T extends DocumentTypes>(
  db: Rows,
  { versions }: DocumentTables<T>,
  workspace: WorkspaceId,
  { currentVersion: version, id, updatedAt }: T["document"],
  { author, design, html }: Pick<DocumentChange<T>, "author" | "design"> & { readonly html: string },
) {
  const key = versionKey(id, version)
  if (author !== null) {
    const row = { ...author, document: id, version, html, design, createdAt: updatedAt }
    return yield* db.put(versions, workspace, key, row)
  }
  const row = yield* db.find(versions, workspace, key)
  if (row !== undefined) yield* db.put(versions, workspace, key, { ...row, html })
})

/** Deletes a document with its versions and generations. Its approvals stay. */
export const removeDocument = Effect.fnUntraced(function* <T extends DocumentTypes>(
  db: Rows,
  tables: DocumentTables<T>,
  workspace: WorkspaceId,
  id: string,
) {
  const row = yield* db.find(tables.documents, workspace, id)
  yield* deleteGenerations(db, workspace, id)
  for (let version = 1; version <= (row?.currentVersion ?? 0); version++) {
    yield* db.remove(tables.versions, workspace, versionKey(id, version))
  }
  yield* db.remove(tables.bases, workspace, id)
  yield* db.remove(tables.documents, workspace, id)
})

export const documentStore = <T extends DocumentTypes>(
  db: Rows,
  tables: DocumentTables<T>,
): Omit<DocumentStore<T>, "uses" | "apply"> => {
  const { noun, documents, versions, approvals, bases } = tables
  const get = (workspace: WorkspaceId, id: IdOf<T>) => db.get(documents, workspace, id, noun)
  const current = Effect.fnUntraced(function* (workspace: WorkspaceId, id: IdOf<T>) {
    const document = yield* get(workspace, id)
    const version = yield* db.find(versions, workspace, versionKey(id, document.currentVersion))
    return { document, html: version?.html ?? null }
  })
  return {
    get,
    current,
    lock: Effect.fnUntraced(function* (workspace, id) {
      yield* Transaction
      return { ...(yield* current(workspace, id)), generation: yield* latestGeneration(db, workspace, id) }
    }),
    html: (workspace, id, version) =>
      Effect.map(db.get(versions, workspace, versionKey(id, version), `${noun} version`), ({ html }) => html),
    design: (workspace, id, version) =>
      Effect.map(db.get(versions, workspace, versionKey(id, version), `${noun} version`), ({ design }) => design),
    versions: (workspace, id, { after, limit }) =>
      Effect.map(db.all(versions, workspace), (rows) => {
        const newestFirst = rows
          .filter(({ document, version }) => document === id && (after === null || version < Number(after.id)))
          .toSorted((left, right) => right.version - left.version)
        return sliced(newestFirst.map(toVersion), limit, versionCursor)
      }),
    list: (workspace, query) =>
      Effect.map(db.all(documents, workspace), (rows) =>
        newest<T["document"]>(
          rows.filter((row) => matches(row, query)),
          query,
        ),
      ),
    generation: (workspace, id, of) => findGeneration(db, workspace, id, of),
    generations: (workspace, id, query) => generationsOf(db, workspace, id, query),
    basis: Effect.fnUntraced(function* (workspace, id) {
      const { html } = yield* current(workspace, id)
      return html ?? (yield* db.find(bases, workspace, id)) ?? null
    }),
    approval: (workspace, id) => db.get(approvals, workspace, id, `approved ${noun}`),
  }
}
