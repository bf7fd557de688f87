// The custom fields and lists that a rule tree names, and the port that reads them.
import { Context, type Effect } from "effect"
import type { CustomField } from "../contacts/CustomField.ts"
import type { ListId, WorkspaceId } from "../kernel/Ids.ts"
import type { NamedInRules, RuleReferences } from "./RuleTree.ts"

/** The parts of a custom field that rules need. */
export type RuleField = Pick<
  CustomField,
  "id" | "apiName" | "displayName" | "valueType" | "status" | "provenanceProvider"
>

/** The named fields (archived too) and static lists that exist, without inline lists of blasts. */
export interface RuleFacts {
  readonly fields: ReadonlyArray<RuleField>
  readonly staticLists: ReadonlySet<ListId>
}

/** The port to `RuleFacts`, for all rooms whose requests contain rules. */
export class RuleFactsStore extends Context.Service<
  RuleFactsStore,
  {
    readonly of: (workspace: WorkspaceId, mentioned: RuleReferences & Partial<NamedInRules>) => Effect.Effect<RuleFacts>
  }
>()("tentpole/RuleFactsStore") {}
