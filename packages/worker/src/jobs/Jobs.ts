// The job table: each job type with the use case that runs it.
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import type { Exports } from "@tentpole/core/exports/Exports"
import type { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import type { Imports } from "@tentpole/core/imports/Imports"
import { FlowEngine } from "@tentpole/core/flows/engine/FlowEngine"
import type { StepRuns } from "@tentpole/core/flows/steps/FlowMakings"
import { type Job, type JobAttempt, JobQueue } from "@tentpole/core/kernel/changes/Jobs"
import type { MailConnections } from "@tentpole/core/sending/MailConnection"
import type { Emails } from "@tentpole/core/emails/Emails"
import type { TestMails } from "@tentpole/core/sending/TestMails"
import type { Settings } from "@tentpole/core/kernel/Settings"
import type { EmailTemplates } from "@tentpole/core/emails/EmailTemplates"
import type { TentTemplates } from "@tentpole/core/tents/TentTemplates"
import { Assets } from "@tentpole/core/tents/assets/Assets"
import { Tents } from "@tentpole/core/tents/Tents"
import { traced } from "@tentpole/adapters/operations/Tracing"
import { DateTime, Effect, Layer } from "effect"
import { emailGeneration, testMail } from "./EmailJobs.ts"
import { expireExport, writeExport } from "./Exports.ts"
import { flowMaking } from "./FlowSteps.ts"
import { importExpiry, importRun } from "./ImportRuns.ts"
import { emailTemplateGeneration, tentTemplateGeneration } from "./TemplateGenerations.ts"

const concurrency = 4

type Needs =
  | Administration
  | Assets
  | Blasts
  | Deliveries
  | EmailTemplates
  | Emails
  | Exports
  | FlowEngine
  | StepRuns
  | ImportRuns
  | Imports
  | MailConnections
  | Settings
  | TentTemplates
  | Tents
  | TestMails

const handle = (job: Job, attempt: JobAttempt): Effect.Effect<void, unknown, Needs> => {
  switch (job.type) {
    case "import_run":
      return importRun(job, attempt)
    case "import_expiry":
      return importExpiry(job)
    case "list_export":
    case "blast_export":
      return writeExport(job, attempt)
    case "list_export_expiry":
      return expireExport("list", job)
    case "blast_export_expiry":
      return expireExport("blast", job)
    case "blast_start":
      return blastStart(job)
    case "blast_retry":
      return blastRetry(job)
    case "flow_review":
      return Effect.flatMap(FlowEngine, (engine) => engine.review(job.workspaceId, job))
    case "flow_email":
    case "flow_tent":
      return flowMaking(job, attempt)
    case "tent_generation":
      return Effect.flatMap(Tents, (tents) => tents.runGeneration(job.workspaceId, job.tentId, attempt))
    case "asset_cleanup":
      return Effect.flatMap(Assets, (assets) => assets.cleanUp(job.workspaceId, job.tentId, job.assetIds))
    case "email_generation":
      return emailGeneration(job, attempt)
    case "test_mail":
      return testMail(job, attempt)
    case "email_template_generation":
      return emailTemplateGeneration(job, attempt)
    case "tent_template_generation":
      return tentTemplateGeneration(job, attempt)
    case "workspace_erasure":
      return Effect.flatMap(Administration, (administration) => administration.erase(job.workspaceId))
  }
}

/** A blast whose list was deleted fails; a blast without recipients is sent at once. */
const blastStart = ({ workspaceId, blastId }: Extract<Job, { readonly type: "blast_start" }>) =>
  Effect.gen(function* () {
    const blasts = yield* Blasts
    const deliveries = yield* Deliveries
    yield* deliveries
      .fixAudience(workspaceId, blastId)
      .pipe(Effect.catchTag("AudienceGone", () => blasts.fail(workspaceId, blastId, "audience_gone")))
    yield* blasts.finish(workspaceId)
  })

const blastRetry = ({ workspaceId, blastId, ...retry }: Extract<Job, { readonly type: "blast_retry" }>) =>
  Effect.gen(function* () {
    const blasts = yield* Blasts
    yield* blasts.requeueFailed(workspaceId, blastId, { ...retry, since: DateTime.makeUnsafe(retry.since_ms) })
    yield* blasts.finish(workspaceId)
  })

/** Claims jobs until the process stops. Interrupted jobs return to the queue. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(JobQueue, (queue) =>
    Effect.forkScoped(
      queue.work({
        concurrency,
        handle: (job, attempt) =>
          handle(job, attempt).pipe(
            traced(`job ${job.type}`, {
              kind: "consumer",
              attributes: { "job.id": attempt.id, "job.attempt": attempt.attempt },
            }),
          ),
      }),
    ),
  ),
)
