// The use case of a blast's audit.
import { Context, Effect, Layer } from "effect"
import type { BlastId, WorkspaceId } from "../../kernel/Ids.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import { type Audit, audit } from "./BlastAudit.ts"
import { BlastAuditStore } from "./BlastAuditStore.ts"

export class BlastAudits extends Context.Service<
  BlastAudits,
  {
    /** Reads every delivery of the blast. */
    readonly audit: (workspace: WorkspaceId, id: BlastId) => Effect.Effect<Audit, NotFound>
  }
>()("tentpole/BlastAudits") {
  static readonly layer = Layer.effect(
    BlastAudits,
    Effect.map(BlastAuditStore, ({ evidence }) =>
      BlastAudits.of({
        audit: Effect.fn("BlastAudits.audit")((workspace, id) => Effect.map(evidence(workspace, id), audit)),
      }),
    ),
  )
}
