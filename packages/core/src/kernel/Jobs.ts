// Background work. A job is queued by a use case in its own transaction, and done by a worker at least once: handlers are
// idempotent, keyed by the job's id, and fence their own writes.
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
  WorkspaceId,
} from "./Ids.ts"
import type { Transaction } from "./Transactor.ts"

const job = <const Type extends string, const Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), workspaceId: WorkspaceId, ...fields })

/** Visits of members of flows to a step that makes something, and which try it is. */
const Makings = Schema.Array(Schema.Struct({ membershipId: MembershipId, visit: Schema.Int, attempt: Schema.Int }))

/** Everything that can be queued. A worker's table (`worker/src/Jobs.ts`) has a line for each. */
export const Job = Schema.Union([
  job("import_run", { runId: ImportRunId }),
  job("import_expiry", { sessionId: ImportSessionId }),
  job("list_export", { exportId: ExportId }),
  job("list_export_expiry", { exportId: ExportId }),
  job("blast_export", { exportId: ExportId }),
  job("blast_export_expiry", { exportId: ExportId }),
  job("blast_start", { blastId: BlastId }),
  job("blast_retry", { blastId: BlastId, since_ms: Schema.Int, includeUnconfirmed: Schema.Boolean }),
  job("flow_review", { flowId: FlowId, members: Schema.Literals(["live", "waiting"]) }),
  job("flow_email", { members: Makings }),
  job("flow_tent", { members: Makings }),
  job("tent_generation", { tentId: TentId }),
  job("asset_cleanup", { tentId: TentId, assetIds: Schema.Array(AssetId) }),
  job("email_generation", { emailId: EmailId, generationId: GenerationId }),
  job("test_mail", { testMailId: TestMailId }),
  job("email_template_generation", { templateId: EmailTemplateId, generationId: GenerationId }),
  job("tent_template_generation", { templateId: TentTemplateId, generationId: GenerationId }),
  job("workspace_erasure", {}),
])
export type Job = typeof Job.Type

export interface DeadJob {
  readonly id: string
  readonly attempts: number
  readonly failure: string
  readonly failedAt: DateTime.Utc
}

/** The side of use cases. */
export class Jobs extends Context.Service<
  Jobs,
  {
    /**
     * Queues a job with the transaction: a caller that is rolled back leaves none. The id names the intent
     * (`blast_start:<blast id>`) and is remembered for weeks: a second job of the same id is dropped, also after the first
     * is done. Recurring work puts its due instant into the id.
     */
    readonly enqueue: (
      job: Job,
      options: { readonly id: string; readonly delay?: Duration.Input },
    ) => Effect.Effect<void, never, Transaction>
    /** Jobs given up after their last attempt, newest first, at most 1,000. */
    readonly dead: Effect.Effect<ReadonlyArray<DeadJob>>
    /** Puts a dead job back as if new; false when there is none of that id. */
    readonly requeue: (id: string) => Effect.Effect<boolean, never, Transaction>
  }
>()("tentpole/Jobs") {}

export interface JobAttempt {
  readonly id: string
  /** From 1. */
  readonly attempt: number
}

/** The side of workers. */
export class JobQueue extends Context.Service<
  JobQueue,
  {
    /**
     * Takes jobs and hands them on, for ever, `concurrency` at a time. A handler that fails is tried again with growing
     * pauses, ten times in all, then the job is dead. A worker that dies is noticed within two minutes, and another takes
     * its job. The same job may be handled twice at once by a worker that was frozen beyond its lease.
     */
    readonly work: <R>(options: {
      readonly concurrency: number
      readonly handle: (job: Job, attempt: JobAttempt) => Effect.Effect<void, unknown, R>
    }) => Effect.Effect<never, never, R>
  }
>()("tentpole/JobQueue") {}
