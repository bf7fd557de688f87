// The laws of every port, for whoever writes an adapter: call each with a name and the layer to hold to it.
import { assets } from "./assets.ts"
import { administration } from "./administration.ts"
import { auditLog } from "./auditLog.ts"
import { blasts } from "./blasts.ts"
import { blastAudiences } from "./blastAudiences.ts"
import { blastAudits } from "./blastAudits.ts"
import { blastCopies } from "./blastCopies.ts"
import { blastRetries } from "./blastRetries.ts"
import { blastSurveys } from "./blastSurveys.ts"
import { blastVerbs } from "./blastVerbs.ts"
import { blobs } from "./blobs.ts"
import { bulkTents } from "./bulkTents.ts"
import { contacts } from "./contacts.ts"
import { exports } from "./exports.ts"
import { forms } from "./forms.ts"
import { hookTokens } from "./hookTokens.ts"
import { housekeeper } from "./housekeeper.ts"
import { idempotencyKeys } from "./idempotencyKeys.ts"
import { imports } from "./imports.ts"
import { dkim } from "./dkim.ts"
import { emailGenerations } from "./emailGenerations.ts"
import { emails } from "./emails.ts"
import { deliveries } from "./deliveries.ts"
import { flows } from "./flows.ts"
import { jobs } from "./jobs.ts"
import { flowMakings } from "./flowMakings.ts"
import { flowEngine } from "./flowEngine.ts"
import { flowForetold, StoreClock } from "./flowForetold.ts"
import { FlowTimes, memberships } from "./memberships.ts"
import { lists } from "./lists.ts"
import { listVerbs } from "./listVerbs.ts"
import { outbox } from "./outbox.ts"
import { privacy } from "./privacy.ts"
import { schedules } from "./schedules.ts"
import { segments } from "./segments.ts"
import { workspaces } from "./workspaces.ts"
import { pages } from "./pages.ts"
import { templates } from "./templates.ts"
import { tents } from "./tents.ts"
import { testMails } from "./testMails.ts"
import { traffic } from "./traffic.ts"

export { mailedBlast } from "./blastAudits.ts"
export type { Send } from "./blobs.ts"
export { DeliveryScenario, wholeAudience, type WrittenDelivery } from "./deliveries.ts"
export { type Draw, drawFrom } from "./draws.ts"
export { eventually, settledMark, until } from "./eventually.ts"
export { FlowTimes }
export { running } from "./flowMembersWorld.ts"
export { day } from "./flowWorld.ts"
export { StoreClock }
export { Fresh } from "./fresh.ts"
export { seenView, viewBatch } from "./traffic.ts"
export { withFewKeyPairs } from "./keyPairs.ts"
export { settingsLayer, testSettings } from "./settings.ts"
export const contract = {
  assets,
  administration,
  auditLog,
  blasts,
  blastAudiences,
  blastAudits,
  blastCopies,
  blastRetries,
  blastSurveys,
  blastVerbs,
  blobs,
  bulkTents,
  contacts,
  deliveries,
  dkim,
  emailGenerations,
  emails,
  exports,
  forms,
  flows,
  hookTokens,
  flowEngine,
  flowForetold,
  flowMakings,
  housekeeper,
  idempotencyKeys,
  imports,
  jobs,
  lists,
  listVerbs,
  memberships,
  outbox,
  privacy,
  schedules,
  segments,
  workspaces,
  pages,
  templates,
  tents,
  testMails,
  traffic,
}
