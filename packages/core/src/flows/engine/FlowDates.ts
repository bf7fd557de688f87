// Dates that have come: every half hour, those that a flow's date triggers mean, a page of contacts at a time. Each page is
// noted together with who enters, so that a contact's date fires once in a flow, whatever is killed in between.
import { Context, DateTime, Effect, Layer, Result } from "effect"
import type { ContactId, WorkspaceId } from "../../kernel/Ids.ts"
import { Transactor } from "../../kernel/changes/Transactor.ts"
import { type DateSlot, isMeant, slotsBetween } from "./DateSlots.ts"
import { Enroller } from "./EnrollBatch.ts"
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
    const { enter } = yield* Enroller

    /** Answers the last contact of the page, null when it was the last page. */
    const page = Effect.fnUntraced(function* (
      workspace: WorkspaceId,
      { field, flow, slot }: Firing,
      after: ContactId | null,
    ) {
      const found = yield* queue.dated(workspace, { field, slot, after, limit: page_max })
      const meant = found.filter(({ date }) => isMeant(slot, date)).map(({ contactId }) => contactId)
      const fired = yield* queue.fire(workspace, { flow: flow.id, day: slot.day, contacts: meant })
      const source = "date_based" as const
      const entrants = meant
        .filter((contactId) => fired.has(contactId))
        .map((contactId) => ({ flowId: flow.id, contactId, bring: () => Result.succeed({ source, tokens: {} }) }))
      if (entrants.length > 0) yield* enter(workspace, entrants, { onward: false })
      return found.length === page_max ? (found.at(-1)?.contactId ?? null) : null
    }, transact)

    const work = Effect.fnUntraced(function* (workspace: WorkspaceId) {
      const { after, flows, until } = yield* queue.passedDates(workspace)
      for (const firing of flows.flatMap((flow) => firingsOf(flow, after, until))) {
        let last = yield* page(workspace, firing, null)
        while (last !== null) last = yield* page(workspace, firing, last)
      }
      yield* transact(queue.datesPassed(workspace, until))
      return false
    })

    return { work }
  }),
}) {
  static readonly layer = Layer.effect(FlowDateRounds, FlowDateRounds.make)
}

/** Nobody enters in retrospect: what came before the activation fires for nobody. */
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
