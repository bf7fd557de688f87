// The layer of all use cases. The server, the worker, the command line, tests and embedders build it over the adapters that they
// choose.
import { Layer } from "effect"
import { Accounts } from "./accounts/Accounts.ts"
import { Members } from "./accounts/Members.ts"
import { OidcLogins } from "./accounts/oidc/OidcLogins.ts"
import { Passkeys } from "./accounts/passkeys/Passkeys.ts"
import { Administration } from "./operations/administration/Administration.ts"
import { Blasts } from "./blasts/Blasts.ts"
import { BlastReports } from "./blasts/figures/BlastReports.ts"
import { EmailMessages } from "./messages/EmailMessages.ts"
import { EmailAnalytics } from "./blasts/figures/EmailAnalytics.ts"
import { BlastAudits } from "./blasts/inspection/BlastAudits.ts"
import { DayAnalytics } from "./figures/DayAnalytics.ts"
import { DryRuns } from "./blasts/inspection/DryRuns.ts"
import { Schedules } from "./blasts/Schedules.ts"
import { Hooks } from "./bounces/providers/Hooks.ts"
import { ReturnPaths } from "./bounces/ReturnPaths.ts"
import { Contacts } from "./contacts/Contacts.ts"
import { CustomFields } from "./contacts/CustomFields.ts"
import { DeadJobs } from "./operations/deadJobs/DeadJobs.ts"
import { Deliveries } from "./sending/Deliveries.ts"
import { Links } from "./rendering/Links.ts"
import { Mailability } from "./sending/recipients/Mailability.ts"
import { OutgoingMail } from "./sending/OutgoingMail.ts"
import { Preferences } from "./tracking/Preferences.ts"
import { Tracking } from "./tracking/Tracking.ts"
import { Emails } from "./emails/Emails.ts"
import { TestMails } from "./sending/TestMails.ts"
import { EventFeed } from "./webhooks/EventFeed.ts"
import { WebhookDeliveries } from "./webhooks/endpoints/WebhookDeliveries.ts"
import { WebhookEndpoints } from "./webhooks/endpoints/WebhookEndpoints.ts"
import { WebhookCleanup } from "./webhooks/endpoints/WebhookCleanup.ts"
import { WebhookReplays } from "./webhooks/endpoints/WebhookReplays.ts"
import { Exports } from "./exports/Exports.ts"
import { FormConsents } from "./forms/FormConsents.ts"
import { Forms } from "./forms/Forms.ts"
import { Idempotency } from "./operations/idempotency/Idempotency.ts"
import { MembershipRunner } from "./flows/engine/MembershipRunner.ts"
import { FlowCompiler } from "./flows/engine/FlowCompiler.ts"
import { Enroller } from "./flows/engine/Enroller.ts"
import { FlowDateRounds } from "./flows/engine/FlowDates.ts"
import { FlowEngine } from "./flows/engine/FlowEngine.ts"
import { FlowEventRounds } from "./flows/engine/FlowEvents.ts"
import { StepRuns } from "./flows/steps/StepRuns.ts"
import { AvailableTokens } from "./flows/AvailableTokens.ts"
import { Flows } from "./flows/Flows.ts"
import { FlowSimulations } from "./flows/simulation/FlowSimulations.ts"
import { StepExecutor } from "./flows/steps/StepExecutor.ts"
import { Memberships } from "./flows/Memberships.ts"
import { ImportConfirmations } from "./imports/confirmations/ImportConfirmations.ts"
import { ImportRuns } from "./imports/ImportRuns.ts"
import { Imports } from "./imports/Imports.ts"
import { LocalMails } from "./operations/localMail/LocalMails.ts"
import { Lists } from "./lists/Lists.ts"
import { Privacy } from "./operations/privacy/Privacy.ts"
import { ContactMerges } from "./operations/merge/ContactMerges.ts"
import { Restores } from "./operations/restore/Restores.ts"
import { ServiceOverviews } from "./operations/overview/ServiceOverviews.ts"
import { Searches } from "./operations/search/Searches.ts"
import { Confirmations } from "./subscriptions/Confirmations.ts"
import { Expiries } from "./subscriptions/Expiries.ts"
import { HostedPages } from "./subscriptions/HostedPages.ts"
import { Subscriptions } from "./subscriptions/Subscriptions.ts"
import { Suppressions } from "./sending/Suppressions.ts"
import { Segments } from "./segments/Segments.ts"
import { EmailTemplates } from "./emails/EmailTemplates.ts"
import { TentTemplates } from "./tents/TentTemplates.ts"
import { Assets } from "./tents/assets/Assets.ts"
import { BulkTents } from "./tents/bulk/BulkTents.ts"
import { TentVersions } from "./tents/TentVersions.ts"
import { Tents } from "./tents/Tents.ts"
import { TopicChoices } from "./topics/TopicChoices.ts"
import { Topics } from "./topics/Topics.ts"
import { Traffic } from "./traffic/Traffic.ts"
import { WorkspaceOverviews } from "./workspaces/WorkspaceOverviews.ts"
import { Workspaces } from "./workspaces/Workspaces.ts"

/** Services that the use cases of flows share: one compiler with one cache, and one membership runner. */
export const flowServices = Layer.merge(FlowEventRounds.layer, FlowDateRounds.layer).pipe(
  Layer.provideMerge(Enroller.layer),
  Layer.provideMerge(MembershipRunner.layer),
  Layer.provideMerge(FlowCompiler.layer),
)

export const flowMakings = StepRuns.layer.pipe(Layer.provide(StepExecutor.layer))

/** The use cases of contacts, content and sending, over the ports. The memory adapter has a store for each. */
export const productUseCases = Layer.mergeAll(
  Assets.layer,
  AvailableTokens.layer,
  BlastReports.layer,
  Blasts.layer,
  BulkTents.layer,
  Confirmations.layer,
  Contacts.layer,
  CustomFields.layer,
  DayAnalytics.layer,
  Deliveries.layer,
  DryRuns.layer,
  EmailAnalytics.layer,
  EmailMessages.layer,
  EmailTemplates.layer,
  Emails.layer,
  EventFeed.layer,
  Expiries.layer,
  Exports.layer,
  Layer.mergeAll(ContactMerges.layer, FlowEngine.layer, flowMakings, Memberships.layer).pipe(
    Layer.provide(flowServices),
  ),
  FormConsents.layer,
  Forms.layer,
  FlowSimulations.layer,
  Flows.layer,
  HostedPages.layer,
  ImportConfirmations.layer,
  ImportRuns.layer,
  Imports.layer,
  Lists.layer,
  Mailability.layer,
  OutgoingMail.layer,
  ReturnPaths.layer,
  Schedules.layer,
  Searches.layer,
  Segments.layer,
  Subscriptions.layer,
  Suppressions.layer,
  TentTemplates.layer,
  TentVersions.layer,
  Tents.layer,
  TestMails.layer,
  Preferences.layer,
  TopicChoices.layer,
  Topics.layer,
  Tracking.layer,
  WebhookDeliveries.layer,
  WebhookEndpoints.layer,
  WebhookCleanup.layer,
  WebhookReplays.layer,
  WorkspaceOverviews.layer,
  Workspaces.layer,
).pipe(Layer.provideMerge(Links.layer))

/** Every use case. Those of operators and of a running service have stores on PostgreSQL only. */
export const useCases = Layer.mergeAll(
  Accounts.layer,
  Administration.layer,
  BlastAudits.layer,
  DeadJobs.layer,
  Hooks.layer,
  Idempotency.layer,
  LocalMails.layer,
  Members.layer,
  OidcLogins.layer,
  Passkeys.layer,
  Privacy.layer,
  Restores.layer,
  ServiceOverviews.layer,
  Traffic.layer,
).pipe(Layer.provideMerge(productUseCases))
