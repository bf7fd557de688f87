// An export: a CSV file that a job writes, and that is stored for a day.
import { DateTime } from "effect"
import type { RecipientCategory } from "../blasts/BlastStore.ts"
import type { BlastId, ExportId, ListId, WorkspaceId } from "../kernel/Ids.ts"

/** How long an export is kept once it has ended: the file, and what is known of it. */
export const export_lifetime_ms = 24 * 60 * 60_000
/** How long the file's address is good; each reading of the export makes a new one. */
export const link_lifetime_ms = 60 * 60_000
export const export_bytes_max = 10 * 2 ** 30

/** The members of a list. */
export interface ListMembers {
  readonly kind: "list"
  readonly listId: ListId
  readonly excludeUnsubscribed: boolean
}

/** The recipients of a blast, or those of one category. */
export interface BlastRecipients {
  readonly kind: "blast"
  readonly blastId: BlastId
  readonly category: RecipientCategory
}

/** What is in the file. */
export type ExportSubject = ListMembers | BlastRecipients
export type ExportKind = ExportSubject["kind"]

/** Under whose address an export is found. */
export type ExportOwner = Pick<ListMembers, "kind" | "listId"> | Pick<BlastRecipients, "kind" | "blastId">

interface Common {
  readonly id: ExportId
  readonly subject: ExportSubject
  readonly createdAt: DateTime.Utc
}

export interface PendingExport extends Common {
  readonly status: "queued" | "running"
}

export interface CompletedExport extends Common {
  readonly status: "completed"
  /** What a browser saves the file as. */
  readonly fileName: string
  /** Without the header. */
  readonly rowCount: number
  readonly completedAt: DateTime.Utc
}

export interface FailedExport extends Common {
  readonly status: "failed"
  /** Why, in a sentence for people. */
  readonly error: string
  readonly completedAt: DateTime.Utc
}

export type Export = PendingExport | CompletedExport | FailedExport

/** Where the file of an export lies: known without its record, which may be gone before the file. */
export const exportKey = (workspace: WorkspaceId, kind: ExportKind, id: ExportId): string =>
  `${kind}-exports/${workspace}/${id}`

export const isOwnedBy = ({ subject }: Export, owner: ExportOwner): boolean =>
  owner.kind === "list"
    ? subject.kind === "list" && subject.listId === owner.listId
    : subject.kind === "blast" && subject.blastId === owner.blastId

export const isPending = (it: Export): it is PendingExport => it.status === "queued" || it.status === "running"

/** When file and record go. */
export const expiryOf = (ended: CompletedExport | FailedExport): DateTime.Utc =>
  DateTime.add(ended.completedAt, { milliseconds: export_lifetime_ms })

export const isExpired = (it: Export, now: DateTime.Utc): boolean =>
  !isPending(it) && DateTime.isGreaterThanOrEqualTo(now, expiryOf(it))
