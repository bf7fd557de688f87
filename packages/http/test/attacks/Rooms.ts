// List of all attacked rooms.
import type { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { type Context, Effect } from "effect"
import { type Estate, everythingOf, idIn, rightsOf, type Room, type UseCases } from "./AttackSuite.ts"
import { addressOf, type Operation } from "./Attacks.ts"
import { audience, consentExports } from "./AudienceProbes.ts"
import { blasts } from "./BlastProbes.ts"
import { emails, messages } from "./EmailProbes.ts"
import { events, webhooks } from "./EventProbes.ts"
import { flowMembers } from "./FlowMemberProbes.ts"
import { flows } from "./FlowProbes.ts"
import { submissions, subscriptions, traffic } from "./FormProbes.ts"
import { imported } from "./ImportProbes.ts"
import { emailTemplates, tentTemplates } from "./TemplateProbes.ts"
import { tents } from "./TentProbes.ts"
import type { Call, Json, Sent } from "../fixtures/World.ts"

/** A room with a prepared workspace. */
export interface Settled {
  readonly name: string
  readonly operations: ReadonlyArray<Operation>
  readonly estate: Estate
  /** The ids of the estate that bodies are tried with, replaced by another workspace's. */
  readonly ids: ReadonlyArray<string>
  /** Everything that the workspace can read, as one text. */
  readonly everything: (call: Call) => Effect.Effect<string>
  /** Valid requests to an operation. */
  readonly rights: (operation: Operation) => ReadonlyArray<{ readonly path: string; readonly sent: Sent }>
}

export interface Attacked {
  readonly name: string
  readonly operations: ReadonlyArray<Operation>
  readonly settle: (
    side: { readonly call: Call; readonly workspace: WorkspaceId },
    field: string,
    context: Context.Context<UseCases>,
    operation?: Operation,
  ) => Effect.Effect<Settled>
}

const attacked = <Own extends Estate>(room: Room<Own>): Attacked => ({
  name: room.name,
  operations: room.operations,
  settle: (side, field, context, operation) =>
    Effect.map(room.settle(side, field, context, operation ?? null), (estate) => ({
      name: room.name,
      operations: room.operations,
      estate,
      ids: room.ids.map((name) => idIn(estate, name)),
      everything: (call) => everythingOf(room, call, estate),
      rights: (operation) => {
        const path = addressOf(operation, estate)
        const bodies = rightsOf(room, operation)
        return bodies.length === 0
          ? [{ path, sent: room.sent?.(operation) ?? {} }]
          : bodies.map((body) => ({ path, sent: { json: body(estate) satisfies Json } }))
      },
    })),
})

export const rooms: ReadonlyArray<Attacked> = [
  attacked(audience),
  attacked(consentExports),
  attacked(blasts),
  attacked(emails),
  attacked(emailTemplates),
  attacked(events),
  attacked(flowMembers),
  attacked(flows),
  attacked(imported),
  attacked(messages),
  attacked(submissions),
  attacked(subscriptions),
  attacked(tentTemplates),
  attacked(tents),
  attacked(traffic),
  attacked(webhooks),
]
