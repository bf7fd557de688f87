// What machines did with a message, beside what its recipient did: once a delivery and kind, so that scanners that come again
// and again write nothing more. The columns go with their delivery, and no index knows them.
import { migration } from "./Migration.ts"

export const machineVisits = migration(
  `alter table delivery add column machine_opened_at timestamptz, add column machine_clicked_at timestamptz`,
)
