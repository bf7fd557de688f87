// Audience passes in slices, with sending from the first slice on. The blast's row stores the progress.
import { migration } from "./Migration.ts"

export const audiencePass = migration(
  `alter table blast
     -- the last contact of the pass so far; null before the first slice and after the last
     add column audience_through uuid,
     add constraint blast_pass check (audience_through is null or (launched_at is not null and audience_fixed_at is null))`,
)
