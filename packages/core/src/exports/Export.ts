// An export: a CSV file that a job writes, and that is kept for a day. What becomes of one is decided here, whatever is in it.
import { DateTime, type Duration } from "effect"
import type { RecipientCategory } from "../blasts/BlastStore.ts"
import type { BlastId, ExportId, ListId, WorkspaceId } from "../kernel/Ids.ts"
import type { Job } from "../kernel/Jobs.ts"

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

interface QueuedJob {
  readonly job: Job
  readonly id: string
  readonly delay?: Duration.Input
}

/** What is to be written of an export: decided here, and nowhere else. */
export class ExportChange {
  readonly #brand = true
  readonly before: Export | null
  /** Null: it is forgotten. */
  readonly after: Export | null
  readonly jobs: ReadonlyArray<QueuedJob>

  private constructor(it: Pick<ExportChange, "before" | "after" | "jobs">) {
    this.before = it.before
    this.after = it.after
    this.jobs = it.jobs
  }

  static is(it: unknown): it is ExportChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  static begin(
    workspaceId: WorkspaceId,
    wanted: Pick<Export, "id" | "subject">,
    now: DateTime.Utc,
  ): { readonly change: ExportChange; readonly begun: PendingExport } {
    const begun: PendingExport = { ...wanted, status: "queued", createdAt: now }
    const type = `${begun.subject.kind}_export` as const
    const jobs = [{ job: { type, workspaceId, exportId: begun.id }, id: `${type}:${begun.id}` }]
    return { change: new ExportChange({ before: null, after: begun, jobs }), begun }
  }

  /** A worker has it. Null when one had it before, or it has ended. */
  static start(before: Export): ExportChange | null {
    if (before.status !== "queued") return null
    return new ExportChange({ before, after: { ...before, status: "running" }, jobs: [] })
  }

  /** Its file is written, and named after what is in it (`stem`) and the day. Null when it has ended already. */
  static complete(
    workspaceId: WorkspaceId,
    before: Export,
    written: { readonly stem: string; readonly rowCount: number },
    now: DateTime.Utc,
  ): ExportChange | null {
    if (!isPending(before)) return null
    const { stem, rowCount } = written
    const fileName = `${stem}-${DateTime.formatIsoDateUtc(now)}.csv`
    return ExportChange.#end(workspaceId, before, {
      ...before,
      status: "completed",
      fileName,
      rowCount,
      completedAt: now,
    })
  }

  /** It can't be written; `error` is a sentence for people. Null when it has ended already. */
  static fail(workspaceId: WorkspaceId, before: Export, error: string, now: DateTime.Utc): ExportChange | null {
    if (!isPending(before)) return null
    return ExportChange.#end(workspaceId, before, { ...before, status: "failed", error, completedAt: now })
  }

  static #end(workspaceId: WorkspaceId, before: PendingExport, after: CompletedExport | FailedExport) {
    const type = `${before.subject.kind}_export_expiry` as const
    const job = { type, workspaceId, exportId: before.id }
    const jobs = [{ job, id: `${type}:${before.id}`, delay: export_lifetime_ms }]
    return new ExportChange({ before, after, jobs })
  }

  /** Its time is over. */
  static forget(before: Export): ExportChange {
    return new ExportChange({ before, after: null, jobs: [] })
  }
}
