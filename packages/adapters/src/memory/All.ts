// Every store in memory, over one database.
import { Layer } from "effect"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import * as AssetStore from "./AssetStore.ts"
import * as AdministrationStore from "./AdministrationStore.ts"
import * as AuditLog from "./AuditLog.ts"
import * as AuditStore from "./AuditStore.ts"
import * as BulkStore from "./BulkStore.ts"
import * as BlastStore from "./BlastStore.ts"
import * as ContactFieldStore from "./ContactFieldStore.ts"
import * as ContactStore from "./ContactStore.ts"
import * as EmailStore from "./EmailStore.ts"
import * as DeliveryStore from "./DeliveryStore.ts"
import * as EngagementStore from "./EngagementStore.ts"
import * as ExportStore from "./ExportStore.ts"
import * as FormStore from "./FormStore.ts"
import * as FlowStore from "./FlowStore.ts"
import * as FlowQueue from "./FlowQueue.ts"
import * as HookTokenStore from "./HookTokenStore.ts"
import * as Housekeeper from "./Housekeeper.ts"
import * as IdempotencyStore from "./IdempotencyStore.ts"
import * as ImportStore from "./ImportStore.ts"
import * as ListStore from "./ListStore.ts"
import * as MembershipStore from "./MembershipStore.ts"
import * as Outbox from "./Outbox.ts"
import * as PrivacyStore from "./PrivacyStore.ts"
import * as ReportStore from "./ReportStore.ts"
import * as ScheduleStore from "./ScheduleStore.ts"
import * as Segment from "./Segment.ts"
import * as SegmentStore from "./SegmentStore.ts"
import * as SurveyStore from "./SurveyStore.ts"
import * as Transactor from "./Transactor.ts"
import * as WorkspaceStore from "./WorkspaceStore.ts"
import * as PublishedPages from "./PublishedPages.ts"
import * as TemplateStores from "./TemplateStores.ts"
import * as TentStore from "./TentStore.ts"
import * as TestMailStore from "./TestMailStore.ts"
import * as TrafficStore from "./TrafficStore.ts"

/** The database that all of them share: provide it once. */
export const database = MemoryDatabase.layer

const rooms = Layer.mergeAll(
  AssetStore.layer,
  AdministrationStore.layer,
  AuditLog.layer,
  AuditStore.layer,
  BulkStore.layer,
  BlastStore.layer,
  ContactFieldStore.layer,
  ContactStore.layer,
  EmailStore.layer,
  DeliveryStore.layer.pipe(Layer.provide(Transactor.layer)),
  EngagementStore.layer,
  ExportStore.layer,
  FormStore.layer,
  FlowStore.layer,
  FlowQueue.layer.pipe(Layer.provide(Outbox.layer)),
  HookTokenStore.layer,
  IdempotencyStore.layer,
  ImportStore.layer,
  ListStore.layer,
  MembershipStore.layer,
  PrivacyStore.layer,
  ReportStore.layer,
  ScheduleStore.layer,
  Segment.layer,
  SegmentStore.layer,
  SurveyStore.layer,
  Transactor.layer,
  Outbox.layer,
  WorkspaceStore.layer,
  TemplateStores.layer,
  TentStore.layer,
  TestMailStore.layer,
  PublishedPages.layer,
  TrafficStore.layer,
)

export const stores = Housekeeper.layer.pipe(Layer.provideMerge(rooms))
