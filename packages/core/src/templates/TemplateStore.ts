// The ports to templates: their fields, the HTML of each version, what approvals have frozen, and what the AI was asked for.
// There is one for each kind, of the same shape.
import { Context, type Effect } from "effect"
import type { ContentStatus } from "../documents/Approval.ts"
import type { Generation } from "../documents/Generation.ts"
import type { ApprovalId, GenerationId, WorkspaceId } from "../kernel/Ids.ts"
import type { Cursor, Sliced } from "../kernel/Page.ts"
import type { NotFound } from "../kernel/Refusal.ts"
import type { Transaction } from "../kernel/Transactor.ts"
import type { InsufficientCredits } from "../workspaces/Workspace.ts"
import type { ApprovedTemplate, CurrentTemplate, Kinds, ShownTemplate, TemplateKind } from "./Template.ts"
import type { TemplateChange } from "./TemplateChange.ts"
import type { TemplateUse } from "./TemplateErrors.ts"

export interface TemplateQuery {
  readonly status: ContentStatus | null
  /** Literal, in the name, without regard to case; null: everything. */
  readonly search: string | null
  readonly after: Cursor | null
  /** 1 to 100. */
  readonly limit: number
}

export interface TemplateStoreOf<Kind extends TemplateKind> {
  readonly find: (workspace: WorkspaceId, id: Kinds[Kind]["id"]) => Effect.Effect<ShownTemplate<Kind>, NotFound>
  /** With the HTML of the current version. */
  readonly current: (workspace: WorkspaceId, id: Kinds[Kind]["id"]) => Effect.Effect<CurrentTemplate<Kind>, NotFound>
  /** The same, held until the transaction ends: two that change a template come one after the other. */
  readonly lock: (
    workspace: WorkspaceId,
    id: Kinds[Kind]["id"],
  ) => Effect.Effect<CurrentTemplate<Kind>, NotFound, Transaction>
  /** The HTML of one version. */
  readonly html: (workspace: WorkspaceId, id: Kinds[Kind]["id"], version: number) => Effect.Effect<string, NotFound>
  /** Newest first, ties by id. */
  readonly slice: (workspace: WorkspaceId, query: TemplateQuery) => Effect.Effect<Sliced<ShownTemplate<Kind>>>
  /** One writing that the AI was asked for. */
  readonly generation: (
    workspace: WorkspaceId,
    id: Kinds[Kind]["id"],
    generation: GenerationId,
  ) => Effect.Effect<Generation, NotFound>
  /** What an approval froze; also when the template has been edited, unapproved or deleted since. */
  readonly approved: (workspace: WorkspaceId, id: ApprovalId) => Effect.Effect<ApprovedTemplate<Kind>, NotFound>
  /** Who builds on the template, by name. Asked with the template locked. */
  readonly uses: (
    workspace: WorkspaceId,
    id: Kinds[Kind]["id"],
  ) => Effect.Effect<ReadonlyArray<TemplateUse>, never, Transaction>
  readonly apply: (
    workspace: WorkspaceId,
    change: TemplateChange<Kind>,
  ) => Effect.Effect<void, InsufficientCredits, Transaction>
}

export class EmailTemplateStore extends Context.Service<EmailTemplateStore, TemplateStoreOf<"email">>()(
  "tentpole/EmailTemplateStore",
) {}

export class TentTemplateStore extends Context.Service<TentTemplateStore, TemplateStoreOf<"tent">>()(
  "tentpole/TentTemplateStore",
) {}
