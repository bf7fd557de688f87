// Background jobs. A use case queues a job in its own transaction; a worker runs it at least once. Handlers are idempotent,
// keyed by the job's id, and fence their writes.
import { Context, type DateTime, type Duration, type Effect, Schema } from "effect"
import {
  AssetId,
  BlastId,
  EmailId,
  EmailTemplateId,
  ExportId,
  FlowId,
  GenerationId,
  ImportRunId,
  ImportSessionId,
  MembershipId,
  TentId,
  TestMailId,
  TentTemplateId,
  WebhookEndpointId,
  WebhookReplayId,
  WorkspaceId,
} from "../Ids.ts"
import type { Sliced, SliceQuery } from "../Page.ts"
import type { NotFound } from "../Refusal.ts"
import type { Transaction } from "./Transactor.ts"

const job = <const Type extends string, const Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), workspaceId: WorkspaceId, ...fields })

/** Members that wait at a `create_email` or `create_tent` step, each with its visit and attempt. */
const WaitingMembers = Schema.Array(
  Schema.Struct({ membershipId: MembershipId, visit: Schema.Int, attempt: Schema.Int }),
)

/** All job types. The worker's table (`worker/src/jobs/Jobs.ts`) has a handler for each. */
export const Job = Schema.Union([
  job("import_run", { runId: ImportRunId }),
  job("import_expiry", { sessionId: ImportSessionId }),
  job("list_export", { exportId: ExportId }),
  job("list_export_expiry", { exportId: ExportId }),
  job("blast_export", { exportId: ExportId }),
  job("blast_export_expiry", { exportId: ExportId }),
  job("consent_export", { exportId: ExportId }),
  job("consent_export_expiry", { exportId: ExportId }),
  job("blast_start", { blastId: BlastId }),
  job("blast_retry", { blastId: BlastId, since_ms: Schema.Int, includeUnconfirmed: Schema.Boolean }),
  job("flow_review", { flowId: FlowId, members: Schema.Literals(["live", "waiting"]) }),
  job("flow_email", { members: WaitingMembers }),
  job("flow_tent", { members: WaitingMembers }),
  job("tent_generation", { tentId: TentId }),
  job("tent_revision", { tentId: TentId, generationId: GenerationId }),
  job("asset_cleanup", { tentId: TentId, assetIds: Schema.Array(AssetId) }),
  job("email_generation", { emailId: EmailId, generationId: GenerationId }),
  job("test_mail", { testMailId: TestMailId }),
  job("email_template_generation", { templateId: EmailTemplateId, generationId: GenerationId }),
  job("tent_template_generation", { templateId: TentTemplateId, generationId: GenerationId }),
  job("webhook_replay", {
    endpointId: WebhookEndpointId,
    replayId: WebhookReplayId,
    since_ms: Schema.Int,
    until_ms: Schema.Int,
    /** Null: all types. */
    eventTypes: Schema.NullOr(Schema.Array(Schema.String)),
    status: Schema.Literals(["failed", "all"]),
  }),
  job("webhook_cleanup", { endpointId: WebhookEndpointId }),
  job("workspace_erasure", {}),
])
export type Job = typeof Job.Type

/** A job that failed all attempts. */
export interface DeadJob {
  readonly id: string
  readonly type: string
  readonly workspaceId: WorkspaceId
  readonly attempts: number
  /** The reason of the last failure, shortened. */
  readonly failure: string
  readonly failedAt: DateTime.Utc
}

/** The side of use cases. */
export class Jobs extends Context.Service<
  Jobs,
  {
    /**
     * Queues a job with the transaction; a rollback removes it. The id names the intent (`blast_start:<blast id>`) and is
     * remembered for weeks: a second job with the same id is dropped, even after the first has finished. Recurring work
     * includes its due time in the id.
     */
    readonly enqueue: (
      job: Job,
      options: { readonly id: string; readonly delay?: Duration.Input },
    ) => Effect.Effect<void, never, Transaction>
    /** Dead jobs of all workspaces, the newest failure first, ties by id. */
    readonly dead: (query: SliceQuery) => Effect.Effect<Sliced<DeadJob>>
    /** Requeues a dead job as new, and returns it as it was. */
    readonly requeue: (id: string) => Effect.Effect<DeadJob, NotFound, Transaction>
    /** Ends a dead job: it is not tried again, and is remembered as a completed one is. Returns it as it was. */
    readonly abandon: (id: string) => Effect.Effect<DeadJob, NotFound, Transaction>
  }
>()("tentpole/Jobs") {}

export interface JobAttempt {
  readonly id: string
  /** Counted from 1. */
  readonly attempt: number
}

/** The side of workers. */
export class JobQueue extends Context.Service<
  JobQueue,
  {
    /**
     * Runs jobs for ever, `concurrency` at a time. A failed handler is retried with growing pauses; after ten attempts the job
     * is dead. Another worker takes over the job of a dead worker within two minutes. Two workers may handle the same job at
     * the same time if one was frozen beyond its lease. `idle` ends when there may be a job of another process; by default after
     * a fifth of a second.
     */
    readonly work: <R>(options: {
      readonly concurrency: number
      readonly idle?: Effect.Effect<void>
      readonly handle: (job: Job, attempt: JobAttempt) => Effect.Effect<void, unknown, R>
    }) => Effect.Effect<never, never, R>
  }
>()("tentpole/JobQueue") {}
