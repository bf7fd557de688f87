// An export of a list's members: a file that a job writes, and that is kept for a day. What becomes of one is decided here.
import { DateTime, type Duration } from "effect"
import type { ListExportId, ListId, WorkspaceId } from "../Ids.ts"
import type { Job } from "../Jobs.ts"

/** How long an export is kept once it has ended: the file, and what is known of it. */
export const export_lifetime_ms = 24 * 60 * 60_000
/** How long the file's address is good; each reading of the export makes a new one. */
export const link_lifetime_ms = 60 * 60_000
export const export_bytes_max = 10 * 2 ** 30

interface Common {
  readonly id: ListExportId
  readonly listId: ListId
  readonly excludeUnsubscribed: boolean
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

export type ListExport = PendingExport | CompletedExport | FailedExport

/** Where the file of an export lies: known without its record, which may be gone before the file. */
export const exportKey = (workspace: WorkspaceId, id: ListExportId): string => `list-exports/${workspace}/${id}`

export const isPending = (it: ListExport): it is PendingExport => it.status === "queued" || it.status === "running"

/** When file and record go. */
export const expiryOf = (ended: CompletedExport | FailedExport): DateTime.Utc =>
  DateTime.add(ended.completedAt, { milliseconds: export_lifetime_ms })

export const isExpired = (it: ListExport, now: DateTime.Utc): boolean =>
  !isPending(it) && DateTime.isGreaterThanOrEqualTo(now, expiryOf(it))

interface QueuedJob {
  readonly job: Job
  readonly id: string
  readonly delay?: Duration.Input
}

/** What is to be written of an export: decided here, and nowhere else. */
export class ListExportChange {
  readonly #brand = true
  readonly before: ListExport | null
  /** Null: it is forgotten. */
  readonly after: ListExport | null
  readonly jobs: ReadonlyArray<QueuedJob>

  private constructor(it: Pick<ListExportChange, "before" | "after" | "jobs">) {
    this.before = it.before
    this.after = it.after
    this.jobs = it.jobs
  }

  static is(it: unknown): it is ListExportChange {
    return typeof it === "object" && it !== null && #brand in it
  }

  static begin(
    workspaceId: WorkspaceId,
    wanted: Pick<ListExport, "id" | "listId" | "excludeUnsubscribed">,
    now: DateTime.Utc,
  ): { readonly change: ListExportChange; readonly begun: PendingExport } {
    const begun: PendingExport = { ...wanted, status: "queued", createdAt: now }
    const job = { type: "list_export", workspaceId, exportId: begun.id } as const
    const jobs = [{ job, id: `list_export:${begun.id}` }]
    return { change: new ListExportChange({ before: null, after: begun, jobs }), begun }
  }

  /** A worker has it. Null when one had it before, or it has ended. */
  static start(before: ListExport): ListExportChange | null {
    if (before.status !== "queued") return null
    return new ListExportChange({ before, after: { ...before, status: "running" }, jobs: [] })
  }

  /** Its file is written, and named after the list's slug and the day. Null when it has ended already. */
  static complete(
    workspaceId: WorkspaceId,
    before: ListExport,
    written: { readonly slug: string; readonly rowCount: number },
    now: DateTime.Utc,
  ): ListExportChange | null {
    if (!isPending(before)) return null
    const { slug, rowCount } = written
    const fileName = `${slug}-${DateTime.formatIsoDateUtc(now)}.csv`
    return ListExportChange.#end(workspaceId, before, {
      ...before,
      status: "completed",
      fileName,
      rowCount,
      completedAt: now,
    })
  }

  /** It can't be written; `error` is a sentence for people. Null when it has ended already. */
  static fail(workspaceId: WorkspaceId, before: ListExport, error: string, now: DateTime.Utc): ListExportChange | null {
    if (!isPending(before)) return null
    return ListExportChange.#end(workspaceId, before, { ...before, status: "failed", error, completedAt: now })
  }

  static #end(workspaceId: WorkspaceId, before: PendingExport, after: CompletedExport | FailedExport) {
    const job = { type: "list_export_expiry", workspaceId, exportId: before.id } as const
    const jobs = [{ job, id: `list_export_expiry:${before.id}`, delay: export_lifetime_ms }]
    return new ListExportChange({ before, after, jobs })
  }

  /** Its time is over. */
  static forget(before: ListExport): ListExportChange {
    return new ListExportChange({ before, after: null, jobs: [] })
  }
}
