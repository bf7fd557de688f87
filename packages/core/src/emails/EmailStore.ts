// The port to emails: their fields, the HTML of each version, what the AI was asked to write, and what approvals have frozen.
import { Context, type Effect } from "effect"
import type { ContentStatus } from "../documents/Approval.ts"
import type { Generation } from "../documents/Generation.ts"
import type { ApprovalId, EmailId, GenerationId, WorkspaceId } from "../kernel/Ids.ts"
import type { Cursor, Sliced } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/Transactor.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import type { ApprovedEmail } from "../rendering/ApprovedEmail.ts"
import type { CurrentEmail, Email, LockedEmail } from "./Email.ts"
import type { EmailChange } from "./EmailChange.ts"
import type { EmailUses } from "./EmailErrors.ts"

export interface EmailQuery {
  readonly status: ContentStatus | null
  /** Literal, in the name, without regard to case; null: everything. */
  readonly search: string | null
  readonly after: Cursor | null
  /** 1 to 100. */
  readonly limit: number
}

/** What a workspace has that approvals and tokens are checked against. */
export interface EmailFacts {
  /** A-labels. */
  readonly verifiedDomains: ReadonlyArray<string>
  /** `api_name`s of the active custom fields. */
  readonly customFields: ReadonlyArray<string>
}

export class EmailStore extends Context.Service<
  EmailStore,
  {
    readonly find: (workspace: WorkspaceId, id: EmailId) => Effect.Effect<Email, NotFound>
    /** With the HTML of the current version. */
    readonly current: (workspace: WorkspaceId, id: EmailId) => Effect.Effect<CurrentEmail, NotFound>
    /** The same, held until the transaction ends: two that change an email come one after the other. */
    readonly lock: (workspace: WorkspaceId, id: EmailId) => Effect.Effect<LockedEmail, NotFound, Transaction>
    /** The HTML of one version. */
    readonly html: (workspace: WorkspaceId, id: EmailId, version: number) => Effect.Effect<string, NotFound>
    /** Newest first, ties by id. */
    readonly page: (workspace: WorkspaceId, query: EmailQuery) => Effect.Effect<Sliced<Email>>
    /** A generation of this email; another email's is not found. */
    readonly generation: (workspace: WorkspaceId, id: EmailId, of: GenerationId) => Effect.Effect<Generation, NotFound>
    /** What the next generation builds on: the current HTML, before that the template's; null when there is neither. */
    readonly basis: (workspace: WorkspaceId, id: EmailId) => Effect.Effect<string | null, NotFound>
    readonly facts: (workspace: WorkspaceId) => Effect.Effect<EmailFacts>
    /**
     * Who counts on the email's approval: blasts that are scheduled or sending with it, and active flows, by one of whose steps
     * it is sent or was made. Asked with the email locked.
     */
    readonly uses: (workspace: WorkspaceId, id: EmailId) => Effect.Effect<EmailUses>
    /**
     * Writes an email, its generation and the credits that go with it; or deletes it, with its versions and generations. A
     * change of an email that is not as the change found it is a defect.
     */
    readonly apply: (
      workspace: WorkspaceId,
      change: EmailChange,
    ) => Effect.Effect<void, InsufficientCredits, Transaction>
    /** What an approval froze; it outlives the email. */
    readonly approval: (workspace: WorkspaceId, id: ApprovalId) => Effect.Effect<ApprovedEmail, NotFound>
  }
>()("tentpole/EmailStore") {}
