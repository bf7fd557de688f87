// All stores on PostgreSQL.
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { Layer } from "effect"
import * as AssetStore from "./tents/AssetStore.ts"
import * as AccountStore from "./accounts/AccountStore.ts"
import * as AdministrationStore from "./operations/AdministrationStore.ts"
import * as AuditLog from "./kernel/AuditLog.ts"
import * as AuditStore from "./blasts/BlastAuditStore.ts"
import * as BulkStore from "./tents/BulkStore.ts"
import * as BlastStore from "./blasts/BlastStore.ts"
import * as ConfirmationQueue from "./imports/ConfirmationQueue.ts"
import * as ContactFieldStore from "./contacts/ContactFieldStore.ts"
import * as ContactStore from "./contacts/ContactStore.ts"
import * as ConsentStore from "./topics/ConsentStore.ts"
import * as EmailStore from "./emails/EmailStore.ts"
import * as EventStore from "./webhooks/EventStore.ts"
import * as EndpointStore from "./webhooks/EndpointStore.ts"
import * as DeliveryLog from "./webhooks/DeliveryLog.ts"
import * as WebhookQueue from "./webhooks/WebhookQueue.ts"
import * as EmailMessageStore from "./messages/EmailMessageStore.ts"
import * as MessageContentStore from "./messages/MessageContentStore.ts"
import * as DeliveryStore from "./sending/DeliveryStore.ts"
import * as EngagementStore from "./tracking/EngagementStore.ts"
import * as ExportStore from "./exports/ExportStore.ts"
import * as FormStore from "./forms/FormStore.ts"
import * as FlowStore from "./flows/FlowStore.ts"
import * as FlowQueue from "./flows/FlowQueue.ts"
import * as HookTokenStore from "./bounces/HookTokenStore.ts"
import * as Housekeeper from "./operations/Maintenance.ts"
import * as IdempotencyStore from "./operations/IdempotencyStore.ts"
import * as ImportStore from "./imports/ImportStore.ts"
import * as ListStore from "./lists/ListStore.ts"
import * as MembershipStore from "./flows/MembershipStore.ts"
import * as MergeStore from "./operations/MergeStore.ts"
import * as Outbox from "./kernel/Outbox.ts"
import * as PasskeyStore from "./accounts/PasskeyStore.ts"
import * as PrivacyStore from "./operations/PrivacyStore.ts"
import * as RestoreStore from "./operations/RestoreStore.ts"
import * as ReportStore from "./bounces/ReportStore.ts"
import * as ServiceOverviewStore from "./operations/ServiceOverviewStore.ts"
import * as SearchStore from "./operations/SearchStore.ts"
import * as ScheduleStore from "./blasts/ScheduleStore.ts"
import * as Segment from "./segments/RuleSql.ts"
import * as SegmentStore from "./segments/SegmentStore.ts"
import * as DayFigureStore from "./figures/DayFigureStore.ts"
import * as FigureStore from "./blasts/FigureStore.ts"
import * as DueWork from "./kernel/DueWork.ts"
import * as DryRunStore from "./blasts/DryRunStore.ts"
import * as SubscriptionStore from "./subscriptions/SubscriptionStore.ts"
import * as TopicStore from "./topics/TopicStore.ts"
import * as TokenBucketStore from "./kernel/TokenBucketStore.ts"
import * as Transactor from "./kernel/Transactor.ts"
import * as WorkspaceStore from "./workspaces/WorkspaceStore.ts"
import * as PageInvalidation from "./tents/PageInvalidation.ts"
import * as PublishedPages from "./tents/PublishedPages.ts"
import * as TemplateStores from "./templates/TemplateStores.ts"
import * as TentStore from "./tents/TentStore.ts"
import * as SuppressionStore from "./sending/SuppressionStore.ts"
import * as TestMailStore from "./sending/TestMailStore.ts"
import * as TrafficStore from "./traffic/TrafficStore.ts"

/** Needs the process's `Jobs`. */
const writer = ChangeWriter.layer.pipe(Layer.provide(Layer.merge(Outbox.layer, AuditLog.layer)))

const rooms = Layer.mergeAll(
  AccountStore.layer,
  AssetStore.layer,
  AdministrationStore.layer.pipe(Layer.provide(Transactor.layer)),
  AuditLog.layer,
  AuditStore.layer,
  BulkStore.layer,
  BlastStore.layer,
  ConfirmationQueue.layer,
  ContactFieldStore.layer,
  ContactStore.layer,
  ConsentStore.layer,
  DayFigureStore.layer,
  EmailStore.layer,
  EndpointStore.layer,
  DeliveryLog.layer,
  EmailMessageStore.layer,
  MessageContentStore.layer,
  DeliveryStore.layer.pipe(Layer.provide(Transactor.layer)),
  EngagementStore.layer,
  EventStore.layer,
  ExportStore.layer,
  FormStore.layer,
  FlowStore.layer,
  FlowQueue.layer.pipe(Layer.provide(Outbox.layer)),
  HookTokenStore.layer,
  IdempotencyStore.layer,
  ImportStore.layer,
  ListStore.layer,
  MembershipStore.layer,
  MergeStore.layer,
  PasskeyStore.layer,
  PrivacyStore.layer,
  ReportStore.layer,
  RestoreStore.layer,
  ScheduleStore.layer,
  SearchStore.layer,
  Segment.layer,
  SegmentStore.layer,
  ServiceOverviewStore.layer,
  DryRunStore.layer,
  FigureStore.layer,
  SubscriptionStore.layer,
  TopicStore.layer,
  DueWork.layer,
  TokenBucketStore.layer,
  Transactor.layer,
  Outbox.layer,
  WebhookQueue.layer,
  WorkspaceStore.layer,
  TemplateStores.layer,
  TentStore.layer,
  SuppressionStore.layer,
  TestMailStore.layer,
  PublishedPages.layer,
  TrafficStore.layer,
).pipe(Layer.provide(Layer.merge(PageInvalidation.layer, writer)))

export const stores = Housekeeper.layer.pipe(Layer.provideMerge(rooms))
