// Enrollment of contacts by an event, a date, an API call or manually. The store refuses concurrent duplicates.
import { Context, Effect, Layer, Result } from "effect"
import { type ContactId, type FlowId, Ids, MembershipId, type WorkspaceId } from "../../kernel/Ids.ts"
import { newMemberFacts, MembershipRunner } from "./MembershipRunner.ts"
import type { CompiledFlow } from "../definition/CompiledFlow.ts"
import { FlowCompiler } from "./FlowCompiler.ts"
import type { EarlierMemberships, Entry, EntryRefusal } from "../members/Enrollment.ts"
import { decide, enroll } from "../members/machine.ts"
import type { MembershipChange } from "../members/MembershipChange.ts"
import { MembershipStore } from "../members/MembershipStore.ts"

/** A contact to enroll. `entryFor` returns the entry, or the refusal of the trigger. */
export interface EnrollmentRequest<E> {
  readonly flowId: FlowId
  readonly contactId: ContactId
  readonly entryFor: (flow: CompiledFlow) => Result.Result<Omit<Entry, "id">, E>
}

/** The result of an enrollment. Null: the flow or the contact has been deleted. */
export type EnrollmentOutcome<E> = Result.Result<MembershipChange, E | EntryRefusal> | null

const noEarlierMemberships: EarlierMemberships = { live: false, any: false }

export class Enroller extends Context.Service<Enroller>()("tentpole/Enroller", {
  make: Effect.gen(function* () {
    const store = yield* MembershipStore
    const ids = yield* Ids
    const { compile } = yield* FlowCompiler
    const { factsFor, write } = yield* MembershipRunner

    /**
     * Decides in the given order: a second request for the same contact and flow sees the first one. `advance` also runs the
     * new member's first steps, which saves a second read and write. Only the consumer of events may use it: other callers
     * may have facts that are older than an event which has already been consumed.
     */
    const enrollBatch = Effect.fnUntraced(function* <E>(
      workspace: WorkspaceId,
      requests: ReadonlyArray<EnrollmentRequest<E>>,
      { advance }: { readonly advance: boolean },
    ) {
      const stored = yield* store.lockForEnrollment(workspace, {
        flows: [...new Set(requests.map(({ flowId }) => flowId))],
        contacts: [...new Set(requests.map(({ contactId }) => contactId))],
      })
      const { now } = stored
      const known = yield* compile(workspace, stored.flows.values())
      const facts = yield* factsFor(workspace, known, { contacts: [...stored.contacts], members: [] })
      const membershipIds = yield* ids.many(requests.length)
      const enrolled = new Map<string, EarlierMemberships>()
      const changes: Array<MembershipChange> = []
      const outcomes = requests.map(({ entryFor, contactId, flowId }, at): EnrollmentOutcome<E> => {
        const flow = known.get(flowId)
        const member = stored.contacts.has(contactId) ? newMemberFacts(facts, contactId, now) : undefined
        if (flow === undefined || member === undefined) return null
        const pair = `${flowId} ${contactId}`
        const earlier = enrolled.get(pair) ?? stored.earlier(flowId, contactId) ?? noEarlierMemberships
        const outcome = Result.flatMap(entryFor(flow), (entry) =>
          enroll(flow, { ...entry, id: MembershipId.make(membershipIds[at] ?? "") }, member, earlier),
        )
        if (Result.isFailure(outcome)) return outcome
        enrolled.set(pair, { live: true, any: true })
        changes.push(outcome.success)
        const next = advance ? decide(flow, outcome.success.after, member, { type: "check" }) : null
        if (next !== null) changes.push(next)
        return outcome
      })
      const applied = new Set(yield* write(workspace, changes))
      return { flows: stored.flows, outcomes, applied }
    })

    return { enrollBatch }
  }),
}) {
  static readonly layer = Layer.effect(Enroller, Enroller.make)
}
