// The custom fields, lists and topics that a rule tree names, and the port that reads them.
import { Context, type Effect } from "effect"
import type { CustomField } from "../contacts/CustomField.ts"
import type { ListId, TopicId, WorkspaceId } from "../kernel/Ids.ts"
import type { NamedInRules, RuleReferences } from "./RuleTree.ts"

/** The parts of a custom field that rules need. */
export type RuleField = Pick<
  CustomField,
  "id" | "apiName" | "displayName" | "valueType" | "status" | "provenanceProvider"
>

/** The named fields and topics (archived too) and static lists that exist, without inline lists of blasts. */
export interface RuleFacts {
  readonly fields: ReadonlyArray<RuleField>
  readonly staticLists: ReadonlySet<ListId>
  readonly topics: ReadonlySet<TopicId>
}

/** The port to `RuleFacts`, for all rooms whose requests contain rules. */
export class RuleFactsStore extends Context.Service<
  RuleFactsStore,
  {
    readonly of: (
      workspace: WorkspaceId,
      mentioned: Pick<RuleReferences, "fields" | "lists"> & Partial<NamedInRules>,
    ) => Effect.Effect<RuleFacts>
  }
>()("tentpole/RuleFactsStore") {}
