// Fixture of the contract tests of deliveries: rows of other rooms, written by the tested adapter, and the methods of the
// ports with their usual arguments.
import { assert } from "@effect/vitest"
import { Context, DateTime, Effect } from "effect"
import type { ContactStore } from "../../src/contacts/ContactStore.ts"
import type { SegmentStore } from "../../src/segments/SegmentStore.ts"
import type { BounceKind } from "../../src/sending/EnhancedCode.ts"
import { type BounceReport, ReportChange } from "../../src/bounces/Report.ts"
import { BounceReportStore } from "../../src/bounces/ReportStore.ts"
import { type DeliveryState, type DeliveryTally, finalStates } from "../../src/sending/Delivery.ts"
import { type Claim, type ClaimedDelivery, DeliveryStore } from "../../src/sending/DeliveryStore.ts"
import { EngagementChange, type Event, type TimedEvent } from "../../src/tracking/Engagement.ts"
import { EngagementStore } from "../../src/tracking/EngagementStore.ts"
import type { Outcome } from "../../src/sending/MailConnection.ts"
import { Settlement } from "../../src/sending/Settlement.ts"
import type { SuppressionReason } from "../../src/sending/Suppression.ts"
import type { BlastId, ContactId, DeliveryId, TopicId, WorkspaceId } from "../../src/kernel/Ids.ts"
import type { TopicDefault, TopicStatus } from "../../src/topics/Topic.ts"
import { Outbox } from "../../src/kernel/changes/Outbox.ts"
import { Transactor } from "../../src/kernel/changes/Transactor.ts"
import { WorkspaceStore } from "../../src/workspaces/WorkspaceStore.ts"
import { Fresh } from "../kernel/fresh.ts"

export interface ScenarioContact {
  readonly email: string | null
  readonly unsubscribed?: boolean
  readonly marketingEmailSubscribed?: boolean | null
  readonly marketingEmailInvalid?: boolean
  /** Of its address. */
  readonly suppression?: SuppressionReason
}

export interface ScenarioOptions {
  readonly operational?: boolean
  readonly topic?: TopicId
  /** The contacts of an earlier blast, in the same order; no new ones. */
  readonly again?: ReadonlyArray<ContactId>
}

/** A delivery as it is stored. */
export interface WrittenDelivery {
  readonly id: DeliveryId
  readonly contactId: ContactId
  readonly state: DeliveryState
  readonly reason: string | null
  readonly token: number | null
  readonly attempts: number
  readonly sentAt: DateTime.Utc | null
  readonly failedAt: DateTime.Utc | null
  readonly deliveredAt: DateTime.Utc | null
  readonly openedAt: DateTime.Utc | null
  readonly machineOpenedAt: DateTime.Utc | null
  readonly machineClickedAt: DateTime.Utc | null
  readonly domain: string
  readonly clickedAt: DateTime.Utc | null
  readonly clickedUrl: string | null
  readonly bouncedAt: DateTime.Utc | null
  readonly bounceKind: BounceKind | null
  readonly complainedAt: DateTime.Utc | null
  readonly unsubscribedAt: DateTime.Utc | null
  readonly reply: string | null
}

/** How an adapter creates and reads rows without the other rooms. */
export class DeliveryScenario extends Context.Service<
  DeliveryScenario,
  {
    /** Contacts, new and existing, in a static list, and a blast to it that is sending. */
    readonly blast: (
      workspace: WorkspaceId,
      contacts: ReadonlyArray<ScenarioContact>,
      options?: ScenarioOptions,
    ) => Effect.Effect<{ readonly blast: BlastId; readonly contacts: ReadonlyArray<ContactId> }>
    readonly setBlast: (
      workspace: WorkspaceId,
      blast: BlastId,
      to: "sending" | "paused" | "cancelled",
    ) => Effect.Effect<void>
    readonly removeList: (workspace: WorkspaceId, blast: BlastId) => Effect.Effect<void>
    readonly setContact: (
      workspace: WorkspaceId,
      contact: ContactId,
      fields: Omit<ScenarioContact, "email" | "suppression"> | "deleted",
    ) => Effect.Effect<void>
    readonly topic: (workspace: WorkspaceId, defaultSubscription: TopicDefault) => Effect.Effect<TopicId>
    readonly choose: (
      workspace: WorkspaceId,
      topic: TopicId,
      contact: ContactId,
      status: TopicStatus,
    ) => Effect.Effect<void>
    /** Deletes all that is recorded for the topic. */
    readonly unchoose: (workspace: WorkspaceId, topic: TopicId) => Effect.Effect<void>
    readonly setMarketing: (workspace: WorkspaceId, contact: ContactId, to: boolean | null) => Effect.Effect<void>
    readonly suppress: (workspace: WorkspaceId, email: string, reason: SuppressionReason) => Effect.Effect<void>
    readonly written: (workspace: WorkspaceId, blast: BlastId) => Effect.Effect<ReadonlyArray<WrittenDelivery>>
    /** The timeline, also of a deleted contact: it should be empty. */
    readonly contact: (
      workspace: WorkspaceId,
      contact: ContactId,
    ) => Effect.Effect<{
      readonly unsubscribed: boolean
      readonly marketingEmailInvalid: boolean
      readonly lastActivityAt: DateTime.Utc | null
      readonly timeline: ReadonlyArray<string>
      /** The activities that are rows. */
      readonly stored: ReadonlyArray<string>
    }>
    readonly suppressionOf: (workspace: WorkspaceId, email: string) => Effect.Effect<SuppressionReason | null>
    /** Moves the workspace's buckets, leases and due times back by this duration; negative: forward. */
    readonly elapse: (workspace: WorkspaceId, by_ms: number) => Effect.Effect<void>
    /** The stored counters; null where an adapter counts instead of storing. */
    readonly tally: (workspace: WorkspaceId, blast: BlastId) => Effect.Effect<DeliveryTally | null>
  }
>()("tentpole/contract/DeliveryScenario") {}

/** The ports that the contract tests of deliveries need. */
export type DeliveryPorts =
  | DeliveryStore
  | EngagementStore
  | BounceReportStore
  | ContactStore
  | SegmentStore
  | Outbox
  | Transactor
  | Fresh
  | WorkspaceStore
  | DeliveryScenario

export const at = DateTime.makeUnsafe(1_700_000_000_000)
export const long_ms = 60_000

export const people = (count: number): ReadonlyArray<ScenarioContact> =>
  Array.from({ length: count }, (_, index) => ({ email: `person${index}@example.test` }))

export const settlement = (claimed: ClaimedDelivery, outcome: Outcome): Settlement =>
  Settlement.of(claimed, { _tag: "outcome", outcome }, { at, acceptMeansDelivered: true })

export const accepted: Outcome = { _tag: "accepted", reply: "250 2.0.0 ok" }
export const refused = (code: number, reply: string): Outcome => ({ _tag: "refused", code, reply })

/** More contacts than a test creates. */
const chunk_size = 1_000_000

/** The audience of a blast, written in one chunk. */
export const wholeAudience = (store: DeliveryStore["Service"], workspace: WorkspaceId, blast: BlastId) =>
  Effect.flatMap(store.fixAudience(workspace, blast, chunk_size), (fixed) =>
    fixed === "unfinished" ? Effect.die(new Error("the fixture creates fewer contacts")) : Effect.succeed(fixed),
  )

export const begin = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const engagement = yield* EngagementStore
  const reports = yield* BounceReportStore
  const scenario = yield* DeliveryScenario
  const { transact } = yield* Transactor
  const fresh = yield* Fresh
  const outbox = yield* Outbox
  const workspace = yield* fresh.workspace()
  const started = (contacts: ReadonlyArray<ScenarioContact>, options?: ScenarioOptions) =>
    Effect.gen(function* () {
      const made = yield* scenario.blast(workspace, contacts, options)
      yield* transact(wholeAudience(store, workspace, made.blast))
      return made
    })
  const claim = (limit = 100, lease_ms = long_ms) => transact(store.claim(workspace, { limit, lease_ms }))
  const grant = (claims: ReadonlyArray<Claim>, lease_ms = long_ms) => store.grant(workspace, claims, lease_ms)
  const settle = (settlements: ReadonlyArray<Settlement>) => transact(store.settle(workspace, settlements))
  const sweep = transact(store.sweep(workspace))
  const release = (claims: ReadonlyArray<Claim>) => transact(store.release(workspace, claims))
  const rest = transact(store.endTurn(workspace))
  /** The deliveries in each state, in alphabetical order. */
  const states = (blast: BlastId) =>
    Effect.map(scenario.written(workspace, blast), (rows) => rows.map((row) => row.state).sort())
  /** One batch. */
  const recordAll = (happenings: ReadonlyArray<TimedEvent>, into = workspace) =>
    transact(
      Effect.gen(function* () {
        const found = yield* engagement.lock(
          into,
          happenings.map((each) => each.deliveryId),
        )
        const changes = EngagementChange.ofAll(found, happenings)
        yield* engagement.apply(into, changes)
        return changes
      }),
    )
  /** One batch: a report for each message. */
  const reportedAll = (reportsById: ReadonlyMap<DeliveryId, BounceReport>, when = at) =>
    transact(
      Effect.gen(function* () {
        const changes = (yield* reports.lock(workspace, [...reportsById.keys()])).flatMap((before) => {
          const report = reportsById.get(before.id)
          return (report && ReportChange.of(before, report, when)) ?? []
        })
        yield* reports.apply(workspace, changes)
        return changes
      }),
    )
  const reported = (id: DeliveryId, report: BounceReport, when = at) => reportedAll(new Map([[id, report]]), when)
  const record = (deliveryId: DeliveryId, event: Event, when = at) =>
    Effect.map(recordAll([{ deliveryId, event, at: when }]), (changes) => changes[0])
  return {
    store,
    engagement,
    reports,
    reported,
    reportedAll,
    scenario,
    transact,
    fresh,
    outbox,
    workspace,
    started,
    claim,
    grant,
    settle,
    sweep,
    release,
    rest,
    states,
    record,
    recordAll,
  }
})

export const one = <A>(items: ReadonlyArray<A>): A => {
  const [first] = items
  assert(first !== undefined, "there must be one")
  return first
}

export const tallyOf = (rows: ReadonlyArray<WrittenDelivery>): DeliveryTally => {
  const count = (holds: (row: WrittenDelivery) => boolean) => rows.filter(holds).length
  return {
    queued: count((row) => !finalStates.has(row.state)),
    deferred: count((row) => !finalStates.has(row.state) && row.attempts > 0),
    sent: count((row) => row.state === "sent"),
    failed: count((row) => row.state === "failed" || row.state === "unconfirmed"),
    blocked: count((row) => row.state === "blocked"),
    delivered: count((row) => row.deliveredAt !== null),
    opened: count((row) => row.openedAt !== null),
    clicked: count((row) => row.clickedAt !== null),
    bounced: count((row) => row.bouncedAt !== null),
    complained: count((row) => row.complainedAt !== null),
    unsubscribed: count((row) => row.unsubscribedAt !== null),
  }
}
