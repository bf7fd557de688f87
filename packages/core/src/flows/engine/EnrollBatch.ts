// Contacts on their way into flows: by an event, a date, a call or by hand. Whoever is in the flow already, or may not enter
// it, is left out; the database has the last word.
import { Context, Effect, Layer, Result } from "effect"
import { type ContactId, type FlowId, Ids, MembershipId, type WorkspaceId } from "../../kernel/Ids.ts"
import { entrantFacts, MembershipRunner } from "./MembershipRunner.ts"
import type { CompiledFlow } from "../definition/CompiledFlow.ts"
import { FlowCompiler } from "./FlowCompiler.ts"
import type { Earlier, Entry, EntryRefusal } from "../members/Enrollment.ts"
import { decide, enroll } from "../members/machine.ts"
import type { MembershipChange } from "../members/MembershipChange.ts"
import { MembershipStore } from "../members/MembershipStore.ts"

/** Somebody who is to enter; `bring` says with what, or why not. */
export interface Entrant<E> {
  readonly flowId: FlowId
  readonly contactId: ContactId
  readonly bring: (flow: CompiledFlow) => Result.Result<Omit<Entry, "id">, E>
}

/** What became of an entrant. Null: the flow or the contact is gone. */
export type Entering<E> = Result.Result<MembershipChange, E | EntryRefusal> | null

const nothingEarlier: Earlier = { live: false, any: false }

export class Enroller extends Context.Service<Enroller>()("tentpole/Enroller", {
  make: Effect.gen(function* () {
    const store = yield* MembershipStore
    const ids = yield* Ids
    const { compile } = yield* FlowCompiler
    const { factsFor, write } = yield* MembershipRunner

    /**
     * Decides in the order given: of two entries of one contact into one flow the second meets the first. `onward`: who enters
     * goes on at once until something takes time, which spares reading and writing each of them a second time. That is for who
     * deals with events, and will learn of what happens to them from now on; whoever else lets somebody in may have facts that
     * are older than an event which has been dealt with by then.
     */
    const enter = Effect.fnUntraced(function* <E>(
      workspace: WorkspaceId,
      entrants: ReadonlyArray<Entrant<E>>,
      { onward }: { readonly onward: boolean },
    ) {
      const ground = yield* store.lockForEntry(workspace, {
        flows: [...new Set(entrants.map(({ flowId }) => flowId))],
        contacts: [...new Set(entrants.map(({ contactId }) => contactId))],
      })
      const { now } = ground
      const known = yield* compile(workspace, ground.flows.values())
      const facts = yield* factsFor(workspace, known, { contacts: [...ground.contacts], members: [] })
      const names = yield* ids.many(entrants.length)
      const entered = new Map<string, Earlier>()
      const changes: Array<MembershipChange> = []
      const outcomes = entrants.map(({ bring, contactId, flowId }, at): Entering<E> => {
        const flow = known.get(flowId)?.compiled
        const person = ground.contacts.has(contactId) ? entrantFacts(facts, contactId, now) : undefined
        if (flow === undefined || person === undefined) return null
        const pair = `${flowId} ${contactId}`
        const earlier = entered.get(pair) ?? ground.earlier(flowId, contactId) ?? nothingEarlier
        const outcome = Result.flatMap(bring(flow), (entry) =>
          enroll(flow, { ...entry, id: MembershipId.make(names[at] ?? "") }, person, earlier),
        )
        if (Result.isFailure(outcome)) return outcome
        entered.set(pair, { live: true, any: true })
        changes.push(outcome.success)
        const next = onward ? decide(flow, outcome.success.after, person, { type: "look" }) : null
        if (next !== null) changes.push(next)
        return outcome
      })
      const standing = new Set(yield* write(workspace, changes))
      return { flows: ground.flows, outcomes, standing }
    })

    return { enter }
  }),
}) {
  static readonly layer = Layer.effect(Enroller, Enroller.make)
}
