// The rows of a list change. Other rooms call `applyList` in their transaction, and write the effects of the change.
import type { PgClient } from "@effect/sql-pg"
import type { ContactId, ListId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type List, type ListChange, ListNameExists } from "@tentpole/core/lists/List"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime, Effect } from "effect"
import type { SqlError } from "effect/sql"
import { texts } from "../kernel/Arrays.ts"
import { moveMemberCounts } from "./StoredCounts.ts"
import { writeActivities } from "../contacts/ContactWrites.ts"
import { violates } from "../kernel/Postgres.ts"

type Sql = PgClient.PgClient

/** Writes a change in the caller's fence and transaction. */
export const applyList = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, change: ListChange) {
  const { before, after, added, removed } = change
  if (before === null && after !== null) yield* insertList(sql, workspace, after)
  if (before !== null && after !== null && change.edited) yield* updateList(sql, workspace, before, after)
  if (before !== null && after === null) yield* deleteList(sql, workspace, before)
  const list = after ?? before
  if (list !== null) {
    yield* insertMembers(sql, workspace, list.id, added, change.at)
    yield* deleteMembers(sql, workspace, list.id, removed)
  }
  yield* writeActivities(sql, workspace, change.activities)
})

const columnsOf = (sql: Sql, list: List) => ({
  name: list.name,
  name_folded: fold(list.name),
  slug: list.slug,
  description: list.description,
  rules: list.kind === "dynamic" && list.rules !== null ? sql.json(list.rules) : null,
  updated_at: DateTime.formatIso(list.updatedAt),
})

const orNameExists =
  ({ name }: List) =>
  <A, R>(write: Effect.Effect<A, SqlError.SqlError, R>): Effect.Effect<A, SqlError.SqlError | ListNameExists, R> =>
    Effect.mapError(write, (error) =>
      violates(error, "list_name") ? new ListNameExists({ name, existingId: null }) : error,
    )

const insertList = (sql: Sql, workspace: WorkspaceId, list: List) =>
  sql`
    insert into list ${sql.insert({
      workspace_id: workspace,
      list_id: list.id,
      kind: list.kind,
      ...columnsOf(sql, list),
      member_count: list.kind === "static" ? 0 : null,
      owner_blast_id: list.ownerBlastId,
      created_at: DateTime.formatIso(list.createdAt),
    })}`.pipe(orNameExists(list))

const updateList = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, before: List, after: List) {
  const written = yield* sql`
    update list set ${sql.update(columnsOf(sql, after))}
    where workspace_id = ${workspace} and list_id = ${before.id} and kind = ${before.kind}
      and updated_at = ${DateTime.formatIso(before.updatedAt)}
    returning 1`.pipe(orNameExists(after))
  if (written.length !== 1) return yield* Effect.die(`list ${before.id} is not what the change was decided on: lock it`)
})

const deleteList = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, list: List) {
  if (list.kind === "static" && list.memberCount > members_batch_max) {
    yield* deleteMostMembers(sql, workspace, list.id)
  }
  const deleted = yield* sql`delete from list where workspace_id = ${workspace} and list_id = ${list.id} returning 1`
  if (deleted.length !== 1) return yield* Effect.die(`list ${list.id} of a change is deleted: lock it first`)
})

const members_batch_max = 10_000

/**
 * The foreign key would delete a million members in one statement, which may exceed the statement timeout. Full batches are
 * therefore deleted first, each after the last contact of the previous one.
 */
const deleteMostMembers = Effect.fnUntraced(function* (sql: Sql, workspace: WorkspaceId, list: ListId) {
  // Forces a scan along the key, one batch at a time, whatever the statistics of a recently filled list are.
  yield* sql`
    select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
      set_config('enable_sort', 'off', true)`
  let after: string | undefined = "00000000-0000-0000-0000-000000000000"
  while (after !== undefined) after = yield* deleteBatch(sql, workspace, list, after)
  yield* sql`
    select set_config('enable_seqscan', 'on', true), set_config('enable_bitmapscan', 'on', true),
      set_config('enable_sort', 'on', true)`
})

/** Returns the last contact that it removed. When no full batch is left, it removes none and returns undefined. */
const deleteBatch = (sql: Sql, workspace: WorkspaceId, list: ListId, after: string) =>
  Effect.map(
    sql<{ readonly contact_id: string }>`
      with last as materialized (
        select contact_id from list_member
        where workspace_id = ${workspace} and list_id = ${list} and contact_id > ${after}::uuid
        order by contact_id
        offset ${members_batch_max - 1} limit 1
      ),
      deleted as (
        delete from list_member
        where workspace_id = ${workspace} and list_id = ${list} and contact_id > ${after}::uuid
          and contact_id <= (select contact_id from last)
      )
      select contact_id from last`,
    ([last]) => last?.contact_id,
  )

const insertMembers = (
  sql: Sql,
  workspace: WorkspaceId,
  list: ListId,
  added: ReadonlyArray<ContactId>,
  at: DateTime.Utc,
) =>
  added.length === 0
    ? Effect.void
    : sql`
        with moved as (
          insert into list_member (workspace_id, list_id, contact_id, added_at)
          select ${workspace}, ${list}, u.contact_id, ${DateTime.formatIso(at)}
          from unnest(${texts(added)}::uuid[]) as u (contact_id)
          returning list_id)
        ${moveMemberCounts(sql, workspace, 1)}`

const deleteMembers = Effect.fnUntraced(function* (
  sql: Sql,
  workspace: WorkspaceId,
  list: ListId,
  removed: ReadonlyArray<ContactId>,
) {
  if (removed.length === 0) return
  const deleted = yield* sql`
    with moved as (
      delete from list_member
      where workspace_id = ${workspace} and list_id = ${list} and contact_id = any(${texts(removed)}::uuid[])
      returning list_id),
    counted as (${moveMemberCounts(sql, workspace, -1)})
    select 1 from moved`
  if (deleted.length !== removed.length) {
    return yield* Effect.die(`${removed.length - deleted.length} members of a change are removed: lock the list first`)
  }
})
