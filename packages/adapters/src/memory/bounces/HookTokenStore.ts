// The store of webhook tokens in memory.
import { HookTokenStore } from "@tentpole/core/bounces/providers/HookTokenStore"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Clock, Effect, Layer } from "effect"
import { MemoryDatabase, table } from "../kernel/MemoryDatabase.ts"

interface TokenRow {
  readonly key: string
  readonly body: string
  readonly usedAt_ms: number
}

const hookTokens = table<TokenRow>("hook_token")

export const layer = Layer.effect(
  HookTokenStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    return HookTokenStore.of({
      use: (workspace, use) =>
        Effect.andThen(
          Transaction,
          Effect.gen(function* () {
            const now_ms = yield* Clock.currentTimeMillis
            for (const row of yield* db.all(hookTokens, workspace)) {
              if (row.usedAt_ms < now_ms - use.keep_s * 1000) yield* db.remove(hookTokens, workspace, row.key)
            }
            const key = `${use.provider} ${use.token.join(".")}`
            const body = use.body.join(".")
            const there = yield* db.find(hookTokens, workspace, key)
            if (there === undefined) yield* db.put(hookTokens, workspace, key, { key, body, usedAt_ms: now_ms })
            return there === undefined || there.body === body
          }),
        ),
    })
  }),
)
