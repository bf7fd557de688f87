// Fixture of a workspace with running flows: contacts, emails and lists, flows as written to the API, and single rounds of
// workers, so that a test determines the order of events.
import { assert } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Result } from "effect"
import type { Contact } from "../../src/contacts/Contact.ts"
import { decideDeletes } from "../../src/contacts/batch/Batch.ts"
import { ContactStore } from "../../src/contacts/ContactStore.ts"
import { Settlement } from "../../src/sending/Settlement.ts"
import { MembershipRunner } from "../../src/flows/engine/MembershipRunner.ts"
import { FlowEventRounds } from "../../src/flows/engine/FlowEvents.ts"
import { FlowDateRounds } from "../../src/flows/engine/FlowDates.ts"
import { FlowEngine } from "../../src/flows/engine/FlowEngine.ts"
import { FlowQueue } from "../../src/flows/engine/FlowQueue.ts"
import { Flows } from "../../src/flows/Flows.ts"
import { currentStepOf } from "../../src/flows/members/Membership.ts"
import { MembershipStore, type MemberSelection } from "../../src/flows/members/MembershipStore.ts"
import { Memberships } from "../../src/flows/Memberships.ts"
import { flowServices } from "../../src/Tentpole.ts"
import type { ContactId, FlowId, ListId, MembershipId, WorkspaceId } from "../../src/kernel/Ids.ts"
import { ListChange } from "../../src/lists/List.ts"
import { Outbox } from "../../src/kernel/changes/Outbox.ts"
import type { WorkspaceFields } from "../../src/workspaces/Workspace.ts"
import { later } from "../blasts/blastWorld.ts"
import { type FlowRooms as FlowPorts, flowWorld } from "./flowWorld.ts"

/** The use cases that the contract tests of members cover. */
export type FlowLive = FlowEngine | FlowDateRounds | FlowEventRounds | Flows | MembershipRunner | Memberships

export const flowLive = Layer.mergeAll(FlowEngine.layer, Flows.layer, Memberships.layer).pipe(
  Layer.provideMerge(flowServices),
)

export type FlowRooms = FlowPorts | FlowQueue | FlowTimes | MembershipStore | Outbox | Layer.Services<typeof flowLive>

const lease_ms = 60_000

/** How an adapter moves members in time. */
export class FlowTimes extends Context.Service<
  FlowTimes,
  {
    /** Moves everything that members wait for back by this duration. */
    readonly elapse: (workspace: WorkspaceId, by_ms: number) => Effect.Effect<void>
  }
>()("tentpole/contract/FlowTimes") {}

export const day_ms = 86_400_000

/** The parts of a membership that tests compare. */
export interface Seen {
  readonly id: MembershipId
  readonly contactId: ContactId
  readonly status: string
  readonly step: string | null
  readonly timeline: ReadonlyArray<string>
}

/** `fields` belong to the workspace. */
export const running = Effect.fnUntraced(function* (fields: WorkspaceFields = {}) {
  const world = yield* flowWorld(fields)
  const { deliveries, lists, transact, workspace } = world
  const flows = yield* Flows
  const memberships = yield* Memberships
  const engine = yield* FlowEngine
  const members = yield* MembershipStore
  const queue = yield* FlowQueue
  const contacts = yield* ContactStore
  const { advanceLocked } = yield* MembershipRunner
  const { run: takeEvents } = yield* FlowEventRounds
  const { run: takeDates } = yield* FlowDateRounds

  /** A flow of these steps and triggers, active unless stated otherwise. */
  const started = Effect.fnUntraced(function* (steps: ReadonlyArray<object>, more: object = {}, activated = true) {
    const made = yield* Effect.orDie(flows.create(workspace, { name: "Welcome", steps, ...more }))
    if (activated) yield* Effect.orDie(flows.activate(workspace, made.flow.id))
    return made.flow.id
  })

  const times = yield* FlowTimes
  const elapse = (by_ms: number) => times.elapse(workspace, by_ms)

  /** Advances due members batch by batch, as a worker does. */
  const advanceDue = transact(
    Effect.gen(function* () {
      const held = yield* members.lockMembers(workspace, { _tag: "due", limit: 100 })
      yield* advanceLocked(workspace, held)
      return held.members.length
    }),
  )
  const look = (which: MemberSelection) =>
    transact(Effect.flatMap(members.lockMembers(workspace, which), (held) => advanceLocked(workspace, held)))

  /** Handles all readable events. */
  const takeNews = Effect.repeat(takeEvents(workspace), { while: (more) => more })

  /** Runs rounds until nothing is due at this instant. */
  const settleDown = Effect.gen(function* () {
    for (let round = 0; round < 20; round++) {
      yield* takeNews
      if ((yield* advanceDue) === 0) return
    }
  })

  /** Sends the queue and returns how many messages were sent. */
  const mail = Effect.fnUntraced(function* (outcome: "accepted" | "refused" = "accepted") {
    const claims = yield* transact(deliveries.claim(workspace, { limit: 100, lease_ms }))
    const answers = yield* deliveries.grant(workspace, claims, lease_ms)
    const granted = claims.filter(({ id }) => answers.get(id) === "granted")
    const reply =
      outcome === "accepted"
        ? ({ _tag: "accepted", reply: "250 ok" } as const)
        : ({ _tag: "refused", code: 554, reply: "554 no" } as const)
    const at = yield* DateTime.now
    const settlements = granted.map((claim) =>
      Settlement.of(claim, { _tag: "outcome", outcome: reply }, { at, acceptMeansDelivered: true }),
    )
    yield* transact(deliveries.settle(workspace, settlements))
    return granted
  })

  const seen = Effect.fnUntraced(function* (id: FlowId) {
    const query = { page: 1, limit: 100, status: null, search: null, sort: "entered_at", order: "asc" } as const
    const { items } = yield* Effect.orDie(memberships.list(workspace, id, query))
    return yield* Effect.forEach(items, ({ membership }) =>
      Effect.map(Effect.orDie(memberships.get(workspace, id, membership.id)), (run): Seen => ({
        id: membership.id,
        contactId: membership.contactId,
        status: run.membership.state.status,
        step: currentStepOf(run.membership.state),
        timeline: run.timeline.map(({ type }) => type),
      })),
    )
  })
  const one = Effect.fnUntraced(function* (id: FlowId) {
    const [only, ...others] = yield* seen(id)
    assert(only !== undefined && others.length === 0, "there must be one member")
    return only
  })

  const changeMembers = (listId: ListId, people: ReadonlyArray<Contact>, kind: "add" | "remove") =>
    transact(
      Effect.gen(function* () {
        const ids = people.map(({ id }) => id)
        const facts = yield* lists.lockForMembers(workspace, listId, ids)
        const decided =
          kind === "add" ? ListChange.addMembers(facts, ids, later(2)) : ListChange.removeMembers(facts, ids, later(2))
        yield* lists.apply(workspace, (yield* Effect.fromResult(decided)).change)
      }),
    ).pipe(Effect.orDie)

  const remove = (people: ReadonlyArray<Contact>) =>
    transact(
      Effect.gen(function* () {
        const ids = people.map(({ id }) => id)
        const existing = yield* contacts.lockForDeletion(workspace, ids)
        const items = ids.map((id) => ({ clientItemId: null, contactId: Result.succeed(id) }))
        yield* contacts.apply(workspace, decideDeletes(items, { existing, now: later(3) }).change)
      }),
    ).pipe(Effect.orDie)

  return {
    ...world,
    flows,
    memberships,
    engine,
    members,
    queue,
    contacts,
    started,
    elapse,
    advanceDue,
    look,
    takeNews,
    takeEvents: takeEvents(workspace),
    takeDates: takeDates(workspace),
    settleDown,
    mail,
    seen,
    one,
    changeMembers,
    remove,
  }
})

export const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

/** A condition, or several that must all hold. */
export const tree = (...conditions: ReadonlyArray<object>) => ({
  kind: "group",
  operator: "and",
  conditions: conditions.map((each) => ({ kind: "condition", ...each })),
})
export const lives = (city: string) => ({ source: "contact", field: "city", operator: "equals", value: city })

export const check = (step_id: string, condition: object, edges: object) => ({
  type: "condition_check",
  step_id,
  condition,
  ...edges,
})
