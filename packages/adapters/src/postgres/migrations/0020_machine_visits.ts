// Machine hits beside a recipient's engagement: stored once for each delivery and kind, so that repeated scans write nothing
// more. The columns are part of the delivery and not indexed.
import { migration } from "./Migration.ts"

export const machineVisits = migration(
  `alter table delivery add column machine_opened_at timestamptz, add column machine_clicked_at timestamptz`,
)
