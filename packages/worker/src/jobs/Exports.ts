// Export jobs: writing the file, and deleting it with its row.
import type { ExportKind } from "@tentpole/core/exports/Export"
import { Exports } from "@tentpole/core/exports/Exports"
import type { Job, JobAttempt } from "@tentpole/core/kernel/changes/Jobs"
import { Effect } from "effect"
import { retryThenFail } from "./RetryPolicy.ts"

type Of<Type extends Job["type"]> = Extract<Job, { readonly type: Type }>

const reason = "The export failed repeatedly. Start another one"

export const writeExport = ({ workspaceId, exportId }: Of<"list_export" | "blast_export">, attempt: JobAttempt) =>
  Effect.flatMap(Exports, (exports) =>
    retryThenFail(attempt, exports.run(workspaceId, exportId), exports.abandon(workspaceId, exportId, reason)),
  )

export const expireExport = (
  kind: ExportKind,
  { workspaceId, exportId }: Of<"list_export_expiry" | "blast_export_expiry">,
) => Effect.flatMap(Exports, (exports) => exports.expire(workspaceId, kind, exportId))
