// Events, dealt with once and in order: whom they bring into flows, which members have to be looked at because of them, and
// what members' messages have met with. Everything that a batch of them leads to is written together with how far it has come.
import { Context, Effect, Layer, Result } from "effect"
import { ContactFieldStore } from "../../contacts/ContactFieldStore.ts"
import type { ContactId, FlowId, MembershipId, WorkspaceId } from "../../kernel/Ids.ts"
import { MembershipId as MembershipIdOf } from "../../kernel/Ids.ts"
import { Outbox, type RecordedEvent } from "../../kernel/changes/Outbox.ts"
import { uuidOf } from "../../segments/RuleTree.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { MembershipRunner } from "./MembershipRunner.ts"
import { FlowCompiler, type KnownFlow } from "./FlowCompiler.ts"
import { Enroller, type Entrant } from "./EnrollBatch.ts"
import type { Flow } from "../definition/Flow.ts"
import { flow_consumer, FlowQueue, type NewEvents } from "./FlowQueue.ts"
import type { MemberEvent } from "../members/machine.ts"
import { engagementTypes } from "../members/Membership.ts"
import { MembershipStore } from "../members/MembershipStore.ts"
import { entriesOf, indexTriggers, type TriggerIndex } from "./TriggerMatch.ts"

/** Events of one transaction. */
export const events_batch_max = 1_000

/** Deals with a workspace's events, batch by batch. */
export class FlowEventRounds extends Context.Service<FlowEventRounds>()("tentpole/FlowEventRounds", {
  make: Effect.gen(function* () {
    const queue = yield* FlowQueue
    const outbox = yield* Outbox
    const store = yield* MembershipStore
    const { transact } = yield* Transactor
    const { compile } = yield* FlowCompiler
    const { advanceHeld } = yield* MembershipRunner
    const { enter } = yield* Enroller
    const triggersOf = yield* indexing

    const deal = Effect.fnUntraced(function* (workspace: WorkspaceId, news: NewEvents) {
      const { events, flows } = news
      const known = yield* compile(workspace, flows)
      const touched = touchedBy(events, known)
      if (touched.memberships.length + touched.flows.length > 0) {
        const held = yield* store.lockMembers(workspace, { _tag: "touched", ...touched })
        yield* advanceHeld(workspace, held, ({ id }) => touched.engagements.get(id) ?? [])
      }
      const index = yield* triggersOf(workspace, flows)
      const entrants = entrantsOf(index, news)
      if (entrants.length > 0) yield* enter(workspace, entrants, { onward: true })
    })

    /** Returns whether there may be more of them. */
    const work = Effect.fnUntraced(function* (workspace: WorkspaceId) {
      const news = yield* queue.newEvents(workspace, events_batch_max)
      const last = news?.events.at(-1)
      if (news === null || last === undefined) return false
      if (news.flows.length > 0 || news.events.some(isEngagement)) {
        yield* Effect.forEach(partsOf(news), (part) => deal(workspace, part), {
          concurrency: "unbounded",
          discard: true,
        })
      }
      yield* outbox.advance(workspace, flow_consumer, last.position)
      return news.events.length === events_batch_max
    }, transact)

    return { work }
  }),
}) {
  static readonly layer = Layer.effect(FlowEventRounds, FlowEventRounds.make)
}

/**
 * What happened to one contact stays together and in order; otherwise parts have nothing to do with each other but the
 * transaction that they share: while the database works for one, the others decide.
 */
const partsOf = (news: NewEvents): ReadonlyArray<NewEvents> => {
  const count = Math.min(parts_max, Math.ceil(news.events.length / part_min))
  // Of a message whose contact is gone, nobody knows to which part its member belongs.
  if (count < 2 || news.events.some((event) => event.contactId === null && isEngagement(event))) return [news]
  const parts = Array.from({ length: count }, (): Array<RecordedEvent> => [])
  for (const event of news.events) parts[partOf(event.contactId, count)]?.push(event)
  return parts.filter(({ length }) => length > 0).map((events) => ({ ...news, events }))
}

const parts_max = 2
/** Fewer events are not worth a set of statements of their own. */
const part_min = 200

/** By the random end of an id. */
const partOf = (id: ContactId | null, parts: number): number =>
  id === null ? 0 : Number.parseInt(id.slice(-4), 16) % parts

/** Triggers, laid out: as long as no flow changes, once. */
const indexing = Effect.gen(function* () {
  const fields = yield* ContactFieldStore
  const kept = new Map<WorkspaceId, { readonly key: string; readonly index: TriggerIndex }>()
  return Effect.fnUntraced(function* (workspace: WorkspaceId, flows: ReadonlyArray<Flow>) {
    const watchful = flows.filter(({ structure }) => structure.triggers.some(({ type }) => type === "contact_updated"))
    const named = watchful.length === 0 ? [] : yield* fields.list(workspace)
    const key = [
      ...flows.map(({ id, lifecycle, revision }) => `${id} ${revision} ${lifecycle.status}`),
      ...named.map(({ apiName, status }) => `${apiName} ${status}`),
    ].join("\n")
    const before = kept.get(workspace)
    if (before?.key === key) return before.index
    const index = indexTriggers(flows, named)
    kept.delete(workspace)
    kept.set(workspace, { key, index })
    const [oldest] = kept.keys()
    if (kept.size > indexes_max && oldest !== undefined) kept.delete(oldest)
    return index
  })
})

/** Workspaces whose triggers a process keeps. */
const indexes_max = 500

const entrantsOf = (index: TriggerIndex, { events, isSince }: NewEvents): ReadonlyArray<Entrant<never>> =>
  events.flatMap((event) => {
    const { contactId } = event
    if (contactId === null) return []
    return entriesOf(index, event)
      .filter(({ flowId }) => isSince(event, flowId))
      .map(({ flowId, source, tokens }) => ({
        flowId,
        contactId,
        bring: () => Result.succeed({ source, tokens }),
      }))
  })

type EngagementMetric = keyof typeof engagementTypes

const metricOfType: ReadonlyMap<string, EngagementMetric> = new Map(
  (Object.keys(engagementTypes) as ReadonlyArray<EngagementMetric>).map((metric) => [engagementTypes[metric], metric]),
)

const isEngagement = ({ data, type }: RecordedEvent): boolean =>
  metricOfType.has(type) && data["membership_id"] !== undefined

/** What a message of a member has met with. */
const engagementOf = (event: RecordedEvent): { readonly member: MembershipId; readonly event: MemberEvent } | null => {
  const { at, data, type } = event
  const metric = metricOfType.get(type)
  const member = uuidOf(data["membership_id"])
  const stepId = data["step_id"]
  if (metric === undefined || member === undefined || typeof stepId !== "string") return null
  const url = typeof data["url"] === "string" ? data["url"] : null
  return { member: MembershipIdOf.make(member), event: { type: "engaged", stepId, metric, at, url } }
}

const touchedBy = (events: ReadonlyArray<RecordedEvent>, known: ReadonlyMap<FlowId, KnownFlow>) => {
  const engagements = new Map<MembershipId, Array<MemberEvent>>()
  const contacts = new Set<ContactId>()
  const flows = new Set<FlowId>()
  const attentive = attentiveTo(known)
  for (const event of events) {
    const engagement = engagementOf(event)
    if (engagement !== null) {
      const told = engagements.get(engagement.member)
      if (told === undefined) engagements.set(engagement.member, [engagement.event])
      else told.push(engagement.event)
    }
    const watching = attentive.get(event.type)
    if (event.contactId === null || watching === undefined) continue
    contacts.add(event.contactId)
    for (const flow of watching) flows.add(flow)
  }
  return { engagements, memberships: [...engagements.keys()], contacts: [...contacts], flows: [...flows] }
}

/** By the type of event, the flows that may think otherwise of a member after it. */
const attentiveTo = (known: ReadonlyMap<FlowId, KnownFlow>): ReadonlyMap<string, ReadonlyArray<FlowId>> => {
  const attentive = new Map<string, Array<FlowId>>()
  for (const [id, { attention }] of known) {
    for (const type of new Set([...attention.live, ...attention.waiting])) {
      const there = attentive.get(type)
      if (there === undefined) attentive.set(type, [id])
      else there.push(id)
    }
  }
  return attentive
}
