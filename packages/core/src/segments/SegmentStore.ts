// The port to the contacts that match a rule tree.
import { Context, type Effect } from "effect"
import type { Contact } from "../contacts/Contact.ts"
import type { ContactQuery } from "../contacts/ContactStore.ts"
import type { WorkspaceId } from "../kernel/Ids.ts"
import type { Paged } from "../kernel/Page.ts"
import type { RuleContext, RuleSubject } from "./Evaluate.ts"
import type { RuleTree } from "./RuleTree.ts"

export interface Segment extends RuleContext {
  readonly tree: RuleTree
}

/** Page, sort order and search, as in the listing of contacts. */
export type SegmentQuery = Omit<ContactQuery, "updatedAfter">

export class SegmentStore extends Context.Service<
  SegmentStore,
  {
    /** Sorted and searched like the listing of all contacts. A long count blocks no other caller. */
    readonly list: (workspace: WorkspaceId, segment: Segment, query: SegmentQuery) => Effect.Effect<Paged<Contact>>
    /**
     * The facts that the evaluator needs about these contacts, in their order: the latest activity of each type that the tree
     * names, and the contact's lists among those that the tree names.
     */
    readonly subjects: (
      workspace: WorkspaceId,
      contacts: ReadonlyArray<Contact>,
      tree: RuleTree,
    ) => Effect.Effect<ReadonlyArray<RuleSubject>>
  }
>()("tentpole/SegmentStore") {}
