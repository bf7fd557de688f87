// ChangeWriter: writes the events, audit entries and jobs of changes.
import { Context, Effect, Layer } from "effect"
import { AuditLog } from "./AuditLog.ts"
import type { WorkspaceId } from "../Ids.ts"
import { Jobs } from "./Jobs.ts"
import { Outbox } from "./Outbox.ts"
import type { Transaction } from "./Transactor.ts"
import type { ChangeEffects } from "./Change.ts"

export class ChangeWriter extends Context.Service<
  ChangeWriter,
  {
    /** Every store calls this in `apply`, in the transaction of the rows. */
    readonly writeEffects: (
      workspace: WorkspaceId,
      changes: ReadonlyArray<ChangeEffects>,
    ) => Effect.Effect<void, never, Transaction>
  }
>()("tentpole/ChangeWriter") {
  static readonly layer = Layer.effect(
    ChangeWriter,
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const auditLog = yield* AuditLog
      const queue = yield* Jobs
      return ChangeWriter.of({
        writeEffects: Effect.fnUntraced(function* (workspace, changes) {
          const events = changes.flatMap((change) => change.events)
          const audit = changes.flatMap((change) => change.audit)
          const jobs = changes.flatMap((change) => change.jobs)
          if (events.length > 0) yield* outbox.append(workspace, events)
          if (audit.length > 0) yield* auditLog.append(audit.map((note) => ({ ...note, workspaceId: workspace })))
          for (const { job, ...options } of jobs) yield* queue.enqueue({ ...job, workspaceId: workspace }, options)
        }),
      })
    }),
  )
}
