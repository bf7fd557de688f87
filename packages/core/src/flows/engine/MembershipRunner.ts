// Members that are held, moved on: what is known of them is asked for all of them at once, the machine is run for each, and
// everything that it decides is written at once.
import { Context, Effect, Layer } from "effect"
import { blankContact } from "../../contacts/Contact.ts"
import type { ContactId, EmailId, FlowId, WorkspaceId } from "../../kernel/Ids.ts"
import { Jobs } from "../../kernel/changes/Jobs.ts"
import type { CompiledFlow, MemberFacts } from "../definition/CompiledFlow.ts"
import { FlowCompiler, type KnownFlow } from "./FlowCompiler.ts"
import { decide, type MemberEvent } from "../members/machine.ts"
import { isLive, type Membership } from "../members/Membership.ts"
import type { MembershipChange } from "../members/MembershipChange.ts"
import { type FactsFound, type HeldMembers, type KnownContact, MembershipStore } from "../members/MembershipStore.ts"
import { awaitedVisitOf, metBy, settledEvent } from "../members/MemberDeliveries.ts"
import { makingJobs } from "../members/StepJobs.ts"

/** What has happened to a member besides the end of a message; nothing: they are looked at. */
export type EventsOf = (member: Membership) => ReadonlyArray<MemberEvent>

const nothing: EventsOf = () => []

const noLists: KnownContact["lists"] = new Set()

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
        /** Of emails that members are only about to have. */
        readonly emails?: ReadonlyArray<EmailId>
      },
    ) {
      const compiled = [...flows.values()].map((each) => each.compiled)
      return yield* store.facts(workspace, {
        contacts: [...new Set(people.contacts)],
        lists: [...new Set(compiled.flatMap(({ asks }) => asks.lists))],
        activityTypes: [...new Set(compiled.flatMap(({ asks }) => asks.activityTypes))],
        messagesOf: people.members
          .filter(({ flowId, state }) => awaitedVisitOf(state) !== null || flows.get(flowId)?.asksOfMessages === true)
          .map(({ id }) => id),
        emails: [
          ...new Set([...compiled.flatMap(emailsOf), ...people.members.flatMap(createdBy), ...(people.emails ?? [])]),
        ],
      })
    })

    /** Writes changes with the jobs that they ask for; answers those of them that stand. */
    const write = Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      changes: ReadonlyArray<MembershipChange>,
      still: ReadonlyArray<Membership> = [],
    ) {
      const refused = yield* store.apply(workspace, changes, still)
      const standing = refused.size === 0 ? changes : changes.filter(({ after }) => !refused.has(after.id))
      yield* Effect.forEach(makingJobs(workspace, standing), ({ id, job }) => jobs.enqueue(job, { id }), {
        discard: true,
      })
      return standing
    })

    /** Moves on everybody who is held; answers what has changed, in order. */
    const advanceHeld = Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      { flows, members, now }: HeldMembers,
      eventsOf: EventsOf = nothing,
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
      const still: Array<Membership> = []
      for (const member of members) {
        const flow = known.get(member.flowId)?.compiled
        if (flow === undefined) continue
        const moved = movesOf(flow, member, memberFacts(facts, member, now), events.get(member.id) ?? [])
        if (moved.length === 0) still.push(member)
        else changes.push(...moved)
      }
      return yield* write(workspace, changes, still)
    })

    return { advanceHeld, factsFor, write }
  }),
}) {
  static readonly layer = Layer.effect(MembershipRunner, MembershipRunner.make)
}

const emailsOf = ({ steps }: CompiledFlow): ReadonlyArray<EmailId> =>
  [...steps.values()].flatMap(({ step }) =>
    step.type === "send_email" && step.email_id !== null ? [step.email_id] : [],
  )

const createdBy = ({ createdEmails }: Membership): ReadonlyArray<EmailId> => createdEmails.map(({ emailId }) => emailId)

/** Null: the contact has been deleted. */
const memberFacts = (
  found: FactsFound,
  { contactId, id }: Pick<Membership, "contactId" | "id">,
  now: MemberFacts["now"],
): { readonly facts: MemberFacts; readonly gone: boolean; readonly messages: ReturnType<typeof messagesOf> } => {
  const known = found.contacts.get(contactId)
  const messages = messagesOf(found, id)
  return {
    gone: known === undefined,
    messages,
    facts: {
      contact: known?.contact ?? blankContact(contactId, now),
      lists: known?.lists ?? noLists,
      activities: known?.activities ?? [],
      suppression: known?.suppression ?? null,
      now,
      emailSteps: metBy(messages),
      approvals: found.approvals,
    },
  }
}

const messagesOf = ({ messages }: FactsFound, id: Membership["id"]) => messages.get(id) ?? []

/** The facts of somebody who is no member yet. */
export const entrantFacts = (
  found: FactsFound,
  contactId: ContactId,
  now: MemberFacts["now"],
): MemberFacts | undefined => {
  const known = found.contacts.get(contactId)
  return known && { ...known, now, emailSteps: new Map(), approvals: found.approvals }
}

/** How a message ended comes before whatever else is to be told of it. */
const movesOf = (
  flow: CompiledFlow,
  member: Membership,
  { facts, gone, messages }: ReturnType<typeof memberFacts>,
  told: ReadonlyArray<MemberEvent>,
): ReadonlyArray<MembershipChange> => {
  const settled = settledEvent(member.state, messages, facts.now)
  const events: Array<MemberEvent> = gone && isLive(member.state) ? [{ type: "contact_deleted" }] : []
  events.push(...(settled === null ? [] : [settled]), ...told)
  if (events.length === 0) events.push({ type: "look" })
  const changes: Array<MembershipChange> = []
  let standing = member
  for (const event of events) {
    const change = decide(flow, standing, facts, event)
    if (change === null) continue
    changes.push(change)
    standing = change.after
  }
  return changes
}
