// Which version of a document is approved, if any: what is sent, and what is built on.
import type { ApprovalId } from "../kernel/Ids.ts"

export interface Approval {
  readonly id: ApprovalId
  readonly version: number
}

export const contentStatuses = ["draft", "approved"] as const
export type ContentStatus = (typeof contentStatuses)[number]

/** A document without an approval is a draft. */
export const statusOf = ({ approval }: { readonly approval: Approval | null }): ContentStatus =>
  approval === null ? "draft" : "approved"
