// DocumentStore: the shape of the ports to emails, email templates and tent templates.
import type { Effect } from "effect"
import type { ApprovalId, GenerationId, WorkspaceId } from "../kernel/Ids.ts"
import type { Cursor, Sliced } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/changes/Transactor.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import type { ContentStatus, Current, Design, DocumentTypes, Locked, IdOf } from "./Document.ts"
import type { Generation } from "./Generation.ts"
import type { DocumentChange } from "./machine.ts"
import type { ContentVersion } from "./Versions.ts"

export interface DocumentQuery {
  readonly status: ContentStatus | null
  /** A literal substring of the name, without regard to case; null: no filter. */
  readonly search: string | null
  readonly after: Cursor | null
  /** 1 to 100. */
  readonly limit: number
}

export interface DocumentStore<T extends DocumentTypes> {
  readonly get: (workspace: WorkspaceId, id: IdOf<T>) => Effect.Effect<T["document"], NotFound>
  readonly current: (workspace: WorkspaceId, id: IdOf<T>) => Effect.Effect<Current<T["document"]>, NotFound>
  /** Locks until the transaction ends: two transactions that change a document run one after the other. */
  readonly lock: (workspace: WorkspaceId, id: IdOf<T>) => Effect.Effect<Locked<T["document"]>, NotFound, Transaction>
  /** The HTML of one version. */
  readonly html: (workspace: WorkspaceId, id: IdOf<T>, version: number) => Effect.Effect<string, NotFound>
  /** The design of one version; null where its HTML was not written with blocks. */
  readonly design: (workspace: WorkspaceId, id: IdOf<T>, version: number) => Effect.Effect<Design | null, NotFound>
  /** The newest version first. `after.id` is a version's number. */
  readonly versions: (
    workspace: WorkspaceId,
    id: IdOf<T>,
    query: Pick<DocumentQuery, "after" | "limit">,
  ) => Effect.Effect<Sliced<ContentVersion>>
  /** Newest first, ties by id. */
  readonly list: (workspace: WorkspaceId, query: DocumentQuery) => Effect.Effect<Sliced<T["document"]>>
  /** A generation of this document; another document's is not found. */
  readonly generation: (workspace: WorkspaceId, id: IdOf<T>, of: GenerationId) => Effect.Effect<Generation, NotFound>
  /** Newest first, ties by id. */
  readonly generations: (
    workspace: WorkspaceId,
    id: IdOf<T>,
    query: Pick<DocumentQuery, "after" | "limit">,
  ) => Effect.Effect<Sliced<Generation>>
  /** The HTML that the next generation builds on: the current HTML, before that the template's; null if there is neither. */
  readonly basis: (workspace: WorkspaceId, id: IdOf<T>) => Effect.Effect<string | null, NotFound>
  /** Uses of the approval: scheduled and sending blasts, active flows. The caller has locked the document. */
  readonly uses: (workspace: WorkspaceId, id: IdOf<T>) => Effect.Effect<T["uses"]>
  /** The content that an approval froze, also if the document has been edited, unapproved or deleted since. */
  readonly approval: (workspace: WorkspaceId, id: ApprovalId) => Effect.Effect<T["approved"], NotFound>
  /** A change that was decided on an older state of the document is a defect. */
  readonly apply: (
    workspace: WorkspaceId,
    change: DocumentChange<T>,
  ) => Effect.Effect<void, InsufficientCredits, Transaction>
}
