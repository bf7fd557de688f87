// The port to stored memberships. Callers lock members before they decide; `apply` writes the change with its deliveries,
// timeline entries and events.
import { Context, type DateTime, type Effect } from "effect"
import type { ActivityType, PastActivity } from "../../contacts/Activity.ts"
import type { Contact } from "../../contacts/Contact.ts"
import type { SuppressionReason } from "../../sending/Suppression.ts"
import type {
  ApprovalId,
  ContactId,
  EmailId,
  FlowId,
  ListId,
  MembershipId,
  TopicId,
  WorkspaceId,
} from "../../kernel/Ids.ts"
import type { Paged, PageRequest, Sliced, SliceQuery } from "../../kernel/Page.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { TopicStatus } from "../../topics/Topic.ts"
import type { EarlierMemberships } from "./Enrollment.ts"
import type { Flow } from "../definition/Flow.ts"
import type { ExecutedStep, Membership, MemberStatus, TimelineEntry } from "./Membership.ts"
import type { MembershipChange, StepRun } from "./MembershipChange.ts"
import type { MemberDelivery } from "./MemberDeliveries.ts"

export const flowMemberSorts = ["entered_at", "updated_at", "display_name"] as const
export type FlowMemberSort = (typeof flowMemberSorts)[number]

export interface FlowMemberQuery extends PageRequest {
  readonly status: MemberStatus | null
  /** A literal substring of a name, email or phone, compared case-folded; null: no filter. */
  readonly search: string | null
  readonly sort: FlowMemberSort
  readonly order: "asc" | "desc"
}

/** A member as use cases return it. */
export interface MemberView {
  readonly membership: Membership
  /** Null when the contact has been deleted. */
  readonly contact: Pick<Contact, "id" | "displayName" | "email" | "phone"> | null
  readonly steps: ReadonlyArray<ExecutedStep>
}

/** A membership of a contact, with the name of its flow. */
export interface ContactMembership extends MemberView {
  readonly flowName: string
}

/** The newest entries of a timeline that are read. A member in a loop may have many more. */
export const timeline_lines_max = 1_000

export interface MemberDetails extends MemberView {
  /** The newest entries, in chronological order. */
  readonly timeline: ReadonlyArray<TimelineEntry>
}

/** Members to lock. `due` skips members that another transaction has locked; the others wait for the lock. */
export type MemberSelection =
  /** Due members of flows that are not paused. */
  | { readonly _tag: "due"; readonly limit: number }
  /** The live member. */
  | { readonly _tag: "contact"; readonly flowId: FlowId; readonly contactId: ContactId }
  /** Live or waiting members of a flow, ordered by contact id. */
  | {
      readonly _tag: "flow"
      readonly flowId: FlowId
      readonly members: "live" | "waiting"
      readonly after: ContactId | null
      readonly limit: number
    }
  /** These memberships in any status, and live members of `flows` whose contact is in `contacts`. */
  | {
      readonly _tag: "touched"
      readonly memberships: ReadonlyArray<MembershipId>
      readonly contacts: ReadonlyArray<ContactId>
      readonly flows: ReadonlyArray<FlowId>
    }

/** Locked members and their flows. Neither changes until the transaction ends. */
export interface LockedMembers {
  /** The store's clock, which also decided which members are due. */
  readonly now: DateTime.Utc
  readonly flows: ReadonlyMap<FlowId, Flow>
  readonly members: ReadonlyArray<Membership>
}

/** What enrollment depends on. Deleted flows and contacts are missing. */
export interface EnrollmentFacts {
  readonly now: DateTime.Utc
  readonly flows: ReadonlyMap<FlowId, Flow>
  readonly contacts: ReadonlySet<ContactId>
  /** Null: the contact has never been in the flow. */
  readonly earlier: (flow: FlowId, contact: ContactId) => EarlierMemberships
}

/** The facts to load; each part may be empty. */
export interface MemberFactsQuery {
  readonly contacts: ReadonlyArray<ContactId>
  readonly lists: ReadonlyArray<ListId>
  readonly topics: ReadonlyArray<TopicId>
  readonly activityTypes: ReadonlyArray<ActivityType>
  readonly deliveriesOf: ReadonlyArray<MembershipId>
  readonly emails: ReadonlyArray<EmailId>
}

export interface ContactFacts {
  readonly contact: Contact
  readonly suppression: SuppressionReason | null
  /** Restricted to the requested lists. */
  readonly lists: ReadonlySet<ListId>
  /** Restricted to the requested topics. */
  readonly topics: ReadonlyMap<TopicId, TopicStatus>
  /** The latest of each requested type. */
  readonly activities: ReadonlyArray<PastActivity>
}

export interface MemberFactsResult {
  /** Deleted contacts are missing. */
  readonly contacts: ReadonlyMap<ContactId, ContactFacts>
  readonly deliveries: ReadonlyMap<MembershipId, ReadonlyArray<MemberDelivery>>
  /** Approved emails only. */
  readonly approvals: ReadonlyMap<EmailId, ApprovalId>
}

export class MembershipStore extends Context.Service<
  MembershipStore,
  {
    /** Text in folded code point order, null last in both orders, ties by id ascending. */
    readonly list: (
      workspace: WorkspaceId,
      flow: FlowId,
      query: FlowMemberQuery,
    ) => Effect.Effect<Paged<MemberView>, NotFound>
    readonly get: (workspace: WorkspaceId, flow: FlowId, id: MembershipId) => Effect.Effect<MemberDetails, NotFound>
    /** The memberships of a contact in all flows, those that began last first, ties by id. */
    readonly listByContact: (
      workspace: WorkspaceId,
      contact: ContactId,
      query: SliceQuery,
    ) => Effect.Effect<Sliced<ContactMembership>>

    /**
     * Locks flows and contacts for enrollment: until the transaction ends no flow is paused or edited and no contact is
     * deleted. Members are always locked after these.
     */
    readonly lockForEnrollment: (
      workspace: WorkspaceId,
      wanted: { readonly flows: ReadonlyArray<FlowId>; readonly contacts: ReadonlyArray<ContactId> },
    ) => Effect.Effect<EnrollmentFacts, never, Transaction>
    readonly lockMembers: (
      workspace: WorkspaceId,
      which: MemberSelection,
    ) => Effect.Effect<LockedMembers, never, Transaction>
    /** The id of the email or page that a step run creates. Later calls return the id of the first one. */
    readonly reserve: (workspace: WorkspaceId, run: StepRun, id: string) => Effect.Effect<string, never, Transaction>
    readonly facts: (workspace: WorkspaceId, query: MemberFactsQuery) => Effect.Effect<MemberFactsResult>
    /**
     * Writes members, timeline entries, deliveries, activities and events. A member may have several changes, each of which
     * begins with the state after the last one. Returns the ids of new memberships that were refused because a concurrent
     * transaction enrolled the contact. Nothing is written for those.
     *
     * `still`: locked members without a change; they are no longer due.
     */
    readonly apply: (
      workspace: WorkspaceId,
      changes: ReadonlyArray<MembershipChange>,
      still?: ReadonlyArray<Membership>,
    ) => Effect.Effect<ReadonlySet<MembershipId>, never, Transaction>
  }
>()("tentpole/MembershipStore") {}
