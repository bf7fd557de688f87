// The queue of due flow work in memory.
import { customValue } from "@tentpole/core/contacts/Contact"
import {
  type DatedContact,
  flow_consumer,
  FlowQueue,
  flowWork,
  type FlowWork,
  type Turn,
} from "@tentpole/core/flows/engine/FlowQueue"
import { isLive } from "@tentpole/core/flows/members/Membership"
import type { ContactId, FlowId, WorkspaceId } from "@tentpole/core/kernel/Ids"
import { byCodePoint } from "@tentpole/core/kernel/Text"
import { Outbox } from "@tentpole/core/kernel/changes/Outbox"
import { Transaction } from "@tentpole/core/kernel/changes/Transactor"
import { Clock, DateTime, Effect, Layer } from "effect"
import { currentContact } from "../contacts/ContactMerge.ts"
import { contactFields, contacts } from "../contacts/ContactTables.ts"
import { flows, pausedFlows } from "./FlowTables.ts"
import { endTurn, takeTurns } from "../kernel/DueWork.ts"
import { activations, firedDates, firedKey, flowClock, memberships } from "./MembershipTables.ts"
import { MemoryDatabase, type Rows } from "../kernel/MemoryDatabase.ts"

const half_hour_ms = 1_800_000

const reschedule = (db: Rows, outbox: Outbox["Service"], turn: Turn, more: boolean) =>
  endTurn(
    db,
    turn,
    Effect.gen(function* () {
      const { kind, workspace } = turn
      const isLeft = kind === "flow_events" && (yield* outbox.read(workspace, flow_consumer, 1)).length > 0
      return more || isLeft ? yield* Clock.currentTimeMillis : yield* nextOf(db, kind, workspace)
    }),
  )

const nextOf = Effect.fnUntraced(function* (db: Rows, kind: FlowWork, workspace: WorkspaceId) {
  if (kind === "flow_events") return Infinity
  if (kind === "flow_dates") {
    const until = yield* db.find(flowClock, workspace, "dates")
    const isDated = (yield* db.all(flows, workspace)).some(
      ({ lifecycle, structure }) =>
        lifecycle.status === "active" && structure.triggers.some(({ type }) => type === "date_based"),
    )
    return until === undefined || !isDated
      ? Infinity
      : (Math.floor(until.epochMilliseconds / half_hour_ms) + 1) * half_hour_ms
  }
  const paused = yield* pausedFlows(db, workspace)
  const times = (yield* db.all(memberships, workspace)).flatMap(({ dueAt, membership }) =>
    dueAt === null || paused.has(membership.flowId) || !isLive(membership.state) ? [] : [dueAt.epochMilliseconds],
  )
  return Math.min(...times)
})

const dated = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { after, field, limit, slot }: Parameters<FlowQueue["Service"]["listDatedContacts"]>[1],
) {
  const isDate = (yield* db.all(contactFields, workspace)).some(
    ({ apiName, status, valueType }) => apiName === field && status === "active" && valueType === "date",
  )
  if (field !== "createdAt" && !isDate) return []
  const { prefixes } = slot
  return (yield* db.all(contacts, workspace))
    .filter(({ id }) => after === null || id > after)
    .flatMap((contact): ReadonlyArray<DatedContact> => {
      const date = field === "createdAt" ? DateTime.formatIso(contact.createdAt) : customValue(contact, field)
      if (typeof date !== "string") return []
      const matches =
        "days" in prefixes
          ? prefixes.days.some((day) => date.startsWith(day))
          : prefixes.monthDays.some((day) => date.startsWith(day, 5))
      return matches ? [{ contactId: contact.id, date }] : []
    })
    .sort((left, right) => byCodePoint(left.contactId, right.contactId))
    .slice(0, limit)
})

const fire = Effect.fnUntraced(function* (
  db: Rows,
  workspace: WorkspaceId,
  { contacts: candidates, day, flow }: Parameters<FlowQueue["Service"]["recordFired"]>[1],
) {
  const fired = new Set<ContactId>()
  for (const contact of candidates) {
    const date = { flowId: flow, contactId: contact, day }
    if ((yield* db.find(firedDates, workspace, firedKey(date))) !== undefined) continue
    yield* db.put(firedDates, workspace, firedKey(date), date)
    fired.add(contact)
  }
  return fired
})

export const layer = Layer.effect(
  FlowQueue,
  Effect.gen(function* () {
    const db = yield* MemoryDatabase
    const outbox = yield* Outbox
    return FlowQueue.of({
      takeTurns: (options) => Effect.andThen(Transaction, takeTurns(db, flowWork, options)),
      endTurn: (turn, more) => Effect.andThen(Transaction, reschedule(db, outbox, turn, more)),
      newEvents: Effect.fnUntraced(function* (workspace, limit) {
        yield* Transaction
        const since = new Map<FlowId, string>()
        const running = (yield* db.all(flows, workspace)).filter(
          ({ lifecycle }) => lifecycle.status === "active" || lifecycle.status === "paused",
        )
        for (const { id, lifecycle } of running) {
          const activated = yield* db.find(activations, workspace, id)
          if (lifecycle.status === "active" && activated !== undefined) since.set(id, activated)
        }
        return {
          events: yield* Effect.forEach(yield* outbox.read(workspace, flow_consumer, limit), (event) =>
            event.contactId === null
              ? Effect.succeed(event)
              : Effect.map(currentContact(db, workspace, event.contactId), (contactId) => ({ ...event, contactId })),
          ),
          flows: running,
          isSince: ({ position }, flow) => {
            const activated = since.get(flow)
            return activated !== undefined && position > activated
          },
        }
      }),
      pendingDates: Effect.fnUntraced(function* (workspace) {
        const until = yield* DateTime.now
        const active = (yield* db.all(flows, workspace)).filter(({ lifecycle }) => lifecycle.status === "active")
        return { after: (yield* db.find(flowClock, workspace, "dates")) ?? until, until, flows: active }
      }),
      listDatedContacts: (workspace, query) => dated(db, workspace, query),
      recordFired: (workspace, fired) => Effect.andThen(Transaction, fire(db, workspace, fired)),
      completeDates: (workspace, until) => Effect.andThen(Transaction, db.put(flowClock, workspace, "dates", until)),
    })
  }),
)
