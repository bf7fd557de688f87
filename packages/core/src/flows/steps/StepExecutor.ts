// What emails and pages that are made for a member have in common: the member is held and looked at first and last, so that
// what is no longer wanted is not made, and what was made once is not made again.
import { Context, Effect, Layer } from "effect"
import { type Contact, blankContact } from "../../contacts/Contact.ts"
import { ContactStore } from "../../contacts/ContactStore.ts"
import type { WorkspaceId } from "../../kernel/Ids.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { WorkspaceStore } from "../../workspaces/WorkspaceStore.ts"
import { MembershipRunner } from "../engine/MembershipRunner.ts"
import { stepOf } from "../definition/Flow.ts"
import type { MemberEvent } from "../members/machine.ts"
import type { Making } from "../members/StepJobs.ts"
import type { Membership } from "../members/Membership.ts"
import { type HeldMembers, MembershipStore } from "../members/MembershipStore.ts"
import type { Reader } from "../members/MemberText.ts"
import type { Step } from "../definition/Step.ts"

/** A member who waits for what is being made. */
export interface Awaiting {
  readonly held: HeldMembers
  readonly member: Membership
  readonly step: Step
}

/** What the execution of steps that create something has in common. */
export class StepExecutor extends Context.Service<StepExecutor>()("tentpole/StepExecutor", {
  make: Effect.gen(function* () {
    const store = yield* MembershipStore
    const contacts = yield* ContactStore
    const workspaces = yield* WorkspaceStore
    const { transact } = yield* Transactor
    const { advanceHeld } = yield* MembershipRunner

    /** Null: they do not wait for this any more. Within a transaction. */
    const awaiting = Effect.fnUntraced(function* (workspace: WorkspaceId, making: Making) {
      const which = { _tag: "touched", memberships: [making.membershipId], contacts: [], flows: [] } as const
      const held = yield* store.lockMembers(workspace, which)
      const [member] = held.members
      const structure = member && held.flows.get(member.flowId)?.structure
      if (member?.state.status !== "active" || structure === undefined) return null
      const { doing, retry, visit } = member.state
      if (doing.kind !== "make" || visit.number !== making.visit || (retry?.count ?? 0) + 1 !== making.attempt)
        return null
      const step = stepOf(structure, visit.stepId)
      const it: Awaiting | null = step === undefined ? null : { held, member, step }
      return it
    })

    /** What became of it. Within the transaction that holds the member. */
    const tell = (workspace: WorkspaceId, { held }: Awaiting, event: MemberEvent) =>
      Effect.asVoid(advanceHeld(workspace, held, () => [event]))

    /** It could not be made: the step is tried again by and by. */
    const giveUp = Effect.fnUntraced(function* (workspace: WorkspaceId, making: Making, error: string) {
      const it = yield* awaiting(workspace, making)
      if (it !== null)
        yield* tell(workspace, it, { type: "not_made", visit: making.visit, attempt: making.attempt, error })
    }, transact)

    /** By whom the texts of the step are read. */
    const readerOf = Effect.fnUntraced(function* (workspace: WorkspaceId, { held, member }: Awaiting) {
      const contact: Contact = yield* contacts
        .get(workspace, member.contactId)
        .pipe(Effect.catchTag("NotFound", () => Effect.succeed(blankContact(member.contactId, held.now))))
      const { name } = yield* Effect.orDie(workspaces.get(workspace))
      const reader: Reader = { contact, tokens: member.tokens, workspaceName: name }
      return reader
    })

    return { awaiting, tell, giveUp, readerOf }
  }),
}) {
  static readonly layer = Layer.effect(StepExecutor, StepExecutor.make)
}
