// An audience is written in slices, and sent to from the first on: the row of its blast says how far that has come.
import { migration } from "./Migration.ts"

export const audiencePass = migration(
  `alter table blast
     -- the last contact that was looked at, null before the first slice and after the last
     add column audience_through uuid,
     add constraint blast_pass check (audience_through is null or (launched_at is not null and audience_fixed_at is null))`,
)
