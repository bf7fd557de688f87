// An export: a CSV file that a job writes, and that is stored for a day.
import { DateTime } from "effect"
import type { RecipientCategory } from "../blasts/BlastStore.ts"
import type { BlastId, ExportId, ListId, TopicId, WorkspaceId } from "../kernel/Ids.ts"

/** How long file and row are stored after the export has ended. */
export const export_lifetime_ms = 24 * 60 * 60_000
/** How long the file's address is valid. Each read of the export returns a new one. */
export const link_lifetime_ms = 60 * 60_000
export const export_bytes_max = 10 * 2 ** 30

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

/** The consent records of the workspace, or those of a topic and a time range. */
export interface ConsentRecords {
  readonly kind: "consent"
  /** Null: those of all topics, and of all marketing. */
  readonly topicId: TopicId | null
  /** The first instant, and the first one after the range. Null: open. */
  readonly since: DateTime.Utc | null
  readonly until: DateTime.Utc | null
}

export type ExportSubject = ListMembers | BlastRecipients | ConsentRecords
export type ExportKind = ExportSubject["kind"]

/** The list or blast in whose path an export is found; consent records have one path. */
export type ExportOwner =
  | Pick<ListMembers, "kind" | "listId">
  | Pick<BlastRecipients, "kind" | "blastId">
  | Pick<ConsentRecords, "kind">

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
  /** The file name for browsers. */
  readonly fileName: string
  /** Without the header. */
  readonly rowCount: number
  readonly completedAt: DateTime.Utc
}

export interface FailedExport extends Common {
  readonly status: "failed"
  /** Why the export failed, as a sentence for users. */
  readonly error: string
  readonly completedAt: DateTime.Utc
}

export type Export = PendingExport | CompletedExport | FailedExport

/** The key of the export's file. It needs no row, which may be deleted before the file. */
export const exportKey = (workspace: WorkspaceId, kind: ExportKind, id: ExportId): string =>
  `${kind}-exports/${workspace}/${id}`

export const isOwnedBy = ({ subject }: Export, owner: ExportOwner): boolean => {
  switch (owner.kind) {
    case "list":
      return subject.kind === "list" && subject.listId === owner.listId
    case "blast":
      return subject.kind === "blast" && subject.blastId === owner.blastId
    case "consent":
      return subject.kind === "consent"
  }
}

export const isPending = (it: Export): it is PendingExport => it.status === "queued" || it.status === "running"

/** When file and row are deleted. */
export const expiryOf = (ended: CompletedExport | FailedExport): DateTime.Utc =>
  DateTime.add(ended.completedAt, { milliseconds: export_lifetime_ms })

export const isExpired = (it: Export, now: DateTime.Utc): boolean =>
  !isPending(it) && DateTime.isGreaterThanOrEqualTo(now, expiryOf(it))
