// The keys of requests that send single messages, on PostgreSQL.
import type { PgClient } from "@effect/sql-pg"
import { key_days } from "@tentpole/core/messages/EmailMessage"
import type { KeyedItems, StoredItem, StoredKey } from "@tentpole/core/messages/EmailMessageStore"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { DateTime, Effect } from "effect"
import { homeOf } from "../citus/Home.ts"
import { byteas, texts, timestamps } from "../kernel/Arrays.ts"

type Sql = PgClient.PgClient

interface KeyRow {
  readonly keyHash: Uint8Array
  readonly bodyHash: Uint8Array
  readonly items: ReadonlyArray<StoredItem>
}

const toText = (hash: Uint8Array): string => Buffer.from(hash).toString("hex")

/** A key whose days are over counts as new. */
export const findKeys = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  keyHashes: ReadonlyArray<Uint8Array>,
) {
  const rows = yield* sql<KeyRow>`
    select key_hash as "keyHash", body_hash as "bodyHash", items from email_message_key
    where workspace_id = ${workspace} and key_hash = any(${byteas(keyHashes)})
      and created_at > clock_timestamp() - make_interval(days => ${key_days})`
  const found = new Map(rows.map(({ bodyHash, items, keyHash }) => [toText(keyHash), { bodyHash, items }]))
  return keyHashes.map((keyHash): KeyedItems | null => found.get(toText(keyHash)) ?? null)
})

/**
 * Takes the keys of requests. Null: the request has none, or it is its first. Otherwise the items of the request that has taken the
 * key first. Of two transactions with the same key, the second waits here for the first one's commit; both write keys in one order,
 * so that they can't deadlock.
 */
export const takeKeys = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  keys: ReadonlyArray<StoredKey | null>,
) {
  const own = new Map<string, StoredKey>()
  for (const key of keys) {
    if (key !== null && !own.has(toText(key.keyHash))) own.set(toText(key.keyHash), key)
  }
  const all = [...own.values()]
  const [some] = all
  if (some === undefined) return keys.map(() => null)
  const over = DateTime.subtract(
    all.reduce((oldest, { at }) => DateTime.min(oldest, at), some.at),
    { days: key_days },
  )
  const taken = yield* sql<Pick<KeyRow, "keyHash">>`
    insert into email_message_key as k (workspace_id, key_hash, body_hash, items, created_at)
    select home.workspace_id, g.key_hash, g.body_hash, g.items, g.created_at from ${homeOf(sql, workspace)} cross join unnest(
      ${byteas(all.map(({ keyHash }) => keyHash))}, ${byteas(all.map(({ bodyHash }) => bodyHash))},
      ${texts(all.map(({ items }) => JSON.stringify(items)))}::jsonb[], ${timestamps(all.map(({ at }) => at))})
      as g (key_hash, body_hash, items, created_at)
    order by g.key_hash
    on conflict (workspace_id, key_hash) do update set body_hash = excluded.body_hash, items = excluded.items,
      created_at = excluded.created_at
    where k.created_at <= ${DateTime.formatIso(over)}
    returning key_hash as "keyHash"`
  const isTaken = new Set(taken.map(({ keyHash }) => toText(keyHash)))
  const lost = all.flatMap(({ keyHash }) => (isTaken.has(toText(keyHash)) ? [] : keyHash))
  const found = lost.length === 0 ? [] : yield* findKeys(sql, workspace, lost)
  const earlier = new Map(lost.map((keyHash, place) => [toText(keyHash), found[place]]))
  return yield* Effect.forEach(keys, (key) => {
    if (key === null) return Effect.succeed(null)
    const hash = toText(key.keyHash)
    const first = earlier.has(hash) ? earlier.get(hash) : own.get(hash)
    if (!first) return Effect.die("the key of a message was deleted while it was used")
    return Effect.succeed<KeyedItems | null>(first === key ? null : first)
  })
})
