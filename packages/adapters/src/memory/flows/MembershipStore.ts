// The membership store in memory. Transactions run one after another, so a lock is a plain read.
import {
  dueAtOf,
  isLive,
  type Membership,
  inTimelineOrder,
  stepsExecuted,
  type TimelineEntry,
} from "@tentpole/core/flows/members/Membership"
import type { MembershipChange } from "@tentpole/core/flows/members/MembershipChange"
import {
  type MemberFactsQuery,
  type MemberFactsResult,
  type FlowMemberQuery,
  type LockedMembers,
  type ContactFacts,
  type MemberDetails,
  MembershipStore,
  timeline_lines_max,
  type MemberSelection,
} from "@tentpole/core/flows/members/MembershipStore"
import {
  BlastId,
  type ContactId,
  DeliveryId,
  type FlowId,
  Ids,
  type MembershipId,
  type WorkspaceId,
} from "@tentpole/core/kernel/Ids"
import { NotFound } from "@tentpole/core/kernel/Refusal"
import { blockReason } from "@tentpole/core/sending/Suppression"
import { byCodePoint, fold } from "@tentpole/core/kernel/Text"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { DateTime, Effect, Layer } from "effect"
import { contacts, writeActivities } from "../contacts/ContactStore.ts"
import { deliveries, factsOf, makeDue, moved, newDelivery, suppressions } from "../sending/DeliveryTables.ts"
import { emails } from "../emails/EmailStore.ts"
import { findFlow, flows, pausedFlows } from "./FlowTables.ts"
import { createdIds, type MemberRow, memberships, putMoved, sendingSteps, timelines } from "./MembershipTables.ts"
import { hintDue } from "../kernel/DueWork.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"
import { inOrder, newest, paged } from "../kernel/Slices.ts"
import { appendEvents } from "../kernel/Outbox.ts"
import { subjectsOf } from "../segments/SegmentMembers.ts"

const flowsById = (db: Rows, workspace: WorkspaceId, ids: ReadonlyArray<FlowId>) =>
  Effect.map(
    db.all(flows, workspace),
    (all) => new Map(all.filter(({ id }) => ids.includes(id)).map((flow) => [flow.id, flow])),
  )

const shown = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, membership: Membership) {
  const contact = yield* db.find(contacts, workspace, membership.contactId)
  const whole: ReadonlyArray<TimelineEntry> = (yield* db.find(timelines, workspace, membership.id)) ?? []
  const timeline = whole.slice(-timeline_lines_max)
  const run: MemberDetails = {
    membership,
    contact:
      contact === undefined
        ? null
        : { id: contact.id, displayName: contact.displayName, email: contact.email, phone: contact.phone },
    steps: stepsExecuted(timeline),
    timeline: inTimelineOrder(timeline),
  }
  return run
})

const sortValues: {
  readonly [Sort in FlowMemberQuery["sort"]]: (run: MemberDetails) => string | DateTime.Utc | null
} = {
  entered_at: ({ membership }) => membership.enteredAt,
  updated_at: ({ membership }) => membership.updatedAt,
  display_name: ({ contact }) => contact?.displayName ?? null,
}

const page = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, flow: FlowId, query: FlowMemberQuery) {
  yield* findFlow(db, workspace, flow)
  const wanted = fold(query.search ?? "")
  const runs: Array<MemberDetails> = []
  for (const { membership } of yield* db.all(memberships, workspace)) {
    if (membership.flowId !== flow || (query.status !== null && membership.state.status !== query.status)) continue
    const contact = yield* db.find(contacts, workspace, membership.contactId)
    const texts = contact && [contact.displayName, contact.firstName, contact.lastName, contact.email, contact.phone]
    if (wanted !== "" && texts?.some((text) => text !== null && fold(text).includes(wanted)) !== true) continue
    runs.push(yield* shown(db, workspace, membership))
  }
  return paged(
    query,
    inOrder(runs, query.order, { value: sortValues[query.sort], id: ({ membership }) => membership.id }),
  )
})

const byId = (left: Membership, right: Membership): number => byCodePoint(left.id, right.id)

const isSelected = (
  which: Exclude<MemberSelection, { readonly _tag: "due" }>,
  { contactId, flowId, id, state }: Membership,
) => {
  switch (which._tag) {
    case "contact":
      return flowId === which.flowId && contactId === which.contactId && isLive(state)
    case "flow":
      return (
        flowId === which.flowId &&
        (which.members === "live" ? isLive(state) : state.status === "waiting") &&
        (which.after === null || contactId > which.after)
      )
    case "touched":
      return (
        which.memberships.includes(id) ||
        (which.flows.includes(flowId) && which.contacts.includes(contactId) && isLive(state))
      )
  }
}

const lockMembers = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, which: MemberSelection) {
  const now = yield* DateTime.now
  const rows = yield* db.all(memberships, workspace)
  const chosen =
    which._tag === "due" ? yield* dueMembers(db, workspace, rows, which.limit, now) : selectMembers(rows, which)
  const locked: LockedMembers = {
    now,
    flows: yield* flowsById(db, workspace, [
      ...(which._tag === "contact" || which._tag === "flow" ? [which.flowId] : []),
      ...chosen.map(({ flowId }) => flowId),
    ]),
    members: chosen,
  }
  return locked
})

const selectMembers = (rows: ReadonlyArray<MemberRow>, which: Exclude<MemberSelection, { readonly _tag: "due" }>) => {
  const chosen = rows.map(({ membership }) => membership).filter((member) => isSelected(which, member))
  return which._tag === "flow"
    ? chosen.sort((left, right) => byCodePoint(left.contactId, right.contactId)).slice(0, which.limit)
    : chosen.sort(byId)
}

const dueMembers = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  rows: ReadonlyArray<MemberRow>,
  limit: number,
  now: DateTime.Utc,
) {
  const paused = yield* pausedFlows(db, workspace)
  return rows
    .flatMap(({ dueAt, membership }) =>
      dueAt !== null && DateTime.isLessThanOrEqualTo(dueAt, now) && !paused.has(membership.flowId)
        ? [{ dueAt, membership }]
        : [],
    )
    .sort(
      (left, right) =>
        left.dueAt.epochMilliseconds - right.dueAt.epochMilliseconds || byId(left.membership, right.membership),
    )
    .slice(0, limit)
    .map(({ membership }) => membership)
})

const facts = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, needed: MemberFactsQuery) {
  const known = new Map<ContactId, ContactFacts>()
  const existing = (yield* db.all(contacts, workspace)).filter(({ id }) => needed.contacts.includes(id))
  for (const subject of yield* subjectsOf(db, workspace, existing)) {
    const { emailNormalized, id } = subject.contact
    const suppression = emailNormalized === null ? undefined : yield* db.find(suppressions, workspace, emailNormalized)
    known.set(id, {
      contact: subject.contact,
      suppression: suppression?.reason ?? null,
      lists: new Set(needed.lists.filter((list) => subject.lists.has(list))),
      topics: new Map([...subject.topics].filter(([topic]) => needed.topics.includes(topic))),
      activities: subject.activities.filter(({ type }) => needed.activityTypes.includes(type)),
    })
  }
  const messages = (yield* db.all(deliveries, workspace)).flatMap(({ flow, ...delivery }) =>
    flow !== null && needed.deliveriesOf.includes(flow.membershipId) ? [{ ...delivery, ...flow }] : [],
  )
  const approvals = (yield* db.all(emails, workspace)).flatMap(({ approval, id }) =>
    approval !== null && needed.emails.includes(id) ? [[id, approval.id] as const] : [],
  )
  const found: MemberFactsResult = {
    contacts: known,
    deliveries: Map.groupBy(messages, ({ membershipId }) => membershipId),
    approvals: new Map(approvals),
  }
  return found
})

const dueAt = ({ state }: Membership): DateTime.Utc | null => (isLive(state) ? dueAtOf(state) : null)

/** Whether the contact may enter, by the rules of the unique indexes in PostgreSQL. */
const isRefused = Effect.fnUntraced(function* (db: Rows, workspace: WorkspaceId, { contactId, flowId }: Membership) {
  const flow = yield* db.find(flows, workspace, flowId)
  const earlier = (yield* db.all(memberships, workspace)).filter(
    ({ membership }) => membership.flowId === flowId && membership.contactId === contactId,
  )
  return flow?.structure.reentry_policy === "no_reentry"
    ? earlier.length > 0
    : earlier.some(({ membership }) => isLive(membership.state))
})

const write = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { after, before, entries }: MembershipChange,
) {
  if (before !== null) {
    const stored = yield* db.find(memberships, workspace, before.id)
    if (stored?.membership.state.status !== before.state.status) {
      return yield* Effect.die("a member is not what was decided on: lock it first")
    }
  }
  yield* db.put(memberships, workspace, after.id, { membership: after, dueAt: dueAt(after) })
  yield* db.put(timelines, workspace, after.id, [
    ...((yield* db.find(timelines, workspace, after.id)) ?? []),
    ...entries,
  ])
})

/** The id of the step's sending row, which its first message creates. */
const sendingStepId = Effect.fnUntraced(function* (
  db: Rows,
  ids: Ids["Service"],
  workspace: WorkspaceId,
  step: { readonly flowId: FlowId; readonly stepId: string },
) {
  const existing = (yield* db.all(sendingSteps, workspace)).find(
    ({ flowId, stepId }) => flowId === step.flowId && stepId === step.stepId,
  )
  if (existing !== undefined) return existing.id
  const id = BlastId.make(yield* ids.next)
  yield* db.put(sendingSteps, workspace, id, { ...step, id, status: "sending", paused: false })
  return id
})

const sendMessages = Effect.fnUntraced(function* (
  db: Rows,
  ids: Ids["Service"],
  workspace: WorkspaceId,
  { after, commands }: MembershipChange,
) {
  const { contactId, flowId, id: membershipId } = after
  for (const command of commands) {
    const contact = yield* db.find(contacts, workspace, contactId)
    if (command.type !== "send_email" || contact === undefined) continue
    const { approvalId, operational, stepId, tokens, topicId, visit } = command
    const id = DeliveryId.make(yield* ids.next)
    const blastId = yield* sendingStepId(db, ids, workspace, { flowId, stepId })
    const flow = { membershipId, flowId, stepId, visit, tokens }
    const message = { id, blastId, flow, contactId, approvalId, topicId, operational }
    const recipient = yield* factsOf(db, workspace, contact, contact.emailNormalized, topicId)
    const delivery = newDelivery(message, contact, blockReason(recipient, operational), yield* DateTime.now)
    yield* putMoved(db, workspace, { ...delivery, state: "queued" }, delivery)
    yield* makeDue(db, workspace)
  }
})

const withdrawMessages = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { after, commands }: MembershipChange,
) {
  for (const command of commands) {
    if (command.type !== "withdraw_email") continue
    for (const row of yield* db.all(deliveries, workspace)) {
      if (row.flow?.membershipId !== after.id || row.flow.visit !== command.visit) continue
      const ended = moved(row, { _tag: "end", ending: "cancelled" })
      if (ended !== undefined) yield* putMoved(db, workspace, row, ended)
    }
  }
})

const apply = Effect.fnUntraced(function* (
  db: Rows,
  ids: Ids["Service"],
  workspace: WorkspaceId,
  changes: ReadonlyArray<MembershipChange>,
  unchanged: ReadonlyArray<Membership>,
) {
  const refused = new Set<MembershipId>()
  for (const change of changes) {
    const { activities, after, before, events } = change
    if (before === null && (yield* isRefused(db, workspace, after))) refused.add(after.id)
    if (refused.has(after.id)) continue
    yield* write(db, workspace, change)
    yield* writeActivities(db, workspace, activities)
    yield* appendEvents(db, workspace, events)
    yield* sendMessages(db, ids, workspace, change)
    yield* withdrawMessages(db, workspace, change)
  }
  for (const member of unchanged)
    yield* db.put(memberships, workspace, member.id, { membership: member, dueAt: dueAt(member) })
  for (const member of [...changes.map(({ after }) => after), ...unchanged]) {
    const at = dueAt(member)
    if (at !== null) yield* hintDue(db, "flows", workspace, at)
  }
  return refused
})

export const layer = Layer.effect(
  MembershipStore,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const ids = yield* Ids
    return MembershipStore.of({
      list: (workspace, flow, query) => page(db, workspace, flow, query),
      get: Effect.fnUntraced(function* (workspace, flow, id) {
        const row = yield* db.find(memberships, workspace, id)
        if (row?.membership.flowId !== flow) return yield* new NotFound({ resource: "flow member" })
        return yield* shown(db, workspace, row.membership)
      }),
      listByContact: Effect.fnUntraced(function* (workspace, contact, query) {
        const all = (yield* db.all(memberships, workspace)).map(({ membership }) => membership)
        const { items, next } = newest(
          all
            .filter(({ contactId }) => contactId === contact)
            .map((membership) => ({ id: membership.id, createdAt: membership.enteredAt, membership })),
          query,
        )
        const members = yield* Effect.forEach(items, ({ membership }) =>
          Effect.all({ run: shown(db, workspace, membership), flow: findFlow(db, workspace, membership.flowId) }).pipe(
            // Memberships are deleted with their flow.
            Effect.catchTag("NotFound", Effect.die),
          ),
        )
        return {
          items: members.map(({ flow, run: { timeline: _, ...member } }) => ({ ...member, flowName: flow.name })),
          next,
        }
      }),
      lockForEnrollment: Effect.fnUntraced(function* (workspace, wanted) {
        yield* Transaction
        const rows = (yield* db.all(memberships, workspace)).map(({ membership }) => membership)
        const existing = (yield* db.all(contacts, workspace)).map(({ id }) => id)
        return {
          now: yield* DateTime.now,
          flows: yield* flowsById(db, workspace, wanted.flows),
          contacts: new Set(existing.filter((id) => wanted.contacts.includes(id))),
          earlier: (flow, contact) => {
            const mine = rows.filter(({ contactId, flowId }) => flowId === flow && contactId === contact)
            return { live: mine.some(({ state }) => isLive(state)), any: mine.length > 0 }
          },
        }
      }),
      lockMembers: (workspace, which) => Effect.andThen(Transaction, lockMembers(db, workspace, which)),
      reserve: Effect.fnUntraced(function* (workspace, { attempt, membershipId, visit }, id) {
        yield* Transaction
        const key = `${membershipId} ${visit} ${attempt}`
        const existing = yield* db.find(createdIds, workspace, key)
        if (existing === undefined) yield* db.put(createdIds, workspace, key, id)
        return existing ?? id
      }),
      facts: (workspace, needed) => facts(db, workspace, needed),
      apply: (workspace, changes, unchanged = []) =>
        Effect.andThen(Transaction, apply(db, ids, workspace, changes, unchanged)),
    })
  }),
)
