// Schedules of blasts, and retries of failed recipients.
import { migration } from "./Migration.ts"

export const schedules = migration(
  // Contains only scheduled blasts: drafts add no cost to a check for due blasts.
  `create index blast_scheduled on blast (workspace_id, scheduled_at, blast_id) where status = 'scheduled'`,

  // Set while failed recipients are being requeued. It identifies the retry, so that the work of an earlier one ends.
  `alter table blast add column retrying_since timestamptz,
     add constraint blast_retrying check (retrying_since is null or (status = 'sending' and audience_fixed_at is not null))`,
)
