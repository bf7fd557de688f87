// The jobs of imports: applying a file, and removing what a session has left behind.
import { defaults } from "@tentpole/adapters/jobs/PersistedJobs"
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import { Imports } from "@tentpole/core/imports/Imports"
import type { Job, JobAttempt } from "@tentpole/core/Jobs"
import { Cause, Effect } from "effect"

type Of<Type extends Job["type"]> = Extract<Job, { readonly type: Type }>

const reason =
  "The import stopped again and again and was given up. Rows up to here are imported: start it again for the rest"

/** Tried as often as any job; after the last attempt whoever waits for the run reads that it failed. */
export const importRun = ({ workspaceId, runId }: Of<"import_run">, { attempt }: JobAttempt) =>
  Effect.flatMap(ImportRuns, (runs) =>
    Effect.catchCause(runs.run(workspaceId, runId), (cause) =>
      attempt < defaults.attempts_max || Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.andThen(runs.giveUp(workspaceId, runId, reason), Effect.failCause(cause)),
    ),
  )

export const importExpiry = ({ workspaceId, sessionId }: Of<"import_expiry">) =>
  Effect.flatMap(Imports, (imports) => imports.expire(workspaceId, sessionId))
