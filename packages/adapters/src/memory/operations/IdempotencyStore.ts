// The store of idempotency keys in memory.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import {
  type Claim,
  IdempotencyStore,
  type StoredAnswer,
  type Scope,
} from "@tentpole/core/operations/idempotency/IdempotencyStore"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Clock, Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import { MemoryDatabase, table } from "../kernel/MemoryDatabase.ts"

interface KeyRow {
  readonly id: string
  readonly bodyHash: Uint8Array | null
  readonly holder: string
  readonly leasedUntil_ms: number
  readonly expiresAt_ms: number
  readonly answer: StoredAnswer | null
}

const idempotencyKeys = table<KeyRow>("idempotency_key")

const toClaim = ({ answer, bodyHash }: KeyRow): Claim =>
  answer === null || bodyHash === null ? { _tag: "Running", bodyHash } : { _tag: "Answered", bodyHash, answer }

export const layer = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase

    /** The row, while this holder has it and there is no answer. */
    const own = Effect.fnUntraced(function* (workspace: WorkspaceId, scope: Scope, holder: string) {
      yield* Transaction
      const row = yield* db.find(idempotencyKeys, workspace, Hex.encode(scope))
      return row?.holder === holder && row.answer === null ? row : undefined
    })

    return IdempotencyStore.of({
      claim: Effect.fnUntraced(function* (workspace, scope, it) {
        yield* Transaction
        const now_ms = yield* Clock.currentTimeMillis
        const id = Hex.encode(scope)
        const there = yield* db.find(idempotencyKeys, workspace, id)
        const isFree =
          there === undefined ||
          there.expiresAt_ms <= now_ms ||
          (there.answer === null && there.leasedUntil_ms <= now_ms)
        if (!isFree) return toClaim(there)
        yield* db.put(idempotencyKeys, workspace, id, {
          id,
          bodyHash: it.bodyHash,
          holder: it.holder,
          leasedUntil_ms: now_ms + it.lease_ms,
          expiresAt_ms: now_ms + it.retention_ms,
          answer: null,
        })
        return { _tag: "Claimed" }
      }),
      renew: Effect.fnUntraced(function* (workspace, scope, { holder, lease_ms }) {
        const row = yield* own(workspace, scope, holder)
        if (row === undefined) return false
        const leasedUntil_ms = (yield* Clock.currentTimeMillis) + lease_ms
        yield* db.put(idempotencyKeys, workspace, row.id, { ...row, leasedUntil_ms })
        return true
      }),
      answer: Effect.fnUntraced(function* (workspace, scope, holder, answered) {
        const row = yield* own(workspace, scope, holder)
        if (row === undefined) return false
        yield* db.put(idempotencyKeys, workspace, row.id, { ...row, ...answered })
        return true
      }),
      release: Effect.fnUntraced(function* (workspace, scope, holder) {
        const row = yield* own(workspace, scope, holder)
        if (row !== undefined) yield* db.remove(idempotencyKeys, workspace, row.id)
      }),
      forget: Effect.fnUntraced(function* (workspace, limit) {
        yield* Transaction
        const now_ms = yield* Clock.currentTimeMillis
        const over = (yield* db.all(idempotencyKeys, workspace))
          .filter((row) => row.expiresAt_ms <= now_ms)
          .slice(0, limit)
        for (const { id } of over) yield* db.remove(idempotencyKeys, workspace, id)
        return over.length
      }),
    })
  }),
)
