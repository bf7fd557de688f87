// The port to the submissions of forms.
import { Context, type Effect } from "effect"
import type { IdentityTaken } from "../contacts/ContactStore.ts"
import type { TentId, WorkspaceId } from "../kernel/Ids.ts"
import type { Cursor, Sliced } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { FormConsent, FormConsentChange } from "./FormConsent.ts"
import type { Submission, SubmissionChange } from "./Submission.ts"

export interface SubmissionQuery {
  readonly after: Cursor | null
  readonly limit: number
}

export class FormStore extends Context.Service<
  FormStore,
  {
    /** Fails unless the tent is published. It stays published until the transaction ends; others can submit meanwhile. */
    readonly lockPublished: (workspace: WorkspaceId, tent: TentId) => Effect.Effect<void, NotFound, Transaction>
    /** Writes the submission with its contact, the contact's timeline and the events. */
    readonly apply: (
      workspace: WorkspaceId,
      change: SubmissionChange,
    ) => Effect.Effect<void, IdentityTaken, Transaction>
    /** What the API has set for forms of a tent, by the ids of the forms. They stay with the tent, also while a form is not on it. */
    readonly consents: (workspace: WorkspaceId, tent: TentId) => Effect.Effect<ReadonlyMap<string, FormConsent>>
    readonly applyConsent: (
      workspace: WorkspaceId,
      change: FormConsentChange,
    ) => Effect.Effect<void, never, Transaction>
    /** The submissions of a tent, newest first; those of the same millisecond by id. They are deleted with the tent. */
    readonly list: (
      workspace: WorkspaceId,
      tent: TentId,
      query: SubmissionQuery,
    ) => Effect.Effect<Sliced<Submission>, NotFound>
  }
>()("tentpole/FormStore") {}
