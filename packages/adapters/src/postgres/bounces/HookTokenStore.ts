// `HookTokenStore` on PostgreSQL: tokens of webhooks.
import { HookTokenStore } from "@tentpole/core/bounces/providers/HookTokenStore"
import { Effect } from "effect"
import { transactionTime } from "../kernel/Postgres.ts"
import { storeLayer } from "../StoreLayer.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

export const layer = storeLayer(HookTokenStore, ({ sql, write }) => ({
  use: (workspace, { body, keep_s, provider, token }) =>
    write(
      workspace,
      Effect.gen(function* () {
        const now = yield* transactionTime(sql)
        yield* sql`
          delete from hook_token
          where workspace_id = ${workspace} and used_at < ${now} - make_interval(secs => ${keep_s})`
        // Of two concurrent calls, the second waits here and then sees the first one's token.
        yield* sql`
          insert into hook_token (workspace_id, provider, token_hash, body_hash, used_at)
          values (${workspace}, ${provider}, decode(${hex(token)}, 'hex'), decode(${hex(body)}, 'hex'), ${now})
          on conflict do nothing`
        const same = yield* sql`
          select 1 from hook_token
          where workspace_id = ${workspace} and provider = ${provider} and token_hash = decode(${hex(token)}, 'hex')
            and body_hash = decode(${hex(body)}, 'hex')`
        return same.length === 1
      }),
    ),
}))
