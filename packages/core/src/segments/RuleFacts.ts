// What must be known of a workspace to read a rule tree: the custom fields and lists that it names.
import { Context, type Effect } from "effect"
import type { CustomField } from "../contacts/CustomField.ts"
import type { ListId, WorkspaceId } from "../kernel/Ids.ts"
import type { Mentioned } from "./RuleTree.ts"

/** A custom field, as far as rules care. */
export type RuleField = Pick<
  CustomField,
  "id" | "apiName" | "displayName" | "valueType" | "status" | "provenanceProvider"
>

/**
 * Of what was mentioned, what there is: fields in either status, and the lists that are static. A blast's inline list is
 * not among them: it goes when its blast does, whoever names it.
 */
export interface RuleFacts {
  readonly fields: ReadonlyArray<RuleField>
  readonly staticLists: ReadonlySet<ListId>
}

/** The port by which rooms whose requests carry rules learn what those name. */
export class RuleFactsStore extends Context.Service<
  RuleFactsStore,
  { readonly of: (workspace: WorkspaceId, mentioned: Mentioned) => Effect.Effect<RuleFacts> }
>()("tentpole/RuleFactsStore") {}
