// The run of the membership machine for locked members: one query loads the facts of all, one write stores all changes.
import { Context, Effect, Layer } from "effect"
import { blankContact } from "../../contacts/Contact.ts"
import type { ContactId, EmailId, FlowId, WorkspaceId } from "../../kernel/Ids.ts"
import { Jobs } from "../../kernel/changes/Jobs.ts"
import type { CompiledFlow, MemberFacts } from "../definition/CompiledFlow.ts"
import { FlowCompiler, type KnownFlow } from "./FlowCompiler.ts"
import { decide, type MemberEvent } from "../members/machine.ts"
import { isLive, type Membership } from "../members/Membership.ts"
import { type MembershipChange, stepJobs } from "../members/MembershipChange.ts"
import { type MemberFactsResult, type LockedMembers, MembershipStore } from "../members/MembershipStore.ts"
import { awaitedVisitOf, metricsByStep, settledEvent } from "../members/MemberDeliveries.ts"

/** A member's events besides the end of a delivery. None: the member is re-evaluated. */
export type EventsOf = (member: Membership) => ReadonlyArray<MemberEvent>

export class MembershipRunner extends Context.Service<MembershipRunner>()("tentpole/MembershipRunner", {
  make: Effect.gen(function* () {
    const store = yield* MembershipStore
    const jobs = yield* Jobs
    const { compile } = yield* FlowCompiler

    const factsFor = Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      flows: ReadonlyMap<FlowId, KnownFlow>,
      people: {
        readonly contacts: ReadonlyArray<ContactId>
        readonly members: ReadonlyArray<Membership>
        /** Emails that the members' events will add. */
        readonly emails?: ReadonlyArray<EmailId>
      },
    ) {
      const compiled = [...flows.values()]
      return yield* store.facts(workspace, {
        contacts: [...new Set(people.contacts)],
        lists: [...new Set(compiled.flatMap(({ requiredFacts }) => requiredFacts.lists))],
        topics: [...new Set(compiled.flatMap(({ requiredFacts }) => requiredFacts.topics))],
        activityTypes: [...new Set(compiled.flatMap(({ requiredFacts }) => requiredFacts.activityTypes))],
        deliveriesOf: people.members
          .filter(({ flowId, state }) => awaitedVisitOf(state) !== null || flows.get(flowId)?.needsDeliveries === true)
          .map(({ id }) => id),
        emails: [
          ...new Set([...compiled.flatMap(emailsOf), ...people.members.flatMap(createdBy), ...(people.emails ?? [])]),
        ],
      })
    })

    /** Writes changes and enqueues their jobs; returns the changes that the store accepted. */
    const write = Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      changes: ReadonlyArray<MembershipChange>,
      unchanged: ReadonlyArray<Membership> = [],
    ) {
      const refused = yield* store.apply(workspace, changes, unchanged)
      const current = refused.size === 0 ? changes : changes.filter(({ after }) => !refused.has(after.id))
      yield* Effect.forEach(stepJobs(workspace, current), ({ id, job }) => jobs.enqueue(job, { id }), {
        discard: true,
      })
      return current
    })

    /** Advances all locked members; returns the changes in order. */
    const advanceLocked = Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      { flows, members, now }: LockedMembers,
      eventsOf: EventsOf = () => [],
    ) {
      if (members.length === 0) return []
      const known = yield* compile(workspace, flows.values())
      const contacts = members.map(({ contactId }) => contactId)
      const events = new Map(members.map((member) => [member.id, eventsOf(member)]))
      const emails = [...events.values()]
        .flat()
        .flatMap((each) => (each.type === "email_created" ? [each.emailId] : []))
      const facts = yield* factsFor(workspace, known, { contacts, members, emails })
      const changes: Array<MembershipChange> = []
      const unchanged: Array<Membership> = []
      for (const member of members) {
        const flow = known.get(member.flowId)
        if (flow === undefined) continue
        const moved = changesOf(flow, member, memberFacts(facts, member, now), events.get(member.id) ?? [])
        if (moved.length === 0) unchanged.push(member)
        else changes.push(...moved)
      }
      return yield* write(workspace, changes, unchanged)
    })

    return { advanceLocked, factsFor, write }
  }),
}) {
  static readonly layer = Layer.effect(MembershipRunner, MembershipRunner.make)
}

const emailsOf = ({ steps }: CompiledFlow): ReadonlyArray<EmailId> =>
  [...steps.values()].flatMap(({ step }) =>
    step.type === "send_email" && step.email_id !== null ? [step.email_id] : [],
  )

const createdBy = ({ createdEmails }: Membership): ReadonlyArray<EmailId> => createdEmails.map(({ emailId }) => emailId)

/** The facts of a member. If the contact has been deleted, they describe a blank contact. */
const memberFacts = (
  { approvals, contacts, deliveries }: MemberFactsResult,
  { contactId, id }: Membership,
  now: MemberFacts["now"],
) => {
  const known = contacts.get(contactId)
  const messages = deliveries.get(id) ?? []
  const blank = {
    contact: blankContact(contactId, now),
    lists: new Set<never>(),
    topics: new Map(),
    activities: [],
    suppression: null,
  }
  const facts: MemberFacts = { ...(known ?? blank), now, emailSteps: metricsByStep(messages), approvals }
  return { isContactDeleted: known === undefined, messages, facts }
}

/** The facts of a contact that is not a member yet; undefined if the contact has been deleted. */
export const newMemberFacts = (
  found: MemberFactsResult,
  contactId: ContactId,
  now: MemberFacts["now"],
): MemberFacts | undefined => {
  const known = found.contacts.get(contactId)
  return known && { ...known, now, emailSteps: new Map(), approvals: found.approvals }
}

/** The end of a delivery is applied before the other events. */
const changesOf = (
  flow: CompiledFlow,
  member: Membership,
  { facts, isContactDeleted, messages }: ReturnType<typeof memberFacts>,
  others: ReadonlyArray<MemberEvent>,
): ReadonlyArray<MembershipChange> => {
  const settled = settledEvent(member.state, messages, facts.now)
  const events: Array<MemberEvent> = isContactDeleted && isLive(member.state) ? [{ type: "contact_deleted" }] : []
  events.push(...(settled === null ? [] : [settled]), ...others)
  if (events.length === 0) events.push({ type: "check" })
  const changes: Array<MembershipChange> = []
  let current = member
  for (const event of events) {
    const change = decide(flow, current, facts, event)
    if (change === null) continue
    changes.push(change)
    current = change.after
  }
  return changes
}
