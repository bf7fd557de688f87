// Tents on PostgreSQL.
import { PgClient } from "@effect/sql-pg"
import { auditOfTent } from "@tentpole/core/administration/Audited"
import { ApprovalId, Ids, TentId, TentTemplateId, type WorkspaceId } from "@tentpole/core/Ids"
import { NotFound } from "@tentpole/core/Refusal"
import { type Alias, aliasStem, isAlias } from "@tentpole/core/tents/Alias"
import {
  AliasTaken,
  type Generation,
  type GenerationStatus,
  type Publication,
  type PublicationError,
  type PublicationStatus,
  type PublicationWarning,
  type Tent,
  type TentRequest,
} from "@tentpole/core/tents/Tent"
import { TentChange } from "@tentpole/core/tents/TentChange"
import { type TentQuery, TentStore } from "@tentpole/core/tents/TentStore"
import { fold } from "@tentpole/core/Text"
import { Transaction } from "@tentpole/core/Transactor"
import { DateTime, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import { appendAudit } from "./AuditLog.ts"
import { pages_channel } from "./migrations/0008_tents.ts"
import { PageNews } from "./PageNews.ts"
import { fenced, orDefect } from "./Postgres.ts"
import { takeCredits } from "./WorkspaceStore.ts"

interface Row {
  readonly tent_id: string
  readonly name: string
  readonly user_id: string | null
  readonly status: GenerationStatus
  readonly prompt: string | null
  readonly include_brand: boolean
  readonly template_id: string | null
  readonly template_approval_id: string | null
  readonly auto_publish: boolean
  readonly error: string | null
  readonly credits_held: number
  readonly alias: string | null
  readonly branding: boolean
  readonly publication_status: PublicationStatus | null
  readonly requested_alias: string | null
  readonly published_etag: string | null
  readonly published_at: Date | null
  readonly publication_warnings: ReadonlyArray<PublicationWarning> | null
  readonly publication_error: PublicationError | null
  readonly created_at: Date
  readonly updated_at: Date
}

const columns = `t.tent_id, t.name, t.user_id, t.status, t.prompt, t.include_brand, t.template_id, t.template_approval_id,
  t.auto_publish, t.error, t.credits_held, a.alias, t.branding, t.publication_status, t.requested_alias, t.published_etag, t.published_at,
  t.publication_warnings, t.publication_error, t.created_at, t.updated_at`

/** A tent with its alias; the table of tents is what a lock is taken on. */
const source = `tent t left join tent_alias a on a.workspace_id = t.workspace_id and a.tent_id = t.tent_id`

const aliasOf = (text: string | null): Alias | null => (text !== null && isAlias(text) ? text : null)

const toGeneration = ({ status, error }: Row): Generation =>
  status === "failed" ? { status, error: error ?? "" } : { status }

const toRequest = (row: Row): TentRequest | null =>
  row.prompt === null
    ? null
    : {
        prompt: row.prompt,
        includeBrand: row.include_brand,
        template: toPin(row),
        autoPublish: row.auto_publish,
      }

/** Set together: a CHECK says so. */
const toPin = ({ template_id, template_approval_id }: Row): TentRequest["template"] =>
  template_id === null || template_approval_id === null
    ? null
    : { id: TentTemplateId.make(template_id), approvalId: ApprovalId.make(template_approval_id) }

const toPublication = (row: Row): Publication | null => {
  const requestedAlias = aliasOf(row.requested_alias)
  switch (row.publication_status) {
    case null:
      return null
    case "published":
      return {
        status: "published",
        requestedAlias,
        publishedAt: DateTime.makeUnsafe(row.published_at ?? row.updated_at),
        etag: row.published_etag ?? "",
        warnings: row.publication_warnings ?? [],
      }
    case "failed":
      return {
        status: "failed",
        requestedAlias,
        error: row.publication_error ?? { code: "internal_error", message: "" },
      }
    default:
      return { status: row.publication_status, requestedAlias }
  }
}

const toTent = (row: Row): Tent => ({
  id: TentId.make(row.tent_id),
  name: row.name,
  userId: row.user_id,
  request: toRequest(row),
  generation: toGeneration(row),
  credits_held: row.credits_held,
  alias: aliasOf(row.alias),
  branding: row.branding,
  publication: toPublication(row),
  createdAt: DateTime.makeUnsafe(row.created_at),
  updatedAt: DateTime.makeUnsafe(row.updated_at),
})

const gone = new NotFound({ resource: "tent" })

const first = <Found>(rows: ReadonlyArray<Found>): Effect.Effect<Found, NotFound> =>
  rows[0] === undefined ? Effect.fail(gone) : Effect.succeed(rows[0])

/** What a change writes of a tent; bodies are written by it only when it brings or takes them. */
const fieldsOf = (sql: PgClient.PgClient, after: Tent, { html, page }: TentChange) => {
  const { generation, publication, request } = after
  const published = publication?.status === "published" ? publication : null
  return {
    name: after.name,
    name_folded: fold(after.name),
    user_id: after.userId,
    status: generation.status,
    prompt: request?.prompt ?? null,
    include_brand: request?.includeBrand ?? false,
    template_id: request?.template?.id ?? null,
    template_approval_id: request?.template?.approvalId ?? null,
    auto_publish: request?.autoPublish ?? false,
    ...(html === undefined ? {} : { html }),
    error: generation.status === "failed" ? generation.error : null,
    credits_held: after.credits_held,
    branding: after.branding,
    publication_status: publication?.status ?? null,
    requested_alias: publication?.requestedAlias ?? null,
    ...(published === null ? { published_html: null } : page === undefined ? {} : { published_html: page.html }),
    published_etag: published?.etag ?? null,
    published_at: published === null ? null : DateTime.formatIso(published.publishedAt),
    publication_warnings: published === null ? null : sql.json(published.warnings),
    publication_error: publication?.status === "failed" ? sql.json(publication.error) : null,
    updated_at: DateTime.formatIso(after.updatedAt),
  }
}

const writeTent = (sql: PgClient.PgClient, workspace: WorkspaceId, change: TentChange) => {
  const { before, after } = change
  if (before === null && after !== null) {
    return sql<{ one: 1 }>`
      insert into tent ${sql.insert({
        workspace_id: workspace,
        tent_id: after.id,
        created_at: DateTime.formatIso(after.createdAt),
        ...fieldsOf(sql, after, change),
      })} returning 1 as one`
  }
  const unchanged = sql`workspace_id = ${workspace} and tent_id = ${before?.id ?? null} and status = ${before?.generation.status ?? null}
    and publication_status is not distinct from ${before?.publication?.status ?? null}`
  return after === null
    ? sql<{ one: 1 }>`delete from tent where ${unchanged} returning 1 as one`
    : sql<{ one: 1 }>`update tent set ${sql.update(fieldsOf(sql, after, change))} where ${unchanged} returning 1 as one`
}

const writeAlias = (sql: PgClient.PgClient, workspace: WorkspaceId, { before, after }: TentChange) => {
  if (after === null || after.alias === (before?.alias ?? null)) return Effect.void
  if (after.alias === null) {
    return sql`delete from tent_alias where workspace_id = ${workspace} and tent_id = ${after.id}`
  }
  const { alias } = after
  return sql`
    insert into tent_alias (workspace_id, alias, tent_id) values (${workspace}, ${alias}, ${after.id})
    on conflict (workspace_id, tent_id) do update set alias = excluded.alias`.pipe(
    Effect.catchReason(
      "SqlError",
      "UniqueViolation",
      () => Effect.fail(new AliasTaken({ alias })),
      (_, error) => Effect.fail(error),
    ),
  )
}

/** Whether what visitors get is another thing after a change. */
const isSeen = ({ before, after }: TentChange): boolean =>
  before?.publication?.status === "published" || after?.publication?.status === "published"

const applyTent = (
  sql: PgClient.PgClient,
  ids: Ids["Service"],
  news: PageNews["Service"],
  workspace: WorkspaceId,
  change: TentChange,
) =>
  Effect.gen(function* () {
    yield* Transaction
    if (!TentChange.is(change)) return yield* Effect.die("a tent can only be written by a TentChange")
    if (change.credits_taken !== 0) yield* takeCredits(sql, workspace, change.credits_taken)
    const written = yield* writeTent(sql, workspace, change)
    if (written.length !== 1) return yield* Effect.die("a tent changed between its lock and its write")
    yield* writeAlias(sql, workspace, change)
    yield* appendAudit(sql, ids, auditOfTent(workspace, change))
    if (!isSeen(change)) return
    yield* sql`select pg_notify(${pages_channel}, ${workspace}::text)`
    yield* news.tell(workspace)
  })

const sliceOf = (sql: PgClient.PgClient, workspace: WorkspaceId, { status, search, after, limit }: TentQuery) => {
  const conditions = [sql`t.workspace_id = ${workspace}`]
  if (status !== undefined) conditions.push(sql`t.status = ${status}`)
  if (search !== undefined) conditions.push(sql`position(${fold(search)} in t.name_folded) > 0`)
  if (after !== null) {
    const at = DateTime.formatIso(DateTime.makeUnsafe(after.at))
    conditions.push(sql`(t.created_at < ${at} or (t.created_at = ${at} and t.tent_id > ${after.id}))`)
  }
  return sql<Row>`
    select ${sql.literal(columns)} from ${sql.literal(source)} where ${sql.and(conditions)}
    order by t.created_at desc, t.tent_id limit ${limit + 1}`
}

const factsFor = (sql: PgClient.PgClient, workspace: WorkspaceId, id: TentId, alias: Alias | null) =>
  Effect.gen(function* () {
    // The workspace's row is the lock: the counts below are of a snapshot taken once it is held.
    const [plan] = yield* sql<{ published_tents_max: number | null; branding_removable: boolean }>`
      select p.published_tents_max, p.branding_removable from workspace w join plan p on p.plan = w.plan
      where w.workspace_id = ${workspace} for no key update of w`
    if (plan === undefined) return yield* gone
    const stem = alias === null ? "" : aliasStem(alias)
    const [counted] = yield* sql<{ others: number; taken: ReadonlyArray<string> }>`
      select
        (select count(*)::int from tent where workspace_id = ${workspace} and publication_status = 'published'
          and tent_id <> ${id}) as others,
        -- '~' sorts after every character of an alias
        (select coalesce(array_agg(alias), '{}') from tent_alias where workspace_id = ${workspace} and tent_id <> ${id}
          and alias >= ${stem} and alias <= ${`${stem}~`} and ${alias !== null}) as taken`
    return {
      plan: { publishedTents_max: plan.published_tents_max, brandingRemovable: plan.branding_removable },
      others_published: counted?.others ?? 0,
      taken: new Set(counted?.taken ?? []),
    }
  })

export const layer = Layer.effect(
  TentStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const ids = yield* Ids
    const news = yield* PageNews
    const within = fenced(sql)
    const all = sql.literal(columns)
    const from = sql.literal(source)
    const one = (workspace: WorkspaceId, rows: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>) =>
      Effect.map(Effect.flatMap(within(workspace, rows), first), toTent)

    return TentStore.of({
      find: (workspace, id) =>
        one(workspace, sql<Row>`select ${all} from ${from} where t.workspace_id = ${workspace} and t.tent_id = ${id}`),
      findByAlias: (workspace, alias) =>
        one(workspace, sql<Row>`select ${all} from ${from} where a.workspace_id = ${workspace} and a.alias = ${alias}`),
      content: (workspace, id) =>
        within(
          workspace,
          sql<{ html: string | null }>`select html from tent where workspace_id = ${workspace} and tent_id = ${id}`,
        ).pipe(
          Effect.flatMap(first),
          Effect.map((row) => row.html),
        ),
      slice: (workspace, query) =>
        within(workspace, sliceOf(sql, workspace, query)).pipe(
          Effect.map((rows) => {
            const items = rows.slice(0, query.limit).map(toTent)
            const last = items.at(-1)
            const more = rows.length > query.limit && last !== undefined
            return { items, next: more ? { at: last.createdAt.epochMilliseconds, id: last.id } : null }
          }),
        ),
      site: (workspace) =>
        orDefect(sql<{ slug: string; host: string | null }>`
          select w.slug, (select h.host from page_host h where h.workspace_id = w.workspace_id order by h.created_at, h.host limit 1) as host
          from workspace w where w.workspace_id = ${workspace}`).pipe(
          Effect.flatMap(first),
          Effect.map((row) => ({ slug: row.slug, ownHost: row.host })),
        ),
      lock: (workspace, id) =>
        Effect.andThen(
          Transaction,
          one(
            workspace,
            sql<Row>`select ${all} from ${from} where t.workspace_id = ${workspace} and t.tent_id = ${id} for update of t`,
          ),
        ),
      lockPublishing: (workspace, id, alias) =>
        Effect.andThen(Transaction, within(workspace, factsFor(sql, workspace, id, alias))),
      apply: (workspace, change) => within(workspace, applyTent(sql, ids, news, workspace, change)),
    })
  }),
)
