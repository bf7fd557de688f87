// Date triggers: every half hour, one page of contacts for each transaction. A page is recorded together with its
// enrollments, so that a contact's date fires once in a flow, even after a crash.
import { Context, DateTime, Effect, Layer, Result } from "effect"
import type { ContactId, WorkspaceId } from "../../kernel/Ids.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { type DateSlot, isInSlot, slotsBetween } from "./DateSlots.ts"
import { Enroller } from "./Enroller.ts"
import type { Flow } from "../definition/Flow.ts"
import { FlowQueue } from "./FlowQueue.ts"
import type { DateTrigger } from "../definition/Trigger.ts"

const page_max = 1_000

interface Firing {
  readonly flow: Flow
  readonly field: string
  readonly slot: DateSlot
}

/** Fires a workspace's date triggers, page by page. */
export class FlowDateRounds extends Context.Service<FlowDateRounds>()("tentpole/FlowDateRounds", {
  make: Effect.gen(function* () {
    const queue = yield* FlowQueue
    const { transact } = yield* Transactor
    const { enrollBatch } = yield* Enroller

    /** Returns the last contact of the page, null after the last page. */
    const firePage = Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      { field, flow, slot }: Firing,
      after: ContactId | null,
    ) {
      const found = yield* queue.listDatedContacts(workspace, { field, slot, after, limit: page_max })
      const contacts = found.filter(({ date }) => isInSlot(slot, date)).map(({ contactId }) => contactId)
      const fired = yield* queue.recordFired(workspace, { flow: flow.id, day: slot.day, contacts })
      const source = "date_based" as const
      const requests = contacts
        .filter((contactId) => fired.has(contactId))
        .map((contactId) => ({ flowId: flow.id, contactId, entryFor: () => Result.succeed({ source, tokens: {} }) }))
      if (requests.length > 0) yield* enrollBatch(workspace, requests, { advance: false })
      return found.length === page_max ? (found.at(-1)?.contactId ?? null) : null
    }, transact)

    const run = Effect.fnUntraced(function* (workspace: WorkspaceId) {
      const { after, flows, until } = yield* queue.pendingDates(workspace)
      for (const firing of flows.flatMap((flow) => firingsOf(flow, after, until))) {
        let last = yield* firePage(workspace, firing, null)
        while (last !== null) last = yield* firePage(workspace, firing, last)
      }
      yield* transact(queue.completeDates(workspace, until))
      return false
    })

    return { run }
  }),
}) {
  static readonly layer = Layer.effect(FlowDateRounds, FlowDateRounds.make)
}

/** Slots from before the activation do not fire. */
const firingsOf = (flow: Flow, after: DateTime.Utc, until: DateTime.Utc): ReadonlyArray<Firing> => {
  const { lifecycle, structure } = flow
  if (lifecycle.status !== "active") return []
  const from = DateTime.max(after, lifecycle.activatedAt)
  return structure.triggers.filter(isDated).flatMap((trigger) => {
    const { field } = trigger
    return field === null ? [] : slotsBetween(trigger, from, until).map((slot) => ({ flow, field, slot }))
  })
}

const isDated = (trigger: Flow["structure"]["triggers"][number]): trigger is DateTrigger =>
  trigger.type === "date_based"
