// The job table: each job type with the use case that runs it.
import { Administration } from "@tentpole/core/operations/administration/Administration"
import { Blasts } from "@tentpole/core/blasts/Blasts"
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { Emails } from "@tentpole/core/emails/Emails"
import { EmailTemplates } from "@tentpole/core/emails/EmailTemplates"
import type { ExportKind } from "@tentpole/core/exports/Export"
import { Exports } from "@tentpole/core/exports/Exports"
import { FlowEngine } from "@tentpole/core/flows/engine/FlowEngine"
import { StepRuns } from "@tentpole/core/flows/steps/StepRuns"
import { ImportRuns } from "@tentpole/core/imports/ImportRuns"
import { Imports } from "@tentpole/core/imports/Imports"
import { type Job, type JobAttempt, JobQueue } from "@tentpole/core/kernel/changes/Jobs"
import { TestMails } from "@tentpole/core/sending/TestMails"
import { Assets } from "@tentpole/core/tents/assets/Assets"
import { Tents } from "@tentpole/core/tents/Tents"
import { TentVersions } from "@tentpole/core/tents/TentVersions"
import { TentTemplates } from "@tentpole/core/tents/TentTemplates"
import { WebhookCleanup } from "@tentpole/core/webhooks/endpoints/WebhookCleanup"
import { WebhookReplays } from "@tentpole/core/webhooks/endpoints/WebhookReplays"
import { traced } from "@tentpole/adapters/operations/Tracing"
import { Cause, DateTime, Effect, Exit, Layer } from "effect"
import { DueWatch } from "../DueWatch.ts"
import { sendTestMail } from "./TestMail.ts"
import { defaults } from "@tentpole/core/kernel/changes/JobRunner"

/** The last attempts only record the failure: a worker that dies during the work cannot do it. */
const attempts_to_say_so = 3
export const attempts_to_work = defaults.attempts_max - attempts_to_say_so

/** Retries, then calls `abandon` so that the failure is visible to users. The job itself becomes a dead job. */
export const retryThenFail = <E, R, R2>(
  { attempt }: JobAttempt,
  work: Effect.Effect<void, E, R>,
  abandon: Effect.Effect<void, never, R2>,
): Effect.Effect<void, E | Cause.UnknownError, R | R2> => {
  const broken = new Cause.UnknownError(null, `the job failed or stopped its worker ${attempts_to_work} times`)
  if (attempt > attempts_to_work) return Effect.andThen(abandon, Effect.fail(broken))
  return Effect.catchCause(work, (cause) =>
    attempt < attempts_to_work || Cause.hasInterruptsOnly(cause)
      ? Effect.failCause(cause)
      : Effect.andThen(abandon, Effect.failCause(cause)),
  )
}

const concurrency = 4

type Of<Type extends Job["type"]> = Extract<Job, { readonly type: Type }>

const export_failed = "The export failed repeatedly. Start another one"
const import_failed = "The import failed repeatedly. Its first rows are imported: start it again for the rest"

const runExport = ({ workspaceId, exportId }: Of<`${ExportKind}_export`>, attempt: JobAttempt) =>
  Effect.flatMap(Exports, (exports) =>
    retryThenFail(attempt, exports.run(workspaceId, exportId), exports.abandon(workspaceId, exportId, export_failed)),
  )

const expireExport =
  (kind: ExportKind) =>
  ({ workspaceId, exportId }: Of<`${ExportKind}_export_expiry`>) =>
    Effect.flatMap(Exports, (exports) => exports.expire(workspaceId, kind, exportId))

/** A blast whose list was deleted fails; a blast without recipients is sent at once. */
const startBlast = Effect.fnUntraced(function* ({ workspaceId, blastId }: Of<"blast_start">) {
  const blasts = yield* Blasts
  const deliveries = yield* Deliveries
  yield* deliveries
    .fixAudience(workspaceId, blastId)
    .pipe(Effect.catchTag("AudienceGone", () => blasts.fail(workspaceId, blastId, "audience_gone")))
  yield* blasts.finish(workspaceId)
})

const retryBlast = Effect.fnUntraced(function* ({ workspaceId, blastId, ...retry }: Of<"blast_retry">) {
  const blasts = yield* Blasts
  yield* blasts.requeueFailed(workspaceId, blastId, { ...retry, since: DateTime.makeUnsafe(retry.since_ms) })
  yield* blasts.finish(workspaceId)
})

/** Processes each member by itself, so that a failure affects no other. */
const runStep = ({ members, type, workspaceId }: Of<"flow_email" | "flow_tent">, attempt: JobAttempt) =>
  Effect.flatMap(StepRuns, ({ abandon, run }) => {
    const runAll = Effect.gen(function* () {
      const failures: Array<Cause.Cause<unknown>> = []
      for (const member of members) {
        const exit = yield* Effect.exit(run(workspaceId, type === "flow_email" ? "email" : "tent", member))
        if (Exit.isSuccess(exit)) continue
        if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
        failures.push(exit.cause)
      }
      const [first] = failures
      if (first !== undefined) return yield* Effect.failCause(first)
    })
    // Memberships whose step is complete, or that have left it, are skipped.
    const abandonAll = Effect.forEach(members, (member) => abandon(workspaceId, member), { discard: true })
    return retryThenFail(attempt, runAll, abandonAll)
  })

const runGeneration =
  <Args extends ReadonlyArray<unknown>, E>(attempt: JobAttempt, ...args: Args) =>
  (documents: {
    readonly runGeneration: (...args: Args) => Effect.Effect<void, E>
    readonly abandonGeneration: (...args: Args) => Effect.Effect<void>
  }) =>
    retryThenFail(attempt, documents.runGeneration(...args), documents.abandonGeneration(...args))

export const handlers = {
  import_run: ({ workspaceId, runId }, attempt) =>
    Effect.flatMap(ImportRuns, (runs) =>
      retryThenFail(attempt, runs.run(workspaceId, runId), runs.abandon(workspaceId, runId, import_failed)),
    ),
  import_expiry: ({ workspaceId, sessionId }) =>
    Effect.flatMap(Imports, (imports) => imports.expire(workspaceId, sessionId)),
  list_export: runExport,
  blast_export: runExport,
  consent_export: runExport,
  list_export_expiry: expireExport("list"),
  blast_export_expiry: expireExport("blast"),
  consent_export_expiry: expireExport("consent"),
  blast_start: startBlast,
  blast_retry: retryBlast,
  flow_review: (job) => Effect.flatMap(FlowEngine, (engine) => engine.review(job.workspaceId, job)),
  flow_email: runStep,
  flow_tent: runStep,
  tent_generation: ({ workspaceId, tentId }, attempt) =>
    Effect.flatMap(Tents, (tents) => tents.runGeneration(workspaceId, tentId, attempt)),
  tent_revision: ({ workspaceId, tentId, generationId }, attempt) =>
    Effect.flatMap(TentVersions, runGeneration(attempt, workspaceId, tentId, generationId)),
  asset_cleanup: ({ workspaceId, tentId, assetIds }) =>
    Effect.flatMap(Assets, (assets) => assets.cleanUp(workspaceId, tentId, assetIds)),
  email_generation: ({ workspaceId, emailId, generationId }, attempt) =>
    Effect.flatMap(Emails, runGeneration(attempt, workspaceId, emailId, generationId)),
  test_mail: (job, attempt) =>
    Effect.flatMap(TestMails, (mails) =>
      retryThenFail(attempt, sendTestMail(job), mails.delete(job.workspaceId, job.testMailId)),
    ),
  email_template_generation: ({ workspaceId, templateId, generationId }, attempt) =>
    Effect.flatMap(EmailTemplates, runGeneration(attempt, workspaceId, templateId, generationId)),
  tent_template_generation: ({ workspaceId, templateId, generationId }, attempt) =>
    Effect.flatMap(TentTemplates, runGeneration(attempt, workspaceId, templateId, generationId)),
  webhook_replay: ({ workspaceId, ...job }, attempt) =>
    Effect.flatMap(WebhookReplays, (replays) =>
      retryThenFail(attempt, replays.run(workspaceId, job), replays.abandon(workspaceId, job)),
    ),
  webhook_cleanup: ({ workspaceId, endpointId }) =>
    Effect.flatMap(WebhookCleanup, (cleanup) => cleanup.run(workspaceId, endpointId)),
  workspace_erasure: ({ workspaceId }) =>
    Effect.flatMap(Administration, (administration) => administration.erase(workspaceId)),
} satisfies { readonly [T in Job["type"]]: (job: Of<T>, attempt: JobAttempt) => Effect.Effect<void, unknown, unknown> }

type Needs = Effect.Services<ReturnType<(typeof handlers)[Job["type"]]>>
type Handler = (job: Job, attempt: JobAttempt) => Effect.Effect<void, unknown, Needs>

/** Claims jobs until the process stops. Interrupted jobs return to the queue. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const queue = yield* JobQueue
    const due = yield* DueWatch
    yield* Effect.forkScoped(
      queue.work({
        concurrency,
        idle: due.await(["jobs"]),
        handle: (job, attempt) =>
          (handlers[job.type] as Handler)(job, attempt).pipe(
            traced(`job ${job.type}`, {
              kind: "consumer",
              attributes: { "job.id": attempt.id, "job.attempt": attempt.attempt },
            }),
          ),
      }),
    )
  }),
)
