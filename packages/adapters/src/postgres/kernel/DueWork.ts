// `due_work`, the small global table of workspaces that a worker has to check, its hints, and the turns of workspaces. A transaction
// that creates work of flows or webhooks inserts a hint, which a worker moves to the row after the commit: no work is overlooked, and
// no transaction waits. Rows of workspaces with nothing due are not read.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type DueKind, DueWork, type WorkKind } from "@tentpole/core/kernel/changes/DueWork"
import { DateTime, Effect } from "effect"
import type { Statement } from "effect/sql"
import { texts } from "./Arrays.ts"
import * as Dialect from "../citus/Dialect.ts"
import { byDialect } from "../citus/Dialect.ts"
import { storeLayer } from "../StoreLayer.ts"

type Sql = PgClient.PgClient

/** Makes a workspace due now, unless it already is. Runs in the transaction that creates the work. */
export const makeDue = (sql: Sql, kind: DueKind, workspace: WorkspaceId) =>
  Effect.asVoid(sql`
    insert into due_work as w (kind, workspace_id, due_at) values (${kind}, ${workspace}, clock_timestamp())
    on conflict (kind, workspace_id) do update set due_at = least(w.due_at, excluded.due_at), token = w.token + 1`)

/** Makes a workspace due at a time, unless it is due earlier. Runs in the transaction that creates the work. */
export const makeDueAt = (sql: Sql, kind: DueKind, workspace: WorkspaceId, at: DateTime.Utc) =>
  Effect.asVoid(sql`
    insert into due_work as w (kind, workspace_id, due_at) values (${kind}, ${workspace}, ${DateTime.formatIso(at)})
    on conflict (kind, workspace_id) do update set due_at = least(w.due_at, excluded.due_at)`)

/** Makes a workspace due at a time. Unlike `makeDueAt` it never waits for another transaction. */
export const hintDueAt = (
  sql: Sql,
  kind: Extract<DueKind, "flows" | "flow_events" | "messages" | "webhooks">,
  workspace: WorkspaceId,
  at: DateTime.Utc,
) => Effect.asVoid(sql`select hint_due(${kind}, ${workspace}, ${DateTime.formatIso(at)})`)

/** Hints that one call moves to `due_work`. */
const hints_max = 10_000

/**
 * Moves hints of these kinds to `due_work`, so that their workspaces have turns. A hint whose workspace another transaction has locked
 * waits for the next call. Each loop moves its own: a loop that a notification woke would find no turn while another moves the hint.
 */
const readHintsPlain = (sql: Sql, kinds: ReadonlyArray<DueKind>) => sql`
  with hint as materialized (
    select position, kind, workspace_id from due_hint
    where kind = any(${texts(kinds)}::text[])
    order by position
    limit ${hints_max}
    for update skip locked),
  work as materialized (
    select kind, workspace_id from due_work
    where (kind, workspace_id) in (select kind, workspace_id from hint)
    for no key update skip locked),
  read as (
    delete from due_hint h using hint
    where h.position = hint.position and ((hint.kind, hint.workspace_id) in (select kind, workspace_id from work)
      or not exists (select from due_work w where w.kind = hint.kind and w.workspace_id = hint.workspace_id))
    returning h.kind, h.workspace_id, h.due_at)
  update due_work w set due_at = least(w.due_at, earliest.due_at), token = w.token + 1
  from (select kind, workspace_id, min(due_at) as due_at from read group by kind, workspace_id) as earliest
  where w.kind = earliest.kind and w.workspace_id = earliest.workspace_id`

export const readHints = (sql: Sql, kinds: ReadonlyArray<DueKind>) =>
  byDialect(sql, { plain: Effect.asVoid(readHintsPlain(sql, kinds)), citus: Dialect.readHints(sql, kinds) })

/** A turn of a workspace. Its token grows with each turn and each hint. */
export interface DueTurn<Kind extends DueKind> {
  readonly kind: Kind
  readonly workspace: WorkspaceId
  readonly token: string
}

/** The earliest first. The subselect lets the index find what is due: as a volatile function, the clock would be compared with every row. */
const takeDue = <Kind extends DueKind>(sql: Sql, kinds: ReadonlyArray<Kind>, limit: number, turn_ms: number) =>
  Effect.map(
    sql<DueTurn<Kind> & { readonly wasDueAt: Date }>`
      with turn as materialized (
        select kind, workspace_id, due_at from due_work
        where kind = any(${texts(kinds)}::text[]) and due_at <= (select clock_timestamp())
        order by due_at
        limit ${limit}
        for update skip locked)
      update due_work d set due_at = clock_timestamp() + make_interval(secs => ${turn_ms / 1000}), token = d.token + 1
      from turn where d.kind = turn.kind and d.workspace_id = turn.workspace_id
      returning d.kind, d.workspace_id as workspace, d.token::text as token, turn.due_at as "wasDueAt"`,
    (rows) =>
      [...rows]
        .sort((left, right) => left.wasDueAt.getTime() - right.wasDueAt.getTime())
        .map(({ kind, token, workspace }): DueTurn<Kind> => ({ kind, token, workspace })),
  )

/** Claims workspaces that are due, the longest waiting first. Each is due again after `turn_ms`, unless its turn ends before. */
export const takeTurns = <Kind extends DueKind>(
  sql: Sql,
  kinds: ReadonlyArray<Kind>,
  { limit, turn_ms }: { readonly limit: number; readonly turn_ms: number },
) =>
  Effect.andThen(
    readHints(sql, kinds),
    byDialect(sql, {
      plain: takeDue(sql, kinds, limit, turn_ms),
      citus: Dialect.takeDue(sql, kinds, limit, turn_ms),
    }),
  )

/**
 * Schedules the next turn. Skips the row while another transaction has locked it, and changes nothing after a hint or another turn:
 * it is then due when the time of the turn is over, or earlier.
 */
export const endTurn = (sql: Sql, { kind, token, workspace }: DueTurn<DueKind>, next: Statement.Fragment) =>
  Effect.asVoid(sql`
    update due_work w set due_at = ${next}
    from (select kind, workspace_id from due_work
      where kind = ${kind} and workspace_id = ${workspace} and token = ${token}::bigint for update skip locked) as locked
    where w.workspace_id = ${workspace} and w.kind = ${kind} and w.kind = locked.kind`)

/**
 * A hint counts at once, also one for later: the next call for turns moves it. The first row of each kind is read by the index: without
 * an order, a plan may read all rows.
 */
const plainAmong = (sql: Sql, kinds: ReadonlyArray<WorkKind>) => sql<{ readonly kind: WorkKind }>`
  select k.kind from unnest(${texts(kinds)}::text[]) as k (kind)
  cross join lateral (
    select 1 from due_work w where w.kind = k.kind and w.due_at <= (select clock_timestamp())
    order by w.due_at limit 1) as first
  union
  select h.kind from due_hint h where h.kind = any(${texts(kinds)}::text[])
  union
  select 'jobs' where 'jobs' = any(${texts(kinds)}::text[]) and jobs.may_claim_job()`

export const layer = storeLayer(DueWork, ({ quick }) => ({
  among: (kinds) =>
    quick
      .unfenced((reader) =>
        byDialect(reader, { plain: plainAmong(reader, kinds), citus: Dialect.among(reader, kinds) }),
      )
      .pipe(Effect.map((rows) => rows.map(({ kind }) => kind))),
}))
