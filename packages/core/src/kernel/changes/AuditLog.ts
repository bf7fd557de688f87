// The port to the audit log: who changed which key, plan, domain, page or blast, and when. Entries are written in the
// transaction of the change, contain ids and no personal data, and are never changed.
import { Context, type DateTime, type Effect } from "effect"
import type { AuditEntryId, WorkspaceId } from "../Ids.ts"
import type { Cursor, Sliced } from "../Page.ts"
import type { Transaction } from "./Transactor.ts"

export type AuditAction =
  | `blast.${"cancelled" | "failed" | "paused" | "released" | "resumed" | "scheduled" | "sending" | "unscheduled"}`
  | "contact.erased"
  | `domain.${"added" | "failed" | "removed" | "verified"}`
  | "flow.released"
  | `member.${"invited" | "joined"}`
  | "session.ended"
  | `key.${"created" | "revoked"}`
  | `page_domain.${"added" | "removed"}`
  | `suppression.${"added" | "removed"}`
  | `user.${"created" | "refused" | "signed_in"}`
  | `tent.${"created" | "published" | "unpublished" | "updated"}`
  | `workspace.${"created" | "deleted" | "erased" | "updated"}`

export interface AuditEvent {
  /** Null for entries of the installation, such as sign-ins. */
  readonly workspaceId: WorkspaceId | null
  readonly action: AuditAction
  /** The id of the changed thing, or its name where it has no id. */
  readonly target: string
  /** JSON: ids, names and numbers, no secrets and no addresses of contacts. */
  readonly details: Readonly<Record<string, unknown>>
}

export interface AuditEntry extends AuditEvent {
  readonly id: AuditEntryId
  readonly at: DateTime.Utc
  readonly actor: string
}

export interface AuditQuery {
  /** Null lists entries of all workspaces, deleted ones included. */
  readonly workspaceId: WorkspaceId | null
  readonly after: Cursor | null
  readonly limit: number
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Appends entries with the current `Actor`. */
    readonly append: (events: ReadonlyArray<AuditEvent>) => Effect.Effect<void, never, Transaction>
    /** Newest first. */
    readonly list: (query: AuditQuery) => Effect.Effect<Sliced<AuditEntry>>
  }
>()("tentpole/AuditLog") {}
