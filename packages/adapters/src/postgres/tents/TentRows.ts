// Rows of tents: their conversion to tents, and the columns that a change writes.
import type { PgClient } from "@effect/sql-pg"
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type Alias, isAlias } from "@tentpole/core/tents/Alias"
import type {
  TentStatus,
  Publication,
  PublicationError,
  PublicationStatus,
  PublicationWarning,
  Tent,
} from "@tentpole/core/tents/Tent"
import type { TentChange } from "@tentpole/core/tents/machine"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime } from "effect"
import { uuids } from "../kernel/Arrays.ts"
import { fromRow, iso, type RowOf } from "../kernel/Instants.ts"

type Stored = Pick<
  Tent,
  | "id"
  | "name"
  | "createdByName"
  | "userId"
  | "request"
  | "currentVersion"
  | "revisionStatus"
  | "credits_held"
  | "generatedBy"
  | "branding"
  | "createdAt"
  | "updatedAt"
>

export type Row = RowOf<Stored> & {
  readonly status: TentStatus
  readonly error: string | null
  readonly alias: string | null
  readonly publicationStatus: PublicationStatus | null
  readonly requestedAlias: string | null
  readonly etag: string | null
  readonly publishedVersion: number | null
  readonly publishedAt: Date | null
  readonly warnings: ReadonlyArray<PublicationWarning> | null
  readonly publicationError: PublicationError | null
}

/** CHECK constraints set the columns of a request together, and those of its template. */
export const columns = (
  sql: PgClient.PgClient,
  workspace: WorkspaceId,
) => sql`t.tent_id as id, t.name, t.created_by_name as "createdByName", t.user_id as "userId",
  t.current_version as "currentVersion", t.status, t.error, t.credits_held, t.generated_by as "generatedBy", t.branding,
  case when t.prompt is not null then jsonb_build_object('prompt', t.prompt, 'includeBrand', t.include_brand,
    'template', case when t.template_id is not null then
      jsonb_build_object('id', t.template_id, 'approvalId', t.template_approval_id) end,
    'assetIds', t.asset_ids, 'reasoning', t.reasoning, 'variables', t.variables, 'autoPublish', t.auto_publish, 'aliasTurn', t.alias_turn)
  end as request, (
    select g.status from generation g where g.workspace_id = ${workspace} and g.document_id = t.tent_id
    order by g.created_at desc, g.generation_id desc limit 1) as "revisionStatus", a.alias, t.publication_status as "publicationStatus", t.requested_alias as "requestedAlias",
  t.published_etag as etag, t.published_version as "publishedVersion", t.published_at as "publishedAt", t.publication_warnings as warnings,
  t.publication_error as "publicationError", t.created_at as "createdAt", t.updated_at as "updatedAt"`

/** Tents joined with their alias. Locks apply to the tent table. */
export const source = (sql: PgClient.PgClient, workspace: WorkspaceId) =>
  sql`tent t left join tent_alias a on a.workspace_id = ${workspace} and a.tent_id = t.tent_id`

const aliasOf = (text: string | null): Alias | null => (text !== null && isAlias(text) ? text : null)

const toPublication = (row: Omit<Row, keyof Stored>, updatedAt: Date): Publication | null => {
  const requestedAlias = aliasOf(row.requestedAlias)
  switch (row.publicationStatus) {
    case null:
      return null
    case "published":
      return {
        status: "published",
        requestedAlias,
        publishedAt: DateTime.makeUnsafe(row.publishedAt ?? updatedAt),
        version: row.publishedVersion ?? 0,
        etag: row.etag ?? "",
        warnings: row.warnings ?? [],
      }
    case "failed":
      return {
        status: "failed",
        requestedAlias,
        error: row.publicationError ?? { code: "internal_error", message: "" },
      }
    default:
      return { status: row.publicationStatus, requestedAlias }
  }
}

export const toTent = ({
  id,
  name,
  createdByName,
  userId,
  request,
  currentVersion,
  revisionStatus,
  credits_held,
  generatedBy,
  branding,
  createdAt,
  updatedAt,
  ...row
}: Row): Tent => ({
  ...fromRow<Stored>({
    id,
    name,
    createdByName,
    userId,
    request,
    currentVersion,
    revisionStatus,
    credits_held,
    generatedBy,
    branding,
    createdAt,
    updatedAt,
  }),
  generation: row.status === "failed" ? { status: row.status, error: row.error ?? "" } : { status: row.status },
  alias: aliasOf(row.alias),
  publication: toPublication(row, updatedAt),
})

/** The columns that a change of a tent writes. The bodies are written only when the change adds or removes them. */
export const fieldsOf = (sql: PgClient.PgClient, after: Tent, { page }: Pick<TentChange, "page">) => {
  const { generation, publication, request } = after
  const published = publication?.status === "published" ? publication : null
  return {
    name: after.name,
    name_folded: fold(after.name),
    created_by_name: after.createdByName,
    user_id: after.userId,
    status: generation.status,
    prompt: request?.prompt ?? null,
    include_brand: request?.includeBrand ?? false,
    template_id: request?.template?.id ?? null,
    template_approval_id: request?.template?.approvalId ?? null,
    asset_ids: uuids(request?.assetIds ?? []),
    reasoning: request?.reasoning ?? null,
    auto_publish: request?.autoPublish ?? false,
    variables: sql.json(request?.variables ?? {}),
    alias_turn: request?.aliasTurn ?? 1,
    current_version: after.currentVersion,
    error: generation.status === "failed" ? generation.error : null,
    credits_held: after.credits_held,
    generated_by: after.generatedBy,
    branding: after.branding,
    publication_status: publication?.status ?? null,
    requested_alias: publication?.requestedAlias ?? null,
    ...(published === null ? { published_html: null } : page === undefined ? {} : { published_html: page.html }),
    published_version: published?.version ?? null,
    published_etag: published?.etag ?? null,
    published_at: iso(published?.publishedAt ?? null),
    publication_warnings: published === null ? null : sql.json(published.warnings),
    publication_error: publication?.status === "failed" ? sql.json(publication.error) : null,
    updated_at: iso(after.updatedAt),
  }
}

/** The row of a new tent. */
export const insertedRow = (sql: PgClient.PgClient, workspace: WorkspaceId, after: Tent, change: TentChange) => ({
  workspace_id: workspace,
  tent_id: after.id,
  created_at: iso(after.createdAt),
  ...fieldsOf(sql, after, change),
})
