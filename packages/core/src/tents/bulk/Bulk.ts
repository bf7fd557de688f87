// A bulk job: which items of a request are accepted, each tent's name and alias, and the progress of the job. Items are
// decided one by one in the order of the request. A rejected item does not stop the others.
import { type DateTime, Result } from "effect"
import type { Reasoning } from "../../ports/Ai.ts"
import type { ApprovalId, BulkJobId, TentId, TentTemplateId } from "../../kernel/Ids.ts"
import { type Change, changeOf } from "../../kernel/changes/Change.ts"
import { generation_credits } from "../../documents/Generation.ts"
import { type Alias, nthAlias } from "../Alias.ts"
import type { BulkItem, ReadBulkItem } from "./BulkItem.ts"
import type { Tent, TentStatus } from "../Tent.ts"
import { TentChange } from "../machine.ts"
import { checkFilled } from "../Variables.ts"

export const bulk_items_max = 25
export const prefix_length_max = 180
export const start_index_max = 1_000_000
/** Of `metadata` as JSON. */
export const metadata_length_max = 16_384

export interface BulkRequest {
  readonly template: { readonly id: TentTemplateId; readonly approvalId: ApprovalId }
  /** Decoded, in the order of the request. */
  readonly items: ReadonlyArray<ReadBulkItem>
  readonly clientJobDescriptor: string | null
  readonly defaultTentNamePrefix: string | null
  readonly startIndex: number
  readonly autoPublish: boolean
  readonly reasoning: Reasoning | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  /** Name of the API key. */
  readonly createdByName: string
}

interface BulkItemResult {
  /** From 0, in the order of the request. */
  readonly index: number
  readonly clientItemId: string | null
  /** Null when the item has no name that could be read. */
  readonly tentName: string | null
  /** The alias that the tent requests. When several items want one alias, later ones request `-2`, `-3` … */
  readonly customPageAlias: string | null
}

export interface AdmittedItem extends BulkItemResult {
  readonly status: "accepted"
  readonly tentId: TentId
}

export interface RejectedItem extends BulkItemResult {
  readonly status: "rejected"
  readonly code: "INVALID_ITEM" | "INSUFFICIENT_CREDITS"
  readonly message: string
}

export type BulkResult = AdmittedItem | RejectedItem

export interface BulkJob {
  readonly id: BulkJobId
  readonly templateId: TentTemplateId
  readonly autoPublish: boolean
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly items: ReadonlyArray<BulkResult>
  readonly createdAt: DateTime.Utc
}

export type BulkStatus = "accepted" | "running" | "completed"

export interface BulkProgress {
  readonly status: BulkStatus
  readonly completed_count: number
  readonly failed_count: number
}

/** The tents of a job that still exist, by the status of their generation. */
export type TentCounts = Readonly<Record<TentStatus, number>>

/** Progress, counted from the tents that still exist. A deleted tent does not count. */
export const progressOfCounts = ({ completed, failed, generating, pending, queued }: TentCounts): BulkProgress => {
  const isUntouched = queued > 0 && pending + generating + completed + failed === 0
  const status = queued + generating === 0 ? "completed" : isUntouched ? "accepted" : "running"
  return { status, completed_count: completed, failed_count: failed }
}

export const countTents = (tents: ReadonlyArray<Pick<Tent, "generation">>): TentCounts => {
  const count = (status: TentStatus) => tents.filter(({ generation }) => generation.status === status).length
  return {
    pending: count("pending"),
    queued: count("queued"),
    generating: count("generating"),
    completed: count("completed"),
    failed: count("failed"),
  }
}

export const progressOf = (tents: ReadonlyArray<Pick<Tent, "generation">>): BulkProgress =>
  progressOfCounts(countTents(tents))

/** A job in a listing: its items are counted. */
export interface CountedBulkJob extends Omit<BulkJob, "items"> {
  readonly accepted_count: number
  readonly rejected_count: number
  readonly tents: TentCounts
}

const noCredits = "The workspace has no credit left for this item. Add credits and send it again"

/** The jobs of this change are those of its tents. */
export type BulkChange = Change<
  "bulk tents",
  {
    readonly job: BulkJob
    /** One for each accepted item: a new tent with its credit and its job. */
    readonly tents: ReadonlyArray<TentChange<Tent>>
    readonly credits_taken: number
  }
>

const bulkChange = changeOf("bulk tents")

export const BulkChange = {
  /**
   * Accepts the items for which there is credit. `credits` is the workspace's balance; `tentIds` has one id for each item.
   * The number in a generated name grows with every item, accepted or rejected.
   */
  admit(it: {
    readonly id: BulkJobId
    readonly request: BulkRequest
    readonly credits: number
    /** The approved HTML of the template. */
    readonly html: string
    readonly tentIds: ReadonlyArray<TentId>
    readonly now: DateTime.Utc
  }): BulkChange {
    const { request, now } = it
    const tents: Array<TentChange<Tent>> = []
    const wanted = new Map<Alias, number>()
    const items = request.items.map((item, index): BulkResult => {
      const tentId = it.tentIds[index]
      const place = { index, clientItemId: item.clientItemId, tentName: nameOf(item, request, index) }
      const refused = { ...place, status: "rejected", customPageAlias: item.aliasAsSent } as const
      if (item.read === null) return { ...refused, code: "INVALID_ITEM", message: item.fault }
      const unfilled = checkFilled([it.html, item.read.prompt], item.read.variables)
      if (Result.isFailure(unfilled)) return { ...refused, code: "INVALID_ITEM", message: unfilled.failure.message }
      if (tentId === undefined || it.credits < (tents.length + 1) * generation_credits) {
        return { ...refused, code: "INSUFFICIENT_CREDITS", message: noCredits }
      }
      const { alias } = item.read
      const turn = alias === null ? 1 : (wanted.get(alias) ?? 0) + 1
      if (alias !== null) wanted.set(alias, turn)
      tents.push(accepted(it, tentId, place.tentName, item.read, turn))
      const customPageAlias = alias === null ? null : nthAlias(alias, turn)
      return { ...place, status: "accepted", tentId, customPageAlias }
    })
    const { template, autoPublish, metadata } = request
    const job = { id: it.id, templateId: template.id, autoPublish, metadata, items, createdAt: now }
    const credits_taken = tents.reduce((sum, tent) => sum + tent.credits_taken, 0)
    const jobs = tents.flatMap((tent) => tent.jobs)
    return bulkChange({ job, tents, credits_taken }, { jobs })
  },
}

const nameOf = (item: ReadBulkItem, request: BulkRequest, index: number): string =>
  item.read?.tentName ??
  `${request.defaultTentNamePrefix ?? request.clientJobDescriptor ?? "Bulk Tent"} (${request.startIndex + index})`

const accepted = (
  { request, now }: { request: BulkRequest; now: DateTime.Utc },
  id: TentId,
  name: string,
  { prompt, variables, includeBrand, alias }: BulkItem,
  aliasTurn: number,
): TentChange<Tent> =>
  TentChange.accept({
    idle: null,
    id,
    name,
    createdByName: request.createdByName,
    userId: null,
    request: {
      prompt,
      includeBrand,
      template: request.template,
      assetIds: [],
      variables,
      reasoning: request.reasoning,
      autoPublish: request.autoPublish,
      aliasTurn,
    },
    requestedAlias: alias,
    now,
  })
