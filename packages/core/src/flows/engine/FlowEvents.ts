// Consumption of outbox events: enrollments, re-evaluation of members, and engagements with members' messages. A batch's
// results and its outbox position are written in one transaction.
import { Context, Effect, Layer, Result } from "effect"
import { ContactFieldStore } from "../../contacts/ContactFieldStore.ts"
import { type ContactId, type FlowId, MembershipId, type WorkspaceId } from "../../kernel/Ids.ts"
import { Outbox, type RecordedEvent } from "../../kernel/changes/Outbox.ts"
import { WeightedLru } from "../../kernel/runtime/WeightedLru.ts"
import { uuidOf } from "../../segments/RuleTree.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { MembershipRunner } from "./MembershipRunner.ts"
import { FlowCompiler, type KnownFlow } from "./FlowCompiler.ts"
import { Enroller, type EnrollmentRequest } from "./Enroller.ts"
import type { Flow } from "../definition/Flow.ts"
import { flow_consumer, FlowQueue, type EventBatch } from "./FlowQueue.ts"
import type { MemberEvent } from "../members/machine.ts"
import { engagementTypes } from "../members/Membership.ts"
import { MembershipStore } from "../members/MembershipStore.ts"
import { entriesOf, indexTriggers, type TriggerIndex } from "./TriggerMatch.ts"

/** Events of one transaction. */
export const events_batch_max = 1_000

/** Consumes a workspace's events, batch by batch. */
export class FlowEventRounds extends Context.Service<FlowEventRounds>()("tentpole/FlowEventRounds", {
  make: Effect.gen(function* () {
    const queue = yield* FlowQueue
    const outbox = yield* Outbox
    const store = yield* MembershipStore
    const { transact } = yield* Transactor
    const { compile } = yield* FlowCompiler
    const { advanceLocked } = yield* MembershipRunner
    const { enrollBatch } = yield* Enroller
    const triggersOf = yield* makeTriggerIndexCache

    const consume = Effect.fnUntraced(function* (workspace: WorkspaceId, batch: EventBatch) {
      const { events, flows } = batch
      const known = yield* compile(workspace, flows)
      const touched = touchedBy(events, known)
      if (touched.memberships.length + touched.flows.length > 0) {
        const locked = yield* store.lockMembers(workspace, { _tag: "touched", ...touched })
        yield* advanceLocked(
          workspace,
          locked,
          ({ id }) => touched.engagements.get(id)?.map(({ event }) => event) ?? [],
        )
      }
      const index = yield* triggersOf(workspace, flows)
      const requests = enrollmentsOf(index, batch)
      if (requests.length > 0) yield* enrollBatch(workspace, requests, { advance: true })
    })

    /** Returns whether there may be more events. */
    const run = Effect.fnUntraced(function* (workspace: WorkspaceId) {
      const batch = yield* queue.newEvents(workspace, events_batch_max)
      const last = batch?.events.at(-1)
      if (batch === null || last === undefined) return false
      if (batch.flows.length > 0 || batch.events.some(isEngagement)) {
        yield* Effect.forEach(partsOf(batch), (part) => consume(workspace, part), {
          concurrency: "unbounded",
          discard: true,
        })
      }
      yield* outbox.advance(workspace, flow_consumer, last.position)
      return batch.events.length === events_batch_max
    }, transact)

    return { run }
  }),
}) {
  static readonly layer = Layer.effect(FlowEventRounds, FlowEventRounds.make)
}

/**
 * Splits a batch by contact, so that a contact's events stay in order. The parts share the transaction: while the database
 * works for one, the others decide.
 */
const partsOf = (batch: EventBatch): ReadonlyArray<EventBatch> => {
  const count = Math.min(parts_max, Math.ceil(batch.events.length / part_min))
  // An engagement without a contact can't be assigned to a part.
  if (count < 2 || batch.events.some((event) => event.contactId === null && isEngagement(event))) return [batch]
  const parts = Array.from({ length: count }, (): Array<RecordedEvent> => [])
  for (const event of batch.events) parts[partOf(event.contactId, count)]?.push(event)
  return parts.filter(({ length }) => length > 0).map((events) => ({ ...batch, events }))
}

const parts_max = 2
/** Smaller batches are not split: each part has its own set of statements. */
const part_min = 200

/** Hashes by the random end of the id. */
const partOf = (id: ContactId | null, parts: number): number =>
  id === null ? 0 : Number.parseInt(id.slice(-4), 16) % parts

/** Caches each workspace's trigger index until a flow or field changes. */
const makeTriggerIndexCache = Effect.gen(function* () {
  const fields = yield* ContactFieldStore
  const cache = new WeightedLru<TriggerIndex>(indexes_max)
  return Effect.fnUntraced(function* (workspace: WorkspaceId, flows: ReadonlyArray<Flow>) {
    const withFieldTriggers = flows.filter(({ structure }) =>
      structure.triggers.some(({ type }) => type === "contact_updated"),
    )
    const customFields = withFieldTriggers.length === 0 ? [] : yield* fields.list(workspace)
    const version = [
      ...flows.map(({ id, lifecycle, revision }) => `${id} ${revision} ${lifecycle.status}`),
      ...customFields.map(({ apiName, status }) => `${apiName} ${status}`),
    ].join("\n")
    const cached = cache.get(workspace, version)
    if (cached !== undefined) return cached
    const index = indexTriggers(flows, customFields)
    cache.set(workspace, index, { version })
    return index
  })
})

/** Workspaces in the cache. */
const indexes_max = 500

const enrollmentsOf = (index: TriggerIndex, { events, isSince }: EventBatch): ReadonlyArray<EnrollmentRequest<never>> =>
  events.flatMap((event) => {
    const { contactId } = event
    if (contactId === null) return []
    return entriesOf(index, event)
      .filter(({ flowId }) => isSince(event, flowId))
      .map(({ flowId, source, tokens }) => ({
        flowId,
        contactId,
        entryFor: () => Result.succeed({ source, tokens }),
      }))
  })

type EngagementMetric = keyof typeof engagementTypes

const metricOfType: ReadonlyMap<string, EngagementMetric> = new Map(
  (Object.keys(engagementTypes) as ReadonlyArray<EngagementMetric>).map((metric) => [engagementTypes[metric], metric]),
)

const isEngagement = ({ data, type }: RecordedEvent): boolean =>
  metricOfType.has(type) && data["membership_id"] !== undefined

/** The engagement that an event reports for a member; null if it reports none. */
const engagementOf = (event: RecordedEvent): { readonly member: MembershipId; readonly event: MemberEvent } | null => {
  const { at, data, type } = event
  const metric = metricOfType.get(type)
  const member = uuidOf(data["membership_id"])
  const stepId = data["step_id"]
  if (metric === undefined || member === undefined || typeof stepId !== "string") return null
  const url = typeof data["url"] === "string" ? data["url"] : null
  return { member: MembershipId.make(member), event: { type: "engaged", stepId, metric, at, url } }
}

const touchedBy = (events: ReadonlyArray<RecordedEvent>, known: ReadonlyMap<FlowId, KnownFlow>) => {
  const engagements = Map.groupBy(
    events.flatMap((event) => engagementOf(event) ?? []),
    ({ member }) => member,
  )
  const contacts = new Set<ContactId>()
  const flows = new Set<FlowId>()
  const flowsByType = flowsByEventType(known)
  for (const event of events) {
    const interested = flowsByType.get(event.type)
    if (event.contactId === null || interested === undefined) continue
    contacts.add(event.contactId)
    for (const flow of interested) flows.add(flow)
  }
  return { engagements, memberships: [...engagements.keys()], contacts: [...contacts], flows: [...flows] }
}

/** The flows whose members an event type can affect. */
const flowsByEventType = (known: ReadonlyMap<FlowId, KnownFlow>): ReadonlyMap<string, ReadonlyArray<FlowId>> => {
  const pairs = [...known].flatMap(([id, { relevantEvents }]) => Array.from(relevantEvents, (type) => ({ type, id })))
  const byType = Map.groupBy(pairs, ({ type }) => type)
  return new Map([...byType].map(([type, flows]) => [type, flows.map(({ id }) => id)]))
}
