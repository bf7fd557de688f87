// `TentStore` on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import type { TentId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import type { Site } from "@tentpole/core/tents/pages/PageAddress"
import type { Plan } from "@tentpole/core/workspaces/Workspace"
import { type Alias, aliasStem } from "@tentpole/core/tents/Alias"
import { AliasTaken, type PageVersion } from "@tentpole/core/tents/Tent"
import type { TentChange } from "@tentpole/core/tents/machine"
import { type TentQuery, TentStore } from "@tentpole/core/tents/TentStore"
import { fold } from "@tentpole/core/kernel/Text"
import { Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { PageInvalidation, pages_channel } from "./PageInvalidation.ts"
import { deleteGenerations, findGeneration, latestGeneration, writeGeneration } from "../documents/Generations.ts"
import { versionsOf } from "../documents/Versions.ts"
import { iso, requireRow } from "../kernel/Instants.ts"
import { catchUnique, fencedWrites, raiseStatementTimeout, Reads } from "../kernel/Postgres.ts"
import { newestRows, slicedByAge } from "../kernel/Slices.ts"
import { columns, fieldsOf, insertedRow, type Row, source, toTent } from "./TentRows.ts"
import { takeCredits } from "../workspaces/WorkspaceStore.ts"

const writeTent = (sql: PgClient.PgClient, workspace: WorkspaceId, change: TentChange) => {
  const { before, after } = change
  if (before === null && after !== null) {
    return sql<{
      one: 1
    }>`insert into tent ${sql.insert(insertedRow(sql, workspace, after, change))} returning 1 as one`
  }
  const unchanged = sql`workspace_id = ${workspace} and tent_id = ${before?.id ?? null} and status = ${before?.generation.status ?? null}
    and current_version = ${before?.currentVersion ?? 0}
    and publication_status is not distinct from ${before?.publication?.status ?? null}`
  return after === null
    ? sql<{ one: 1 }>`delete from tent where ${unchanged} returning 1 as one`
    : sql<{ one: 1 }>`update tent set ${sql.update(fieldsOf(sql, after, change))} where ${unchanged} returning 1 as one`
}

/** Writes the version that a change has, and its step of a revision. A deleted tent has neither. */
const writeContent = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  { before, after, version, revision }: TentChange,
) {
  if (after === null) return yield* deleteGenerations(sql, workspace, before?.id ?? "")
  if (revision !== undefined) yield* writeGeneration(sql, workspace, after.id, revision)
  if (version === undefined) return
  yield* sql`insert into tent_version ${sql.insert({
    workspace_id: workspace,
    tent_id: after.id,
    version: after.currentVersion,
    html: version.html,
    made_by: version.madeBy,
    by_name: version.byName,
    created_at: iso(after.updatedAt),
  })}`
})

/** Page views have no foreign key to tents, so they are deleted explicitly. */
const forgetViews = (sql: PgClient.PgClient, workspace: WorkspaceId, tent: TentId) => sql`
  with
    views as (delete from page_view where workspace_id = ${workspace} and tent_id = ${tent}),
    sums as (delete from page_view_day where workspace_id = ${workspace} and tent_id = ${tent})
  delete from page_visitor_day where workspace_id = ${workspace} and tent_id = ${tent}`

const writeAlias = (sql: PgClient.PgClient, workspace: WorkspaceId, { before, after }: TentChange) => {
  if (after === null || after.alias === (before?.alias ?? null)) return Effect.void
  if (after.alias === null) {
    return sql`delete from tent_alias where workspace_id = ${workspace} and tent_id = ${after.id}`
  }
  const { alias } = after
  return sql`
    insert into tent_alias (workspace_id, alias, tent_id) values (${workspace}, ${alias}, ${after.id})
    on conflict (workspace_id, tent_id) do update set alias = excluded.alias`.pipe(
    catchUnique(new AliasTaken({ alias })),
  )
}

/** Whether a change alters the page that visitors see. */
const isSeen = ({ before, after }: TentChange): boolean =>
  before?.publication?.status === "published" || after?.publication?.status === "published"

const applyTent = (
  sql: PgClient.PgClient,
  writer: ChangeWriter["Service"],
  invalidation: PageInvalidation["Service"],
  workspace: WorkspaceId,
  change: TentChange,
) =>
  Effect.gen(function* () {
    yield* takeCredits(sql, workspace, { credits: change.credits_taken, kind: "tent" })
    if (change.after === null) yield* raiseStatementTimeout(sql)
    const written = yield* writeTent(sql, workspace, change)
    if (written.length !== 1) return yield* Effect.die("a tent changed between its lock and its write")
    yield* writeContent(sql, workspace, change)
    yield* writeAlias(sql, workspace, change)
    if (change.before !== null && change.after === null) yield* forgetViews(sql, workspace, change.before.id)
    yield* writer.writeEffects(workspace, [change])
    if (!isSeen(change)) return
    yield* sql`select pg_notify(${pages_channel}, ${workspace}::text)`
    yield* invalidation.notify(workspace)
  })

const sliceOf = (sql: PgClient.PgClient, workspace: WorkspaceId, query: TentQuery) => {
  const conditions = [sql`t.workspace_id = ${workspace}`]
  if (query.status !== undefined) conditions.push(sql`t.status = ${query.status}`)
  if (query.search !== undefined) conditions.push(sql`position(${fold(query.search)} in t.name_folded) > 0`)
  return newestRows<Row>(sql, query, {
    columns: columns(sql, workspace),
    from: source(sql, workspace),
    where: sql.and(conditions),
    at: "t.created_at",
    id: "t.tent_id",
  })
}

const factsFor = (sql: PgClient.PgClient, workspace: WorkspaceId, id: TentId, alias: Alias | null) =>
  Effect.gen(function* () {
    // The row of the workspace is the lock. The counts below use a snapshot taken after the lock.
    yield* sql`select 1 from workspace where workspace_id = ${workspace} for no key update`
    const plan = yield* sql<Pick<Plan, "publishedTents_max" | "brandingRemovable">>`
      select p.published_tents_max as "publishedTents_max", p.branding_removable as "brandingRemovable"
      from workspace w join plan p on p.plan = w.plan
      where w.workspace_id = ${workspace}`.pipe(Effect.flatMap(requireRow("tent")))
    const stem = alias === null ? "" : aliasStem(alias)
    const [counted] = yield* sql<{ others: number; taken: ReadonlyArray<string> }>`
      select
        (select count(*)::int from tent where workspace_id = ${workspace} and publication_status = 'published'
          and tent_id <> ${id}) as others,
        -- '~' sorts after every character of an alias
        (select coalesce(array_agg(alias), '{}') from tent_alias where workspace_id = ${workspace} and tent_id <> ${id}
          and alias >= ${stem} and alias <= ${`${stem}~`} and ${alias !== null}) as taken`
    return { plan, others_published: counted?.others ?? 0, taken: new Set(counted?.taken ?? []) }
  })

export const layer = Layer.effect(
  TentStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const writer = yield* ChangeWriter
    const invalidation = yield* PageInvalidation
    const { unfenced, within } = yield* Reads
    const write = fencedWrites(sql)
    const one = (workspace: WorkspaceId, where: Statement.Fragment, lock = sql``) =>
      sql<Row>`select ${columns(sql, workspace)} from ${source(sql, workspace)} where ${where} ${lock}`.pipe(
        Effect.flatMap(requireRow("tent")),
        Effect.map(toTent),
      )

    return TentStore.of({
      get: (workspace, id) =>
        within(workspace, one(workspace, sql`t.workspace_id = ${workspace} and t.tent_id = ${id}`)),
      findByAlias: (workspace, alias) =>
        within(workspace, one(workspace, sql`t.workspace_id = ${workspace} and a.alias = ${alias}`)),
      content: (workspace, id) =>
        within(
          workspace,
          sql<{ html: string | null }>`
            select v.html from tent t left join tent_version v
              on v.workspace_id = ${workspace} and v.tent_id = t.tent_id and v.version = t.current_version
            where t.workspace_id = ${workspace} and t.tent_id = ${id}`,
        ).pipe(
          Effect.flatMap(requireRow("tent")),
          Effect.map((row) => row.html),
        ),
      html: (workspace, id, version) =>
        within(
          workspace,
          sql<{ html: string }>`
            select html from tent_version
            where workspace_id = ${workspace} and tent_id = ${id} and version = ${version}`,
        ).pipe(
          Effect.flatMap(requireRow("tent version")),
          Effect.map((row) => row.html),
        ),
      versions: (workspace, id, query) =>
        within(
          workspace,
          versionsOf<PageVersion>(sql, { table: "tent_version", key: "tent_id" }, workspace, id, query),
        ),
      revision: (workspace, id, of) => within(workspace, findGeneration(sql, workspace, id, of)),
      latestRevision: (workspace, id) => within(workspace, latestGeneration(sql, workspace, id)),
      list: (workspace, query) =>
        within(workspace, sliceOf(sql, workspace, query)).pipe(
          Effect.map((rows) => slicedByAge(rows.map(toTent), query.limit)),
        ),
      site: (workspace) =>
        unfenced(
          (reader) => reader<Site>`
            select w.slug, (
              select host from page_host where workspace_id = ${workspace} order by created_at, host limit 1) as "ownHost"
            from workspace w where w.workspace_id = ${workspace}`,
        ).pipe(Effect.flatMap(requireRow("tent"))),
      lock: (workspace, id) =>
        write(
          workspace,
          one(workspace, sql`t.workspace_id = ${workspace} and t.tent_id = ${id}`, sql`for update of t`),
        ),
      lockPublishing: (workspace, id, alias) => write(workspace, factsFor(sql, workspace, id, alias)),
      apply: (workspace, change) => write(workspace, applyTent(sql, writer, invalidation, workspace, change)),
    })
  }),
)
