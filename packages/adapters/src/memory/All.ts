// The layer of all memory stores, over one shared database. Operators' stores (administration, privacy, maintenance …) are on
// PostgreSQL only.
import { ChangeWriter } from "@tentpole/core/kernel/changes/ChangeWriter"
import { Layer } from "effect"
import { MemoryDatabase } from "./kernel/MemoryDatabase.ts"
import * as AssetStore from "./tents/AssetStore.ts"
import * as AuditLog from "./kernel/AuditLog.ts"
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
import * as ImportStore from "./imports/ImportStore.ts"
import * as ListStore from "./lists/ListStore.ts"
import * as MembershipStore from "./flows/MembershipStore.ts"
import * as MergeStore from "./operations/MergeStore.ts"
import * as Outbox from "./kernel/Outbox.ts"
import * as ReportStore from "./bounces/ReportStore.ts"
import * as SearchStore from "./operations/SearchStore.ts"
import * as ScheduleStore from "./blasts/ScheduleStore.ts"
import * as Segment from "./segments/SegmentMembers.ts"
import * as SegmentStore from "./segments/SegmentStore.ts"
import * as DayFigureStore from "./figures/DayFigureStore.ts"
import * as FigureStore from "./blasts/FigureStore.ts"
import * as DryRunStore from "./blasts/DryRunStore.ts"
import * as TopicStore from "./topics/TopicStore.ts"
import * as SubscriptionStore from "./subscriptions/SubscriptionStore.ts"
import * as TokenBucketStore from "./kernel/TokenBucketStore.ts"
import * as Transactor from "./kernel/Transactor.ts"
import * as WorkspaceStore from "./workspaces/WorkspaceStore.ts"
import * as PublishedPages from "./tents/PublishedPages.ts"
import * as TemplateStores from "./templates/TemplateStores.ts"
import * as TentStore from "./tents/TentStore.ts"
import * as SuppressionStore from "./sending/SuppressionStore.ts"
import * as TestMailStore from "./sending/TestMailStore.ts"

/** The database that all stores share. Provide it once. */
export const database = MemoryDatabase.layer

/** Stores that use the `Jobs` of the process. */
const writer = ChangeWriter.layer.pipe(Layer.provide(Layer.merge(Outbox.layer, AuditLog.layer)))

export const stores = Layer.mergeAll(
  AssetStore.layer,
  AuditLog.layer,
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
  DeliveryStore.layer.pipe(Layer.provide(Transactor.layer)),
  EmailMessageStore.layer,
  MessageContentStore.layer,
  EngagementStore.layer,
  EventStore.layer,
  ExportStore.layer,
  FormStore.layer,
  FlowStore.layer,
  FlowQueue.layer.pipe(Layer.provide(Outbox.layer)),
  ImportStore.layer,
  ListStore.layer,
  MembershipStore.layer,
  MergeStore.layer,
  ReportStore.layer,
  ScheduleStore.layer,
  SearchStore.layer,
  Segment.layer,
  SegmentStore.layer,
  DryRunStore.layer,
  FigureStore.layer,
  TopicStore.layer,
  SubscriptionStore.layer,
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
).pipe(Layer.provide(writer))
