// The port to the contacts that a rule tree picks, whether or not a list is made of them.
import { Context, type Effect } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import type { ContactQuery } from "../contacts/ContactStore.ts"
import type { WorkspaceId } from "../kernel/Ids.ts"
import type { Paged } from "../kernel/Page.ts"
import type { RuleReading, RuleSubject } from "./Evaluate.ts"
import type { RuleTree } from "./RuleTree.ts"

/** A tree, and what it is read by. */
export interface Segment extends RuleReading {
  readonly tree: RuleTree
}

/** Listed as contacts are, all of them or those that a search finds. */
export type SegmentQuery = Omit<ContactQuery, "updatedAfter">

export class SegmentStore extends Context.Service<
  SegmentStore,
  {
    /** Sorted and searched as a page of all contacts is. Nobody else waits for the count, however long it takes. */
    readonly list: (workspace: WorkspaceId, segment: Segment, query: SegmentQuery) => Effect.Effect<Paged<Contact>>
    /**
     * What the evaluator must know to say what a tree means to these contacts, in their order: of each type that the tree
     * names the latest activity (whether one stands at or after an instant is all that conditions ask), and which of the
     * lists that it names they are on.
     */
    readonly subjects: (
      workspace: WorkspaceId,
      contacts: ReadonlyArray<Contact>,
      tree: RuleTree,
    ) => Effect.Effect<ReadonlyArray<RuleSubject>>
  }
>()("tentpole/SegmentStore") {}
