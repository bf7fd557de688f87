// All migrations in order. They go forward only: a released migration is never changed, and each leaves the previous version of
// the code working.
import { workspaces } from "./0001_workspaces.ts"
import { outbox } from "./0002_outbox.ts"
import { contacts } from "./0003_contacts.ts"
import { lists } from "./0004_lists.ts"
import { imports } from "./0005_imports.ts"
import { emails } from "./0006_emails.ts"
import { blasts } from "./0007_blasts.ts"
import { tents } from "./0008_tents.ts"
import { traffic } from "./0009_traffic.ts"
import { audience } from "./0010_audience.ts"
import { listExports } from "./0011_list_exports.ts"
import { importSuggestions } from "./0012_import_suggestions.ts"
import { importResults } from "./0013_import_results.ts"
import { statistics } from "./0014_statistics.ts"
import { generations } from "./0015_generations.ts"
import { templates } from "./0016_templates.ts"
import { emailsWritten } from "./0017_emails_written.ts"
import { schedules } from "./0018_schedules.ts"
import { reports } from "./0019_reports.ts"
import { machineVisits } from "./0020_machine_visits.ts"
import { pace } from "./0021_pace.ts"
import { exports } from "./0022_exports.ts"
import { recipients } from "./0023_recipients.ts"
import { tents as tentsWhole } from "./0025_tents.ts"
import { forms } from "./0026_forms.ts"
import { trafficDays } from "./0026_traffic_days.ts"
import { idempotency } from "./0027_idempotency.ts"
import { administration } from "./0028_administration.ts"
import { flows } from "./0029_flows.ts"
import { memberships } from "./0030_memberships.ts"
import { operating } from "./0031_operating.ts"
import { trafficBatches } from "./0032_traffic_batches.ts"
import { audiencePass } from "./0033_audience_pass.ts"
import { deliveryCosts } from "./0034_delivery_costs.ts"
import type { Migration } from "./Migration.ts"

export const migrations: Readonly<Record<string, Migration>> = {
  "0001_workspaces": workspaces,
  "0002_outbox": outbox,
  "0003_contacts": contacts,
  "0004_lists": lists,
  "0005_imports": imports,
  "0006_emails": emails,
  "0007_blasts": blasts,
  "0008_tents": tents,
  "0009_traffic": traffic,
  "0010_audience": audience,
  "0011_list_exports": listExports,
  "0012_import_suggestions": importSuggestions,
  "0013_import_results": importResults,
  "0014_statistics": statistics,
  "0015_generations": generations,
  "0016_templates": templates,
  "0017_emails_written": emailsWritten,
  "0018_schedules": schedules,
  "0019_reports": reports,
  "0020_machine_visits": machineVisits,
  "0021_pace": pace,
  "0022_exports": exports,
  "0023_recipients": recipients,
  "0025_tents": tentsWhole,
  "0026_forms": forms,
  "0026_traffic_days": trafficDays,
  "0027_idempotency": idempotency,
  "0028_administration": administration,
  "0029_flows": flows,
  "0030_memberships": memberships,
  "0031_operating": operating,
  "0032_traffic_batches": trafficBatches,
  "0033_audience_pass": audiencePass,
  "0034_delivery_costs": deliveryCosts,
}
