// The port of dry runs: which contacts a blast would reach if it were sent now, counted in one pass over its audience.
import { Context, type DateTime, type Effect } from "effect"
import type { Contact } from "../../contacts/Contact.ts"
import type { StandardField } from "../../contacts/ContactFields.ts"
import type { BlockReason } from "../../sending/Delivery.ts"
import type { ContactId, ListId, TopicId, WorkspaceId } from "../../kernel/Ids.ts"

export type NeededValue =
  | { readonly kind: "standard"; readonly field: StandardField }
  | { readonly kind: "custom"; readonly apiName: string }

export interface BlockedContacts {
  readonly reason: BlockReason
  readonly count: number
  /** The first ones by id, at most `sample_max`. */
  readonly sample: ReadonlyArray<{ readonly contactId: ContactId; readonly email: string | null }>
}

export interface DryRunCounts {
  readonly recipientCount: number
  readonly qualifiedCount: number
  /** The block reasons that apply, in the order in which they are checked. */
  readonly blocked: ReadonlyArray<BlockedContacts>
  /** The domains with the most qualified recipients, at most `domains_max`, ties by name. */
  readonly domains: ReadonlyArray<{ readonly domain: string; readonly count: number }>
  /** How many qualified recipients have no value, for each needed value, in the order of `needed`. */
  readonly missingCounts: ReadonlyArray<number>
  /** The first qualified contacts by id, at most `sample_max`. */
  readonly sample: ReadonlyArray<Contact>
}

export const sample_max = 3
export const domains_max = 20

export class DryRunStore extends Context.Service<
  DryRunStore,
  {
    /** Null when the list has been deleted. Conditions, order and limits are those of `DeliveryStore.fixAudience`. */
    readonly calculate: (
      workspace: WorkspaceId,
      list: ListId,
      options: {
        readonly operational: boolean
        /** Operational mail ignores it. */
        readonly topicId: TopicId | null
        readonly needed: ReadonlyArray<NeededValue>
        readonly now: DateTime.Utc
      },
    ) => Effect.Effect<DryRunCounts | null>
  }
>()("tentpole/DryRunStore") {}
