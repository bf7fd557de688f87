// Token buckets on PostgreSQL, by the database's clock. One statement does what `takeBlock` of the core does.
import { PgClient } from "@effect/sql-pg"
import { Secrets } from "@tentpole/core/kernel/Secrets"
import { rounding } from "@tentpole/core/kernel/runtime/TokenBucket"
import { TokenBucketStore } from "@tentpole/core/kernel/runtime/TokenBucketStore"
import { Clock, Effect, Layer } from "effect"
import { orDefect } from "./Postgres.ts"

const utf8 = new TextEncoder()

export const layer = Layer.effect(
  TokenBucketStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const { mac } = yield* Secrets
    return TokenBucketStore.of({
      takeBlock: Effect.fnUntraced(function* ({ key, limit }, { returned, wanted }, { capacity, per_second }) {
        const first = Math.min(wanted, capacity)
        // The clock is read once, after the wait for the row.
        const [row] = yield* orDefect(sql<{ readonly tokens: number; readonly taken: number }>`
          insert into token_bucket as b (limit_name, key_mac, tokens, taken, refilled_at, full_at)
          values (${limit}, ${mac("token bucket", utf8.encode(key))}, ${capacity - first}, ${first}, clock_timestamp(),
            clock_timestamp() + make_interval(secs => ${first / per_second}))
          on conflict (limit_name, key_mac) do update set (tokens, taken, refilled_at, full_at) = (
            select greatest(0, f.tokens - f.taken), f.taken, f.at,
              f.at + make_interval(secs => (${capacity}::double precision - f.tokens + f.taken) / ${per_second}::double precision)
            from (
              select r.at, r.tokens, least(${wanted}::double precision, floor(r.tokens + ${rounding}::double precision)) as taken
              from (
                select c.at, least(${capacity}::double precision, ${returned}::double precision + b.tokens
                  + greatest(0, extract(epoch from c.at - b.refilled_at)::double precision) * ${per_second}::double precision) as tokens
                from (select clock_timestamp() as at) as c
              ) as r
            ) as f)
          returning tokens, taken`)
        if (row === undefined) return yield* Effect.die(new Error("no token bucket was written"))
        return { taken: row.taken, bucket: { tokens: row.tokens, at_ms: yield* Clock.currentTimeMillis } }
      }),
    })
  }),
)
