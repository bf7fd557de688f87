// The port to the audit log: who did what, and when, to keys, plans, domains, pages and sendings. Entries are written in the
// transaction of what they tell, name ids and no people, and are never changed.
import { Context, type DateTime, type Effect } from "effect"
import type { AuditEntryId, WorkspaceId } from "./Ids.ts"
import type { Cursor, Sliced } from "./Page.ts"
import type { Transaction } from "./Transactor.ts"

export type AuditAction =
  | `blast.${"cancelled" | "failed" | "paused" | "resumed" | "scheduled" | "sending" | "unscheduled"}`
  | "contact.erased"
  | `domain.${"added" | "failed" | "removed" | "verified"}`
  | `key.${"created" | "revoked"}`
  | `page_domain.${"added" | "removed"}`
  | `suppression.${"added" | "removed"}`
  | `tent.${"published" | "unpublished"}`
  | `workspace.${"created" | "deleted" | "erased" | "updated"}`

export interface AuditEvent {
  readonly workspaceId: WorkspaceId
  readonly action: AuditAction
  /** The id of what it was done to, or its name where it has no id. */
  readonly target: string
  /** JSON; ids, names and numbers, never a secret or a person's address. */
  readonly details: Readonly<Record<string, unknown>>
}

export interface AuditEntry extends AuditEvent {
  readonly id: AuditEntryId
  readonly at: DateTime.Utc
  readonly actor: string
}

export interface AuditQuery {
  /** Null: of all of them, the deleted ones too. */
  readonly workspaceId: WorkspaceId | null
  readonly after: Cursor | null
  readonly limit: number
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Writes entries by whom the fiber's `Actor` names. */
    readonly append: (events: ReadonlyArray<AuditEvent>) => Effect.Effect<void, never, Transaction>
    /** Newest first. */
    readonly page: (query: AuditQuery) => Effect.Effect<Sliced<AuditEntry>>
  }
>()("tentpole/AuditLog") {}
