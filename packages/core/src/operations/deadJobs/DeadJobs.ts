// The use cases of dead jobs: background jobs of all workspaces that failed all attempts. For operators.
import { Context, Effect, Layer } from "effect"
import { type AuditAction, AuditLog } from "../../kernel/changes/AuditLog.ts"
import { type DeadJob, Jobs } from "../../kernel/changes/Jobs.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { type BrokenCursor, type Listed, listed, type ListedBy, sliceOf, textId } from "../../kernel/Page.ts"
import { refusalClass } from "../../kernel/Refusal.ts"

export class NoDeadJob extends refusalClass<NoDeadJob>()("NoDeadJob", {
  code: "not_found",
  message: () => "No dead job has this id",
}) {}

const noDeadJob = () => new NoDeadJob()

export class DeadJobs extends Context.Service<
  DeadJobs,
  {
    /** The newest failure first. */
    readonly list: (by: ListedBy) => Effect.Effect<Listed<DeadJob>, BrokenCursor>
    /** Lets workers try the job again from its first attempt. */
    readonly requeue: (id: string) => Effect.Effect<void, NoDeadJob>
    /** Ends the job: it is not tried again. */
    readonly abandon: (id: string) => Effect.Effect<void, NoDeadJob>
  }
>()("tentpole/DeadJobs") {
  static readonly layer = Layer.effect(
    DeadJobs,
    Effect.gen(function* () {
      const jobs = yield* Jobs
      const audit = yield* AuditLog
      const { transact } = yield* Transactor

      const record = (action: AuditAction, { attempts, id, type, workspaceId }: DeadJob) =>
        audit.append([{ workspaceId, action, target: id, details: { type, attempts } }])

      return DeadJobs.of({
        list: Effect.fn("DeadJobs.list")(function* (by) {
          return listed(yield* jobs.dead(yield* sliceOf(by, textId)))
        }),
        requeue: Effect.fn("DeadJobs.requeue")(function* (id) {
          yield* record("job.requeued", yield* Effect.mapError(jobs.requeue(id), noDeadJob))
        }, transact),
        abandon: Effect.fn("DeadJobs.abandon")(function* (id) {
          yield* record("job.abandoned", yield* Effect.mapError(jobs.abandon(id), noDeadJob))
        }, transact),
      })
    }),
  )
}
