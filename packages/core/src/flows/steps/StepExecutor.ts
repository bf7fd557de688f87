// The shared parts of `create_email` and `create_tent` steps. Each begins and ends with a lock on the member, so that nothing
// is created twice, or for a member that no longer waits for it.
import { Context, Effect, Layer } from "effect"
import { type Contact, blankContact } from "../../contacts/Contact.ts"
import { ContactStore } from "../../contacts/ContactStore.ts"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { nameTokenOf } from "../../workspaces/Workspace.ts"
import { WorkspaceStore } from "../../workspaces/WorkspaceStore.ts"
import { MembershipRunner } from "../engine/MembershipRunner.ts"
import { stepOf } from "../definition/Flow.ts"
import type { MemberEvent } from "../members/machine.ts"
import type { StepRun } from "../members/MembershipChange.ts"
import type { Membership } from "../members/Membership.ts"
import { type LockedMembers, MembershipStore } from "../members/MembershipStore.ts"
import type { TextContext } from "../members/MemberText.ts"
import type { Step } from "../definition/Step.ts"

/** A locked member that waits for a step run. */
export interface WaitingMember {
  readonly locked: LockedMembers
  readonly member: Membership
  readonly step: Step
}

/** Operations that both kinds of step runs use. */
export class StepExecutor extends Context.Service<StepExecutor>()("tentpole/StepExecutor", {
  make: Effect.gen(function* () {
    const store = yield* MembershipStore
    const contacts = yield* ContactStore
    const workspaces = yield* WorkspaceStore
    const { transact } = yield* Transactor
    const { advanceLocked } = yield* MembershipRunner

    /** Locks the member; null if it no longer waits for this run. Requires a transaction. */
    const lockWaiting = Effect.fnUntraced(function* (workspace: WorkspaceId, stepRun: StepRun) {
      const which = { _tag: "touched", memberships: [stepRun.membershipId], contacts: [], flows: [] } as const
      const locked = yield* store.lockMembers(workspace, which)
      const [member] = locked.members
      const structure = member && locked.flows.get(member.flowId)?.structure
      if (member?.state.status !== "active" || structure === undefined) return null
      const { doing, retry, visit } = member.state
      if (doing.kind !== "make" || visit.number !== stepRun.visit || (retry?.count ?? 0) + 1 !== stepRun.attempt)
        return null
      const step = stepOf(structure, visit.stepId)
      const waiting: WaitingMember | null = step === undefined ? null : { locked, member, step }
      return waiting
    })

    /** Applies the outcome to the locked member. Requires the same transaction. */
    const advance = (workspace: WorkspaceId, { locked }: WaitingMember, event: MemberEvent) =>
      Effect.asVoid(advanceLocked(workspace, locked, () => [event]))

    /** Records the failure. The step is retried with backoff. */
    const fail = Effect.fnUntraced(function* (workspace: WorkspaceId, stepRun: StepRun, error: string) {
      const waiting = yield* lockWaiting(workspace, stepRun)
      if (waiting !== null)
        yield* advance(workspace, waiting, {
          type: "creation_failed",
          visit: stepRun.visit,
          attempt: stepRun.attempt,
          error,
        })
    }, transact)

    /** The merge values for the step's texts. */
    const textContextOf = Effect.fnUntraced(function* (workspace: WorkspaceId, { locked, member }: WaitingMember) {
      const contact: Contact = yield* contacts
        .get(workspace, member.contactId)
        .pipe(Effect.catchTag("NotFound", () => Effect.succeed(blankContact(member.contactId, locked.now))))
      const workspaceName = nameTokenOf(yield* Effect.orDie(workspaces.get(workspace)))
      const context: TextContext = { contact, tokens: member.tokens, workspaceName }
      return context
    })

    return { lockWaiting, advance, fail, textContextOf }
  }),
}) {
  static readonly layer = Layer.effect(StepExecutor, StepExecutor.make)
}
