// What the times of blasts need, and sending again to those who were not reached.
import { migration } from "./Migration.ts"

export const schedules = migration(
  // Only what is scheduled stands in it: drafts by the million cost a look at what is due nothing.
  `create index blast_scheduled on blast (workspace_id, scheduled_at, blast_id) where status = 'scheduled'`,

  // Set while failed recipients are being put back into the queue; names the retry, so that the work of an earlier one ends.
  `alter table blast add column retrying_since timestamptz,
     add constraint blast_retrying check (retrying_since is null or (status = 'sending' and audience_fixed_at is not null))`,
)
