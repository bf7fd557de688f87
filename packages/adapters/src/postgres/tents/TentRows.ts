// Rows of tents: their conversion to tents, and the columns that a change writes.
import type { PgClient } from "@effect/sql-pg"
import type { Reasoning } from "@tentpole/core/ports/Ai"
import { ApprovalId, AssetId, TentId, TentTemplateId, type WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type Alias, isAlias } from "@tentpole/core/tents/Alias"
import type {
  TentGeneration,
  TentStatus,
  Publication,
  PublicationError,
  PublicationStatus,
  PublicationWarning,
  Tent,
  TentRequest,
} from "@tentpole/core/tents/Tent"
import type { TentChange } from "@tentpole/core/tents/machine"
import { fold } from "@tentpole/core/kernel/Text"
import { DateTime } from "effect"
import { uuids } from "../kernel/Arrays.ts"

export interface Row {
  readonly tent_id: string
  readonly name: string
  readonly user_id: string | null
  readonly status: TentStatus
  readonly prompt: string | null
  readonly include_brand: boolean
  readonly template_id: string | null
  readonly template_approval_id: string | null
  readonly asset_ids: ReadonlyArray<string>
  readonly reasoning: Reasoning | null
  readonly auto_publish: boolean
  readonly alias_turn: number
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

export const columns = `t.tent_id, t.name, t.user_id, t.status, t.prompt, t.include_brand, t.template_id, t.template_approval_id,
  t.asset_ids, t.reasoning, t.auto_publish, t.alias_turn, t.error, t.credits_held, a.alias, t.branding, t.publication_status, t.requested_alias, t.published_etag, t.published_at,
  t.publication_warnings, t.publication_error, t.created_at, t.updated_at`

/** Tents joined with their alias. Locks apply to the tent table. */
export const source = `tent t left join tent_alias a on a.workspace_id = t.workspace_id and a.tent_id = t.tent_id`

const aliasOf = (text: string | null): Alias | null => (text !== null && isAlias(text) ? text : null)

const toGeneration = ({ status, error }: Row): TentGeneration =>
  status === "failed" ? { status, error: error ?? "" } : { status }

const toRequest = (row: Row): TentRequest | null =>
  row.prompt === null
    ? null
    : {
        prompt: row.prompt,
        includeBrand: row.include_brand,
        template: toPin(row),
        assetIds: row.asset_ids.map((id) => AssetId.make(id)),
        reasoning: row.reasoning,
        autoPublish: row.auto_publish,
        aliasTurn: row.alias_turn,
      }

/** Columns that are set together; a CHECK constraint guarantees it. */
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

export const toTent = (row: Row): Tent => ({
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

/** The columns that a change of a tent writes. The bodies are written only when the change adds or removes them. */
export const fieldsOf = (sql: PgClient.PgClient, after: Tent, { html, page }: TentChange) => {
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
    asset_ids: uuids(request?.assetIds ?? []),
    reasoning: request?.reasoning ?? null,
    auto_publish: request?.autoPublish ?? false,
    alias_turn: request?.aliasTurn ?? 1,
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

/** The row of a new tent. */
export const insertedRow = (sql: PgClient.PgClient, workspace: WorkspaceId, after: Tent, change: TentChange) => ({
  workspace_id: workspace,
  tent_id: after.id,
  created_at: DateTime.formatIso(after.createdAt),
  ...fieldsOf(sql, after, change),
})
