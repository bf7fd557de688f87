// Import jobs: applying a file, and deleting what a session leaves behind.
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import { Imports } from "@tentpole/core/imports/Imports"
import type { Job, JobAttempt } from "@tentpole/core/kernel/changes/Jobs"
import { Effect } from "effect"
import { retryThenFail } from "./RetryPolicy.ts"

type Of<Type extends Job["type"]> = Extract<Job, { readonly type: Type }>

const reason = "The import failed repeatedly. Its first rows are imported: start it again for the rest"

export const importRun = ({ workspaceId, runId }: Of<"import_run">, attempt: JobAttempt) =>
  Effect.flatMap(ImportRuns, (runs) =>
    retryThenFail(attempt, runs.run(workspaceId, runId), runs.abandon(workspaceId, runId, reason)),
  )

export const importExpiry = ({ workspaceId, sessionId }: Of<"import_expiry">) =>
  Effect.flatMap(Imports, (imports) => imports.expire(workspaceId, sessionId))
