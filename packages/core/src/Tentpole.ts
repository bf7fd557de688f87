// Which use cases the product has. The server, the worker, the command line, tests and embedders all build this one layer
// over the adapters they choose.
import { Layer } from "effect"
import { Administration } from "./operations/administration/Administration.ts"
import { Blasts } from "./blasts/Blasts.ts"
import { DryRuns } from "./blasts/inspection/DryRuns.ts"
import { Schedules } from "./blasts/Schedules.ts"
import { Hooks } from "./bounces/providers/Hooks.ts"
import { ReturnPaths } from "./bounces/ReturnPaths.ts"
import { Contacts } from "./contacts/Contacts.ts"
import { CustomFields } from "./contacts/CustomFields.ts"
import { Deliveries } from "./sending/Deliveries.ts"
import { Links } from "./rendering/Links.ts"
import { OutgoingMail } from "./sending/OutgoingMail.ts"
import { Tracking } from "./tracking/Tracking.ts"
import { Emails } from "./emails/Emails.ts"
import { TestMails } from "./sending/TestMails.ts"
import { Exports } from "./exports/Exports.ts"
import { Forms } from "./forms/Forms.ts"
import { Idempotency } from "./operations/idempotency/Idempotency.ts"
import { FlowEngine } from "./flows/engine/FlowEngine.ts"
import { FlowMakings } from "./flows/steps/FlowMakings.ts"
import { Flows } from "./flows/Flows.ts"
import { FlowTrials } from "./flows/simulation/FlowTrials.ts"
import { Memberships } from "./flows/Memberships.ts"
import { ImportRuns } from "./imports/ImportRuns.ts"
import { Imports } from "./imports/Imports.ts"
import { Lists } from "./lists/Lists.ts"
import { Privacy } from "./operations/privacy/Privacy.ts"
import { Segments } from "./segments/Segments.ts"
import { EmailTemplates } from "./templates/EmailTemplates.ts"
import { TentTemplates } from "./templates/TentTemplates.ts"
import { Assets } from "./tents/assets/Assets.ts"
import { BulkTents } from "./tents/bulk/BulkTents.ts"
import { Tents } from "./tents/Tents.ts"
import { Traffic } from "./traffic/Traffic.ts"
import { Workspaces } from "./workspaces/Workspaces.ts"

/** Every use case, over the ports. */
export const useCases = Layer.mergeAll(
  Administration.layer,
  Assets.layer,
  Blasts.layer,
  BulkTents.layer,
  Contacts.layer,
  CustomFields.layer,
  Deliveries.layer,
  DryRuns.layer,
  EmailTemplates.layer,
  Emails.layer,
  Exports.layer,
  Forms.layer,
  FlowEngine.layer,
  FlowMakings.layer,
  FlowTrials.layer,
  Flows.layer,
  Hooks.layer,
  Idempotency.layer,
  ImportRuns.layer,
  Imports.layer,
  Lists.layer,
  Memberships.layer,
  OutgoingMail.layer,
  Privacy.layer,
  ReturnPaths.layer,
  Schedules.layer,
  Segments.layer,
  TentTemplates.layer,
  Tents.layer,
  TestMails.layer,
  Tracking.layer,
  Traffic.layer,
  Workspaces.layer,
).pipe(Layer.provideMerge(Links.layer))
