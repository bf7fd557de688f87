// `WorkspaceStore` on PostgreSQL. Workspaces and API keys are global tables: they are read before the workspace is known.
import { PgClient } from "@effect/sql-pg"
import { Ids, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { countsOfCredits, type CreditsTaken } from "@tentpole/core/figures/DayFigures"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import type { ApiKey } from "@tentpole/core/workspaces/ApiKey"
import type { SendingDomain } from "@tentpole/core/workspaces/SendingDomain"
import {
  type ConsentSettings,
  defaultConsent,
  InsufficientCredits,
  noBrand,
  SlugTaken,
  type Workspace,
  type WorkspaceBrand,
  type WorkspaceChange,
} from "@tentpole/core/workspaces/Workspace"
import { systemLists } from "@tentpole/core/workspaces/SystemLists"
import { type OverviewFacts, WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { DateTime, Effect, Layer, Record, Result } from "effect"
import type { Statement } from "effect/sql"
import { addDayCounts } from "../figures/DayFigures.ts"
import { fromRow, iso, requireRow, type RowOf, toColumns } from "../kernel/Instants.ts"
import { catchUnique, fencedWrites, orDefect, Reads } from "../kernel/Postgres.ts"
import { notifySites } from "../tents/PageInvalidation.ts"

/** The columns of a workspace `w`. */
export const workspaceColumns = `w.workspace_id as id, w.name, w.slug, w.plan, w.credits, w.time_zone as "timeZone",
  w.default_country as "defaultCountry", w.postal_address as "postalAddress", jsonb_build_object('fromName',
  w.sender_from_name, 'fromAddress', w.sender_from_address, 'replyToEmail', w.sender_reply_to) as "senderDefaults",
  w.brand, w.consent, w.sending_per_second as "sendingPerSecond", w.sending_per_domain_per_second as "sendingPerDomainPerSecond",
  w.four_eyes as "fourEyes", w.created_at as "createdAt", w.updated_at as "updatedAt"`

/** The limits of a plan `p`. */
export const planColumn = `jsonb_build_object('plan', p.plan, 'publishedTents_max', p.published_tents_max,
  'emailsPerDay_max', p.emails_per_day_max, 'contacts_max', p.contacts_max,
  'recipientsPerBlast_max', p.recipients_per_blast_max, 'flows', p.flows, 'brandingRemovable', p.branding_removable)
  as plan`

export type WorkspaceRow = RowOf<
  Omit<Workspace, "brand" | "consent"> & {
    readonly brand: Partial<WorkspaceBrand>
    readonly consent: Partial<ConsentSettings>
  }
>

export const toWorkspace = (row: WorkspaceRow): Workspace =>
  fromRow<Workspace>({
    ...row,
    brand: { ...noBrand, ...row.brand },
    consent: { ...defaultConsent, ...row.consent },
  })

/** The columns of an API key `k`. A prefix distinguishes them in a join. */
export const keyColumns = (prefix = "") => `k.key_id as "${prefix}id", k.workspace_id as "${prefix}workspaceId",
  k.name as "${prefix}name", k.prefix as "${prefix}prefix", k.role as "${prefix}role", k.hash as "${prefix}hash",
  k.expires_at as "${prefix}expiresAt", k.revoked_at as "${prefix}revokedAt", k.last_used_at as "${prefix}lastUsedAt",
  k.created_at as "${prefix}createdAt"`

/** The key and the workspace of a join. */
const toKeyAndWorkspace = (row: Readonly<Record<string, unknown>>) => {
  const [key, workspace] = Record.partition(row, (value, name) =>
    name.startsWith("key.") ? Result.succeed(value) : Result.fail(value),
  )
  return {
    key: fromRow<ApiKey>(Record.mapKeys(key, (name) => name.slice("key.".length)) as RowOf<ApiKey>),
    workspace: toWorkspace(workspace as WorkspaceRow),
  }
}

export const domainColumns = `domain_id as id, domain, status, dkim_selector as "dkimSelector",
  dkim_public_key as "dkimPublicKey", dkim_private_key_sealed as "dkimPrivateKeySealed", verified_at as "verifiedAt",
  created_at as "createdAt"`

/** Takes credits in the caller's fence and transaction, and counts them. Of two callers that take the last one, one fails. */
export const takeCredits = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
  taken: CreditsTaken,
) {
  const { credits } = taken
  if (credits === 0) return
  const rows = yield* orDefect(sql`
    update workspace set credits = credits - ${credits} where workspace_id = ${workspace} and credits >= ${credits} returning 1`)
  if (rows.length === 0) {
    const [row] = yield* orDefect(
      sql<{ credits: number }>`select credits from workspace where workspace_id = ${workspace}`,
    )
    return yield* new InsufficientCredits({ needed: credits, left: row?.credits ?? 0 })
  }
  yield* orDefect(Effect.flatten(addDayCounts(sql, workspace, countsOfCredits(taken, yield* DateTime.now))))
})

const insertSystemLists = (sql: PgClient.PgClient, workspace: Workspace, ids: ReadonlyArray<string>) => sql`
  insert into list (workspace_id, list_id, kind, system_list, name, name_folded, slug, created_at, updated_at)
  select ${workspace.id}, u.list_id, 'system', u.system_list, u.name, u.name_folded, u.slug, ${DateTime.formatIso(workspace.createdAt)},
    ${DateTime.formatIso(workspace.createdAt)}
  from unnest(${ids}::uuid[], ${systemLists.map((list) => list.systemList)}::text[], ${systemLists.map((list) => list.name)}::text[],
    ${systemLists.map((list) => list.nameFolded)}::text[], ${systemLists.map((list) => list.slug)}::text[])
    as u (list_id, system_list, name, name_folded, slug)
  returning 1`

const columnsOf = (
  sql: PgClient.PgClient,
  { id, brand, consent, senderDefaults, ...fields }: Workspace,
): Readonly<Record<string, unknown>> => ({
  ...toColumns(fields),
  workspace_id: id,
  brand: sql.json(brand),
  consent: sql.json(consent),
  sender_from_name: senderDefaults.fromName,
  sender_from_address: senderDefaults.fromAddress,
  sender_reply_to: senderDefaults.replyToEmail,
})

const applyWorkspace = (sql: PgClient.PgClient, ids: Ids["Service"], { before, after }: WorkspaceChange) =>
  Effect.gen(function* () {
    yield* Transaction
    const columns = columnsOf(sql, after)
    const [taken] = yield* sql<{ id: WorkspaceId }>`
      select workspace_id as id from workspace where slug = ${after.slug} and workspace_id <> ${after.id}`
    if (taken !== undefined) return yield* new SlugTaken({ slug: after.slug, existingId: taken.id })
    if (before === null) {
      yield* sql`insert into workspace ${sql.insert(columns)}`
      const systemListIds = yield* ids.many(systemLists.length)
      yield* fencedWrites(sql)(
        after.id,
        Effect.andThen(
          sql`insert into workspace_home (workspace_id) values (${after.id})`,
          insertSystemLists(sql, after, systemListIds),
        ),
      )
    } else {
      yield* sql`update workspace set ${sql.update(columns, ["workspace_id", "created_at"])} where workspace_id = ${after.id}`
    }
    yield* notifySites(sql)
  }).pipe(catchUnique(new SlugTaken({ slug: after.slug, existingId: null })), orDefect)

export const layer = Layer.effect(
  WorkspaceStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const ids = yield* Ids
    const { unfenced, within } = yield* Reads
    const write = fencedWrites(sql)
    const columns = sql.literal(workspaceColumns)
    const one = (condition: Statement.Fragment, lock = sql``) =>
      unfenced(
        (reader) => reader<WorkspaceRow>`
          select ${columns} from workspace w where ${condition} and w.deleted_at is null ${lock}`,
      ).pipe(Effect.flatMap(requireRow("workspace")), Effect.map(toWorkspace))

    return WorkspaceStore.of({
      get: (id) => one(sql`w.workspace_id = ${id}`),
      findBySlug: (slug) => one(sql`w.slug = ${slug}`),
      findFirst: unfenced(
        (reader) =>
          reader<WorkspaceRow>`select ${columns} from workspace w where w.deleted_at is null order by w.created_at, w.workspace_id limit 1`,
      ).pipe(Effect.map(([row]) => (row === undefined ? null : toWorkspace(row)))),
      overviewFacts: (id) =>
        unfenced(
          (reader) => reader<OverviewFacts>`
            select ${sql.literal(planColumn)}, (
              select h.host from page_host h where h.workspace_id = ${id} order by h.created_at, h.host limit 1
            ) as "pageDomain"
            from workspace w join plan p on p.plan = w.plan where w.workspace_id = ${id} and w.deleted_at is null`,
        ).pipe(Effect.flatMap(requireRow("workspace"))),
      lock: (id) => Effect.andThen(Transaction, one(sql`w.workspace_id = ${id}`, sql`for update`)),
      apply: (change) => applyWorkspace(sql, ids, change),

      findKey: (hash, at) =>
        unfenced(
          (reader) => reader<Readonly<Record<string, unknown>>>`
            select ${sql.literal(keyColumns("key."))}, ${columns}
            from api_key k join workspace w on w.workspace_id = k.workspace_id
            where k.hash = ${hash} and k.revoked_at is null
              and (k.expires_at is null or k.expires_at > ${iso(at)}) and w.deleted_at is null`,
        ).pipe(Effect.flatMap(requireRow("API key")), Effect.map(toKeyAndWorkspace)),
      addKey: ({ id, ...key }) =>
        Effect.andThen(
          Transaction,
          orDefect(sql`insert into api_key ${sql.insert({ key_id: id, ...toColumns(key) })}`),
        ).pipe(Effect.asVoid),
      revokeKey: (id, key, at) =>
        Effect.andThen(
          Transaction,
          orDefect(sql`
            update api_key set revoked_at = coalesce(revoked_at, ${iso(at)})
            where workspace_id = ${id} and key_id = ${key} returning 1`),
        ).pipe(Effect.flatMap(requireRow("API key")), Effect.asVoid),
      touchKey: (id, key, at) =>
        Effect.andThen(
          Transaction,
          orDefect(sql`update api_key set last_used_at = greatest(last_used_at, ${iso(at)})
            where workspace_id = ${id} and key_id = ${key}`),
        ).pipe(Effect.asVoid),

      domains: (workspace) =>
        within(
          workspace,
          sql<RowOf<SendingDomain>>`
            select ${sql.literal(domainColumns)} from sending_domain
            where workspace_id = ${workspace} order by created_at, domain_id`,
        ).pipe(Effect.map((rows) => rows.map(fromRow<SendingDomain>))),
      putDomain: (workspace, { id, ...domain }) =>
        write(
          workspace,
          sql`
            insert into sending_domain ${sql.insert({ workspace_id: workspace, domain_id: id, ...toColumns(domain) })}
            on conflict (workspace_id, domain_id) do update set status = excluded.status, verified_at = excluded.verified_at`,
        ).pipe(Effect.asVoid),
      removeDomain: (workspace, domain) =>
        write(
          workspace,
          sql`delete from sending_domain where workspace_id = ${workspace} and domain_id = ${domain} returning 1`,
        ).pipe(Effect.flatMap(requireRow("sending domain")), Effect.asVoid),
    })
  }),
)
