// The port to the audit log: who changed which key, plan, domain, page or blast, and when. Entries are written in the
// transaction of the change, contain ids and no personal data, and are never changed.
import { Context, type DateTime, type Effect } from "effect"
import type { AuditEntryId, WorkspaceId } from "../Ids.ts"
import type { Sliced, SliceQuery } from "../Page.ts"
import type { Transaction } from "./Transactor.ts"

/** Each is the thing that changed, and what happened to it. */
export const auditActions = [
  "blast.cancelled",
  "blast.failed",
  "blast.paused",
  "blast.released",
  "blast.resumed",
  "blast.scheduled",
  "blast.sending",
  "blast.unscheduled",
  "contact.erased",
  "contact.merged",
  "domain.added",
  "domain.failed",
  "domain.removed",
  "domain.verified",
  "email.approved",
  "export.started",
  "flow.activated",
  "flow.archived",
  "flow.paused",
  "flow.released",
  "form.consent_changed",
  "import.started",
  "job.abandoned",
  "job.requeued",
  "key.created",
  "key.revoked",
  "message.cancelled",
  "message.retried",
  "member.changed",
  "member.invited",
  "member.joined",
  "member.removed",
  "member.uninvited",
  "page_domain.added",
  "page_domain.removed",
  "passkey.added",
  "passkey.refused",
  "passkey.removed",
  "session.ended",
  "suppression.added",
  "suppression.removed",
  "tent.created",
  "tent.published",
  "tent.unpublished",
  "tent.updated",
  "topic.archived",
  "topic.created",
  "topic.deleted",
  "topic.unarchived",
  "topic.updated",
  "user.bound",
  "user.created",
  "user.refused",
  "user.signed_in",
  "webhook.replayed",
  "webhook_endpoint.created",
  "webhook_endpoint.deleted",
  "webhook_endpoint.disabled",
  "webhook_endpoint.enabled",
  "webhook_endpoint.secret_rotated",
  "webhook_endpoint.updated",
  "workspace.created",
  "workspace.deleted",
  "workspace.erased",
  "workspace.updated",
] as const
export type AuditAction = (typeof auditActions)[number]

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

/** An entry with the names that its ids have now. */
export interface NamedAuditEntry extends AuditEntry {
  /** Of the user or the API key; null for other actors, and if it was deleted. */
  readonly actorName: string | null
  /** Of the user, key, workspace, blast, email, flow or tent that changed; null for other things, and if it was deleted. */
  readonly targetName: string | null
}

/** Which entries are listed. */
export interface AuditFilter {
  /** Without it, entries of all workspaces are listed, deleted ones included. */
  readonly workspaceId?: WorkspaceId
  readonly actor?: string
  readonly action?: AuditAction
  readonly from?: DateTime.Utc
  /** Exclusive. */
  readonly to?: DateTime.Utc
}

export interface AuditQuery extends AuditFilter, SliceQuery {}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Appends entries with the current `Actor`. */
    readonly append: (events: ReadonlyArray<AuditEvent>) => Effect.Effect<void, never, Transaction>
    /** Newest first. The names of blasts, emails, flows and tents are read with a workspace only. */
    readonly list: (query: AuditQuery) => Effect.Effect<Sliced<NamedAuditEntry>>
  }
>()("tentpole/AuditLog") {}
