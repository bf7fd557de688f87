// `IdempotencyStore` on PostgreSQL. The primary key decides which of several requests runs; the database's clock limits its time.
import { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import {
  type Claim,
  IdempotencyStore,
  type NewClaim,
  type Scope,
} from "@tentpole/core/operations/idempotency/IdempotencyStore"
import { Unavailable } from "@tentpole/core/kernel/Refusal"
import { Effect, Layer } from "effect"
import { fencedWrites, transactionTime } from "../kernel/Postgres.ts"

interface Row {
  readonly body_hash: Uint8Array | null
  readonly answer_status: number | null
  readonly answer_headers: Readonly<Record<string, string>> | null
  readonly answer_sealed: Uint8Array | null
}

const toClaim = ({ body_hash, answer_status, answer_headers, answer_sealed }: Row): Claim =>
  answer_status === null || answer_headers === null || body_hash === null
    ? { _tag: "Running", bodyHash: body_hash }
    : {
        _tag: "Answered",
        bodyHash: body_hash,
        answer: { status: answer_status, headers: answer_headers, sealed: answer_sealed },
      }

/** A key may be released between the two statements. One repetition is enough. */
const attempts_max = 5

const claim = (sql: PgClient.PgClient, workspace: WorkspaceId, scope: Scope, it: NewClaim) =>
  Effect.gen(function* () {
    const now = yield* transactionTime(sql)
    for (let attempt = 0; attempt < attempts_max; attempt++) {
      // Of two concurrent requests, the second waits here for the first one's commit and then finds its row.
      const claimed = yield* sql`
        insert into idempotency_key as k (workspace_id, scope_hash, body_hash, holder, leased_until, expires_at)
        values (${workspace}, ${scope}, ${it.bodyHash}, ${it.holder}, ${now} + make_interval(secs => ${it.lease_ms / 1000}),
          ${now} + make_interval(secs => ${it.retention_ms / 1000}))
        on conflict (workspace_id, scope_hash) do update set body_hash = excluded.body_hash, holder = excluded.holder,
          leased_until = excluded.leased_until, expires_at = excluded.expires_at,
          answer_status = null, answer_headers = null, answer_sealed = null
        where k.expires_at <= ${now} or (k.answer_status is null and k.leased_until <= ${now})
        returning 1`
      if (claimed.length > 0) return { _tag: "Claimed" } satisfies Claim
      const [row] = yield* sql<Row>`
        select body_hash, answer_status, answer_headers, answer_sealed from idempotency_key
        where workspace_id = ${workspace} and scope_hash = ${scope}`
      if (row !== undefined) return toClaim(row)
    }
    return yield* Effect.die(new Unavailable({ part: "database" }))
  })

export const layer = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const write = fencedWrites(sql)
    return IdempotencyStore.of({
      claim: (workspace, scope, it) => write(workspace, claim(sql, workspace, scope, it)),
      renew: (workspace, scope, { holder, lease_ms }) =>
        write(
          workspace,
          Effect.flatMap(
            transactionTime(sql),
            (now) => sql`
              update idempotency_key set leased_until = ${now} + make_interval(secs => ${lease_ms / 1000})
              where workspace_id = ${workspace} and scope_hash = ${scope} and holder = ${holder} and answer_status is null
              returning 1`,
          ),
        ).pipe(Effect.map((rows) => rows.length > 0)),
      answer: (workspace, scope, holder, { answer, bodyHash }) =>
        write(
          workspace,
          sql`
            update idempotency_key set body_hash = ${bodyHash}, answer_status = ${answer.status},
              answer_headers = ${sql.json(answer.headers)}, answer_sealed = ${answer.sealed}
            where workspace_id = ${workspace} and scope_hash = ${scope} and holder = ${holder} and answer_status is null
            returning 1`,
        ).pipe(Effect.map((rows) => rows.length > 0)),
      release: (workspace, scope, holder) =>
        write(
          workspace,
          sql`
            delete from idempotency_key
            where workspace_id = ${workspace} and scope_hash = ${scope} and holder = ${holder} and answer_status is null`,
        ).pipe(Effect.asVoid),
    })
  }),
)
