// Contract tests of every port. An adapter calls each with a name and the layer to test.
import { accounts } from "./accounts/accounts.ts"
import { assets } from "./tents/assets.ts"
import { administration } from "./operations/administration.ts"
import { auditLog } from "./kernel/auditLog.ts"
import { blasts } from "./blasts/blasts.ts"
import { blastAudiences } from "./blasts/blastAudiences.ts"
import { blastAudits } from "./blasts/blastAudits.ts"
import { blastCopies } from "./blasts/blastCopies.ts"
import { blastRetries } from "./blasts/blastRetries.ts"
import { blastDryRuns } from "./blasts/blastDryRuns.ts"
import { blastFigures } from "./blasts/blastFigures.ts"
import { blastVerbs } from "./blasts/blastVerbs.ts"
import { blobs } from "./ports/blobs.ts"
import { bulkTents } from "./tents/bulkTents.ts"
import { contacts } from "./contacts/contacts.ts"
import { dayFigures } from "./figures/dayFigures.ts"
import { exports } from "./exports/exports.ts"
import { forms } from "./forms/forms.ts"
import { hookTokens } from "./bounces/hookTokens.ts"
import { maintenance } from "./operations/maintenance.ts"
import { idempotencyKeys } from "./operations/idempotencyKeys.ts"
import { importConfirmations } from "./imports/importConfirmations.ts"
import { imports } from "./imports/imports.ts"
import { messages } from "./messages/messages.ts"
import { messageOperations } from "./messages/messageOperations.ts"
import { dkim } from "./sending/dkim.ts"
import { documents } from "./documents/documents.ts"
import { emails } from "./emails/emails.ts"
import { deliveries } from "./sending/deliveries.ts"
import { flows } from "./flows/flows.ts"
import { jobs } from "./kernel/jobs.ts"
import { jobTurns } from "./kernel/jobTurns.ts"
import { flowSteps } from "./flows/flowSteps.ts"
import { flowEngine } from "./flows/flowEngine.ts"
import { flowTurns, turning } from "./flows/flowTurns.ts"
import { flowSimulation, StoreClock } from "./flows/flowSimulation.ts"
import { FlowTimes, memberships } from "./flows/memberships.ts"
import { merges } from "./operations/merges.ts"
import { mergesLive, mergeWorld } from "./operations/mergeWorld.ts"
import { lists } from "./lists/lists.ts"
import { listVerbs } from "./lists/listVerbs.ts"
import { outbox } from "./kernel/outbox.ts"
import { passkeys } from "./accounts/passkeys.ts"
import { parsers } from "./ports/parsers.ts"
import { privacy } from "./operations/privacy.ts"
import { restores } from "./operations/restores.ts"
import { schedules } from "./blasts/schedules.ts"
import { serviceOverview } from "./operations/serviceOverview.ts"
import { search } from "./operations/search.ts"
import { segments } from "./segments/segments.ts"
import { subscriptions } from "./subscriptions/subscriptions.ts"
import { suppressions } from "./sending/suppressions.ts"
import { workspaces } from "./workspaces/workspaces.ts"
import { pages } from "./kernel/pages.ts"
import { tents } from "./tents/tents.ts"
import { sendJournal } from "./sending/sendJournal.ts"
import { tentVersions } from "./tents/tentVersions.ts"
import { testMails } from "./sending/testMails.ts"
import { tokenBuckets } from "./kernel/tokenBuckets.ts"
import { topics } from "./topics/topics.ts"
import { transactor } from "./kernel/transactor.ts"
import { traffic } from "./traffic/traffic.ts"
import { eventFeed } from "./webhooks/eventFeed.ts"
import { webhookDeliveries } from "./webhooks/webhookDeliveries.ts"
import { webhookEndpoints } from "./webhooks/webhookEndpoints.ts"
import { webhookQueue } from "./webhooks/webhookQueue.ts"

export { atOnce } from "./kernel/steps.ts"
export { mailedBlast } from "./blasts/blastAudits.ts"
export type { Send } from "./ports/blobs.ts"
export { DeliveryScenario, wholeAudience, type WrittenDelivery } from "./sending/deliveries.ts"
export { type Draw, drawFrom, isInTurn, sampled } from "./kernel/draws.ts"
export { eventually, settledMark, until } from "./kernel/eventually.ts"
export { FlowTimes }
export { begin as messageWorld, withUseCases as withMessages } from "./messages/messageWorld.ts"
export { mergesLive, mergeWorld }
export { flowLive, running } from "./flows/flowMembersWorld.ts"
export { day } from "./flows/flowWorld.ts"
export { StoreClock }
export { turning }
export { Fresh } from "./kernel/fresh.ts"
export { seenView, viewBatch } from "./traffic/traffic.ts"
export { withFewKeyPairs } from "./kernel/keyPairs.ts"
export { settingsLayer, testSettings } from "./kernel/settings.ts"
export { tagged } from "./kernel/tagged.ts"
export { begin as webhookWorld } from "./webhooks/webhookWorld.ts"
export const contract = {
  assets,
  accounts,
  administration,
  auditLog,
  blasts,
  blastAudiences,
  blastAudits,
  blastCopies,
  blastRetries,
  blastDryRuns,
  blastFigures,
  blastVerbs,
  blobs,
  bulkTents,
  contacts,
  dayFigures,
  deliveries,
  dkim,
  documents,
  emails,
  eventFeed,
  exports,
  forms,
  flows,
  hookTokens,
  flowEngine,
  flowTurns,
  flowSimulation,
  flowSteps,
  maintenance,
  idempotencyKeys,
  importConfirmations,
  imports,
  jobs,
  jobTurns,
  lists,
  listVerbs,
  memberships,
  merges,
  messages,
  messageOperations,
  outbox,
  parsers,
  passkeys,
  privacy,
  restores,
  schedules,
  search,
  serviceOverview,
  segments,
  sendJournal,
  subscriptions,
  suppressions,
  webhookDeliveries,
  webhookEndpoints,
  webhookQueue,
  workspaces,
  pages,
  tents,
  topics,
  tentVersions,
  testMails,
  tokenBuckets,
  traffic,
  transactor,
}
