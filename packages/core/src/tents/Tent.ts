// A tent: a web page, its prompt, generation and publication. Its body is read apart, because it may have megabytes.
import { type DateTime, Schema } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"
import type { ErrorCode } from "../kernel/ErrorCode.ts"
import type { Reasoning } from "../ports/Ai.ts"
import { type GenerationStatus, generationStatuses } from "../documents/Generation.ts"
import type { ApprovalId, AssetId, TentId, TentTemplateId } from "../kernel/Ids.ts"
import type { Alias } from "./Alias.ts"
import type { Variables } from "./Variables.ts"

/** `pending`: idle, without a request. `queued`: no worker has started it yet. */
export const tentStatuses = ["pending", "queued", ...generationStatuses] as const
export type TentStatus = (typeof tentStatuses)[number]

export type TentGeneration =
  | { readonly status: Exclude<TentStatus, "failed"> }
  | { readonly status: "failed"; readonly error: string }

export interface TentRequest {
  readonly prompt: string
  readonly includeBrand: boolean
  /** The template and its approval to start from; null: none. */
  readonly template: { readonly id: TentTemplateId; readonly approvalId: ApprovalId } | null
  /** Assets of the tent for the AI. One that is deleted before the generation is left out. */
  readonly assetIds: ReadonlyArray<AssetId>
  /** Texts for the `{{api.…}}` variables of the template and the prompt, by name without `api.`. */
  readonly variables: Variables
  /** The reasoning effort of the AI; null: the provider's default. */
  readonly reasoning: Reasoning | null
  readonly autoPublish: boolean
  /** The number of this tent, from 1, among those that were accepted together and want the same alias. */
  readonly aliasTurn: number
}

export interface PublicationWarning {
  readonly code: "alias_adjusted" | "alias_taken" | "branding_required"
  readonly message: string
}

export interface PublicationError {
  readonly code: ErrorCode
  readonly message: string
}

interface Requested {
  /** The alias of the last request; null: none, or it was cleared. */
  readonly requestedAlias: Alias | null
}

export type Publication = Requested &
  (
    | { readonly status: "pending" | "unpublished" }
    | {
        readonly status: "published"
        readonly publishedAt: DateTime.Utc
        /** The version that was current when the page was published. */
        readonly version: number
        /** A digest of the served bytes: equal pages have equal etags. */
        readonly etag: string
        readonly warnings: ReadonlyArray<PublicationWarning>
      }
    | { readonly status: "failed"; readonly error: PublicationError }
  )

export type PublicationStatus = Publication["status"]

export interface Tent {
  readonly id: TentId
  readonly name: string
  /** Name of the API key that requested the page; null for an idle tent. */
  readonly createdByName: string | null
  /** The caller's own name for the user who requested the tent. */
  readonly userId: string | null
  /** Null for an idle tent, and for a page that was uploaded. */
  readonly request: TentRequest | null
  readonly generation: TentGeneration
  /** The newest version of the page, from 1; 0 until there is a page. */
  readonly currentVersion: number
  /** The AI provider that wrote the current version, `sample` for the fake AI; null: a person did, or there is no page. */
  readonly generatedBy: string | null
  /** The status of the latest revision; null if there was none. */
  readonly revisionStatus: GenerationStatus | null
  /** Credits taken for the generation and not yet spent. */
  readonly credits_held: number
  /** The tent's alias, also while it is unpublished; null: the default address. */
  readonly alias: Alias | null
  /** Whether its pages carry the line "Made with Tentpole". */
  readonly branding: boolean
  readonly publication: Publication | null
  readonly createdAt: DateTime.Utc
  /** The time of the last status change. */
  readonly updatedAt: DateTime.Utc
}

export const isInProgress = (tent: Tent): boolean =>
  tent.generation.status === "queued" || tent.generation.status === "generating" || tent.revisionStatus === "generating"

/** The version that visitors see; null while the tent is not published. */
export const liveVersionOf = ({ publication }: Pick<Tent, "publication">): number | null =>
  publication?.status === "published" ? publication.version : null

/** `generation`: the AI wrote the version. */
export const versionMakers = ["upload", "generation"] as const

interface VersionOrigin {
  readonly madeBy: (typeof versionMakers)[number]
  /** Name of the API key that stored or requested the version. */
  readonly byName: string
}

export interface NewVersion extends VersionOrigin {
  readonly html: string
}

/** A version of a page, without its HTML. */
export interface PageVersion extends VersionOrigin {
  readonly version: number
  readonly size_bytes: number
  readonly createdAt: DateTime.Utc
}

export const tent_name_length_max = 200
export const page_prompt_length_max = 20_000
export const user_id_length_max = 200

export class InvalidPromptIntent extends refusalClass<InvalidPromptIntent>()("InvalidPromptIntent", {
  code: "INVALID_PROMPT_INTENT",
  message: () =>
    "The prompt does not ask for a web page. Describe the page, for example: Create a landing page for our spring sale",
}) {}

export class HasGeneration extends refusalClass<HasGeneration>()("HasGeneration", {
  code: "conflict",
  message: () => "This tent already has a generation. Omit tent_id to create a new tent",
  details: () => ({ issues: [{ path: "tent_id", message: "must be a tent without a generation" }] }),
}) {}

export class TentNotReady extends refusalClass<TentNotReady>()("TentNotReady", {
  code: "tent_not_ready",
  fields: { status: Schema.String },
  message: ({ status }) =>
    status === "failed"
      ? "The tent has no page: its generation failed. Create another one"
      : "The tent has no page yet. Wait until its status is completed",
  details: ({ status }) => ({ status }),
}) {}

export class AliasTaken extends refusalClass<AliasTaken>()("AliasTaken", {
  code: "alias_taken",
  fields: { alias: Schema.String },
  message: ({ alias }) =>
    `Another tent of this workspace has the alias "${alias}". Choose another one, or publish that tent under another alias first`,
  details: () => ({ issues: [{ path: "custom_page_alias", message: "belongs to another tent" }] }),
}) {}

export class PublishLimitExceeded extends refusalClass<PublishLimitExceeded>()("PublishLimitExceeded", {
  code: "publish_limit_exceeded",
  fields: { limit: Schema.Int, current: Schema.Int },
  message: ({ current, limit }) =>
    `The plan allows ${limit} published tent${limit === 1 ? "" : "s"}, and ${current} ${current === 1 ? "is" : "are"} published now. Unpublish one, or upgrade the plan`,
  extras: ({ current, limit }) => ({ limit, current }),
}) {}
