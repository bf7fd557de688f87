// Due work of flows and webhooks in memory: when each workspace has its next turn.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import type { DueKind } from "@tentpole/core/kernel/changes/DueWork"
import { Clock, type DateTime, Effect } from "effect"
import { type Rows, table } from "./MemoryDatabase.ts"

type Kind = Exclude<DueKind, "blasts" | "deliveries">

interface WaitingWork {
  readonly workspace: WorkspaceId
  readonly kind: Kind
  readonly dueAt_ms: number
  /** The earliest hint since the last call for turns; Infinity: none. */
  readonly hintedAt_ms: number
  /** Grows with each turn and with hints. */
  readonly token: number
}

/** By kind and workspace. The rows are stored outside workspaces. */
export const waitingWork = table<WaitingWork>("due_work")
export const workKey = (kind: Kind, workspace: WorkspaceId): string => `${kind} ${workspace}`

/** Makes a workspace due now. From then on it gets hints. */
export const makeWorkDue = Effect.fnUntraced(function* (db: Rows, kind: Kind, workspace: WorkspaceId) {
  const key = workKey(kind, workspace)
  const before = yield* db.find(waitingWork, null, key)
  const dueAt_ms = yield* Clock.currentTimeMillis
  yield* db.put(waitingWork, null, key, {
    workspace,
    kind,
    dueAt_ms,
    hintedAt_ms: Infinity,
    token: (before?.token ?? 0) + 1,
  })
})

/** Records that there is work from a time on. Without effect in a workspace that was never due. */
export const hintDue = Effect.fnUntraced(function* (db: Rows, kind: Kind, workspace: WorkspaceId, at: DateTime.Utc) {
  const key = workKey(kind, workspace)
  const work = yield* db.find(waitingWork, null, key)
  if (work === undefined) return
  const hintedAt_ms = Math.min(at.epochMilliseconds, work.hintedAt_ms)
  yield* db.put(waitingWork, null, key, { ...work, hintedAt_ms })
})

interface DueTurn<Of extends Kind> {
  readonly kind: Of
  readonly workspace: WorkspaceId
  readonly token: string
}

const withHint = (work: WaitingWork): WaitingWork =>
  work.hintedAt_ms === Infinity
    ? work
    : {
        ...work,
        dueAt_ms: Math.min(work.dueAt_ms, work.hintedAt_ms),
        hintedAt_ms: Infinity,
        token: work.token + 1,
      }

/** Claims workspaces that are due, the longest waiting first. */
export const takeTurns = Effect.fnUntraced(function* <Of extends Kind>(
  db: Rows,
  kinds: ReadonlyArray<Of>,
  { limit, turn_ms }: { readonly limit: number; readonly turn_ms: number },
) {
  const now = yield* Clock.currentTimeMillis
  const all = (yield* db.all(waitingWork, null)).map(withHint)
  for (const work of all) yield* db.put(waitingWork, null, workKey(work.kind, work.workspace), work)
  const taken = all
    .flatMap((work) => kinds.filter((kind) => kind === work.kind).map((kind) => ({ ...work, kind })))
    .filter(({ dueAt_ms }) => dueAt_ms <= now)
    .sort((left, right) => left.dueAt_ms - right.dueAt_ms)
    .slice(0, limit)
  for (const work of taken) {
    const later = { ...work, dueAt_ms: now + turn_ms, token: work.token + 1 }
    yield* db.put(waitingWork, null, workKey(work.kind, work.workspace), later)
  }
  return taken.map(({ kind, token, workspace }): DueTurn<Of> => ({ kind, token: String(token + 1), workspace }))
})

/** Schedules the next turn, unless there was another one since. */
export const endTurn = Effect.fnUntraced(function* (
  db: Rows,
  { kind, token, workspace }: DueTurn<Kind>,
  dueAt_ms: Effect.Effect<number>,
) {
  const key = workKey(kind, workspace)
  const row = yield* db.find(waitingWork, null, key)
  if (row === undefined || String(row.token) !== token) return
  yield* db.put(waitingWork, null, key, { ...row, dueAt_ms: yield* dueAt_ms })
})

/** A workspace has no more work of a kind, and gets no hints. */
export const removeWork = (db: Rows, kind: Kind, workspace: WorkspaceId) =>
  db.remove(waitingWork, null, workKey(kind, workspace))
