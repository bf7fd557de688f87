// The table of background work: each job, and the use case that does it.
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { Deliveries } from "@tentpole/core/deliveries/Deliveries"
import type { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import type { Imports } from "@tentpole/core/imports/Imports"
import { type Job, type JobAttempt, JobQueue } from "@tentpole/core/Jobs"
import type { ListExports } from "@tentpole/core/lists/ListExports"
import type { EmailTemplates } from "@tentpole/core/templates/EmailTemplates"
import type { TentTemplates } from "@tentpole/core/templates/TentTemplates"
import { Tents } from "@tentpole/core/tents/Tents"
import { Effect, Layer } from "effect"
import { importExpiry, importRun } from "./ImportRuns.ts"
import { listExport, listExportExpiry } from "./ListExports.ts"
import { emailTemplateGeneration, tentTemplateGeneration } from "./TemplateGenerations.ts"

const concurrency = 4

type Needs = Blasts | Deliveries | EmailTemplates | ImportRuns | Imports | ListExports | TentTemplates | Tents

const handle = (job: Job, attempt: JobAttempt): Effect.Effect<void, unknown, Needs> => {
  switch (job.type) {
    case "import_run":
      return importRun(job, attempt)
    case "import_expiry":
      return importExpiry(job)
    case "list_export":
      return listExport(job, attempt)
    case "list_export_expiry":
      return listExportExpiry(job)
    case "blast_start":
      return blastStart(job)
    case "tent_generation":
      return Effect.flatMap(Tents, (tents) => tents.generate(job.workspaceId, job.tentId, attempt))
    case "email_template_generation":
      return emailTemplateGeneration(job, attempt)
    case "tent_template_generation":
      return tentTemplateGeneration(job, attempt)
  }
}

/** A blast whose list has gone meanwhile can't be sent; one without anybody in it is sent at once. */
const blastStart = ({ workspaceId, blastId }: Extract<Job, { readonly type: "blast_start" }>) =>
  Effect.gen(function* () {
    const blasts = yield* Blasts
    const deliveries = yield* Deliveries
    yield* deliveries
      .fixAudience(workspaceId, blastId)
      .pipe(Effect.catchTag("AudienceGone", () => blasts.fail(workspaceId, blastId, "audience_gone")))
    yield* blasts.finish(workspaceId)
  })

/** Takes jobs until the process stops; one that is stopped in the middle is handed back. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(JobQueue, (queue) => Effect.forkScoped(queue.work({ concurrency, handle }))),
)
