// The port to the members of flows. Who decides about members holds them first; what it decides is a `MembershipChange`, and
// is written with the messages, the timelines and the events that belong to it.
import { Context, type DateTime, type Effect } from "effect"
import type { Activity, ActivityType } from "../../contacts/Activity.ts"
import type { Contact } from "../../contacts/Contact.ts"
import type { SuppressionReason } from "../../sending/Suppression.ts"
import type { ApprovalId, ContactId, EmailId, FlowId, ListId, MembershipId, WorkspaceId } from "../../kernel/Ids.ts"
import type { Paged, PageRequest } from "../../kernel/Page.ts"
import type { NotFound } from "../../kernel/Refusal.ts"
import type { Transaction } from "../../kernel/changes/Transactor.ts"
import type { Earlier } from "./Enrollment.ts"
import type { Flow } from "../definition/Flow.ts"
import type { Making } from "./StepJobs.ts"
import type { ExecutedStep, Membership, MemberStatus, TimelineEntry } from "./Membership.ts"
import type { MembershipChange } from "./MembershipChange.ts"
import type { MemberMessage } from "./MemberDeliveries.ts"

export const flowMemberSorts = ["entered_at", "updated_at", "display_name"] as const
export type FlowMemberSort = (typeof flowMemberSorts)[number]

export interface FlowMemberQuery extends PageRequest {
  readonly status: MemberStatus | null
  /** Literal substring of a name, the email as written or the phone, compared folded; null: everybody. */
  readonly search: string | null
  readonly sort: FlowMemberSort
  readonly order: "asc" | "desc"
}

/** A member as it is shown. */
export interface ShownMember {
  readonly membership: Membership
  /** Null when the contact has been deleted. */
  readonly contact: Pick<Contact, "id" | "displayName" | "email" | "phone"> | null
  readonly steps: ReadonlyArray<ExecutedStep>
}

/** Of a member's timeline so many lines are read, the newest: somebody may go round for years. */
export const timeline_lines_max = 1_000

export interface MemberRun extends ShownMember {
  /** The newest of it, the oldest first. */
  readonly timeline: ReadonlyArray<TimelineEntry>
}

/** Members to hold. Those that another transaction holds are left out where it says so, and waited for elsewhere. */
export type WhichMembers =
  /** Whose time has come, of flows that are not paused; those that others hold are left to them. */
  | { readonly _tag: "due"; readonly limit: number }
  /** The one who is on the way. */
  | { readonly _tag: "contact"; readonly flowId: FlowId; readonly contactId: ContactId }
  /** Those on the way in a flow, or who rest in it, by the ids of their contacts. */
  | {
      readonly _tag: "flow"
      readonly flowId: FlowId
      readonly members: "live" | "waiting"
      readonly after: ContactId | null
      readonly limit: number
    }
  /** These, whatever has become of them; and those on the way in these flows whose contacts are among these. */
  | {
      readonly _tag: "touched"
      readonly memberships: ReadonlyArray<MembershipId>
      readonly contacts: ReadonlyArray<ContactId>
      readonly flows: ReadonlyArray<FlowId>
    }

/** Members that nobody else changes until the transaction ends, and their flows, which nobody changes either. */
export interface HeldMembers {
  /** By the store's clock, which also said who is due. */
  readonly now: DateTime.Utc
  readonly flows: ReadonlyMap<FlowId, Flow>
  readonly members: ReadonlyArray<Membership>
}

/** What entering depends on. Contacts that are gone are not among `contacts`; flows neither. */
export interface EntryGround {
  readonly now: DateTime.Utc
  readonly flows: ReadonlyMap<FlowId, Flow>
  readonly contacts: ReadonlySet<ContactId>
  /** Earlier memberships; pairs without any are left out. */
  readonly earlier: (flow: FlowId, contact: ContactId) => Earlier
}

/** What is to be known of members; each part may be empty. */
export interface FactsAsked {
  readonly contacts: ReadonlyArray<ContactId>
  readonly lists: ReadonlyArray<ListId>
  readonly activityTypes: ReadonlyArray<ActivityType>
  readonly messagesOf: ReadonlyArray<MembershipId>
  readonly emails: ReadonlyArray<EmailId>
}

export interface KnownContact {
  readonly contact: Contact
  readonly suppression: SuppressionReason | null
  /** Of the lists that were asked about. */
  readonly lists: ReadonlySet<ListId>
  /** The latest of each type that was asked about. */
  readonly activities: ReadonlyArray<Pick<Activity, "type" | "at">>
}

export interface FactsFound {
  /** Those who are still there. */
  readonly contacts: ReadonlyMap<ContactId, KnownContact>
  readonly messages: ReadonlyMap<MembershipId, ReadonlyArray<MemberMessage>>
  /** Of approved emails. */
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
    ) => Effect.Effect<Paged<ShownMember>, NotFound>
    readonly get: (workspace: WorkspaceId, flow: FlowId, id: MembershipId) => Effect.Effect<MemberRun, NotFound>

    /**
     * Holds flows and contacts for entries: until the transaction ends no flow is paused or edited, and no contact is
     * deleted. Members come after it, never before.
     */
    readonly lockForEntry: (
      workspace: WorkspaceId,
      wanted: { readonly flows: ReadonlyArray<FlowId>; readonly contacts: ReadonlyArray<ContactId> },
    ) => Effect.Effect<EntryGround, never, Transaction>
    readonly lockMembers: (
      workspace: WorkspaceId,
      which: WhichMembers,
    ) => Effect.Effect<HeldMembers, never, Transaction>
    /** The id under which a visit's email or page is made: the first that is said stays. */
    readonly reserve: (workspace: WorkspaceId, making: Making, id: string) => Effect.Effect<string, never, Transaction>
    readonly facts: (workspace: WorkspaceId, asked: FactsAsked) => Effect.Effect<FactsFound>
    /**
     * Writes members, the lines of their timelines, their messages, the contacts' timelines and the events. A member may have
     * several changes, each beginning where the last one ended. Answers who did not enter: somebody else has brought the
     * contact into the flow at the same moment. Of those nothing is written.
     *
     * `still`: held members whom nothing has changed; they are not due any more.
     */
    readonly apply: (
      workspace: WorkspaceId,
      changes: ReadonlyArray<MembershipChange>,
      still?: ReadonlyArray<Membership>,
    ) => Effect.Effect<ReadonlySet<MembershipId>, never, Transaction>
  }
>()("tentpole/MembershipStore") {}
