// The tent store in memory.
import type { TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { Asset } from "@tentpole/core/tents/assets/Asset"
import { AliasTaken, type NewVersion, type PageVersion, type Tent } from "@tentpole/core/tents/Tent"
import type { TentChange } from "@tentpole/core/tents/machine"
import { versionCursor } from "@tentpole/core/documents/Versions"
import { type TentQuery, TentStore } from "@tentpole/core/tents/TentStore"
import { encodeText } from "@tentpole/core/kernel/Bytes"
import { sliced } from "@tentpole/core/kernel/Page"
import { fold } from "@tentpole/core/kernel/Text"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { plans } from "@tentpole/core/workspaces/Workspace"
import { Effect } from "effect"
import { found, type Rows, storeLayer, table } from "../kernel/MemoryDatabase.ts"
import { newest } from "../kernel/Slices.ts"
import { versionKey } from "../documents/DocumentStore.ts"
import { deleteGenerations, findGeneration, latestGeneration, writeGeneration } from "../documents/Generations.ts"
import { takeCredits, workspaces } from "../workspaces/WorkspaceStore.ts"

export interface TentRow {
  readonly tent: Tent
  /** The HTML that is served while the tent is published. */
  readonly page: string | null
}

export const tents = table<TentRow>("tent")

interface VersionRow extends NewVersion, Pick<PageVersion, "version" | "createdAt"> {
  readonly tentId: TentId
}

const versions = table<VersionRow>("tent_version")

const toVersion = ({ html, tentId: _, ...version }: VersionRow): PageVersion => ({
  ...version,
  size_bytes: encodeText(html).length,
})

/** Assets by id. They are deleted with their tent. */
export const assets = table<Asset>("tent_asset")

/** The number of page changes of a workspace. */
export const pageChanges = table<number>("page_changes")

const sameState = (left: Tent, right: Tent): boolean =>
  left.generation.status === right.generation.status &&
  left.currentVersion === right.currentVersion &&
  left.publication?.status === right.publication?.status

/** Deletes a tent with its assets, versions and revisions. */
const removeTent = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, id: TentId) {
  yield* db.remove(tents, workspace, id)
  yield* db.removeWhere(assets, workspace, ({ tentId }) => tentId === id)
  yield* db.removeWhere(versions, workspace, ({ tentId }) => tentId === id)
  yield* deleteGenerations(db, workspace, id)
})

export const putTent = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, change: TentChange) {
  yield* Transaction
  const { before, after } = change
  yield* takeCredits(db, workspace, { credits: change.credits_taken, kind: "tent" })
  const rows = yield* db.all(tents, workspace)
  const row = rows.find(({ tent }) => tent.id === (before ?? after)?.id)
  const asExpected = before === null ? row === undefined : row !== undefined && sameState(row.tent, before)
  if (!asExpected) return yield* Effect.die("a tent changed between its lock and its write")
  yield* db.put(pageChanges, workspace, "count", ((yield* db.find(pageChanges, workspace, "count")) ?? 0) + 1)
  if (after === null) return before === null ? undefined : yield* removeTent(db, workspace, before.id)
  const { alias } = after
  if (alias !== null && rows.some(({ tent }) => tent.alias === alias && tent.id !== after.id)) {
    return yield* new AliasTaken({ alias })
  }
  const published = after.publication?.status === "published"
  yield* db.put(tents, workspace, after.id, {
    tent: after,
    page: published ? (change.page?.html ?? row?.page ?? null) : null,
  })
  if (change.revision !== undefined) yield* writeGeneration(db, workspace, after.id, change.revision)
  if (change.version === undefined) return
  const { currentVersion: version, id: tentId, updatedAt: createdAt } = after
  yield* db.put(versions, workspace, versionKey(tentId, version), { ...change.version, tentId, version, createdAt })
})

const isWanted =
  ({ status, search }: TentQuery) =>
  ({ generation, name }: Tent): boolean =>
    (status === undefined || generation.status === status) &&
    (search === undefined || fold(name).includes(fold(search)))

export const layer = storeLayer(TentStore, (db, writer) => {
  const rowOf = (workspace: WorkspaceId, id: TentId) => db.get(tents, workspace, id, "tent")
  const tentOf = (workspace: WorkspaceId, id: TentId) => Effect.map(rowOf(workspace, id), ({ tent }) => tent)
  const all = (workspace: WorkspaceId) => Effect.map(db.all(tents, workspace), (rows) => rows.map(({ tent }) => tent))

  return TentStore.of({
    get: tentOf,
    findByAlias: (workspace, alias) =>
      Effect.flatMap(all(workspace), (every) =>
        found(
          every.find((tent) => tent.alias === alias),
          "tent",
        ),
      ),
    content: (workspace, id) =>
      Effect.flatMap(tentOf(workspace, id), ({ currentVersion }) =>
        Effect.map(db.find(versions, workspace, versionKey(id, currentVersion)), (row) => row?.html ?? null),
      ),
    html: (workspace, id, version) =>
      Effect.map(db.get(versions, workspace, versionKey(id, version), "tent version"), ({ html }) => html),
    versions: (workspace, id, { after, limit }) =>
      Effect.map(db.all(versions, workspace), (rows) => {
        const own = rows.filter(({ tentId, version }) => tentId === id && (!after || version < Number(after.id)))
        const newestFirst = own.map(toVersion).toSorted((left, right) => right.version - left.version)
        return sliced(newestFirst, limit, versionCursor)
      }),
    revision: (workspace, id, of) => findGeneration(db, workspace, id, of),
    latestRevision: (workspace, id) => latestGeneration(db, workspace, id),
    list: (workspace, query) => Effect.map(all(workspace), (every) => newest(every.filter(isWanted(query)), query)),
    site: (workspace) =>
      Effect.map(db.get(workspaces, null, workspace, "tent"), ({ slug }) => ({ slug, ownHost: null })),
    lock: (workspace, id) => Effect.andThen(Transaction, tentOf(workspace, id)),
    lockPublishing: Effect.fnUntraced(function* (workspace, id, alias) {
      yield* Transaction
      const { plan } = yield* db.get(workspaces, null, workspace, "tent")
      const others = (yield* all(workspace)).filter((tent) => tent.id !== id)
      return {
        plan: plans[plan],
        others_published: others.filter((tent) => tent.publication?.status === "published").length,
        taken: new Set(alias === null ? [] : others.flatMap((tent) => tent.alias ?? [])),
      }
    }),
    apply: (workspace, change) =>
      Effect.andThen(putTent(db, workspace, change), writer.writeEffects(workspace, [change])),
  })
})
