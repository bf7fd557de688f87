// The state machine of an export: every ExportChange is decided here.
import { DateTime } from "effect"
import { type Change, changeOf } from "../kernel/changes/Change.ts"
import type { Transitions } from "../kernel/changes/Transitions.ts"
import {
  type CompletedExport,
  type Export,
  export_lifetime_ms,
  type ExportSubject,
  type FailedExport,
  isPending,
  type PendingExport,
} from "./Export.ts"

export const transitions = {
  queued: { start: "running", complete: "completed", fail: "failed", forget: "deleted" },
  running: { complete: "completed", fail: "failed", forget: "deleted" },
  completed: { forget: "deleted" },
  failed: { forget: "deleted" },
} as const satisfies Transitions<
  Export["status"],
  "start" | "complete" | "fail" | "forget",
  Export["status"] | "deleted"
>

export type ExportChange = Change<
  "export",
  {
    readonly before: Export | null
    /** Null: the export is deleted. */
    readonly after: Export | null
  }
>

const exportChange = changeOf("export")

const end = (before: PendingExport, after: CompletedExport | FailedExport): ExportChange => {
  const type = `${before.subject.kind}_export_expiry` as const
  const jobs = [{ job: { type, exportId: before.id }, id: `${type}:${before.id}`, delay: export_lifetime_ms }]
  return exportChange({ before, after }, { jobs })
}

const detailsOf = (subject: ExportSubject): Readonly<Record<string, string>> => {
  switch (subject.kind) {
    case "list":
      return { list_id: subject.listId }
    case "blast":
      return { blast_id: subject.blastId }
    case "consent":
      return {
        of: "consent_records",
        ...(subject.topicId === null ? {} : { topic_id: subject.topicId }),
        ...(subject.since === null ? {} : { since: DateTime.formatIso(subject.since) }),
        ...(subject.until === null ? {} : { until: DateTime.formatIso(subject.until) }),
      }
  }
}

/** The decisions about an export. Null: the event changes nothing. */
export const ExportChange = {
  begin(
    wanted: Pick<Export, "id" | "subject">,
    now: DateTime.Utc,
  ): { readonly change: ExportChange; readonly begun: PendingExport } {
    const begun: PendingExport = { ...wanted, status: "queued", createdAt: now }
    const type = `${begun.subject.kind}_export` as const
    const jobs = [{ job: { type, exportId: begun.id }, id: `${type}:${begun.id}` }]
    const audit = [{ action: "export.started", target: begun.id, details: detailsOf(begun.subject) } as const]
    return { change: exportChange({ before: null, after: begun }, { audit, jobs }), begun }
  },

  /** A worker starts the export. Null when it was started before or has ended. */
  start(before: Export): ExportChange | null {
    if (before.status !== "queued") return null
    return exportChange({ before, after: { ...before, status: "running" } })
  },

  /** The file is written. Its name is `stem` and the day. Null when the export has ended. */
  complete(
    before: Export,
    written: { readonly stem: string; readonly rowCount: number },
    now: DateTime.Utc,
  ): ExportChange | null {
    if (!isPending(before)) return null
    const { stem, rowCount } = written
    const fileName = `${stem}-${DateTime.formatIsoDateUtc(now)}.csv`
    return end(before, {
      ...before,
      status: "completed",
      fileName,
      rowCount,
      completedAt: now,
    })
  },

  /** The export failed; `error` is a sentence for users. Null when it has ended. */
  fail(before: Export, error: string, now: DateTime.Utc): ExportChange | null {
    if (!isPending(before)) return null
    return end(before, { ...before, status: "failed", error, completedAt: now })
  },

  /** The lifetime of the export has ended. */
  forget(before: Export): ExportChange {
    return exportChange({ before, after: null })
  },
}
