// The audit notes and the public events of a tent's changes.
import type { DateTime } from "effect"
import type { GenerationStep } from "../documents/Generation.ts"
import type { AuditNote } from "../kernel/changes/Change.ts"
import type { DomainEvent } from "../kernel/changes/Outbox.ts"
import type { PageToServe } from "./Publishing.ts"
import type { NewVersion, Tent } from "./Tent.ts"

export interface TentStep<After extends Tent | null = Tent | null> {
  readonly before: Tent | null
  readonly after: After
  readonly version?: NewVersion | undefined
  readonly revision?: GenerationStep | undefined
  readonly page?: PageToServe | undefined
  /** Only of a deletion. */
  readonly removedAt?: DateTime.Utc
}

const isPublished = (tent: Tent | null): boolean => tent?.publication?.status === "published"

/** Whether the change is the first request of the tent. */
const isCreated = ({ before, after }: TentStep): boolean =>
  (before === null || before.generation.status === "pending") && after !== null && after.generation.status !== "pending"

/** Whether the change renames the tent, changes its page, or requests a revision. */
const isUpdated = (it: TentStep): boolean => {
  const { before, after, version, revision } = it
  if (before === null || after === null || isCreated(it)) return false
  const isRewritten = version !== undefined && before.generation.status !== "generating"
  return isRewritten || before.name !== after.name || revision?.before === null
}

/** Audits who created or changed the tent, and when its page becomes public or stops being public. */
export const auditOf = (it: TentStep): ReadonlyArray<AuditNote> => {
  const { before, after, page } = it
  const tent = after ?? before
  if (tent === null) return []
  const note = (holds: boolean, action: AuditNote["action"], details: AuditNote["details"]) =>
    holds ? [{ action, target: tent.id, details }] : []
  const address = { alias: after?.alias ?? null }
  return [
    ...note(isCreated(it), "tent.created", { user_id: tent.userId }),
    ...note(isUpdated(it), "tent.updated", {
      version: tent.currentVersion,
      generation_id: it.revision?.after.id ?? null,
    }),
    ...note(isPublished(after) && (!isPublished(before) || page !== undefined), "tent.published", address),
    ...note(isPublished(before) && !isPublished(after), "tent.unpublished", address),
  ]
}

/** Why the generation or the revision ended without a page; null: it did not end so. */
const failureOf = ({ before, after, revision }: TentStep): string | null => {
  if (revision?.after.status === "failed") return revision.after.error
  const isNew = before?.generation.status !== "failed"
  return isNew && after?.generation.status === "failed" ? after.generation.error : null
}

/** The end of a generation or revision, the publication and its end, and the deletion. A deletion also ends a publication. */
export const eventsOf = (it: TentStep): ReadonlyArray<DomainEvent> => {
  const { before, after, page, removedAt, version } = it
  const tent = after ?? before
  if (tent === null) return []
  const event = (holds: boolean, type: string, data: DomainEvent["data"] = {}): ReadonlyArray<DomainEvent> =>
    holds ? [{ type, contactId: null, at: removedAt ?? tent.updatedAt, data: { tent_id: tent.id, ...data } }] : []
  const error = failureOf(it)
  return [
    ...event(version?.madeBy === "generation", "tent_generated"),
    ...event(error !== null, "tent_generation_failed", { error }),
    ...event(page !== undefined, "tent_published", { published_url: page?.url ?? null }),
    ...event(isPublished(before) && !isPublished(after), "tent_unpublished"),
    ...event(after === null, "tent_deleted"),
  ]
}
