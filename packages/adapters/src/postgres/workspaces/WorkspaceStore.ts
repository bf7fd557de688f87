// `WorkspaceStore` on PostgreSQL. Workspaces and API keys are global tables: they are read before the workspace is known.
import { PgClient } from "@effect/sql-pg"
import { ApiKeyId, DomainId, Ids, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import type { ApiKey } from "@tentpole/core/workspaces/ApiKey"
import type { DomainStatus, SendingDomain } from "@tentpole/core/workspaces/SendingDomain"
import {
  InsufficientCredits,
  noBrand,
  type PlanName,
  SlugTaken,
  type Workspace,
  type WorkspaceBrand,
  type WorkspaceChange,
} from "@tentpole/core/workspaces/Workspace"
import { systemLists } from "@tentpole/core/workspaces/SystemLists"
import { WorkspaceStore } from "@tentpole/core/workspaces/WorkspaceStore"
import { DateTime, Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import { instant } from "../kernel/Instants.ts"
import { fenced, orDefect } from "../kernel/Postgres.ts"

export interface WorkspaceRow {
  readonly workspace_id: string
  readonly name: string
  readonly slug: string
  readonly plan: PlanName
  readonly credits: number
  readonly time_zone: string
  readonly default_country: string
  readonly postal_address: string | null
  readonly sender_from_name: string | null
  readonly sender_from_address: string | null
  readonly sender_reply_to: string | null
  readonly brand: Partial<WorkspaceBrand>
  readonly sending_per_second: number | null
  readonly sending_per_domain_per_second: number | null
  readonly workspace_created_at: Date
  readonly updated_at: Date
}

export const workspaceColumns = `w.workspace_id, w.name, w.slug, w.plan, w.credits, w.time_zone, w.default_country,
  w.postal_address, w.sender_from_name, w.sender_from_address, w.sender_reply_to, w.brand, w.sending_per_second,
  w.sending_per_domain_per_second, w.created_at as workspace_created_at, w.updated_at`

export const toWorkspace = (row: WorkspaceRow): Workspace => ({
  id: WorkspaceId.make(row.workspace_id),
  name: row.name,
  slug: row.slug,
  plan: row.plan,
  credits: row.credits,
  timeZone: row.time_zone,
  defaultCountry: row.default_country,
  postalAddress: row.postal_address,
  senderDefaults: {
    fromName: row.sender_from_name,
    fromAddress: row.sender_from_address,
    replyToEmail: row.sender_reply_to,
  },
  brand: { ...noBrand, ...row.brand },
  sendingPerSecond: row.sending_per_second,
  sendingPerDomainPerSecond: row.sending_per_domain_per_second,
  createdAt: DateTime.makeUnsafe(row.workspace_created_at),
  updatedAt: DateTime.makeUnsafe(row.updated_at),
})

export interface KeyRow {
  readonly workspace_id: string
  readonly key_id: string
  readonly key_name: string
  readonly prefix: string
  readonly hash: Uint8Array
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
  readonly last_used_at: Date | null
  readonly key_created_at: Date
}

export const keyColumns = `k.workspace_id, k.key_id, k.name as key_name, k.prefix, k.hash, k.expires_at, k.revoked_at,
  k.last_used_at, k.created_at as key_created_at`

export const toKey = (row: KeyRow): ApiKey => ({
  id: ApiKeyId.make(row.key_id),
  workspaceId: WorkspaceId.make(row.workspace_id),
  name: row.key_name,
  prefix: row.prefix,
  hash: row.hash,
  expiresAt: instant(row.expires_at),
  revokedAt: instant(row.revoked_at),
  lastUsedAt: instant(row.last_used_at),
  createdAt: DateTime.makeUnsafe(row.key_created_at),
})

export interface DomainRow {
  readonly domain_id: string
  readonly domain: string
  readonly status: DomainStatus
  readonly dkim_selector: string
  readonly dkim_public_key: string
  readonly dkim_private_key_sealed: Uint8Array
  readonly verified_at: Date | null
  readonly created_at: Date
}

export const domainColumns =
  "domain_id, domain, status, dkim_selector, dkim_public_key, dkim_private_key_sealed, verified_at, created_at"

export const toDomain = (row: DomainRow): SendingDomain => ({
  id: DomainId.make(row.domain_id),
  domain: row.domain,
  status: row.status,
  dkimSelector: row.dkim_selector,
  dkimPublicKey: row.dkim_public_key,
  dkimPrivateKeySealed: row.dkim_private_key_sealed,
  verifiedAt: instant(row.verified_at),
  createdAt: DateTime.makeUnsafe(row.created_at),
})

export const requireRow = <Row>(rows: ReadonlyArray<Row>, resource: string): Effect.Effect<Row, NotFound> =>
  rows[0] === undefined ? Effect.fail(new NotFound({ resource })) : Effect.succeed(rows[0])

/** Takes credits in the caller's transaction. A negative count returns them. Of two callers that take the last one, one fails. */
export const takeCredits = (sql: PgClient.PgClient, workspace: WorkspaceId, count: number) =>
  orDefect(
    sql`update workspace set credits = credits - ${count} where workspace_id = ${workspace} and credits >= ${count} returning 1`,
  ).pipe(
    Effect.flatMap((rows) =>
      rows.length > 0
        ? Effect.void
        : orDefect(sql<{ credits: number }>`select credits from workspace where workspace_id = ${workspace}`).pipe(
            Effect.flatMap(([row]) => Effect.fail(new InsufficientCredits({ needed: count, left: row?.credits ?? 0 }))),
          ),
    ),
  )

const insertSystemLists = (sql: PgClient.PgClient, workspace: Workspace, ids: ReadonlyArray<string>) => sql`
  insert into list (workspace_id, list_id, kind, system_list, name, name_folded, slug, created_at, updated_at)
  select ${workspace.id}, u.list_id, 'system', u.system_list, u.name, u.name_folded, u.slug, ${DateTime.formatIso(workspace.createdAt)},
    ${DateTime.formatIso(workspace.createdAt)}
  from unnest(${ids}::uuid[], ${systemLists.map((list) => list.systemList)}::text[], ${systemLists.map((list) => list.name)}::text[],
    ${systemLists.map((list) => list.nameFolded)}::text[], ${systemLists.map((list) => list.slug)}::text[])
    as u (list_id, system_list, name, name_folded, slug)`

const fieldsOf = (sql: PgClient.PgClient, { after }: WorkspaceChange) => ({
  name: after.name,
  slug: after.slug,
  plan: after.plan,
  credits: after.credits,
  time_zone: after.timeZone,
  default_country: after.defaultCountry,
  postal_address: after.postalAddress,
  sender_from_name: after.senderDefaults.fromName,
  sender_from_address: after.senderDefaults.fromAddress,
  sender_reply_to: after.senderDefaults.replyToEmail,
  brand: sql.json(after.brand),
  sending_per_second: after.sendingPerSecond,
  sending_per_domain_per_second: after.sendingPerDomainPerSecond,
  updated_at: DateTime.formatIso(after.updatedAt),
})

const applyWorkspace = (sql: PgClient.PgClient, ids: Ids["Service"], change: WorkspaceChange) =>
  Effect.gen(function* () {
    yield* Transaction
    const { after } = change
    if (change.before === null) {
      yield* sql`insert into workspace ${sql.insert({ workspace_id: after.id, ...fieldsOf(sql, change), created_at: DateTime.formatIso(after.createdAt) })}`
      yield* fenced(sql)(after.id, insertSystemLists(sql, after, yield* ids.many(systemLists.length)))
    } else {
      yield* sql`update workspace set ${sql.update(fieldsOf(sql, change))} where workspace_id = ${after.id}`
    }
  }).pipe(
    Effect.catchReason(
      "SqlError",
      "UniqueViolation",
      () => Effect.fail(new SlugTaken({ slug: change.after.slug })),
      (_, error) => Effect.fail(error),
    ),
    orDefect,
  )

export const layer = Layer.effect(
  WorkspaceStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const ids = yield* Ids
    const within = fenced(sql)
    const columns = sql.literal(workspaceColumns)
    const one = (condition: Statement.Fragment, lock = sql``) =>
      orDefect(
        sql<WorkspaceRow>`select ${columns} from workspace w where ${condition} and w.deleted_at is null ${lock}`,
      ).pipe(
        Effect.flatMap((rows) => requireRow(rows, "workspace")),
        Effect.map(toWorkspace),
      )

    return WorkspaceStore.of({
      get: (id) => one(sql`w.workspace_id = ${id}`),
      findBySlug: (slug) => one(sql`w.slug = ${slug}`),
      list: orDefect(
        sql<WorkspaceRow>`select ${columns} from workspace w where w.deleted_at is null order by w.created_at, w.workspace_id limit 1000`,
      ).pipe(Effect.map((rows) => rows.map(toWorkspace))),
      lock: (id) => Effect.andThen(Transaction, one(sql`w.workspace_id = ${id}`, sql`for update`)),
      apply: (change) => applyWorkspace(sql, ids, change),

      findKey: (hash, at) =>
        orDefect(sql<KeyRow & WorkspaceRow>`
          select ${sql.literal(keyColumns)}, ${columns} from api_key k join workspace w on w.workspace_id = k.workspace_id
          where k.hash = ${hash} and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > ${DateTime.formatIso(at)}) and w.deleted_at is null`).pipe(
          Effect.flatMap((rows) => requireRow(rows, "API key")),
          Effect.map((row) => ({ key: toKey(row), workspace: toWorkspace(row) })),
        ),
      addKey: (key) =>
        Effect.andThen(
          Transaction,
          orDefect(sql`
            insert into api_key ${sql.insert({
              workspace_id: key.workspaceId,
              key_id: key.id,
              name: key.name,
              prefix: key.prefix,
              hash: key.hash,
              expires_at: key.expiresAt === null ? null : DateTime.formatIso(key.expiresAt),
              created_at: DateTime.formatIso(key.createdAt),
            })}`),
        ).pipe(Effect.asVoid),
      revokeKey: (id, key, at) =>
        Effect.andThen(
          Transaction,
          orDefect(sql`
            update api_key set revoked_at = coalesce(revoked_at, ${DateTime.formatIso(at)})
            where workspace_id = ${id} and key_id = ${key} returning 1`),
        ).pipe(
          Effect.flatMap((rows) => requireRow(rows, "API key")),
          Effect.asVoid,
        ),
      touchKey: (id, key, at) =>
        Effect.andThen(
          Transaction,
          orDefect(sql`update api_key set last_used_at = greatest(last_used_at, ${DateTime.formatIso(at)})
            where workspace_id = ${id} and key_id = ${key}`),
        ).pipe(Effect.asVoid),

      domains: (id) =>
        within(
          id,
          sql<DomainRow>`
            select ${sql.literal(domainColumns)} from sending_domain where workspace_id = ${id} order by created_at, domain_id`,
        ).pipe(Effect.map((rows) => rows.map(toDomain))),
      putDomain: (id, domain) =>
        Effect.andThen(
          Transaction,
          within(
            id,
            sql`
              insert into sending_domain ${sql.insert({
                workspace_id: id,
                domain_id: domain.id,
                domain: domain.domain,
                status: domain.status,
                dkim_selector: domain.dkimSelector,
                dkim_public_key: domain.dkimPublicKey,
                dkim_private_key_sealed: domain.dkimPrivateKeySealed,
                verified_at: domain.verifiedAt === null ? null : DateTime.formatIso(domain.verifiedAt),
                created_at: DateTime.formatIso(domain.createdAt),
              })}
              on conflict (workspace_id, domain_id) do update set status = excluded.status, verified_at = excluded.verified_at`,
          ),
        ).pipe(Effect.asVoid),
      removeDomain: (id, domain) =>
        Effect.andThen(
          Transaction,
          within(id, sql`delete from sending_domain where workspace_id = ${id} and domain_id = ${domain} returning 1`),
        ).pipe(
          Effect.flatMap((rows) => requireRow(rows, "sending domain")),
          Effect.asVoid,
        ),
    })
  }),
)
