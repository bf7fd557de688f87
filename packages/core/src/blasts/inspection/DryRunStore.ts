// The port of dry runs: whom a blast would reach if it were sent at this moment, counted in one pass over its audience.
import { Context, type DateTime, type Effect } from "effect"
import type { Contact } from "../../contacts/Contact.ts"
import type { StandardField } from "../../contacts/ContactFields.ts"
import type { BlockReason } from "../../sending/Delivery.ts"
import type { ContactId, ListId, WorkspaceId } from "../../kernel/Ids.ts"

/** A value of contacts that a message needs. */
export type NeededValue =
  | { readonly kind: "standard"; readonly field: StandardField }
  | { readonly kind: "custom"; readonly apiName: string }

export interface BlockedContacts {
  readonly reason: BlockReason
  readonly count: number
  /** The first ones by id, at most `sample_max`. */
  readonly sample: ReadonlyArray<{ readonly contactId: ContactId; readonly email: string | null }>
}

export interface Survey {
  readonly recipientCount: number
  readonly qualifiedCount: number
  /** Reasons that keep somebody out, in the order in which they are asked. */
  readonly blocked: ReadonlyArray<BlockedContacts>
  /** Of the qualified: the domains with the most of them, at most `domains_max`, ties by name. */
  readonly domains: ReadonlyArray<{ readonly domain: string; readonly count: number }>
  /** How many of the qualified have no value, for each that is needed, in their order. */
  readonly lacking: ReadonlyArray<number>
  /** Qualified ones, the first by id, at most `sample_max`. */
  readonly sample: ReadonlyArray<Contact>
}

export const sample_max = 3
export const domains_max = 20

export class DryRunStore extends Context.Service<
  DryRunStore,
  {
    /** Null when the list is gone. Conditions, order and limits are those of `DeliveryStore.fixAudience`. */
    readonly survey: (
      workspace: WorkspaceId,
      list: ListId,
      options: {
        readonly operational: boolean
        readonly needed: ReadonlyArray<NeededValue>
        readonly now: DateTime.Utc
      },
    ) => Effect.Effect<Survey | null>
  }
>()("tentpole/SurveyStore") {}
