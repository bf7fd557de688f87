// EmailStore: the port to emails.
import { Context, type Effect } from "effect"
import type { DocumentStore } from "../documents/DocumentStore.ts"
import type { WorkspaceId } from "../kernel/Ids.ts"
import type { ApprovalFacts, EmailTypes } from "./Email.ts"

export interface EmailFacts extends ApprovalFacts {
  /** `api_name`s of the active custom fields. */
  readonly customFields: ReadonlyArray<string>
}

export class EmailStore extends Context.Service<
  EmailStore,
  DocumentStore<EmailTypes> & { readonly facts: (workspace: WorkspaceId) => Effect.Effect<EmailFacts> }
>()("tentpole/EmailStore") {}
